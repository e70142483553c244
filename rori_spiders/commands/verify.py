"""``scrapy verify``: check that staged files, index lines, audit and ledger agree."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.ledger.database import open_ledger
from rori_spiders.runtime.plurals import format_count
from rori_spiders.staging.consistency import describe_missing_ledger
from rori_spiders.staging.store_factory import open_store
from rori_spiders.terminal.command import ListingCommand
from rori_spiders.terminal.listing import Column, write_listing

if TYPE_CHECKING:
    import argparse

    from rori_spiders.staging.steps import VerificationReport

COLUMNS = (
    Column("kind"),
    Column("where", "where"),
    Column("sentence", "problem"),
    Column("repairable", "repairable"),
)


class Verify(ListingCommand):
    examples = ("scrapy verify", "scrapy verify --repair", "scrapy verify --format json > findings.json")
    usage = "[--repair] [--format FORM]"
    summary = "Check that staged files, index, audit and ledger agree"
    description = (
        "Recomputes every hash, compares every row with the log of facts, and files, index lines and ledger rows "
        "in both directions. Exit code 1 if anything disagrees. --repair completes or rolls back writes that a "
        "crash interrupted; it never changes staged content."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--repair", action="store_true", help="complete or roll back interrupted writes")
        super().options(parser)

    def answer(self, opts: argparse.Namespace) -> int:
        report = self._report(repair=opts.repair)
        if report is None:
            write_listing([], COLUMNS, opts.format)
            if opts.format == "table":
                print("Nothing collected yet: run `scrapy collect`.")
            return 0
        write_listing(map(asdict, report.findings), COLUMNS, opts.format)
        if opts.format == "table":
            _print_summary(report)
        return 1 if report.findings else 0

    def _report(self, *, repair: bool) -> VerificationReport | None:
        from rori_spiders.staging.steps import verify_staging

        store = open_store(self.places.staging)
        if not self.places.has_ledger:
            if next(iter(store.paths()), None) is None:
                return None
            raise describe_missing_ledger(store, self.places.shown_ledger)
        if not repair:
            with open_existing_ledger(self.places) as ledger:
                return verify_staging(ledger, store, now=self.now()) if ledger else None
        with open_ledger(self.places.database_url) as ledger:
            return verify_staging(ledger, store, repair=True, now=self.now())


def _print_summary(report: VerificationReport) -> None:
    looked_at = ", ".join(f"{number} {what.replace('_', ' ')}" for what, number in report.counts.items())
    print(f"Checked {looked_at or 'nothing: the ledger is empty'}.")
    for finding in report.mended:
        print(f"Repaired: {finding}")
    if not report.findings:
        print("Everything agrees.")
        return
    mendable = sum(finding.repairable for finding in report.findings)
    hint = f" `scrapy verify --repair` repairs {mendable} of them." if mendable else ""
    print(f"{format_count(len(report.findings), 'problem')}.{hint} docs/reference/ledger.md explains each.")
