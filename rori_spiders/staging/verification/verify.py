"""Everything against everything: envelope files, lines of the logs, ledger rows, versions, audit, objects, runs.

In: a ledger and a store. Out: a ``Report`` of findings, each a sentence. Files, lines and rows are read one by one;
only the index's envelope ids are held in memory. What a live job is writing is left out. Nothing that was staged is
ever changed: ``repair`` only finishes or removes what a crash left between two steps.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rori_spiders.staging.envelope_writer import BATCH_SIZE
from rori_spiders.staging.ledger_logs import append_missing_fields, write_pending_summaries
from rori_spiders.staging.recovery import RecoveryResult, recover_staging
from rori_spiders.staging.store import LogLine, Store
from rori_spiders.staging.verification.corpus_checks import check_corpora
from rori_spiders.staging.verification.envelope_checks import check_files, check_strays
from rori_spiders.staging.verification.fact_checks import check_facts
from rori_spiders.staging.verification.finding import Finding
from rori_spiders.staging.verification.history_checks import check_acceptances, check_order, check_pages, check_robots
from rori_spiders.staging.verification.ledger_checks import check_left_behind, check_lists, check_rows, check_runs
from rori_spiders.staging.verification.line_order import note_repair
from rori_spiders.staging.verification.log_checks import (
    check_errors,
    check_fields,
    check_index,
    check_summaries,
    find_missing_errors,
    find_missing_fields,
    find_missing_index_lines,
)
from rori_spiders.staging.verification.object_checks import ObjectChecker, check_objects

if TYPE_CHECKING:
    from rori_spiders.ledger.database import Ledger

__all__ = ["Finding", "VerificationReport", "verify_staging"]


@dataclass(frozen=True, slots=True)
class VerificationReport:
    """What was found, what was looked at, and what was mended."""

    findings: tuple[Finding, ...]
    counts: dict[str, int]  # {"files": n, "index_lines": n, "envelopes": n, "objects": n, "summaries": n, ...}
    mended: tuple[Finding, ...] = ()  # found at first, and gone after the repair
    recovered: RecoveryResult = field(default_factory=RecoveryResult)

    @property
    def clean(self) -> bool:
        return not self.findings


def verify_staging(
    ledger: Ledger, store: Store, *, repair: bool = False, now: datetime | None = None
) -> VerificationReport:
    """Check that staging area and ledger agree, and with *repair* mend what a crash can leave.

    Raises StagingError or LedgerError when one of them cannot be read (or, with *repair*, written).
    """
    now = now or datetime.now(UTC)
    report = _run_checks(ledger, store, now)
    if not repair or not any(finding.repairable for finding in report.findings):
        return report
    recovered = recover_staging(ledger, store, now)
    write_pending_summaries(ledger, store, every=True)
    _append_missing_lines(ledger, store, now)
    missing = find_missing_errors(ledger, store, now)
    ledger.write(lambda conn: note_repair(conn, "errors", list(missing), now=now))
    store.errors.append_missing(list(missing.values()))
    append_missing_fields(ledger, store, find_missing_fields(ledger, store))
    after = _run_checks(ledger, store, now)
    remaining = set(after.findings)
    mended = tuple(finding for finding in report.findings if finding not in remaining)
    return VerificationReport(after.findings, after.counts, mended, recovered)


def _run_checks(ledger: Ledger, store: Store, now: datetime) -> VerificationReport:
    counts: Counter[str] = Counter()
    objects = ObjectChecker(store, counts)
    findings = (
        *check_left_behind(ledger, now),
        *check_strays(store),
        *check_files(ledger, store, objects, counts),
        *check_objects(ledger, objects),
        *check_index(ledger, store, now, counts),
        *check_errors(ledger, store, now, counts),
        *check_fields(ledger, store, counts),
        *check_rows(ledger, store, counts),
        *check_runs(ledger, now, counts),
        *check_pages(ledger),
        *check_facts(ledger, counts),
        *check_robots(ledger),
        *check_acceptances(ledger),
        *check_order(ledger, now),
        *check_lists(ledger, store, counts),
        *check_summaries(ledger, store, now, counts),
        *check_corpora(ledger, store, now, counts),
    )
    return VerificationReport(findings, dict(counts))


def _append_missing_lines(ledger: Ledger, store: Store, now: datetime) -> None:
    rows = find_missing_index_lines(ledger, store, now)
    ledger.write(lambda conn: note_repair(conn, "index", [row.envelope_id for row in rows], now=now))
    for start in range(0, len(rows), BATCH_SIZE):
        store.index.append_missing([LogLine(row.run_id, row.index_line) for row in rows[start : start + BATCH_SIZE]])
