"""``scrapy ledger``: upgrade the database schema, and compact what it keeps of old runs."""

from __future__ import annotations

import argparse
import sys
from datetime import timedelta

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.ledger.database import open_ledger, upgrade_ledger
from rori_spiders.runtime.plurals import format_count
from rori_spiders.terminal.command import RoriCommand, Subcommands

#: Runs of so long ago are no longer looked at URL by URL.
_KEPT_DAYS = 90


class Ledger(RoriCommand):
    examples = ("scrapy ledger upgrade", "scrapy ledger compact", "scrapy ledger compact --keep-days 30")
    usage = "upgrade | compact [--keep-days N]"
    summary = "Upgrade the ledger database, or compact what it keeps of old runs"
    description = (
        "The first job that opens an SQLite ledger upgrades it. A PostgreSQL ledger is upgraded only by this "
        "command, because jobs on several machines may use it: stop all jobs and make a backup first. `compact` "
        "removes no proof: audit rows, versions, envelopes and objects stay."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        verbs = Subcommands(parser)
        verbs.add("upgrade", "create missing tables and migrate old ones; does nothing if up to date")
        compact = verbs.add("compact", "remove redundant rows of unchanged pages from old runs, and shrink the file")
        compact.add_argument(
            "--keep-days",
            metavar="N",
            type=_parse_days,
            default=_KEPT_DAYS,
            help=f"leave runs that ended in the last N days as they are (default: {_KEPT_DAYS})",
        )

    def answer(self, opts: argparse.Namespace) -> int:
        return self._compact(opts.keep_days) if opts.verb == "compact" else self._upgrade()

    def _upgrade(self) -> int:
        before, now = upgrade_ledger(self.places.database_url)
        where = self.places.shown_ledger
        if before == now:
            print(f"The ledger at {where} is up to date (version {now}).")
        else:
            print(f"Upgraded the ledger at {where} to version {now} (before: {before or 'no tables'}).")
        return 0

    def _compact(self, keep_days: int) -> int:
        from rori_spiders.ledger.pages import compaction

        with open_existing_ledger(self.places) as there:
            if there is None:
                print("Nothing collected yet: run `scrapy collect`.", file=sys.stderr)
                return 0
        with open_ledger(self.places.database_url) as ledger:
            ledger.analyze()  # planned without statistics, it takes twenty times as long
        with open_ledger(self.places.database_url) as ledger:
            with ledger.connect() as conn:
                found = compaction.list_compactable(conn, before=self.now() - timedelta(days=keep_days))
            pages = 0
            for run_id in found:
                with ledger.begin() as conn:
                    pages += compaction.compact_run(conn, run_id)
            ledger.vacuum()
        print(f"Compacted {format_count(pages, 'page')} that had not changed, in {format_count(len(found), 'run')}.")
        return 0


def _parse_days(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a number of days, not {text!r}")
    return int(text)
