"""``scrapy parse``: what a collection would make of a URL, without collecting it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from scrapy.commands.fetch import Command as ScrapyFetch
from scrapy.utils.conf import closest_scrapy_cfg

from rori_spiders.configuration.locations import Locations
from rori_spiders.terminal.commands.fetch import OneFetch

if TYPE_CHECKING:
    import argparse

    from scrapy.http import Response


class Parse(OneFetch, ScrapyFetch):
    """``scrapy parse URL``: one request; a JSON object on stdout. Nothing is staged."""

    def short_desc(self) -> str:
        return "Show what a collection would make of a URL: verdict, item, links"

    def long_desc(self) -> str:
        return (
            "Requests a URL by plain HTTP, under the robots.txt and rate limits of a collection, and prints as JSON "
            "its verdict, the active source that would collect it, the item, and the links with the reason for which "
            "one would not be followed. What is not content has no item, and exit code 1. Stages nothing."
        )

    def _print_response(self, response: Response, opts: argparse.Namespace) -> None:
        from rori_spiders.configuration.active_manifest import load_active_catalog_or_warning
        from rori_spiders.runtime.table_files import format_json
        from rori_spiders.terminal.comparison.page_preview import PagePreview

        places = Locations.from_settings(self.settings, closest_scrapy_cfg())
        document = PagePreview(response, load_active_catalog_or_warning(places).catalog, places).document()
        sys.stdout.write(f"{format_json(document, indent=2)}\n")
        self.has_printed = True
        self.exitcode = 0 if document["item"] is not None else 1
