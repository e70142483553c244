"""What is running now, how fast, and what waits in the queue."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from rori_spiders.ledger import jobs, leases
from rori_spiders.ledger.runs import counts
from rori_spiders.ledger.sources import pause_of_all
from rori_spiders.ledger.tables import audit
from rori_spiders.ledger.tables import jobs as queue
from rori_spiders.ledger.tables import runs as run_rows
from rori_spiders.monitor.answers.activity import Activity, JobAtWork, JobWaiting, PauseOfAll, RunAtWork
from rori_spiders.schedule import percent_done

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from sqlalchemy import Connection, Row

#: Over which the pace is measured: at one request in two seconds that is some hundred pages of one server.
_PACE = timedelta(minutes=5)
_SHOWN = 100


def activity(conn: Connection, now: datetime) -> Activity:
    """What goes on at *now*."""
    waits = queue.c.state.in_(("waiting", "leased"))
    pause = pause_of_all(conn)
    return Activity(
        running=_running(conn, now),
        waiting=[
            _waiting(one)
            for one in jobs.rows(conn, select(queue).where(waits).order_by(*jobs.in_order()).limit(_SHOWN))
        ],
        waiting_total=conn.execute(select(func.count()).select_from(queue).where(waits)).scalar_one(),
        schedule_paused=pause and PauseOfAll(by=pause.paused_by or "", reason=pause.paused_reason, at=pause.paused_at),
    )


def _waiting(job: jobs.QueuedJob) -> JobWaiting:
    return JobWaiting(
        job_id=job.job_id,
        state=job.state,
        sources=job.sources,
        queued_at=job.queued_at,
        operator=job.operator,
        node=job.node,
    )


def _running(conn: Connection, now: datetime) -> list[JobAtWork]:
    its = run_rows.c
    columns = (its.run_id, its.source_id, its.job_id, its.started_at, its.resumed_at)
    query = select(*columns).where(its.state == "running").order_by(its.job_id, its.started_at)
    open_runs = conn.execute(query).all()
    owners = {lease.owner.rpartition(":")[2]: lease for lease in leases.holders(conn) if lease.expires_at > now}
    of_jobs: dict[str, list[Any]] = {}
    for run in open_runs:
        of_jobs.setdefault(run.job_id, []).append(run)
    found = [_job(conn, job_id, some, owners, now) for job_id, some in of_jobs.items()]
    return sorted(found, key=lambda job: (job.started_at, job.job_id))


def _job(
    conn: Connection, job_id: str, open_runs: Sequence[Row[Any]], owners: Mapping[str, leases.Lease], now: datetime
) -> JobAtWork:
    queued, lease = jobs.find(conn, job_id), owners.get(job_id)
    begun = min(run.resumed_at or run.started_at for run in open_runs)
    is_alive = queued is not None and queued.state == "running" and (queued.leased_until or now) > now
    return JobAtWork(
        job_id=job_id,
        node=(queued and queued.node) or (lease.owner.partition(":")[0] if lease else None),
        started_at=(queued and queued.started_at) or begun,
        is_heard_of=is_alive or lease is not None,
        runs=[_run(conn, run, now) for run in open_runs],
    )


def _run(conn: Connection, run: Row[Any], now: datetime) -> RunAtWork:
    found = counts(conn, run.run_id)
    return RunAtWork(
        run_id=run.run_id,
        source_id=run.source_id,
        started_at=run.started_at,
        counts=found,
        percent=percent_done(found),
        per_minute=_pace(conn, run, now),
    )


def _pace(conn: Connection, run: Row[Any], now: datetime) -> float | None:
    """Pages that ended in a minute, since the job took the run up, or over the last minutes; None: it only begins."""
    since = max(run.resumed_at or run.started_at, now - _PACE)
    minutes: float = (now - since).total_seconds() / 60
    if minutes < 0.1:  # from less than six seconds nothing can be told
        return None
    ended = select(func.count()).where(
        audit.c.manifest_id == run.source_id,
        audit.c.timestamp >= since,
        audit.c.run_id == run.run_id,
        audit.c.kind == "page",
    )
    pages: int = conn.execute(ended).scalar_one()
    return round(pages / minutes, 1)
