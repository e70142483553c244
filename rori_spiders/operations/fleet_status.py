"""How the fleet stands, from the ledger: work that is due and that no node has begun, and the objectives of service.

In: an open connection, the active sources with their states, the time. Out: numbers, for metrics and `scrapy doctor`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, func, select, text

from rori_spiders.ledger.dialects import unindexed_column
from rori_spiders.ledger.operations.source_status import ALL_SOURCES, SourceState
from rori_spiders.ledger.tables import MODIFIED, jobs, runs, source_state, versions
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.schedule import blocked_reason, plan_due_sources
from rori_spiders.schedule.intervals import GRACE, check_interval

#: The share of sources, or changes, for which each objective is to hold; the rest is the error budget.
OBJECTIVE = 0.95
#: Changes are judged over so long: in most days there are few.
DETECTION_PERIOD = timedelta(days=7)
#: Of a source without a run: the start of a job, and some pages.
_UNKNOWN_RUN_S = 60.0


@dataclass(frozen=True, slots=True)
class LastRun:
    """What the last run of a source came to."""

    state: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Backlog:
    """Sources that are due, may be requested now, and are in no job that has begun."""

    sources: int
    oldest_s: float  # since the first of them was due, or its job was queued
    work_s: float  # seconds of jobs, by the last run of each


def load_last_runs(conn: Connection) -> dict[str, LastRun]:
    """By source."""
    query = select(source_state.c.source_id, runs.c.state, runs.c.seconds)
    return {
        source_id: LastRun(state, seconds)
        for source_id, state, seconds in conn.execute(
            query.join_from(source_state, runs, runs.c.run_id == source_state.c.last_run_id)
        )
    }


def read_backlog(
    conn: Connection, catalog: Catalog, states: Mapping[str, SourceState], last: Mapping[str, LastRun], now: datetime
) -> Backlog:
    """What waits for a node: in the queue, or still outside of it."""
    taken = set(conn.execute(select(runs.c.source_id).where(runs.c.state == "running")).scalars())
    for sources in conn.execute(select(jobs.c.sources).where(jobs.c.state.in_(("leased", "running")))).scalars():
        taken.update(sources)
    everything = states.get(ALL_SOURCES)
    due = [
        one
        for one in plan_due_sources(catalog.sources, states, now, rules=catalog.rules, everything=everything)
        if one.held_until is None and one.source.id not in taken
    ]
    since = [one.due_at for one in due if one.due_at is not None]
    queued_at = conn.execute(select(func.min(jobs.c.queued_at)).where(jobs.c.state == "waiting")).scalar_one()
    oldest = min([*since, *([queued_at] if queued_at is not None else [])], default=now)
    known = [last[one.source.id].seconds for one in due if one.source.id in last]
    mean = sum(known) / len(known) if known else _UNKNOWN_RUN_S
    return Backlog(len(due), max(0.0, (now - oldest).total_seconds()), sum(known) + mean * (len(due) - len(known)))


def read_objectives(
    conn: Connection, catalog: Catalog, states: Mapping[str, SourceState], last: Mapping[str, LastRun], now: datetime
) -> dict[str, tuple[int, int]]:
    """Objective -> of how many it holds, and of how many it is to hold.

    ``freshness``: active sources checked within their interval and GRACE. ``completeness``: those whose last run is
    complete. ``detection``: changes of DETECTION_PERIOD that a run found no later than that after the complete run
    before it, so that the change itself is no older.
    """
    active = {
        source.id: source
        for source in catalog.sources
        if blocked_reason(source, states.get(source.id), states.get(ALL_SOURCES)) is None
    }
    longest = {source_id: check_interval(one, states.get(source_id)) + GRACE for source_id, one in active.items()}
    checked = {source_id: state.last_checked_at for source_id, state in states.items()}
    fresh = sum((at := checked.get(one)) is not None and now - at <= longest[one] for one in active)
    ended = [last[one].state for one in active if one in last and last[one].state not in {"running", "partial"}]
    in_time = changes = 0
    for source_id, passed, number in _load_detections(conn, now):
        if source_id in active:
            changes += number
            in_time += number * (passed <= longest[source_id])
    return {
        "freshness": (fresh, len(active)),
        "completeness": (ended.count("complete"), len(ended)),
        "detection": (in_time, changes),
    }


def _load_detections(conn: Connection, now: datetime) -> list[tuple[str, timedelta, int]]:
    """Of each run that found changes: source, time since the complete run before it, number of changes.

    The changes are counted in their index first: only runs that found some are looked up.
    """
    found = (
        select(versions.c.run_id, func.count().label("number"))
        .where(versions.c.captured_at >= now - DETECTION_PERIOD, text(MODIFIED))
        .group_by(text(unindexed_column(conn, "run_id")))  # SQLite would read all versions in the order of an index
        .cte()
    )
    earlier = runs.alias()
    before = (
        select(earlier.c.started_at)
        .where(
            earlier.c.source_id == runs.c.source_id,
            earlier.c.state == "complete",
            earlier.c.started_at < runs.c.started_at,
        )
        .order_by(earlier.c.started_at.desc())
        .limit(1)
        .scalar_subquery()
    )
    query = select(runs.c.source_id, runs.c.started_at, before, found.c.number).join_from(
        found, runs, runs.c.run_id == found.c.run_id
    )
    return [
        (source_id, started_at - last_at, number)
        for source_id, started_at, last_at, number in conn.execute(query)
        if last_at is not None
    ]
