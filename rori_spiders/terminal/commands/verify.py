"""``scrapy verify``: check that staged files, index lines, audit and ledger agree."""

from __future__ import annotations

import argparse
import re
import sys
import threading
from collections import Counter
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, replace
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import TYPE_CHECKING

from scrapy.utils.conf import closest_scrapy_cfg

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.configuration.locations import evidence_key_file, timestamp_roots_file
from rori_spiders.exceptions import LedgerError, UsageError
from rori_spiders.ledger.database import open_ledger
from rori_spiders.runtime.plurals import format_count
from rori_spiders.runtime.redacted_output import write_progress_line
from rori_spiders.staging.consistency import describe_missing_ledger
from rori_spiders.staging.store_factory import open_store
from rori_spiders.terminal.command import ListingCommand, parse_start, positive_count
from rori_spiders.terminal.listing import Column, print_hint, write_listing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rori_spiders.configuration.locations import Locations
    from rori_spiders.crawl.page.reconversion import Reconverter
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.staging.verification.finding import Finding
    from rori_spiders.staging.verification.selection import Sample
    from rori_spiders.staging.verification.verify import VerificationProgress, VerificationReport

    HeadCheck = Callable[..., Iterable[Finding]]

COLUMNS = (
    Column("kind"),
    Column("where", "where"),
    Column("sentence", "problem"),
    Column("repairable", "repairable"),
)
_SECONDS_BETWEEN_LINES = 0.5
#: What a sample is of, by the names of the counts.
_SAMPLED = {
    "files": "envelope files",
    "objects": "places that name other objects",
    "runs_with_lists": "runs with lists",
    "summaries": "summaries",
    "corpus_files": "files of corpora",
    "texts": "texts converted again",
}
_PLURAL = re.compile(r"(?:ies|s)(?= of | with | not |$)")
#: Counts of texts that a second conversion says nothing about.
_NOT_COMPARABLE = ("texts_of_another_converter", "texts_of_another_manifest", "texts_not_converted")


