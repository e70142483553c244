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

from rori_spiders.stores.base import LogLine
from rori_spiders.stores.checks.corpora import check_corpora
from rori_spiders.stores.checks.errors import check_errors, missing_errors
from rori_spiders.stores.checks.fields import check_fields, missing_fields
from rori_spiders.stores.checks.files import check_files, check_strays
from rori_spiders.stores.checks.finding import Finding
from rori_spiders.stores.checks.index import check_index, missing_lines
from rori_spiders.stores.checks.rows import check_left, check_rows, check_runs
from rori_spiders.stores.checks.summaries import check_summaries
from rori_spiders.stores.field_log import append_missing
from rori_spiders.stores.recovery import Recovered, recover
from rori_spiders.stores.summaries import write_left
from rori_spiders.stores.writing import BATCH

if TYPE_CHECKING:
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.stores.base import Store

__all__ = ["Finding", "Report", "verify"]


@dataclass(frozen=True, slots=True)
class Report:
    """What was found, what was looked at, and what was mended."""

    findings: tuple[Finding, ...]
    counts: dict[str, int]  # {"files": n, "index_lines": n, "envelopes": n, "objects": n, "summaries": n, ...}
    mended: tuple[Finding, ...] = ()  # found at first, and gone after the repair
    recovered: Recovered = field(default_factory=Recovered)

    @property
    def clean(self) -> bool:
        return not self.findings


def verify(ledger: Ledger, store: Store, *, repair: bool = False, now: datetime | None = None) -> Report:
    """Check that staging area and ledger agree, and with *repair* mend what a crash can leave.

    Raises StagingError or LedgerError when one of them cannot be read (or, with *repair*, written).
    """
    now = now or datetime.now(UTC)
    report = _look(ledger, store, now)
    if not repair or not any(finding.repairable for finding in report.findings):
        return report
    recovered = recover(ledger, store, now)
    write_left(ledger, store, every=True)
    _append_missing(ledger, store, now)
    store.append_missing_errors(missing_errors(ledger, store, now))
    append_missing(ledger, store, missing_fields(ledger, store))
    after = _look(ledger, store, now)
    remaining = set(after.findings)
    mended = tuple(finding for finding in report.findings if finding not in remaining)
    return Report(after.findings, after.counts, mended, recovered)


def _look(ledger: Ledger, store: Store, now: datetime) -> Report:
    counts: Counter[str] = Counter()
    findings = (
        *check_left(ledger, now),
        *check_strays(store),
        *check_files(ledger, store, counts),
        *check_index(ledger, store, now, counts),
        *check_errors(ledger, store, now, counts),
        *check_fields(ledger, store, counts),
        *check_rows(ledger, store, counts),
        *check_runs(ledger, now, counts),
        *check_summaries(ledger, store, now, counts),
        *check_corpora(ledger, store, now, counts),
    )
    return Report(findings, dict(counts))


def _append_missing(ledger: Ledger, store: Store, now: datetime) -> None:
    rows = missing_lines(ledger, store, now)
    for start in range(0, len(rows), BATCH):
        store.append_missing([LogLine(row.run_id, row.index_line) for row in rows[start : start + BATCH]])
