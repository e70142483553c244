"""Jobs in the queue that all nodes share: added, listed, begun, kept alive, ended, cancelled.

Which one a node gets, and what becomes of those that are lost: ``claims.py``. One row is one attempt, for good.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import Select, delete, select, update

from rori_spiders.exceptions import UsageError
from rori_spiders.ledger import alerts
from rori_spiders.ledger.dialects import only_writer
from rori_spiders.ledger.tables import job_groups, jobs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import ColumnElement, Connection

#: Of the queue, and not at their end: their sources are nobody else's.
OPEN_STATES = ("waiting", "leased", "running")
#: The event of the alert on a source whose job was lost as often as it may be.
JOB_LOST = "job_lost"


@dataclass(frozen=True, slots=True)
class QueuedJob:
    """One row of ``jobs``, with its groups."""

    job_id: str
    spider: str
    sources: list[str]
    arguments: dict[str, Any] | None
    priority: float
    operator: str
    state: str
    attempt: int
    follows: str | None
    node: str | None
    owner: str | None
    queued_at: datetime
    leased_at: datetime | None
    leased_until: datetime | None
    started_at: datetime | None
    ended_at: datetime | None
    outcome: str | None
    reason: str | None
    cancelled_by: str | None
    groups: tuple[str, ...]


def add(
    conn: Connection,
    *,
    job_id: str,
    sources: Sequence[str],
    groups: Sequence[str],
    priority: float,
    operator: str,
    now: datetime,
    spider: str = "sources",
    arguments: Mapping[str, Any] | None = None,
    attempt: int = 1,
    follows: str | None = None,
) -> None:
    """Put a job that collects *sources*, which ask servers of *groups*, into the queue; high *priority* goes first.

    Raises UsageError for an id that is no UUID, or is in use. Two that plan at once: see ``alone``.
    """
    if (spelled := _spelled(job_id)) is None:
        raise UsageError(f"{job_id!r} cannot be the id of a job: it must be a UUID")
    job_id = spelled
    if find(conn, job_id) is not None:
        raise UsageError(f"there is a job {job_id} already; `scrapy jobs {job_id}` tells of it")
    values = {"job_id": job_id, "spider": spider, "sources": list(sources), "arguments": dict(arguments or {}) or None}
    order = {"priority": priority, "operator": operator, "attempt": attempt, "follows": follows, "queued_at": now}
    conn.execute(jobs.insert().values(state="waiting", **values, **order))
    if groups:
        conn.execute(job_groups.insert(), [{"job_id": job_id, "group": group} for group in sorted(set(groups))])


def take_out(conn: Connection, job_id: str, source_id: str, *, by: str, now: datetime) -> bool:
    """Take a source out of a job that waits: *by* wants it in another one. False when the job does not wait any more.

    A job that has no other source is cancelled.
    """
    only_writer(conn, jobs)
    of_it = (jobs.c.job_id == job_id) & (jobs.c.state == "waiting")
    sources = conn.execute(select(jobs.c.sources).where(of_it).with_for_update()).scalar_one_or_none()
    if sources is None:
        return False
    left = [one for one in sources if one != source_id]
    why = {"reason": f"{source_id} was put in front", "cancelled_by": by, "ended_at": now}
    conn.execute(update(jobs).where(of_it).values({"sources": left} if left else {"state": "cancelled", **why}))
    return True


def prune(conn: Connection, *, before: datetime, limit: int = 500) -> int:
    """Forget the oldest jobs that ended before then, *limit* at most; gives how many these were."""
    over = jobs.c.state.not_in(OPEN_STATES) & (jobs.c.ended_at < before)
    old = list(conn.execute(select(jobs.c.job_id).where(over).order_by(jobs.c.ended_at).limit(limit)).scalars())
    if old:
        conn.execute(delete(job_groups).where(job_groups.c.job_id.in_(old)))
        conn.execute(delete(jobs).where(jobs.c.job_id.in_(old)))
    return len(old)


def alone(conn: Connection) -> None:
    """Until the transaction ends, nobody else queues, leases or ends a job. First in one that reads, then adds."""
    only_writer(conn, jobs)


def queued_sources(conn: Connection) -> dict[str, str]:
    """Source id -> id of the waiting, leased or running job that is to collect it.

    Also of the lost one, where it was the last that is tried by itself: until a run of the source has ended.
    """
    query = select(jobs.c.job_id, jobs.c.sources).where(jobs.c.state.in_(OPEN_STATES))
    given_up = {one["source_id"]: one["cause"] for one in alerts.open_alerts(conn) if one["event"] == JOB_LOST}
    return given_up | {source: row.job_id for row in conn.execute(query) for source in row.sources}


def waiting(conn: Connection) -> list[QueuedJob]:
    """The jobs that no node has yet, in the order in which they are given out."""
    return rows(conn, select(jobs).where(jobs.c.state == "waiting").order_by(*in_order()))


def listed(conn: Connection, *, ended: int = 20) -> list[QueuedJob]:
    """What runs, what is about to, what waits in its order, and the *ended* that ended last."""
    still = rows(conn, select(jobs).where(jobs.c.state.in_(OPEN_STATES)).order_by(*in_order()))
    still.sort(key=lambda job: OPEN_STATES[::-1].index(job.state))  # stable: the order of the queue stays
    over = select(jobs).where(jobs.c.state.not_in(OPEN_STATES)).order_by(jobs.c.ended_at.desc(), jobs.c.job_id)
    return still + rows(conn, over.limit(ended))


def has_begun(conn: Connection, *, since: datetime, besides: str) -> bool:
    """Whether a job has begun since then on another machine than *besides*."""
    elsewhere = ~jobs.c.owner.startswith(f"{besides}:", autoescape=True)
    return conn.execute(select(jobs.c.job_id).where(jobs.c.started_at >= since, elsewhere).limit(1)).first() is not None


def locked_out(conn: Connection) -> list[QueuedJob]:
    """The jobs of which no source could begin, since other jobs asked its servers: in the order in which they ended."""
    return rows(conn, select(jobs).where(jobs.c.outcome == "locked").order_by(jobs.c.ended_at))


def find(conn: Connection, job_id: str) -> QueuedJob | None:
    """The job of this id, however it is spelled; None when the queue never had it."""
    found = rows(conn, select(jobs).where(jobs.c.job_id == _spelled(job_id)))
    return found[0] if found else None


def _spelled(job_id: str) -> str | None:
    """As the ledger has it: Scrapyd's own ids have no dashes."""
    try:
        return str(UUID(job_id))
    except ValueError:
        return None


