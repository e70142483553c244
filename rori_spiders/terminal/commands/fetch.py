"""``scrapy fetch``: Scrapy's command, which fails where no response came."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any

from scrapy.commands.fetch import Command as ScrapyFetch

from rori_spiders.terminal.command import apply_settings_or_exit, make_strict

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from scrapy.http import Response

NO_REASON = "the request is forbidden (robots.txt, address, limit) or failed; the log says more."


class _LastWarning(logging.Handler):
    """Why no response came: the last of what the log warns of, which --nolog and many lines of INFO hide."""

    message: str | None = None

    def emit(self, record: logging.LogRecord) -> None:
        self.message = record.getMessage()


class OneFetch:
    """For commands that are Scrapy's ``fetch``: settings with types, and exit code 1 where nothing was printed."""

    settings: Any
    exitcode: int
    has_printed = False
    examples: Sequence[str] = ("scrapy {name} https://www.example.org/rule.html",)

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        name = type(self).__module__.rpartition(".")[2]
        make_strict(parser, f"scrapy {name}", [words.format(name=name) for words in self.examples])
        super().add_options(parser)  # type: ignore[misc]  # Scrapy's, which stands behind this class

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)  # type: ignore[misc]
        apply_settings_or_exit(self.settings)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        warning = _LastWarning(logging.WARNING)
        logging.getLogger().addHandler(warning)
        try:
            super().run(args, opts)  # type: ignore[misc]
        finally:
            logging.getLogger().removeHandler(warning)
        if not self.has_printed:
            sys.stderr.write(f"No response: {warning.message or NO_REASON}\n")
            self.exitcode = 1

    def _print_response(self, response: Response, opts: argparse.Namespace) -> None:
        self.has_printed = True
        super()._print_response(response, opts)  # type: ignore[misc]


class Fetch(OneFetch, ScrapyFetch):
    """``scrapy fetch URL``: under the same robots.txt, rate limits and leases as a collection."""

    def short_desc(self) -> str:
        return "Fetch a URL politely and print its body"

    def long_desc(self) -> str:
        return "Requests a URL by plain HTTP, under the robots.txt and rate limits of a collection. Stages nothing."
