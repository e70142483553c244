"""``scrapy changes``: what changed, how much it matters and why."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.exceptions import UsageError
from rori_spiders.staging.store_factory import open_store
from rori_spiders.terminal.command import RoriCommand, parse_end, parse_start
from rori_spiders.terminal.listing import FORMATS

if TYPE_CHECKING:
    import argparse

_LEVELS = ("high", "medium", "low")


class Changes(RoriCommand):
    examples = (
        "scrapy changes --since 2026-11-19",
        "scrapy changes --since 2026-11-01 --importance high --format md > november.md",
        "scrapy changes --source cfpb-reg-x --kind number --kind date --format csv",
        "scrapy changes --importance high --format atom > changes.xml",
    )
    usage = "[--since DATE] [--until DATE] [--source ID] [--importance LEVEL] [--kind KIND] [--format FORM]"
    summary = "List what changed, the newest first, with how much it matters and why"
    description = (
        "Lists each changed text with a sentence, the figures that changed, and its importance by rules "
        "(scrapy changes --rules). What a source held when it was first collected is a baseline, not a change. "
        "`scrapy diff` shows a change word by word."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--since", metavar="DATE", type=parse_start, help="captured from this date or time (UTC) on"
        )
        parser.add_argument("--until", metavar="DATE", type=parse_end, help="captured by the end of this date, or time")
        parser.add_argument("--source", metavar="ID", action="append", default=[], help="only this source (repeatable)")
        parser.add_argument(
            "--importance", choices=_LEVELS, default="low", help="at least this important (default: low, all changes)"
        )
        parser.add_argument("--kind", metavar="KIND", action="append", default=[], help="only this kind (repeatable)")
        parser.add_argument("--baselines", action="store_true", help="list first captures of sources too")
        parser.add_argument("--rules", action="store_true", help="list the rules of importance instead")
        parser.add_argument(
            "--format",
            choices=(*FORMATS, "md", "atom"),
            default="table",
            help="table (default), json, csv, md (grouped by publication) or atom (a feed)",
        )

    def answer(self, opts: argparse.Namespace) -> int:
        from rori_spiders.terminal.comparison import changes  # with it comes all that compares texts

        if opts.rules:
            return changes.print_rules(opts.format)
        wanted = changes.build_filter(opts)
        with open_existing_ledger(self.places) as ledger:
            if ledger is None:
                raise UsageError("nothing collected yet: run `scrapy collect`")
            store = open_store(self.places.staging)
            changes.describe_missing(ledger, store, partial(self.load_catalog, ledger), clock=self.now)
            return changes.print_changes(ledger, wanted, opts.format, now=self.now(), out=sys.stdout)
