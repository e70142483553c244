"""``scrapy staging``: show the staging area, confirm, prune, announce and copy envelopes."""

import argparse
from contextlib import closing
from datetime import datetime, timedelta
from os import getpid
from socket import gethostname

from scrapy.utils.conf import closest_scrapy_cfg

from rori_spiders.configuration.locations import Locations
from rori_spiders.exceptions import LedgerError
from rori_spiders.ledger.database import Ledger, open_ledger
from rori_spiders.staging.store_factory import open_store
from rori_spiders.terminal.command import RoriCommand, Subcommands, add_format_option
from rori_spiders.terminal.listing import Column, print_hint, write_listing

COLUMNS = (
    Column("what", "what"),
    Column("copied", "copied"),
    Column("there", "already there"),
    Column("damaged", "damaged"),
)


class Staging(RoriCommand):
    examples = (
        "scrapy staging                                 count staged, confirmed and prunable envelopes",
        "scrapy staging confirm --file ingested.txt     confirm these envelopes as ingested",
        "scrapy staging prune --dry-run                 list what would be removed",
        "scrapy staging copy s3://bucket/prefix         then set RORI_STAGING=s3://bucket/prefix and run scrapy verify",
    )
    usage = "[status] [--format FORM] | confirm | prune | announce | copy TARGET"
    summary = "Show the staging area; confirm, prune, announce or copy envelopes"
    description = (
        "The staging area contains collected envelopes, objects, the index and the error log. `prune` removes an "
        "envelope RORI_RETENTION_DAYS after the ingestion side confirmed it. See docs/how-to/ingestion.md."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        from rori_spiders.terminal import staging

        verbs = Subcommands(parser, default="status")
        add_format_option(verbs.add("status", "count staged, confirmed and prunable envelopes"))
        staging.add_confirm_options(verbs.add("confirm", "confirm envelopes as ingested"))
        staging.add_prune_options(verbs.add("prune", "remove envelopes that were confirmed long enough ago"))
        verbs.add("announce", "send the webhook the events that it has not accepted yet")
        copying = verbs.add("copy", "copy the staging area to another place; safe to repeat")
        copying.add_argument("target", metavar="TARGET", help="folder, or s3://bucket/prefix")
        add_format_option(copying)

    def answer(self, opts: argparse.Namespace) -> int:
        from rori_spiders.terminal import staging

        if opts.verb == "copy":
            return self._copy(opts.target, opts.format)
        if opts.verb == "status" and not self.places.has_ledger:
            print_hint("Nothing collected yet: run `scrapy collect`.")
            return 0
        ids = staging.read_envelope_ids(opts) if opts.verb == "confirm" else []
        store = open_store(self.places.staging)
        with closing(self._ledger()) as ledger:
            if opts.verb == "confirm":
                return staging.confirm_envelopes(ledger, store, ids, actor=self.person(), now=self.now())
            if opts.verb == "announce":
                return self._announce(ledger)
            before = self._over(getattr(opts, "older_than", None))
            if opts.verb == "status":
                return staging.print_staging_status(ledger, store, before, opts.format)
            if opts.dry_run:
                return staging.print_prunable(ledger, before, opts.format)
            return staging.prune_and_print(ledger, store, before, opts.format, actor=self.person(), now=self.now())

    def _announce(self, ledger: Ledger) -> int:
        from rori_spiders.terminal.staging import announce_waiting

        owner = f"{gethostname()}:{getpid()}:announce"
        return announce_waiting(ledger, self.settings.get("RORI_WEBHOOK_URL"), owner, self.now())

    def _over(self, days: int | None) -> datetime:
        """The time before which an envelope must have been confirmed to be pruned."""
        return self.now() - timedelta(days=self.settings.getint("RORI_RETENTION_DAYS") if days is None else days)

    def _ledger(self) -> Ledger:
        if not self.places.has_ledger:
            raise LedgerError(
                f"No ledger at {self.places.shown_ledger}: nothing staged yet. Run `scrapy collect`, or set "
                "RORI_DATABASE_URL."
            )
        return open_ledger(self.places.database_url)

    def _copy(self, target: str, form: str) -> int:
        from rori_spiders.staging.transfer import copy_staging_area

        place = Locations.from_settings({"RORI_STAGING": target}, closest_scrapy_cfg(), {}).staging
        with closing(self._ledger()) as ledger:
            copied = list(copy_staging_area(ledger, open_store(self.places.staging), open_store(place), self.now()))
        damaged = [digest for kind in copied for digest in kind.damaged]
        rows = (
            {"what": kind.what, "copied": kind.copied, "there": kind.there, "damaged": len(kind.damaged)}
            for kind in copied
        )
        write_listing(rows, COLUMNS, form)
        if form == "table":
            for digest in damaged:
                print_hint(f"Not copied because it is damaged: {digest}. `scrapy verify` lists its pages.")
            print_hint(f"Copied to {place}. Next, set RORI_STAGING={place} and run `scrapy verify`.")
        return 1 if damaged else 0
