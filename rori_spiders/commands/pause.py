"""``scrapy pause``: no schedule starts this source, or any, until a person resumes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.exceptions import UsageError
from rori_spiders.ledger.database import open_ledger
from rori_spiders.terminal.command import RoriCommand, find_sources, parse_id_or_all

if TYPE_CHECKING:
    import argparse


class Pause(RoriCommand):
    examples = (
        'scrapy pause hud-fha --reason "the agency asked us to wait until March"',
        'scrapy pause --all --reason "the network is being moved"',
    )
    usage = "ID|--all --reason TEXT"
    summary = "Pause a source, or all, until somebody resumes it"
    description = (
        "Scheduled collections leave a paused source out; `scrapy crawl ID` does not. With --all they start none, "
        "and a job that is under way ends the runs that it has begun and begins no more. Who paused it, when and "
        "why is kept in the ledger. To pause it for everybody and for good, set its status in the manifest."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("id", nargs="?", metavar="ID", help="a source of the active manifest")
        parser.add_argument("--all", action="store_true", help="all sources; each one's own pause stays beside it")
        parser.add_argument("--reason", metavar="TEXT", required=True, help="why; shown wherever the source is listed")

    def answer(self, opts: argparse.Namespace) -> int:
        from rori_spiders.ledger.operations import source_status
        from rori_spiders.nodes import operator_actions

        parse_id_or_all(opts)
        if not opts.reason.strip():
            raise UsageError("--reason is empty; whoever finds the source paused must be able to read why")
        with open_existing_ledger(self.places) as ledger:
            catalog = self.load_catalog(ledger)
            if opts.id:
                find_sources(catalog, [opts.id])
        target = source_status.ALL_SOURCES if opts.all else opts.id
        ledger = open_ledger(self.places.database_url)
        try:
            with ledger.begin() as connection:
                operator_actions.pause_source(
                    connection, target, reason=opts.reason.strip(), actor=self.person(), now=self.now()
                )
        finally:
            ledger.close()
        if opts.all:
            print(f"All {len(catalog.sources)} sources are paused. To go on: scrapy resume --all")
        else:
            print(f"{opts.id} is paused. To go on: scrapy resume {opts.id}")
        return 0
