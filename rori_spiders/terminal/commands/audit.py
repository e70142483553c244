"""``scrapy audit``: list requests with their outcome, prove past text, report figures, show a stored response."""

import argparse
import sys
from collections.abc import Iterator
from datetime import datetime
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.exceptions import StagingError, UnknownName, UsageError
from rori_spiders.ledger import tables
from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.runs import listed_urls
from rori_spiders.ledger.tables.runs import FINAL_URL_STATES
from rori_spiders.staging.store_factory import open_store
from rori_spiders.terminal.audit.figures import REPORT_GROUPS, print_figures
from rori_spiders.terminal.audit.responses import print_response
from rori_spiders.terminal.command import ListingCommand, parse_end, parse_page_url, parse_start, positive_count
from rori_spiders.terminal.listing import Column, write_listing

KINDS = ("page", "robots", "sitemap", "api", "list", "all")
_STATE_COLOURS = (("captured", "green"), ("failed", "red"), ("gone", "red"), ("excluded", "yellow"))

_TITLES = {"timestamp": "when (UTC)", "manifest_id": "source", "url": "url", "engine": "by"}
_NUMBERS = {"http_status": "http", "response_time_ms": "ms"}
_NOT_HERE = ("state", "reason", "url_hash")  # named below, or without a meaning outside the ledger
_REST = tuple(c.name for c in tables.audit.columns if c.name not in {*audit_log.RECORD_FIELDS, *_NOT_HERE})

#: S0 §8, in its order and with its names; then the fields that an examiner needs. The table shows titled columns.
COLUMNS = (
    *(
        Column(name, _NUMBERS.get(name, _TITLES.get(name, "")), right=name in _NUMBERS)
        for name in audit_log.RECORD_FIELDS
    ),
    Column("state", "state", colours=_STATE_COLOURS),
    Column("reason", "why"),
    *map(Column, _REST),
)


