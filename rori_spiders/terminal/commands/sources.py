"""``scrapy sources``: list sources with their status, show one in detail, list review items."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.runtime.plurals import format_count
from rori_spiders.terminal.command import RoriCommand, Subcommands, add_format_option, find_sources
from rori_spiders.terminal.listing import Column, print_hint, write_details, write_listing

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source

_STATUS_COLOURS = (
    ("OK", "green"),
    ("changed", "cyan"),
    ("failed", "red"),
    *((status, "yellow") for status in ("suspect", "locked", "paused")),
)
COLUMNS = (
    Column("id", "source"),
    Column("agency", "agency"),
    Column("method", "method"),
    Column("status", "status", colours=_STATUS_COLOURS),
    Column("last_checked_at", "last check (UTC)"),
    Column("due", "next due (UTC)"),
    Column("pages", "pages", right=True),
    Column("last_run", "last run"),
    Column("next_due"),
    Column("name"),
    Column("url"),
)


class Sources(RoriCommand):
    examples = (
        "scrapy sources",
        "scrapy sources show cfpb-reg-x",
        "scrapy sources --review",
        "scrapy sources --format csv > sources.csv",
    )
    usage = "[list] [--review] [--format FORM] | show ID [--review] [--format FORM]"
    summary = "List sources with their status, or show one in detail"
    description = (
        "Without a verb, the command lists each source with its status (OK, changed, failed, suspect, pending, "
        "running, partial, locked, paused, proposed, retired), last check, next due time, page count and last run. "
        "`show` also explains why the source is due or not, who paused it, which job uses its servers and the adaptive "
        "delay. --review lists items that need a decision, with the reason and what to do; items clear by themselves."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        verbs = Subcommands(parser, default="list")
        listing = verbs.add("list", "list all sources with their status")
        showing = verbs.add("show", "show one source: its schedule, pauses, politeness and outcome")
        showing.add_argument("id", metavar="ID", help="id of the source")
        for verb in (listing, showing):
            verb.add_argument("--review", action="store_true", help="list review items with what to do")
            add_format_option(verb)

    def answer(self, opts: argparse.Namespace) -> int:
        from rori_spiders.ledger.runs.run_records import list_source_ids
        from rori_spiders.reviews import count_open_items
        from rori_spiders.schedule.status import source_statuses
        from rori_spiders.terminal import alerts

        with open_existing_ledger(self.places) as ledger, ledger.connect() if ledger else nullcontext() as connection:
            catalog = self.load_catalog(ledger)
            chosen = find_sources(catalog, [opts.id]) if opts.verb == "show" else catalog.sources
            if opts.review:
                return self._review({one.id for one in chosen}, connection, opts)
            if opts.verb == "show":
                return self._show_source(catalog, chosen[0], connection, opts.format)
            listed = source_statuses(catalog, connection, self.now())
            waiting = count_open_items(connection, {one.id for one in chosen}) if connection is not None else 0
            others = (
                list_source_ids(connection) - {one.id for one in catalog.sources} if connection is not None else set()
            )
        write_listing(
            [_source_row(one.row(), hindered=one.hindrance is not None) for one in listed], COLUMNS, opts.format
        )
        if opts.format == "table" and all(one.last_run is None for one in listed):
            what = "None of these sources" if others else "Nothing"
            elsewhere = (
                f" {format_count(len(others), 'source')} of other manifests: see `scrapy runs`." if others else ""
            )
            print_hint(f"\n{what} collected yet: run `scrapy collect`.{elsewhere}")
        if opts.format == "table" and waiting:
            print_hint(f"\n{alerts.review_hint(waiting)}")
        return 0

    def _review(self, ids: set[str], connection: Connection | None, opts: argparse.Namespace) -> int:
        from rori_spiders.reviews import open_items
        from rori_spiders.terminal import alerts

        items = open_items(connection, ids) if connection is not None else []
        write_listing(alerts.review_rows(items), alerts.REVIEW_COLUMNS, opts.format)
        if opts.format == "table" and not items:
            print("Nothing to review.")
        elif opts.format == "table" and opts.verb == "show":
            print()
            write_listing(alerts.review_page_rows(items), alerts.REVIEW_PAGE_COLUMNS, opts.format)
        elif opts.format == "table":
            print_hint("\nShow all pages of an item with their stored bytes: scrapy sources show ID --review")
        return 0

    def _show_source(self, catalog: Catalog, source: Source, connection: Connection | None, form: str) -> int:
        from rori_spiders.ledger.operations.source_status import find_global_pause
        from rori_spiders.reviews import count_open_items
        from rori_spiders.schedule import explain_schedule
        from rori_spiders.schedule.status import (
            cooling_down_until,
            fact_label,
            politeness_status,
            source_facts,
            source_status,
        )
        from rori_spiders.terminal import alerts

        now = self.now()
        one = source_status(catalog, source, connection, now)
        facts = source_facts(catalog, one, politeness_status(catalog, source, connection))
        write_details(facts, form, label=fact_label)
        if form == "table":
            everything = find_global_pause(connection) if connection is not None else None
            rest = cooling_down_until(catalog, source, connection)
            explanation = explain_schedule(
                source, one.state, now, rules=catalog.rules, left_alone_until=rest, everything=everything
            )
            print_hint("", *explanation)
            waiting = count_open_items(connection, {source.id}) if connection is not None else 0
            if waiting:
                print_hint(alerts.review_hint(waiting, source.id))
        return 0


def _source_row(row: Mapping[str, Any], *, hindered: bool) -> dict[str, Any]:
    return {**row, "due": "-" if hindered else row["next_due"] or "at once"}