def take_over(conn: Connection, job_id: str, *, owner: str, host: str, now: datetime, ttl_s: float) -> QueuedJob | None:
    """The process *owner* begins the job that a node leased, or that waits still; None for one that was never queued.

    Raises UsageError when it is not to begin: it was cancelled, is over, or another process runs it.
    """
    begins = {"state": "running", "owner": owner, "started_at": now, "leased_until": now + timedelta(seconds=ttl_s)}
    may = (jobs.c.job_id == job_id) & jobs.c.state.in_(("waiting", "leased"))
    taken = conn.execute(update(jobs).where(may).values(begins)).rowcount
    job = find(conn, job_id)
    if job is None or taken:
        if taken and job is not None and job.node is None:
            conn.execute(update(jobs).where(jobs.c.job_id == job_id).values(node=host, leased_at=now))
        return job
    raise UsageError(f"the job {job_id} does not begin: {_why_not(job)}")


def _why_not(job: QueuedJob) -> str:
    if job.state == "running":
        return f"{job.owner} runs it"
    said = {"cancelled": "it was cancelled", "lost": "it was given up for lost"}.get(job.state, "it has ended")
    return f"{said} at {job.ended_at:%Y-%m-%d %H:%M:%S} UTC"


def heartbeat(conn: Connection, job_id: str, *, owner: str, now: datetime, ttl_s: float) -> str | None:
    """The job's process lives: it keeps the job for *ttl_s* more seconds.

    Gives why it must stop: somebody cancelled it, or it was given up for lost; None when it goes on.
    """
    until = now + timedelta(seconds=ttl_s)
    if conn.execute(update(jobs).where(_mine(job_id, owner)).values(leased_until=until)).rowcount != 1:
        return "given up for lost: its node was silent for too long"
    by = conn.execute(select(jobs.c.cancelled_by).where(jobs.c.job_id == job_id)).scalar_one()
    return f"cancelled by {by}" if by is not None else None


def end(
    conn: Connection, job_id: str, *, owner: str, outcome: str, reason: str | None, cancelled: bool, now: datetime
) -> bool:
    """The job's process ends it; False when it was not its own any more."""
    state = "cancelled" if cancelled else "ended"
    values = {"state": state, "outcome": outcome, "reason": reason, "ended_at": now, "leased_until": None}
    return conn.execute(update(jobs).where(_mine(job_id, owner)).values(values)).rowcount == 1


def note_end(conn: Connection, source_id: str, now: datetime) -> None:
    """A run of the source has ended: what was said of lost jobs is over."""
    for alert in alerts.open_alerts(conn, source_id):
        if alert["event"] == JOB_LOST:
            alerts.clear_alert(conn, source_id=source_id, event=JOB_LOST, cause=alert["cause"], now=now)


def _mine(job_id: str, owner: str) -> ColumnElement[bool]:
    return (jobs.c.job_id == job_id) & (jobs.c.owner == owner) & (jobs.c.state == "running")


def in_order() -> tuple[ColumnElement[Any], ...]:
    """How the queue is sorted."""
    return jobs.c.priority.desc(), jobs.c.queued_at, jobs.c.job_id


def rows(conn: Connection, query: Select[Any]) -> list[QueuedJob]:
    """The jobs that *query* finds, each with its groups."""
    found = [dict(row) for row in conn.execute(query).mappings()]
    groups = groups_of(conn, (row["job_id"] for row in found))
    return [QueuedJob(**row, groups=groups.get(row["job_id"], ())) for row in found]


#: Keys in one statement; SQLite takes 32,766 at most, older builds 999.
_AT_ONCE = 500


def groups_of(conn: Connection, job_ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The groups that each job asks."""
    ids, found = list(job_ids), dict[str, tuple[str, ...]]()
    for start in range(0, len(ids), _AT_ONCE):
        some = job_groups.c.job_id.in_(ids[start : start + _AT_ONCE])
        for job_id, group in conn.execute(select(job_groups).where(some).order_by(job_groups.c.group)):
            found[job_id] = (*found.get(job_id, ()), group)
    return found
