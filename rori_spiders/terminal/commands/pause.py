"""``scrapy pause``: stop scheduled collection of a source, or of all, until resumed."""

import argparse

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.exceptions import UsageError
from rori_spiders.ledger.database import open_ledger
from rori_spiders.runtime.plurals import format_count
from rori_spiders.terminal.command import RoriCommand, find_sources, parse_id_or_all
from rori_spiders.terminal.listing import print_hint


class Pause(RoriCommand):
    examples = (
        'scrapy pause hud-fha --reason "the agency asked us to wait until March"',
        'scrapy pause --all --reason "network maintenance"',
    )
    usage = "ID|--all --reason TEXT"
    summary = "Pause scheduled collection of a source, or of all sources"
    description = (
        "Scheduled collections skip a paused source; `scrapy crawl ID` does not. --all pauses every source: a "
        "running job finishes the runs that it has started and starts no more. The ledger records who paused it, "
        "when and why. To pause a source permanently, set its status in the manifest."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("id", nargs="?", metavar="ID", help="id of the source")
        parser.add_argument("--all", action="store_true", help="pause all sources; individual pauses stay in place")
        parser.add_argument("--reason", metavar="TEXT", required=True, help="why; shown with the source")

    def answer(self, opts: argparse.Namespace) -> int:
        from rori_spiders.ledger.operations import source_status
        from rori_spiders.operations import operator_actions

        parse_id_or_all(opts)
        if not opts.reason.strip():
            raise UsageError("--reason must not be empty")
        with open_existing_ledger(self.places) as ledger:
            catalog = self.load_catalog(ledger)
            if opts.id:
                find_sources(catalog, [opts.id])
        target = source_status.ALL_SOURCES if opts.all else opts.id
        with open_ledger(self.places.database_url) as ledger, ledger.begin() as connection:
            operator_actions.pause_source(
                connection, target, reason=opts.reason.strip(), actor=self.person(), now=self.now()
            )
        if opts.all:
            print_hint(f"Paused all {format_count(len(catalog.sources), 'source')}. Resume with: scrapy resume --all")
        else:
            print_hint(f"Paused {opts.id}. Resume with: scrapy resume {opts.id}")
        return 0
