"""``scrapy demo``: serve a small site of real regulation text on loopback, collect it, report the result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rori_spiders.exceptions import ActionRefused
from rori_spiders.ledger.database import open_ledger
from rori_spiders.staging.store_factory import open_store
from rori_spiders.terminal.command import RoriCommand
from rori_spiders.terminal.demo import HOST, PORT, apply_demo_settings

if TYPE_CHECKING:
    import argparse

    from rori_spiders.crawl.job.job import Job
    from rori_spiders.demo.working_copy import FigureEdit


class Demo(RoriCommand):
    default_settings: ClassVar[dict[str, Any]] = {}
    examples = ("scrapy demo", "scrapy demo --edit")
    usage = "[--edit]"
    summary = "Collect a small local demo site of real regulation text and explain the result"
    description = (
        "Serves the site on 127.0.0.1, collects it with the packaged manifest `demo`, and reports which pages were "
        "staged where, and which were refused and why. Your active manifests are not changed."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--edit", action="store_true", help="first change one figure on one page, to see a change detected"
        )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        from rori_spiders.terminal.crawl_runner import quiet_logging_at_terminal

        super().process_options(args, opts)
        self.folder = apply_demo_settings(self.settings)
        if not (opts.loglevel or opts.logfile):
            self.settings.set("LOG_LEVEL", "ERROR", priority="cmdline")  # the report replaces the log
        quiet_logging_at_terminal(self.settings, log_asked_for=bool(opts.loglevel or opts.logfile))

    def answer(self, opts: argparse.Namespace) -> int:
        from rori_spiders.demo.server import serve_folder
        from rori_spiders.demo.working_copy import edit_figure, prepare_site
        from rori_spiders.terminal.crawl_runner import exit_code

        site = prepare_site(self.folder / "site")
        edited = edit_figure(site) if opts.edit else None
        try:
            with serve_folder(site, HOST, PORT) as base:
                _print_address(base, edited)
                job = self._collect()
        except OSError as error:
            raise ActionRefused(f"Cannot serve the demo site on {HOST}:{PORT}: {error.strerror}.") from error
        if job.refused is not None or job.failure is not None:
            raise job.refused or job.failure or AssertionError
        self._print_summary(job)
        return exit_code(job) if job.locked_sources or not job.ended else 0

    def _collect(self) -> Job:
        from rori_spiders.manifest.loading import load_packaged
        from rori_spiders.terminal.crawl_runner import run_sources

        ids = [source.id for source in load_packaged("demo", allowed_addresses=(f"{HOST}:{PORT}",)).manifest.sources]
        return run_sources(self.settings, ids)

    def _print_summary(self, job: Job) -> None:
        from rori_spiders.demo.report import demo_report_lines

        store = open_store(self.places.staging)
        with open_ledger(self.places.database_url) as ledger, ledger.connect() as conn:
            for line in demo_report_lines(conn, store, [ended.run.run_id for ended in job.ended]):
                print(line)
        print(f"\nStaged files: {self.places.staging}\nLedger:       {self.places.shown_ledger}")
        print("Next:         scrapy demo --edit, then scrapy changes; scrapy audit, scrapy verify")
        print("Monitor:      scrapy monitor users add NAME --role operator && scrapy monitor --demo")


def _print_address(base: str, edited: FigureEdit | None) -> None:
    print(f"Serving a small site of real regulation text at {base} and collecting it.")
    if edited is not None:
        print(f"Changed one figure on {edited.page} first:\n  - {edited.before}\n  + {edited.after}")
    print(flush=True)
