"""The status of each source: paused or not, last check, scheduled runs that failed in a row."""

from collections.abc import Collection
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, and_, func, literal, select, update

from rori_spiders.ledger.dialects import lock_for_writing, upsert
from rori_spiders.ledger.row_cache import RowCache
from rori_spiders.ledger.tables import runs, source_state
from rori_spiders.ledger.tables.runs import OPEN_RUN_STATES
from rori_spiders.runtime.redaction import get_redactor

#: Not the id of any source: its row holds the pause of all of them.
ALL_SOURCES = "*"

#: Failed scheduled runs in a row that stop a source (specification §7.2).
BREAKER_FAILURES = 5
#: "Reduce frequency for source" (S0 §7.1): what a run that was rate limited to the end makes of the source's interval,
#: and how many complete runs in a row that were not take it back.
INTERVAL_STRETCH_FACTOR = 2
GOOD_RUNS = 2


@dataclass(frozen=True, slots=True)
class SourceState:
    """One row of ``source_state``; the defaults apply to a source without a row."""

    paused_by: str | None = None  # breaker | person
    paused_reason: str | None = None
    paused_at: datetime | None = None
    failures_in_row: int = 0
    last_run_id: str | None = None
    last_checked_at: datetime | None = None  # when a run last ended complete
    last_changed_at: datetime | None = None
    interval_factor: int = 1
    good_runs_in_row: int = 0
    next_run_at: datetime | None = None  # a person's moment for the next run, once
    doubted_in_row: int = 0  # runs since then that ended suspect or incomplete
    doubted_at: datetime | None = None  # when the last of them ended
    failed_at: datetime | None = None  # when the last scheduled run since then ended failed


_SUSPECT_COLUMNS = ("doubted_in_row", "doubted_at")
_FAILED_COLUMN = "failed_at"
#: Before any run: with it the index of states also bounds the runs of a source that was never checked.
_NEVER_CHECKED = literal(datetime(1970, 1, 1, tzinfo=UTC), runs.c.finished_at.type)
_SINCE_CHECKED = runs.c.finished_at > func.coalesce(source_state.c.last_checked_at, _NEVER_CHECKED)
_IS_SUSPECT = and_(
    runs.c.source_id == source_state.c.source_id,
    runs.c.state.in_(("suspect", "incomplete")),
    _SINCE_CHECKED,
)
_HAS_FAILED = and_(
    runs.c.source_id == source_state.c.source_id,
    runs.c.state == "failed",
    runs.c.operator == "system",
    _SINCE_CHECKED,
)
_COLUMNS = [
    *(
        source_state.c[field.name]
        for field in fields(SourceState)
        if field.name not in {*_SUSPECT_COLUMNS, _FAILED_COLUMN}
    ),
    select(func.count()).where(_IS_SUSPECT).correlate(source_state).scalar_subquery().label(_SUSPECT_COLUMNS[0]),
    select(func.max(runs.c.finished_at))
    .where(_IS_SUSPECT)
    .correlate(source_state)
    .scalar_subquery()
    .label(_SUSPECT_COLUMNS[1]),
    select(func.max(runs.c.finished_at))
    .where(_HAS_FAILED)
    .correlate(source_state)
    .scalar_subquery()
    .label(_FAILED_COLUMN),
]


def _is_source(source_id: str, *values: Any) -> tuple[str, SourceState]:
    return source_id, SourceState(*values)


class CachedSourceStates(RowCache[tuple[str, SourceState]]):
    """For ``states``, again and again."""

    def __init__(self) -> None:
        super().__init__(_is_source)


def load_states(conn: Connection, remembered: CachedSourceStates | None = None) -> dict[str, SourceState]:
    """The states of all sources that ever ran or were paused, by source id; unchanged ones are *remembered* objects."""
    # Of each source its own few rows of an index are read: a join may read all runs that ever failed.
    query = select(source_state.c.source_id, *_COLUMNS)
    remembered = remembered or CachedSourceStates()
    return dict(remembered.read(conn, query.where(source_state.c.source_id != ALL_SOURCES)))


