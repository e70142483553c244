"""``scrapy ledger``: what is done to the database itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.ledger.database import upgrade_ledger
from rori_spiders.terminal.command import RoriCommand, Subcommands

if TYPE_CHECKING:
    import argparse


class Ledger(RoriCommand):
    examples = ("scrapy ledger upgrade",)
    usage = "upgrade"
    summary = "Bring the ledger to this program's version"
    description = (
        "An SQLite ledger is brought up to date by the first job that opens it. One on PostgreSQL only by this "
        "command, since its jobs may run on several machines: stop them first, and take a backup."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        Subcommands(parser).add("upgrade", "make missing tables, change old ones; run twice it does nothing")

    def answer(self, opts: argparse.Namespace) -> int:
        before, now = upgrade_ledger(self.places.database_url)
        where = self.places.shown_ledger
        if before == now:
            print(f"The ledger at {where} already has this program's version, {now}.")
        else:
            print(f"The ledger at {where} is now of version {now}; before: {before or 'no tables'}.")
        return 0
