"""``scrapy as-of``: which text of a page was held at a date, by which clocks, and what proves it."""

import argparse
import re
from datetime import datetime

from rori_spiders.evidence.point_in_time import describe_instant, end_of
from rori_spiders.exceptions import UsageError
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.tables.base import to_utc
from rori_spiders.staging.store_factory import open_store
from rori_spiders.terminal.audit.point_in_time import print_imported_text, print_page, print_pages, print_text
from rori_spiders.terminal.command import RoriCommand, parse_moment, parse_page_url
from rori_spiders.terminal.listing import FORMATS

_HAS_ZONE = re.compile(r"(?:[Zz]|[+-]\d\d:?\d\d)\Z")


class AsOf(RoriCommand):
    examples = (
        "scrapy as-of 2026-02-13 --page https://www.hud.gov/fha",
        "scrapy as-of 2026-02-13 --page https://www.hud.gov/fha --format markdown > fha.md",
        "scrapy as-of 2026-02-13T14:30:00Z --source cfpb-reg-x --format csv",
    )
    usage = "DATE [--source ID] [--page URL] [--format FORM] [--imported]"
    summary = "Show which text was held on a date, and what proves it"
    description = (
        "Shows which text each page had at DATE, with four times kept apart: published and effective (the publisher's "
        "dates), captured (when the text was received, and last seen) and known (when it was recorded). States what "
        "is unknown between two requests. A date without a time means the end of that day in UTC."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "date",
            metavar="DATE",
            type=_parse_date,
            help="a date (2026-02-13: its end in UTC), or a time with its zone (2026-02-13T14:30:00Z)",
        )
        parser.add_argument("--source", metavar="ID", help="show only this source")
        parser.add_argument(
            "--page",
            metavar="URL",
            type=parse_page_url,
            help="show only this page, by its URL or a former one, with proof",
        )
        parser.add_argument(
            "--format",
            choices=(*FORMATS, "markdown"),
            default="table",
            help="table (default), json, csv or markdown (with --page: text to stdout, times to stderr)",
        )

        parser.add_argument(
            "--imported",
            action="store_true",
            help="with --format markdown: the text that was imported (scrapy import), not one that was collected",
        )

    def answer(self, opts: argparse.Namespace) -> int:
        if opts.format == "markdown" and opts.page is None:
            raise UsageError("--format markdown needs --page URL")
        if opts.imported and opts.format != "markdown":
            raise UsageError("--imported needs --format markdown: the other formats list imported texts by themselves")
        now, (begin, after) = self.now(), opts.date
        if begin > now:
            raise UsageError(f"DATE is in the future: the time is {now:%Y-%m-%d %H:%M} UTC")
        at, is_day = min(to_utc(end_of(begin, after)), now), begin != after
        heading = describe_instant(at, is_day=is_day, is_now=is_day and at == now)
        with self.collected_ledger() as ledger:
            self.require_sources(ledger, opts.source)
            return self._show(ledger, opts, at, heading)

    def _show(self, ledger: Ledger, opts: argparse.Namespace, at: datetime, heading: str) -> int:
        if opts.page is None:
            return print_pages(ledger, at, opts.format, heading, source_id=opts.source)
        if opts.format == "markdown":
            store = open_store(self.places.staging)
            show = print_imported_text if opts.imported else print_text
            return show(ledger, store, opts.page, at, heading, source_id=opts.source)
        return print_page(ledger, opts.page, at, opts.format, heading, source_id=opts.source)


def _parse_date(text: str) -> tuple[datetime, datetime]:
    begin, after = parse_moment(text)
    if begin == after and not _HAS_ZONE.search(text):
        raise argparse.ArgumentTypeError(f"a time needs its zone, such as {text}Z or {text}+02:00")
    return begin, after