def load_state(conn: Connection, source_id: str) -> SourceState:
    """The state of one source."""
    row = conn.execute(select(*_COLUMNS).where(source_state.c.source_id == source_id)).one_or_none()
    return SourceState(*row) if row else SourceState()


def find_global_pause(conn: Connection) -> SourceState | None:
    """By whom, when and why all sources are paused together; None: they are not."""
    state = load_state(conn, ALL_SOURCES)
    return state if state.paused_by is not None else None


def pause_source(conn: Connection, source_id: str, *, by: str, reason: str, now: datetime) -> None:
    """Stop a source, or EVERYTHING, until ``resume``: *by* is ``person`` or ``breaker``, *reason* is for a person."""
    lock_for_writing(conn, source_state, of=source_id)
    _save_state(conn, source_id, paused_by=by, paused_reason=get_redactor().text(reason), paused_at=now)


def resume_source(conn: Connection, source_id: str) -> None:
    """Let a source run again, and forget the failures that stopped it."""
    _save_state(conn, source_id, paused_by=None, paused_reason=None, paused_at=None, failures_in_row=0)


def set_next_run(conn: Connection, source_id: str, at: datetime | None) -> None:
    """A person's moment for the next run of a source, until that has ended; None takes it back."""
    _save_state(conn, source_id, next_run_at=at)


def clear_next_run(conn: Connection, source_ids: Collection[str], now: datetime) -> None:
    """Forget a person's moment that has come: its run has ended, or a person has stopped it."""
    wanted = source_state.c.source_id.in_(source_ids) & (source_state.c.next_run_at <= now)
    conn.execute(update(source_state).where(wanted).values(next_run_at=None))


def record_outcome(
    conn: Connection,
    source_id: str,
    *,
    run_id: str,
    state: str,
    operator: str,
    changed: bool,
    now: datetime,
    rate_limited: bool = False,
) -> SourceState:
    """Take in how a run of the source ended (*state* as in ``runs``), and give how the source stands now.

    ``complete`` counts as checked and clears the failures. ``failed`` counts against the source when the run was
    scheduled (*operator* ``system``), and pauses it at ``BREAKER_FAILURES`` in a row; a pause by a person stays
    theirs. Other states are neither. *rate_limited* to the end doubles the interval, once, whatever the run's end;
    two complete runs in a row that were not take it back.
    """
    lock_for_writing(conn, source_state, of=source_id)
    before = load_state(conn, source_id)
    after: dict[str, Any] = {"last_run_id": run_id}
    if changed:
        after["last_changed_at"] = now
    if state == "complete":
        after |= {"last_checked_at": now, "failures_in_row": 0, "good_runs_in_row": before.good_runs_in_row + 1}
    elif state == "failed":
        after |= _count_failure(before, scheduled=operator == "system", now=now)
    if rate_limited:
        after |= {"interval_factor": INTERVAL_STRETCH_FACTOR, "good_runs_in_row": 0}
    elif after.get("good_runs_in_row", 0) >= GOOD_RUNS:
        after["interval_factor"] = 1
    _save_state(conn, source_id, **after)
    if state not in OPEN_RUN_STATES:  # what was left open goes on at once
        clear_next_run(conn, [source_id], now)
    return load_state(conn, source_id)


def _count_failure(before: SourceState, *, scheduled: bool, now: datetime) -> dict[str, Any]:
    after: dict[str, Any] = {"good_runs_in_row": 0}
    if scheduled:
        failures = before.failures_in_row + 1
        after["failures_in_row"] = failures
        if failures >= BREAKER_FAILURES and before.paused_by is None:
            reason = f"{failures} scheduled runs failed in a row"
            after |= {"paused_by": "breaker", "paused_reason": reason, "paused_at": now}
    return after


def _save_state(conn: Connection, source_id: str, **changes: Any) -> None:
    upsert(conn, source_state, [{"source_id": source_id} | changes])
