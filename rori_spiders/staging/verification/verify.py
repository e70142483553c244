"""Everything against everything: envelope files, lines of the logs, ledger rows, versions, audit, objects, runs.

In: a ledger and a store. Out: a ``VerificationReport`` of findings, each a sentence. Files and objects of a bucket
are read several at once, all else one by one; hashes and the index's envelope ids are held in memory. What a live job
is writing is left out. Nothing that was staged is ever changed: ``repair`` only finishes or removes what a crash left
between two steps.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from traceback import extract_tb

from rori_spiders.ledger.database import Ledger
from rori_spiders.staging.envelope_writer import BATCH_SIZE
from rori_spiders.staging.ledger_logs import append_missing_fields, write_pending_summaries
from rori_spiders.staging.recovery import RecoveryResult, find_live_jobs, recover_staging
from rori_spiders.staging.store import LogLine, Store
from rori_spiders.staging.verification.conversion_checks import PageConverter, check_conversions
from rori_spiders.staging.verification.corpus_checks import check_corpora
from rori_spiders.staging.verification.envelope_checks import check_files, check_strays
from rori_spiders.staging.verification.fact_checks import check_facts
from rori_spiders.staging.verification.finding import Finding
from rori_spiders.staging.verification.history_checks import (
    check_acceptances,
    check_aliases,
    check_assignments,
    check_order,
    check_prunes,
    check_reviews,
    check_robots,
)
from rori_spiders.staging.verification.ledger_checks import check_left_behind, check_lists, check_rows, check_runs
from rori_spiders.staging.verification.log_checks import (
    check_errors,
    check_fields,
    check_index,
    check_summaries,
    find_missing_errors,
    find_missing_fields,
    find_missing_index_lines,
    name_field_line,
    note_repair,
)
from rori_spiders.staging.verification.object_checks import ObjectChecker, check_objects
from rori_spiders.staging.verification.schema_checks import check_values
from rori_spiders.staging.verification.selection import Selection, VerificationScope
from rori_spiders.staging.verification.state_checks import check_pages, check_sources, check_totals, check_validators


@dataclass(frozen=True, slots=True)
class VerificationReport:
    """What was found, what was looked at, and what was mended."""

    findings: tuple[Finding, ...]
    counts: dict[str, int]  # {"files": n, "index_lines": n, "envelopes": n, "objects": n, "summaries": n, ...}
    mended: tuple[Finding, ...] = ()  # found at first, and gone after the repair
    recovered: RecoveryResult = field(default_factory=RecoveryResult)
    scope: VerificationScope = field(default_factory=VerificationScope)
    #: With a sample, how many were opened of how many: {"files": (5, 100), ...}.
    sampled: dict[str, tuple[int, int]] = field(default_factory=dict)
    live_jobs: tuple[str, ...] = ()  # what they were writing was left out

    @property
    def clean(self) -> bool:
        """Whether nothing was found, in what was looked at."""
        return not self.findings


@dataclass(slots=True)
class VerificationProgress:
    """How far a verification is, for another thread to show."""

    step: str = "starting"
    counts: Counter[str] = field(default_factory=Counter)


def verify_staging(
    ledger: Ledger,
    store: Store,
    *,
    repair: bool = False,
    now: datetime | None = None,
    scope: VerificationScope | None = None,
    converter: PageConverter | None = None,
    progress: VerificationProgress | None = None,
) -> VerificationReport:
    """Check that staging area and ledger agree, and with *repair* mend what a crash can leave.

    *scope* is what to open (None: everything); it is looked at in the same way again after a repair. With a *converter*
    the stored bytes are converted again and the texts compared. Nothing is repaired where a value of the ledger cannot
    be read. Raises StagingError or LedgerError when one of them cannot be read (or, with *repair*, written).
    """
    now = now or datetime.now(UTC)
    scope, progress = scope or VerificationScope(), progress or VerificationProgress()
    report = _run_checks(ledger, store, now, scope, progress, converter)
    is_unreadable = any(finding.kind in _UNREADABLE for finding in report.findings)
    if not repair or is_unreadable or not any(finding.repairable for finding in report.findings):
        return report
    progress.step = "repair"
    recovered = recover_staging(ledger, store, now)
    write_pending_summaries(ledger, store, every=True)
    _append_missing_lines(ledger, store, now)
    missing = find_missing_errors(ledger, store, now)
    ledger.write(lambda conn: note_repair(conn, "errors", list(missing), now=now))
    store.errors.append_missing(list(missing.values()))
    fields = find_missing_fields(ledger, store)
    ledger.write(lambda conn: note_repair(conn, "fields", [name_field_line(key) for key in fields], now=now))
    append_missing_fields(ledger, store, fields)
    after = _run_checks(ledger, store, now, scope, progress)
    remaining = set(after.findings)
    mended = tuple(finding for finding in report.findings if finding not in remaining)
    return replace(after, mended=mended, recovered=recovered)


#: Findings after which the ledger does not say what it must say for a repair.
_UNREADABLE = frozenset({"value_unreadable", "check_incomplete", "check_failed"})


def _run_checks(
    ledger: Ledger,
    store: Store,
    now: datetime,
    scope: VerificationScope,
    progress: VerificationProgress,
    converter: PageConverter | None = None,
) -> VerificationReport:
    counts = progress.counts = Counter()
    live = ledger.read(lambda conn: find_live_jobs(conn, now))
    objects, selection = ObjectChecker(store, counts), Selection(scope)
    findings: list[Finding] = []
    for step, found in {
        "values": check_values(ledger),
        "what jobs left behind": check_left_behind(ledger, now),
        "stray files": check_strays(store),
        "envelope files": check_files(ledger, store, objects, selection, counts),
        "objects": check_objects(ledger, objects, selection),
        "index": check_index(ledger, store, now, counts),
        "error log": check_errors(ledger, store, now, counts),
        "log of fields": check_fields(ledger, store, counts),
        "envelope rows": check_rows(ledger, store, selection, counts),
        "runs": check_runs(ledger, now, counts, selection),
        "pages": check_pages(ledger),
        "validators": check_validators(ledger),
        "sources": check_sources(ledger),
        "totals": check_totals(ledger),
        "aliases": check_aliases(ledger),
        "log of facts": check_facts(ledger, counts),
        "robots.txt files": check_robots(ledger),
        "acceptances": check_acceptances(ledger),
        "prunes": check_prunes(ledger),
        "reviews of changes": check_reviews(ledger),
        "assignments of changes": check_assignments(ledger),
        "order and clocks": check_order(ledger, now),
        "lists": check_lists(ledger, store, selection, counts),
        "summaries": check_summaries(ledger, store, now, selection, counts),
        "corpora": check_corpora(ledger, store, now, selection, counts),
        "conversions": check_conversions(ledger, store, converter, selection, counts) if converter else iter(()),
    }.items():
        progress.step = step
        findings += _complete(step, found)
    sampled = {kind: (selection.chosen[kind], total) for kind, total in selection.totals.items()}
    is_sample = scope.sample is not None
    return VerificationReport(
        tuple(findings),
        dict(counts),
        scope=scope,
        sampled=sampled if is_sample else {},
        live_jobs=tuple(sorted(live)),
    )


def _complete(step: str, found: Iterator[Finding]) -> Iterator[Finding]:
    """The findings of a check; one more where it ended early: at a value that none is, or by a defect of ours.

    JSON of another shape looks like a defect: only a value that cannot be read at all is said to be damage.
    """
    try:
        yield from found
    except ValueError as error:
        sentence = f"this check ended early, at a value of the ledger: {type(error).__name__}: {error}"
        yield Finding("check_incomplete", step, sentence)
    except (TypeError, LookupError, AttributeError) as error:
        place = extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}, line {place.lineno}"
        sentence = f"this check ended early, by an error of the program: {type(error).__name__}: {error} ({where})"
        yield Finding("check_failed", step, sentence)


def _append_missing_lines(ledger: Ledger, store: Store, now: datetime) -> None:
    rows = find_missing_index_lines(ledger, store, now)
    ledger.write(lambda conn: note_repair(conn, "index", [row.envelope_id for row in rows], now=now))
    for start in range(0, len(rows), BATCH_SIZE):
        store.index.append_missing([LogLine(row.run_id, row.index_line) for row in rows[start : start + BATCH_SIZE]])