class Verify(ListingCommand):
    examples = (
        "scrapy verify",
        "scrapy verify --repair",
        "scrapy verify --sample 5% --since 2026-11-01",
        "scrapy verify --reconvert --sample 200",
        "scrapy verify --heads /media/backup/heads.txt --keys rori-keys.txt",
        "scrapy verify --record --heads s3://evidence-bucket/ledger",
        "scrapy verify --format json > findings.json",
    )
    usage = (
        "[--repair] [--sample PART] [--since WHEN] [--reconvert] [--heads PLACE] [--keys FILE] [--record] "
        "[--format FORM]"
    )
    summary = "Check that staged files, index, audit and ledger agree"
    description = (
        "Recomputes every hash, compares every row with the log of facts, and files, index lines and ledger rows "
        "in both directions. Exit code 1 if anything disagrees. --sample and --since open only some of the files "
        "and objects; the report says which. --repair completes or rolls back writes that a crash interrupted; it "
        "never changes staged content. The log of facts is checked against its signed heads. "
        "--heads checks it against copies stored outside the ledger, and so also detects a log that was rewritten "
        "together with its heads."
    )

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--repair", action="store_true", help="complete or roll back interrupted writes")
        parser.add_argument(
            "--sample",
            metavar="PART",
            type=_parse_sample,
            help="open a random sample of files and objects of each kind: a number, or a share such as 5%%",
        )
        parser.add_argument(
            "--since",
            metavar="WHEN",
            type=parse_start,
            help="open only files and objects of runs that were in progress at this date or time, or started later",
        )
        parser.add_argument(
            "--reconvert", action="store_true", help="convert the stored bytes of each text again, and compare"
        )
        parser.add_argument(
            "--heads",
            metavar="PLACE",
            action="append",
            default=[],
            help="check copies of signed heads: a file, s3://bucket/prefix or an https URL; may be repeated",
        )
        parser.add_argument(
            "--keys", metavar="FILE", help="also verify the signatures of heads with the public keys in this file"
        )
        parser.add_argument(
            "--record", action="store_true", help="record the result in the activity log, where the monitor shows it"
        )
        super().options(parser)

    def answer(self, opts: argparse.Namespace) -> int:
        if opts.since is not None and opts.since > self.now():
            raise UsageError(f"--since is in the future: the time is {self.now():%Y-%m-%d %H:%M} UTC")
        report = self._report(opts)
        if report is None:
            write_listing([], COLUMNS, opts.format)
            if opts.format == "table":
                print_hint("Nothing collected yet: run `scrapy collect`.")
            return 0
        write_listing(map(asdict, report.findings), COLUMNS, opts.format)
        # What was looked at belongs to the answer, but not into what a program reads as rows.
        out = sys.stdout if opts.format == "table" else sys.stderr
        if opts.format == "table" or not report.scope.is_whole:
            out.write(f"{_describe_extent(report)}\n")
        if opts.format == "table":
            _print_summary(report)
        if opts.record:
            self._record(report, len(opts.heads))
        return 1 if report.findings else 0

    def _report(self, opts: argparse.Namespace) -> VerificationReport | None:
        from rori_spiders.staging.verification.selection import VerificationScope
        from rori_spiders.staging.verification.verify import VerificationProgress, verify_staging

        store = open_store(self.places.staging)
        if not self.places.has_ledger:
            if next(iter(store.paths()), None) is None:
                if opts.heads:
                    raise LedgerError(
                        f"There is no ledger at {self.places.shown_ledger} and nothing in the staging area, but "
                        "--heads has copies of a ledger's heads. Set RORI_DATABASE_URL to that ledger, or restore it "
                        "from a backup."
                    )
                return None
            raise describe_missing_ledger(store, self.places.shown_ledger)
        check = self._head_check(opts)
        progress, scope = VerificationProgress(), VerificationScope(opts.sample, opts.since)
        with _open_ledger(self.places, repair=opts.repair) as ledger, _shown(progress):
            if ledger is None:
                return None
            with self._converter(ledger) if opts.reconvert else nullcontext() as converter:
                report = verify_staging(
                    ledger,
                    store,
                    repair=opts.repair,
                    now=self.now(),
                    scope=scope,
                    converter=converter,
                    progress=progress,
                )
            counts = Counter(report.counts)
            found = tuple(check(ledger, counts=counts))
            return replace(report, findings=report.findings + found, counts=dict(counts))

    def _record(self, report: VerificationReport, head_copies: int) -> None:
        from rori_spiders.ledger.operations.activity_log import VERIFY, record_action

        details = {
            "problems": len(report.findings),
            "kinds": dict(Counter(one.kind for one in report.findings)),
            "extent": _describe_extent(report),
            "is_whole": report.scope.is_whole,
            "head_copies": head_copies,
        }
        with open_ledger(self.places.database_url, migrate=False) as ledger, ledger.begin() as conn:
            record_action(conn, now=self.now(), actor=self.person(), action=VERIFY, target="ledger", details=details)

    def _converter(self, ledger: Ledger) -> Reconverter:
        from rori_spiders.crawl.page.reconversion import Reconverter
        from rori_spiders.workers.pool import WorkPool

        processes = max(1, self.settings.getint("RORI_CONVERT_WORKERS"))
        return Reconverter(self.load_catalog(ledger), WorkPool.from_settings(self.settings), processes)

    def _head_check(self, opts: argparse.Namespace) -> HeadCheck:
        """The check of signed heads, in the ledger and in copies. Raises UsageError before anything is read."""
        from rori_spiders.evidence.delivery.destinations import witness_keys
        from rori_spiders.evidence.head_checks import check_heads
        from rori_spiders.evidence.heads_files import load_heads
        from rori_spiders.evidence.keys import load_keys, load_public_keys
        from rori_spiders.evidence.timestamps import load_roots

        cfg = closest_scrapy_cfg()
        keys = load_keys(evidence_key_file(self.settings, cfg))
        if opts.keys:
            keys = keys.with_public(load_public_keys(opts.keys))
        if opts.heads and not keys.verifiers:
            raise UsageError("--heads needs the public keys of the ledger: name their file with --keys")
        return partial(
            check_heads,
            copies=[copy for place in opts.heads for copy in load_heads(place)],
            keys=keys,
            witnesses=witness_keys(str(self.settings.get("RORI_EVIDENCE_HEADS") or "")),
            roots=load_roots(timestamp_roots_file(self.settings, cfg)),
        )