class Audit(ListingCommand):
    examples = (
        "scrapy audit --source cfpb-reg-x --since 2026-02-01",
        "scrapy audit --status failed --limit 20",
        "scrapy audit --status 404 --format csv > missing.csv",
        "scrapy audit --url https://www.hud.gov/fha --format json",
        "scrapy audit --summary --by month --since 2026-01-01",
        "scrapy audit --response 345 > body.html",
    )
    usage = (
        "[--summary [--by WHAT]] [--source ID] [--since WHEN] [--until WHEN] "
        "[--status STATE] [--url URL] [--limit N] [--format FORM] | --response ROW"
    )
    summary = "Show the audit log: every request with its outcome"
    description = (
        "Lists one row per URL and run, oldest first. Times are UTC; a date without a time is the whole day. JSON "
        "and CSV contain every field of the audit record; the table shows the most important ones. --summary "
        "prints figures instead, --response a stored response. `scrapy as-of` shows what a page said on a date."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--source", metavar="ID", help="list only rows of this source")
        parser.add_argument("--since", metavar="WHEN", type=parse_start, help="start at this date (2026-02-13) or time")
        parser.add_argument("--until", metavar="WHEN", type=parse_end, help="end after this date, or at this time")
        parser.add_argument(
            "--status",
            metavar="STATE",
            type=_parse_status,
            help=f"list only rows with this state ({', '.join(FINAL_URL_STATES)}) or HTTP status (404)",
        )
        parser.add_argument(
            "--url", metavar="URL", type=parse_page_url, help="list only this page, including its former URLs"
        )
        parser.add_argument("--kind", choices=KINDS, default="page", help="kind of request (default: page)")
        parser.add_argument("--limit", metavar="N", type=positive_count, help="list only the newest N rows")
        parser.add_argument("--summary", action="store_true", help="print figures instead of rows")
        parser.add_argument("--by", choices=REPORT_GROUPS, help="group the summary by this (default: source)")
        parser.add_argument(
            "--response",
            metavar="ROW",
            type=positive_count,
            help="print the stored response of this row (`audit_id`): body to stdout, status and headers to stderr",
        )
        super().options(parser)

    def answer(self, opts: argparse.Namespace) -> int:
        # Raise UsageError for options that cannot be combined.
        if opts.summary:
            if wrong := [name for name in ("status", "url", "limit") if getattr(opts, name)]:
                raise UsageError(f"--summary cannot be combined with --{wrong[0]}")
            if opts.by == "page" and opts.source is None:
                raise UsageError("--by page needs --source ID")
        elif opts.by is not None:
            raise UsageError("--by needs --summary")
        if opts.response is not None:
            return self._response(opts)
        if opts.summary:
            with open_existing_ledger(self.places) as ledger:
                if ledger is not None:
                    self.require_sources(ledger, opts.source)
                    return self._report(ledger, opts)
            print(_nothing_found(no_ledger=True), file=sys.stderr)
            return 0
        return self._rows(opts)

    def _response(self, opts: argparse.Namespace) -> int:
        others = ("source", "since", "until", "status", "url", "limit", "summary")
        if any(getattr(opts, name) for name in others):
            raise UsageError("--response cannot be combined with other options")
        row = None
        with open_existing_ledger(self.places) as ledger:
            if ledger is not None:
                with ledger.connect() as connection:
                    row = audit_log.find_row(connection, opts.response)
        if row is None:
            raise UnknownName(
                f"no audit row {opts.response}; `scrapy audit --format json` lists every row with its `audit_id`"
            )
        return print_response(row, open_store(self.places.staging))

    def _report(self, ledger: Ledger, opts: argparse.Namespace) -> int:
        agencies = self._agencies(ledger) if opts.by == "agency" else {}
        of = {"since": opts.since, "until": opts.until, "source_id": opts.source}
        if not print_figures(ledger, opts.by or "source", opts.format, agencies, **of) and opts.format == "table":
            print(_nothing_found(no_ledger=False))
        return 0

    def _agencies(self, ledger: Ledger) -> dict[str, str | None]:
        sources = self.load_catalog(ledger).sources
        return {source.id: source.metadata.agency if source.metadata else None for source in sources}

    def _rows(self, opts: argparse.Namespace) -> int:
        with open_existing_ledger(self.places) as ledger:
            if ledger is None:
                count = write_listing([], COLUMNS, opts.format)
            else:
                self.require_sources(ledger, opts.source)
                with ledger.connect() as connection:
                    rows = _query_audit(connection, opts)
                    if _may_be_listed(opts):
                        rows = self._with_listed(connection, opts, rows)
                    count = write_listing(
                        map(_table_row, rows) if opts.format == "table" else rows, COLUMNS, opts.format
                    )
        if not count and opts.format == "table":
            print(_nothing_found(ledger is None))
        return 0

    def _with_listed(
        self, connection: Connection, opts: argparse.Namespace, rows: Iterator[dict[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        """*rows*, and those of the runs that left the URL out with a list that names it, oldest first."""
        get_object = open_store(self.places.staging).get_object
        of = {"source_id": opts.source, "since": opts.since, "until": opts.until}
        try:
            listed = list(listed_urls.find_listed_url(connection, opts.url, get_object, **of))
        except (ValueError, OSError) as error:
            raise StagingError(f"The lists that may name {opts.url} cannot be read: {error}") from error
        every = sorted([*rows, *listed], key=itemgetter("timestamp"))
        yield from every[-opts.limit :] if opts.limit is not None else every


def _may_be_listed(opts: argparse.Namespace) -> bool:
    """Whether the rows that are asked for may be of a URL that is only counted, with a list that names it."""
    return opts.url is not None and opts.kind in {"page", "sitemap", "all"} and opts.status in {None, "excluded"}


def _query_audit(connection: Connection, opts: argparse.Namespace) -> Iterator[dict[str, Any]]:
    from rori_spiders.ledger.pages import page_history

    by_http = opts.status is not None and opts.status.isdecimal()
    return audit_log.query_rows(
        connection,
        source_id=opts.source,
        since=opts.since,
        until=opts.until,
        state=None if by_http else opts.status,
        http_status=int(opts.status) if by_http else None,
        kind=None if opts.kind == "all" else opts.kind,
        url=None if opts.url is None else page_history.page_urls(connection, opts.url, opts.source),
        limit=opts.limit,
    )


def _table_row(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "timestamp": datetime.fromisoformat(row["timestamp"])}


def _nothing_found(no_ledger: bool) -> str:
    if no_ledger:
        return "Nothing collected yet: run `scrapy collect`."
    return "No matching audit rows. Remove filters to see more."


def _parse_status(text: str) -> str:
    if text in FINAL_URL_STATES or (text.isdecimal() and len(text) == 3):
        return text
    raise argparse.ArgumentTypeError(f"expected {', '.join(FINAL_URL_STATES)} or an HTTP status, not {text!r}")
