"""Read running jobs, their pace, and the queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, func, select

from rori_spiders.ledger.operations.source_status import find_global_pause
from rori_spiders.ledger.queue import job_queue, leases
from rori_spiders.ledger.runs.run_records import count_pages
from rori_spiders.ledger.tables import audit
from rori_spiders.ledger.tables import jobs as queue
from rori_spiders.ledger.tables import runs as run_rows
from rori_spiders.monitor.control.activity.schemas import Activity, JobAtWork, JobWaiting, PauseOfAll, RunAtWork
from rori_spiders.schedule import percent_done

#: Period over which the pace is measured: at one request in two seconds about a hundred pages of one server.
_PACE_WINDOW = timedelta(minutes=5)
_MAX_WAITING = 100


def read_activity(conn: Connection, now: datetime) -> Activity:
    """Read running jobs and the queue as of *now*."""
    waits = queue.c.state.in_(("waiting", "leased"))
    pause = find_global_pause(conn)
    return Activity(
        running=_running_jobs(conn, now),
        waiting=[
            JobWaiting.model_validate(one)
            for one in job_queue.load_jobs(
                conn, select(queue).where(waits).order_by(*job_queue.queue_order()).limit(_MAX_WAITING)
            )
        ],
        waiting_total=conn.execute(select(func.count()).select_from(queue).where(waits)).scalar_one(),
        schedule_paused=pause and PauseOfAll(by=pause.paused_by or "", reason=pause.paused_reason, at=pause.paused_at),
    )


def _running_jobs(conn: Connection, now: datetime) -> list[JobAtWork]:
    its = run_rows.c
    columns = (its.run_id, its.source_id, its.job_id, its.started_at, its.resumed_at)
    query = select(*columns).where(its.state == "running").order_by(its.job_id, its.started_at)
    open_runs = conn.execute(query).all()
    owners = {lease.owner.rpartition(":")[2]: lease for lease in leases.lease_holders(conn) if lease.expires_at > now}
    of_jobs: dict[str, list[Any]] = {}
    for run in open_runs:
        of_jobs.setdefault(run.job_id, []).append(run)
    found = [_job_row(conn, job_id, some, owners, now) for job_id, some in of_jobs.items()]
    return sorted(found, key=lambda job: (job.started_at, job.job_id))


def _job_row(
    conn: Connection, job_id: str, open_runs: Sequence[Row[Any]], owners: Mapping[str, leases.Lease], now: datetime
) -> JobAtWork:
    queued, lease = job_queue.find_job(conn, job_id), owners.get(job_id)
    begun = min(run.resumed_at or run.started_at for run in open_runs)
    is_alive = queued is not None and queued.state == "running" and (queued.leased_until or now) > now
    return JobAtWork(
        job_id=job_id,
        node=(queued and queued.node) or (lease.owner.partition(":")[0] if lease else None),
        started_at=(queued and queued.started_at) or begun,
        is_heard_of=is_alive or lease is not None,
        runs=[_run_row(conn, run, now) for run in open_runs],
    )


def _run_row(conn: Connection, run: Row[Any], now: datetime) -> RunAtWork:
    found = count_pages(conn, run.run_id)
    return RunAtWork(
        run_id=run.run_id,
        source_id=run.source_id,
        started_at=run.started_at,
        counts=found,
        percent=percent_done(found),
        per_minute=_pages_per_minute(conn, run, now),
    )


def _pages_per_minute(conn: Connection, run: Row[Any], now: datetime) -> float | None:
    """Return pages per minute since the job resumed the run, or over the last minutes; None: just started."""
    since = max(run.resumed_at or run.started_at, now - _PACE_WINDOW)
    minutes: float = (now - since).total_seconds() / 60
    if minutes < 0.1:  # less than six seconds is too short to measure
        return None
    ended = select(func.count()).where(
        audit.c.manifest_id == run.source_id,
        audit.c.timestamp >= since,
        audit.c.run_id == run.run_id,
        audit.c.kind == "page",
    )
    pages: int = conn.execute(ended).scalar_one()
    return round(pages / minutes, 1)
