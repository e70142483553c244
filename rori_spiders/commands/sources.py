"""``scrapy sources``: how each source stands; with an id, all that a person asks first about one."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from rori_spiders.inforce import existing_ledger, read_in_force
from rori_spiders.ledger.sources import states
from rori_spiders.schedule import explain
from rori_spiders.standing import facts, standings
from rori_spiders.terminal.command import ListingCommand, known_sources
from rori_spiders.terminal.listing import Column, write_details, write_listing

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from typing import Any

    from sqlalchemy import Connection

    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source

_STATUS_COLOURS = (("OK", "green"), ("changed", "cyan"), ("failed", "red"), ("paused", "yellow"))
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


class Sources(ListingCommand):
    examples = (
        "scrapy sources",
        "scrapy sources cfpb-reg-x",
        "scrapy sources --format csv > sources.csv",
    )

    def syntax(self) -> str:
        return "[ID] [--format FORM]"

    def short_desc(self) -> str:
        return "List the sources and how they stand, or tell all about one"

    def long_desc(self) -> str:
        return (
            "All: agency, method, status (OK, changed, failed, pending, running, partial, paused, proposed, retired), "
            "last check, next due, pages held, what became of the last run. One: besides, why it is due or not, what "
            "pauses it, who is asking its servers, and the pace learnt for them."
        )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("id", nargs="?", metavar="ID", help="a source of the manifest in force")
        super().options(parser)

    def answer(self, opts: argparse.Namespace) -> int:
        with existing_ledger(self.places) as ledger, ledger.connect() if ledger else nullcontext() as connection:
            catalog = read_in_force(self.places, ledger)
            if opts.id:
                [source] = known_sources(catalog, [opts.id])
                return self._tell(catalog, source, connection, opts.format)
            listed = standings(catalog, connection)
        write_listing([_row(one.row(), hindered=one.hindered) for one in listed], COLUMNS, opts.format)
        if opts.format == "table" and all(one.last_run is None for one in listed):
            print("\nNothing collected yet: run `scrapy collect`.")
        return 0

    def _tell(self, catalog: Catalog, source: Source, connection: Connection | None, form: str) -> int:
        known = facts(catalog, source, connection)
        write_details(known, form)
        if form == "table":
            state = states(connection).get(source.id) if connection is not None else None
            print("\n" + "\n".join(explain(source, state, self.now(), rules=catalog.rules)))
        return 0


def _row(row: Mapping[str, Any], *, hindered: bool) -> dict[str, Any]:
    return {**row, "due": "-" if hindered else row["next_due"] or "at once"}
