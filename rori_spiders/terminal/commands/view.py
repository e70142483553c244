"""``scrapy view``: Scrapy's command, which fails where no response came, or where no browser shows it."""

from __future__ import annotations

import sys
import webbrowser
from typing import TYPE_CHECKING

from scrapy.commands.view import Command as ScrapyView
from scrapy.utils.response import open_in_browser

from rori_spiders.terminal.commands.fetch import OneFetch

if TYPE_CHECKING:
    import argparse

    from scrapy.http import Response


class View(OneFetch, ScrapyView):
    """``scrapy view URL``: under the same robots.txt, rate limits and leases as a collection."""

    def short_desc(self) -> str:
        return "Fetch a URL politely and open it in a browser"

    def long_desc(self) -> str:
        return (
            "Requests a URL by plain HTTP, under the robots.txt and rate limits of a collection, and opens what was "
            "received in your browser, which loads images and scripts itself. Stages nothing."
        )

    def _print_response(self, response: Response, opts: argparse.Namespace) -> None:
        open_in_browser(response, self._open)  # PDFs too, which Scrapy's command leaves

    def _open(self, address: str) -> None:
        self.has_printed = True
        if not webbrowser.open(address):
            sys.stderr.write(f"No browser can be opened here. What was received is in {address}\n")
            self.exitcode = 1
