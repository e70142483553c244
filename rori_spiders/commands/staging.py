"""``scrapy staging``: the staging area as a whole."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from scrapy.utils.conf import closest_scrapy_cfg

from rori_spiders.exceptions import LedgerError
from rori_spiders.ledger.database import open_ledger
from rori_spiders.places import Places
from rori_spiders.stores import open_store
from rori_spiders.stores.copying import copy
from rori_spiders.terminal.command import RoriCommand, Verbs
from rori_spiders.terminal.listing import FORMATS, Column, write_listing

if TYPE_CHECKING:
    import argparse

COLUMNS = (
    Column("what"),
    Column("copied"),
    Column("there", "there already"),
    Column("damaged"),
)


class Staging(RoriCommand):
    examples = ("scrapy staging copy /mnt/new/staged    then RORI_STAGING=/mnt/new/staged, and scrapy verify",)

    def syntax(self) -> str:
        return "copy [options]"

    def short_desc(self) -> str:
        return "Copy the staging area to another disk"

    def long_desc(self) -> str:
        return "The staging area holds what was collected: envelopes, objects, index and errors. See docs/envelope.md."

    def options(self, parser: argparse.ArgumentParser) -> None:
        verbs = Verbs(parser)
        copying = verbs.add("copy", "copy everything to another place; can be repeated")
        copying.add_argument("target", metavar="TARGET", help="a folder")
        copying.add_argument("--format", choices=FORMATS, default="table", help="table (default), json or csv")

    def answer(self, opts: argparse.Namespace) -> int:
        return self._copy(opts.target, opts.format)

    def _copy(self, target: str, form: str) -> int:
        place = Places.from_settings({"RORI_STAGING": target}, closest_scrapy_cfg(), {}).staging
        if not self.places.has_ledger:
            raise LedgerError(f"There is no ledger at {self.places.shown_ledger}, so nothing was staged to be copied.")
        with closing(open_ledger(self.places.database_url)) as ledger:
            copied = list(copy(ledger, open_store(self.places.staging), open_store(place), self.now()))
        damaged = [digest for kind in copied for digest in kind.damaged]
        rows = (
            {"what": kind.what, "copied": kind.copied, "there": kind.there, "damaged": len(kind.damaged)}
            for kind in copied
        )
        write_listing(rows, COLUMNS, form)
        if form == "table":
            for digest in damaged:
                print(f"Not copied, since it is damaged: {digest}. `scrapy verify` says whose it is.")
            print(f"Copied to {place}. Now set RORI_STAGING={place}, then run `scrapy verify`.")
        return 1 if damaged else 0