def _open_ledger(places: Locations, *, repair: bool) -> AbstractContextManager[Ledger | None]:
    return open_ledger(places.database_url) if repair else open_existing_ledger(places)


@contextmanager
def _shown(progress: VerificationProgress) -> Iterator[None]:
    """Within: a terminal shows twice a second how far the verification is."""
    if not sys.stderr.isatty():
        yield
        return
    is_over = threading.Event()

    def show() -> None:
        while not is_over.wait(_SECONDS_BETWEEN_LINES):
            write_progress_line(f"{progress.step}: {describe_counts(dict(progress.counts))} (press Ctrl-C to stop)")
        write_progress_line("")

    watcher = threading.Thread(target=show, name="verify progress")
    watcher.start()
    try:
        yield
    finally:
        is_over.set()
        watcher.join()


def _parse_sample(text: str) -> Sample:
    from rori_spiders.staging.verification.selection import Sample

    try:
        if not text.endswith("%"):
            return Sample(count=positive_count(text))
        share = Decimal(text.removesuffix("%")) / 100
        if 0 < share <= 1:
            return Sample(share=float(share))
    except (argparse.ArgumentTypeError, InvalidOperation):
        pass
    raise argparse.ArgumentTypeError(f"expected a number of at least 1 or a share such as 5%, not {text!r}")


def describe_counts(counts: dict[str, int]) -> str:
    return ", ".join(_describe_count(number, what.replace("_", " ")) for what, number in counts.items())


def _describe_count(number: int, plural: str) -> str:
    # The noun that is counted: the first before one of these words, or else the last.
    if number != 1:
        return f"{number:,} {plural}"
    return f"1 {_PLURAL.sub(lambda found: 'y' if found[0] == 'ies' else '', plural, count=1)}"


def _describe_extent(report: VerificationReport) -> str:
    """What was looked at, and what was not."""
    sentences = [f"Checked {describe_counts(report.counts) or 'nothing: the ledger is empty'}."]
    scope = report.scope
    if scope.sample is not None:
        opened = (
            f"{chosen:,} of {total:,} {_SAMPLED[kind]}" for kind, (chosen, total) in report.sampled.items() if total
        )
        sentences.append(f"A random sample ({scope.sample}) was opened: {', '.join(opened) or 'there was nothing'}.")
    if scope.since is not None:
        sentences.append(
            f"Files and objects of runs that ended before {scope.since:%Y-%m-%d %H:%M} UTC were not opened."
        )
    if report.live_jobs:
        jobs = ", ".join(report.live_jobs)
        sentences.append(f"What jobs were writing meanwhile was left out: {jobs}. Verify again when they have ended.")
    if others := _count_not_comparable(report):
        sentences.append(
            f"{format_count(others, 'text')} could not be compared with a second conversion: converted by another "
            "version, with other options, or no source of the active manifest."
        )
    if not scope.is_whole:
        sentences.append("The log of facts, its rows, and the lines of the logs were compared in full.")
    return " ".join(sentences)


def _count_not_comparable(report: VerificationReport) -> int:
    return sum(report.counts.get(name, 0) for name in _NOT_COMPARABLE)


def _print_summary(report: VerificationReport) -> None:
    for finding in report.mended:
        print(f"Repaired: {finding}")
    if not report.findings:
        if not report.scope.is_whole:
            print("What was checked agrees; the rest was not opened.")
        else:
            print("What could be compared agrees." if _count_not_comparable(report) else "Everything agrees.")
        return
    mendable = sum(finding.repairable for finding in report.findings)
    hint = f" `scrapy verify --repair` repairs {mendable} of them." if mendable else ""
    print(f"{format_count(len(report.findings), 'problem')}.{hint} docs/reference/envelope.md explains each.")
