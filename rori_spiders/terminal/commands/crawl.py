"""``scrapy crawl``: Scrapy's command with our summary and exit codes."""

import argparse

from scrapy.commands.crawl import Command as ScrapyCrawl
from scrapy.exceptions import UsageError
from scrapy.utils.conf import closest_scrapy_cfg

from rori_spiders.configuration.locations import Locations
from rori_spiders.exceptions import UsageError as RoriUsageError
from rori_spiders.runtime import redacted_output
from rori_spiders.terminal.command import apply_settings_or_exit, make_strict


class Crawl(ScrapyCrawl):
    """``scrapy crawl SOURCE``, or a method with ``-a sources=ID,ID``. Ignores crawl windows and intervals."""

    examples = ("scrapy crawl cfpb-reg-1024", "scrapy crawl site -a sources=ID,ID -o pages.jsonl")

    def short_desc(self) -> str:
        return "Collect one source now, or several of one method with -a sources=ID,ID"

    def syntax(self) -> str:
        return "SOURCE [options]"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        make_strict(parser, "scrapy crawl", self.examples)
        super().add_options(parser)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        from rori_spiders.extensions.progress import quiet_logging_at_terminal

        super().process_options(args, opts)
        assert self.settings is not None
        apply_settings_or_exit(self.settings)
        quiet_logging_at_terminal(self.settings, log_asked_for=bool(opts.loglevel or opts.logfile))

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from rori_spiders.configuration.active_manifest import load_active_catalog_or_warning
        from rori_spiders.terminal.crawl_runner import exit_code, print_summary, run_spider

        if len(args) != 1:
            raise UsageError("expected one source; `scrapy list` lists them", print_help=False)
        if args[0].startswith("-"):
            raise UsageError(f"unknown option: {args[0]}", print_help=False)
        assert self.crawler_process is not None and self.settings is not None
        with redacted_output.redacted_output():
            try:
                job = run_spider(self.crawler_process, args[0], **opts.spargs)
            except KeyError as error:
                places = Locations.from_settings(self.settings, closest_scrapy_cfg())
                problem = load_active_catalog_or_warning(places).warning
                unknown = f"unknown source {args[0]!r}; `scrapy list` lists sources"
                raise UsageError(problem or unknown, print_help=False) from error
            except RoriUsageError as error:
                raise UsageError(str(error), print_help=False) from error
            print_summary(job)
        self.exitcode = exit_code(job) or int(self.crawler_process.bootstrap_failed)
