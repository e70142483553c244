"""Which job a node gets from the queue, and what becomes of a job whose node fell silent.

A claim leases the groups of the job in its name, so that the politeness of a group and its permits of the ten go with
it: what another job asks is not given out, nor more at once than may be asked at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from sqlalchemy import exists, func, or_, select, true, update

from rori_spiders.ledger import alerts, jobs, leases
from rori_spiders.ledger.dialects import only_writer
from rori_spiders.ledger.tables import job_groups, runs
from rori_spiders.ledger.tables import jobs as queue
from rori_spiders.ledger.tables import leases as held
from rori_spiders.ledger.tables.runs import OPEN_RUN_STATES

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection

    from rori_spiders.ledger.jobs import QueuedJob

#: A job whose node fell silent so often is not given out again: it may be what ends them.
MOST_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Terms:
    """How long a claim holds without a sign of life, the requests at once of a group, the longest pause waited for."""

    ttl_s: float
    permits: int
    longest_wait: timedelta


@dataclass(frozen=True, slots=True)
class Lost:
    """A job that was given up, and the one that takes up what it left: None when nothing is left, or no more is tried.

    ``given_up`` are the sources that nobody tries again.
    """

    job: QueuedJob
    successor: str | None
    given_up: tuple[str, ...] = ()


def claimable(conn: Connection, terms: Terms, *, now: datetime) -> int:
    """How many jobs could be claimed now, each for itself; and those that were lost, for ``recover`` to look at."""
    return free(conn, terms, now=now) + lost(conn, now=now)


def free(conn: Connection, terms: Terms, *, now: datetime, by_hand: bool = False) -> int:
    """How many jobs ``claim`` could give now, each for itself."""
    query = select(func.count()).select_from(queue).where(_free(conn, terms, now), _wanted(by_hand))
    return conn.execute(query).scalar_one()


def lost(conn: Connection, *, now: datetime) -> int:
    """How many jobs ``recover`` would give up."""
    return conn.execute(select(func.count()).select_from(queue).where(_silent(now))).scalar_one()


def claim(conn: Connection, terms: Terms, *, node: str, now: datetime, by_hand: bool = False) -> QueuedJob | None:
    """Lease the first job of the queue, and its groups, to *node*; None when none can be given out now.

    *by_hand*: the first of those that people have queued.
    """
    only_writer(conn, held)  # first of all: two nodes that claim at once come one after the other
    first = select(queue).where(_free(conn, terms, now), _wanted(by_hand)).order_by(*jobs.in_order()).limit(1)
    found = jobs.rows(conn, first.with_for_update(skip_locked=True))
    if not found:
        return None
    [job] = found
    until = now + timedelta(seconds=terms.ttl_s)
    leased = {"state": "leased", "node": node, "leased_at": now, "leased_until": until}
    conn.execute(update(queue).where(queue.c.job_id == job.job_id).values(leased))
    share = max(1, min(terms.permits, leases.free_permits(conn, now=now) // max(1, len(job.groups))))
    for group in job.groups:
        owner = leases.reserved(node, job.job_id)
        lease = leases.acquire(conn, group, owner=owner, now=now, ttl_s=terms.ttl_s, permits=share)
        assert lease is not None, "it was free, and nobody else can lease now"
    return jobs.find(conn, job.job_id)


def recover(conn: Connection, *, now: datetime) -> list[Lost]:
    """Give up the jobs whose nodes were silent for longer than their leases, and queue again what they left."""
    only_writer(conn, held)  # as in `claim`, and in the same order
    return [_give_up(conn, job, now) for job in jobs.rows(conn, select(queue).where(_silent(now)).with_for_update())]


def cancel(conn: Connection, job_id: str, *, by: str, now: datetime) -> QueuedJob | None:
    """Take the job out of the queue, or ask its process to stop; gives it as it was, None when there is none.

    What has ended stays as it is.
    """
    only_writer(conn, held)
    job = jobs.find(conn, job_id)
    if job is None or job.state not in jobs.OPEN_STATES:
        return job
    values: dict[str, Any] = {"cancelled_by": by}
    if job.state != "running":
        values |= {"state": "cancelled", "reason": f"cancelled by {by}", "ended_at": now, "leased_until": None}
        _free_reserved(conn, job)
    conn.execute(update(queue).where(queue.c.job_id == job.job_id).values(values))
    return job


def refuse(conn: Connection, job_id: str, *, reason: str, now: datetime) -> QueuedJob | None:
    """The process of a leased job ends before it has begun: the row and what was leased for it are free at once.

    Gives the job as it is then; None when it was never queued. One that has begun stays as it is.
    """
    only_writer(conn, held)
    job = jobs.find(conn, job_id)
    if job is None or job.state != "leased":
        return job
    ends = {"state": "ended", "outcome": "refused", "reason": reason, "ended_at": now, "leased_until": None}
    still = (queue.c.job_id == job.job_id) & (queue.c.state == "leased")
    if conn.execute(update(queue).where(still).values(ends)).rowcount:
        _free_reserved(conn, job)
    return jobs.find(conn, job.job_id)


def _free(conn: Connection, terms: Terms, now: datetime) -> ColumnElement[bool]:
    """Jobs that wait, whose groups nobody asks and no server wants left alone, with permits for each of them."""
    its = job_groups.c.job_id == queue.c.job_id
    live = held.c.owner.is_not(None) & (held.c.expires_at > now)
    rests = held.c.paused_until > now + terms.longest_wait
    blocked = exists().where(its, held.c.group == job_groups.c.group, or_(live, rests))
    groups = select(func.count()).select_from(job_groups).where(its).scalar_subquery()
    return (queue.c.state == "waiting") & ~blocked & (groups <= leases.free_permits(conn, now=now))


def _wanted(by_hand: bool) -> ColumnElement[bool]:
    return (queue.c.operator == "manual") & (queue.c.spider == "sources") if by_hand else true()


def _silent(now: datetime) -> ColumnElement[bool]:
    return queue.c.state.in_(("leased", "running")) & (queue.c.leased_until <= now)


def _give_up(conn: Connection, job: QueuedJob, now: datetime) -> Lost:
    assert job.leased_until is not None
    reason = f"nothing was heard of it after {job.leased_until:%Y-%m-%d %H:%M:%S} UTC"
    ends = {"state": "lost", "reason": reason, "ended_at": now}
    conn.execute(update(queue).where(queue.c.job_id == job.job_id).values(ends))
    left = _left(conn, job)
    if job.cancelled_by is not None or not left:
        return Lost(job, None)
    if job.attempt >= MOST_ATTEMPTS:
        _tell(conn, job, left, now)
        return Lost(job, None, tuple(left))
    again = str(uuid4())
    terms = {"spider": job.spider, "arguments": job.arguments, "priority": job.priority, "operator": job.operator}
    jobs.add(
        conn,
        job_id=again,
        sources=left,
        groups=job.groups,
        now=now,
        attempt=job.attempt + 1,
        follows=job.job_id,
        **terms,  # type: ignore[arg-type]  # as they came
    )
    return Lost(job, again)


def _left(conn: Connection, job: QueuedJob) -> list[str]:
    """The sources of the job whose runs it has not ended."""
    over = select(runs.c.source_id).where(runs.c.job_id == job.job_id, runs.c.state.not_in(OPEN_RUN_STATES))
    done = set(conn.execute(over).scalars())
    return [source for source in job.sources if source not in done]


def _tell(conn: Connection, job: QueuedJob, left: list[str], now: datetime) -> None:
    message = (
        f"The job {job.job_id} was the {MOST_ATTEMPTS}rd attempt of which nothing more was heard, last on {job.node}. "
        "It is not queued again by itself: it may be what ends the nodes."
    )
    told = {"event": jobs.JOB_LOST, "cause": job.job_id, "severity": "high", "message": message}
    for source_id in left:
        alerts.raise_alert(conn, source_id=source_id, now=now, **told)


def _free_reserved(conn: Connection, job: QueuedJob) -> None:
    if job.node is not None:
        mine = held.c.owner == leases.reserved(job.node, job.job_id)
        conn.execute(update(held).where(mine).values(owner=None, expires_at=None))
