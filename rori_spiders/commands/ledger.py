"""``scrapy ledger``: upgrade the database schema."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.ledger.database import upgrade_ledger
from rori_spiders.terminal.command import RoriCommand, Subcommands

if TYPE_CHECKING:
    import argparse


class Ledger(RoriCommand):
    examples = ("scrapy ledger upgrade",)
    usage = "upgrade"
    summary = "Upgrade the ledger database to this version"
    description = (
        "The first job that opens an SQLite ledger upgrades it. A PostgreSQL ledger is upgraded only by this "
        "command, because jobs on several machines may use it: stop all jobs and make a backup first."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        Subcommands(parser).add("upgrade", "create missing tables and migrate old ones; does nothing if up to date")

    def answer(self, opts: argparse.Namespace) -> int:
        before, now = upgrade_ledger(self.places.database_url)
        where = self.places.shown_ledger
        if before == now:
            print(f"The ledger at {where} is up to date (version {now}).")
        else:
            print(f"Upgraded the ledger at {where} to version {now} (before: {before or 'no tables'}).")
        return 0
