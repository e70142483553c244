"""``scrapy pause``: no schedule starts this source until a person resumes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.exceptions import UsageError
from rori_spiders.inforce import existing_ledger, read_in_force
from rori_spiders.ledger import actions, sources
from rori_spiders.ledger.database import open_ledger
from rori_spiders.terminal.command import RoriCommand, known_sources

if TYPE_CHECKING:
    import argparse


class Pause(RoriCommand):
    examples = ('scrapy pause hud-fha --reason "the agency asked us to wait until March"',)

    def syntax(self) -> str:
        return "ID --reason TEXT"

    def short_desc(self) -> str:
        return "Pause a source until somebody resumes it"

    def long_desc(self) -> str:
        return (
            "Scheduled collections leave a paused source out; `scrapy crawl ID` does not. Who paused it, when and why "
            "is kept in the ledger. To pause it for everybody and for good, set its status in the manifest."
        )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("id", metavar="ID", help="a source of the manifest in force")
        parser.add_argument("--reason", metavar="TEXT", required=True, help="why; shown wherever the source is listed")

    def answer(self, opts: argparse.Namespace) -> int:
        if not opts.reason.strip():
            raise UsageError("--reason is empty; whoever finds the source paused must be able to read why")
        with existing_ledger(self.places) as ledger:
            known_sources(read_in_force(self.places, ledger), [opts.id])
        ledger = open_ledger(self.places.database_url)
        try:
            with ledger.begin() as connection:
                now, reason = self.now(), opts.reason.strip()
                sources.pause(connection, opts.id, by="person", reason=reason, now=now)
                actions.record(connection, now=now, actor=self.person(), action="pause", target=opts.id, reason=reason)
        finally:
            ledger.close()
        print(f"{opts.id} is paused. To go on: scrapy resume {opts.id}")
        return 0
