"""The job queue that all nodes share: jobs added, claimed, kept alive, ended and cancelled; and the recovery of
jobs whose node fell silent.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ColumnElement, Connection, Select, delete, exists, false, func, or_, select, true, update

from rori_spiders.exceptions import ActionRefused, UsageError
from rori_spiders.ledger.dialects import lock_for_writing
from rori_spiders.ledger.operations import alerts, source_status
from rori_spiders.ledger.queue import leases, permits
from rori_spiders.ledger.tables import job_groups, jobs, runs
from rori_spiders.ledger.tables import leases as held
from rori_spiders.ledger.tables.runs import OPEN_RUN_STATES

#: Of the queue, and not at their end: their sources are nobody else's.
OPEN_STATES = ("waiting", "leased", "running")
#: The outcome of a job whose machine could reach nobody.
OFFLINE = "offline"
#: After this time without a claim the queue has no node: nodes poll every few seconds.
UNCLAIMED_AFTER = timedelta(minutes=15)
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


def enqueue_job(
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
    if (spelled := _normalize_job_id(job_id)) is None:
        raise UsageError(f"invalid job id {job_id!r}: expected a UUID")
    job_id = spelled
    if find_job(conn, job_id) is not None:
        raise UsageError(f"job {job_id} already exists; `scrapy jobs show {job_id}` shows it")
    values = {"job_id": job_id, "spider": spider, "sources": list(sources), "arguments": dict(arguments or {}) or None}
    order = {"priority": priority, "operator": operator, "attempt": attempt, "follows": follows, "queued_at": now}
    conn.execute(jobs.insert().values(state="waiting", **values, **order))
    if groups:
        conn.execute(job_groups.insert(), [{"job_id": job_id, "group": group} for group in sorted(set(groups))])


def remove_source(conn: Connection, job_id: str, source_id: str, *, by: str, now: datetime) -> bool:
    """Take a source out of a job that waits: *by* wants it in another one. False when the job does not wait any more.

    A job that has no other source is cancelled.
    """
    lock_for_writing(conn, jobs)
    of_it = (jobs.c.job_id == job_id) & (jobs.c.state == "waiting")
    sources = conn.execute(select(jobs.c.sources).where(of_it).with_for_update()).scalar_one_or_none()
    if sources is None:
        return False
    left = [one for one in sources if one != source_id]
    why = {"reason": f"{source_id} was put in front", "cancelled_by": by, "ended_at": now}
    conn.execute(update(jobs).where(of_it).values({"sources": left} if left else {"state": "cancelled", **why}))
    return True


def prune_jobs(conn: Connection, *, before: datetime, limit: int = 500) -> int:
    """Forget the oldest jobs that ended before then, *limit* at most; gives how many these were."""
    over = jobs.c.state.not_in(OPEN_STATES) & (jobs.c.ended_at < before)
    old = list(conn.execute(select(jobs.c.job_id).where(over).order_by(jobs.c.ended_at).limit(limit)).scalars())
    if old:
        conn.execute(delete(job_groups).where(job_groups.c.job_id.in_(old)))
        conn.execute(delete(jobs).where(jobs.c.job_id.in_(old)))
    return len(old)


def lock_queue(conn: Connection) -> None:
    """Until the transaction ends, nobody else queues, leases or ends a job. First in one that reads, then adds."""
    lock_for_writing(conn, jobs)


def queued_sources(conn: Connection) -> dict[str, str]:
    """Source id -> id of the waiting, leased or running job that is to collect it.

    Also of the lost one, where it was the last that is tried by itself: until a run of the source has ended.
    """
    query = select(jobs.c.job_id, jobs.c.sources).where(jobs.c.state.in_(OPEN_STATES))
    lost = {one["source_id"]: one["cause"] for one in alerts.open_alerts(conn) if one["event"] == JOB_LOST}
    return lost | {source: row.job_id for row in conn.execute(query) for source in row.sources}


def waiting_jobs(conn: Connection) -> list[QueuedJob]:
    """The jobs that no node has yet, in the order in which they are given out."""
    return load_jobs(conn, select(jobs).where(jobs.c.state == "waiting").order_by(*queue_order()))


def list_jobs(conn: Connection, *, ended: int = 20) -> list[QueuedJob]:
    """What runs, what is about to, what waits in its order, and the *ended* that ended last."""
    still = load_jobs(conn, select(jobs).where(jobs.c.state.in_(OPEN_STATES)).order_by(*queue_order()))
    still.sort(key=lambda job: OPEN_STATES[::-1].index(job.state))  # stable: the order of the queue stays
    over = select(jobs).where(jobs.c.state.not_in(OPEN_STATES)).order_by(jobs.c.ended_at.desc(), jobs.c.job_id)
    return still + load_jobs(conn, over.limit(ended))


def count_begun(conn: Connection, *, since: datetime) -> int:
    """How many jobs have begun after then, on all nodes."""
    return conn.execute(select(func.count()).select_from(jobs).where(jobs.c.started_at > since)).scalar_one()


def has_begun_elsewhere(conn: Connection, *, since: datetime, besides: str) -> bool:
    """Whether a job has begun since then on another machine than *besides*."""
    elsewhere = ~jobs.c.owner.startswith(f"{besides}:", autoescape=True)
    return conn.execute(select(jobs.c.job_id).where(jobs.c.started_at >= since, elsewhere).limit(1)).first() is not None


def blocked_jobs(conn: Connection) -> list[QueuedJob]:
    """The jobs of which no source could begin, since other jobs asked its servers: in the order in which they ended."""
    return load_jobs(conn, select(jobs).where(jobs.c.outcome == "locked").order_by(jobs.c.ended_at))


def find_job(conn: Connection, job_id: str) -> QueuedJob | None:
    """The job of this id, however it is spelled; None when the queue never had it."""
    found = load_jobs(conn, select(jobs).where(jobs.c.job_id == _normalize_job_id(job_id)))
    return found[0] if found else None


def _normalize_job_id(job_id: str) -> str | None:
    """As the ledger has it: Scrapyd's own ids have no dashes."""
    try:
        return str(UUID(job_id))
    except ValueError:
        return None


def start_job(conn: Connection, job_id: str, *, owner: str, host: str, now: datetime, ttl_s: float) -> QueuedJob | None:
    """The process *owner* begins the job that a node leased, or that waits still; None for one that was never queued.

    Raises UsageError when it is not to begin: it was cancelled, is over, or another process runs it.
    """
    begins = {"state": "running", "owner": owner, "started_at": now, "leased_until": now + timedelta(seconds=ttl_s)}
    may = (jobs.c.job_id == job_id) & jobs.c.state.in_(("waiting", "leased"))
    taken = conn.execute(update(jobs).where(may).values(begins)).rowcount
    job = find_job(conn, job_id)
    if job is None or taken:
        if taken and job is not None and job.node is None:
            conn.execute(update(jobs).where(jobs.c.job_id == job_id).values(node=host, leased_at=now))
        return job
    raise ActionRefused(f"job {job_id} cannot start: {_refusal_reason(job)}")


def _refusal_reason(job: QueuedJob) -> str:
    if job.state == "running":
        return f"{job.owner} is running it"
    end = {"cancelled": "it was cancelled", "lost": "it was declared lost"}.get(job.state, "it has ended")
    return f"{end} at {job.ended_at:%Y-%m-%d %H:%M:%S} UTC"


def renew_job(conn: Connection, job_id: str, *, owner: str, now: datetime, ttl_s: float) -> str | None:
    """The job's process lives: it keeps the job for *ttl_s* more seconds.

    Gives why it must stop: somebody cancelled it, or it was declared lost; None when it goes on.
    """
    until = now + timedelta(seconds=ttl_s)
    if conn.execute(update(jobs).where(_is_owned_by(job_id, owner)).values(leased_until=until)).rowcount != 1:
        return "declared lost: its node sent no heartbeat in time"
    by = conn.execute(select(jobs.c.cancelled_by).where(jobs.c.job_id == job_id)).scalar_one()
    return f"cancelled by {by}" if by is not None else None


def end_job(
    conn: Connection, job_id: str, *, owner: str, outcome: str, reason: str | None, cancelled: bool, now: datetime
) -> bool:
    """The job's process ends it; False when it was not its own any more."""
    state = "cancelled" if cancelled else "ended"
    values = {"state": state, "outcome": outcome, "reason": reason, "ended_at": now, "leased_until": None}
    return conn.execute(update(jobs).where(_is_owned_by(job_id, owner)).values(values)).rowcount == 1


def requeue_stopped_job(conn: Connection, job_id: str, *, now: datetime) -> str | None:
    """Queue what a job left that people ordered, and that was stopped though nobody cancelled it: its machine ends.

    Gives the id of the new job, which comes as soon as a node has a place; None when nothing is left. What a schedule
    ordered is still due, and is planned again.
    """
    job = find_job(conn, job_id)
    if job is None or job.operator != "manual" or job.cancelled_by is not None:
        return None
    left = _list_left_sources(conn, job)
    return _enqueue_rest(conn, job, left, attempt=job.attempt, now=now) if left else None


def clear_lost_job_alert(conn: Connection, source_id: str, now: datetime) -> None:
    """A run of the source has ended: what was said of lost jobs is over."""
    for alert in alerts.open_alerts(conn, source_id):
        if alert["event"] == JOB_LOST:
            alerts.clear_alert(conn, source_id=source_id, event=JOB_LOST, cause=alert["cause"], now=now)


def _is_owned_by(job_id: str, owner: str) -> ColumnElement[bool]:
    return (jobs.c.job_id == job_id) & (jobs.c.owner == owner) & (jobs.c.state == "running")


def queue_order() -> tuple[ColumnElement[Any], ...]:
    """How the queue is sorted."""
    return jobs.c.priority.desc(), jobs.c.queued_at, jobs.c.job_id


def load_jobs(conn: Connection, query: Select[Any]) -> list[QueuedJob]:
    """The jobs that *query* finds, each with its groups."""
    found = [dict(row) for row in conn.execute(query).mappings()]
    groups = load_groups(conn, (row["job_id"] for row in found))
    return [QueuedJob(**row, groups=groups.get(row["job_id"], ())) for row in found]


#: Keys in one statement; SQLite takes 32,766 at most, older builds 999.
_BATCH_SIZE = 500


def load_groups(conn: Connection, job_ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The groups that each job asks."""
    ids, found = list(job_ids), dict[str, tuple[str, ...]]()
    for start in range(0, len(ids), _BATCH_SIZE):
        some = job_groups.c.job_id.in_(ids[start : start + _BATCH_SIZE])
        for job_id, group in conn.execute(select(job_groups).where(some).order_by(job_groups.c.group)):
            found[job_id] = (*found.get(job_id, ()), group)
    return found


# Which job a node gets from the queue, and what becomes of a job whose node fell silent. A claim leases the groups of
# the job in its name, so that the politeness of a group goes with it: what another job asks is not given out, nor more
# jobs at once to a machine, or to all, than may have requests under way there.

#: A job whose node fell silent so often is not given out again: it may be what ends them.
MAX_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class ClaimTerms:
    """Terms of a claim: its lifetime without heartbeat, for which machine, its limits, longest pause waited for."""

    ttl_s: float
    machine: str
    limits: permits.PermitLimits
    longest_wait: timedelta


@dataclass(frozen=True, slots=True)
class LostJob:
    """A job that was given up, and the one that takes up what it left: None when nothing is left, or no more is tried.

    ``given_up`` are the sources that nobody tries again.
    """

    job: QueuedJob
    successor: str | None
    given_up: tuple[str, ...] = ()


def count_claimable_and_lost(conn: Connection, terms: ClaimTerms, *, now: datetime) -> int:
    """How many jobs could be claimed now, each for itself; and those that were lost, for ``recover`` to look at."""
    return count_claimable(conn, terms, now=now) + count_lost(conn, now=now)


def count_claimable(conn: Connection, terms: ClaimTerms, *, now: datetime, by_hand: bool = False) -> int:
    """How many jobs ``claim`` could give now, each for itself."""
    query = select(func.count()).select_from(jobs).where(_find_claimable(conn, terms, now), _queued_jobs(by_hand))
    return conn.execute(query).scalar_one()


def count_lost(conn: Connection, *, now: datetime) -> int:
    """How many jobs ``recover`` would give up."""
    return conn.execute(select(func.count()).select_from(jobs).where(_is_silent(now))).scalar_one()


def claim_job(
    conn: Connection, terms: ClaimTerms, *, node: str, now: datetime, by_hand: bool = False
) -> QueuedJob | None:
    """Lease the first job of the queue, and its groups, to *node*; None when none can be given out now.

    *by_hand*: the first of those that people have queued.
    """
    lock_for_writing(conn, held)  # first of all: two nodes that claim at once come one after the other
    first = (
        select(jobs).where(_find_claimable(conn, terms, now), _queued_jobs(by_hand)).order_by(*queue_order()).limit(1)
    )
    found = load_jobs(conn, first.with_for_update(skip_locked=True))
    if not found:
        return None
    [job] = found
    until = now + timedelta(seconds=terms.ttl_s)
    leased = {"state": "leased", "node": node, "leased_at": now, "leased_until": until}
    conn.execute(update(jobs).where(jobs.c.job_id == job.job_id).values(leased))
    owner = leases.reservation_owner(node, job.job_id)
    permits.reserve_place(conn, owner, now=now, ttl_s=terms.ttl_s)
    for group in job.groups:
        lease = leases.acquire_lease(conn, group, owner=owner, now=now, ttl_s=terms.ttl_s)
        assert lease is not None, "it was free, and nobody else can lease now"
    return find_job(conn, job.job_id)


def recover_lost_jobs(conn: Connection, *, now: datetime) -> list[LostJob]:
    """Give up the jobs whose nodes were silent for longer than their leases, and queue again what they left."""
    lock_for_writing(conn, held)  # as in `claim`, and in the same order
    permits.delete_expired(conn, now=now)
    return [
        _abandon_job(conn, job, now) for job in load_jobs(conn, select(jobs).where(_is_silent(now)).with_for_update())
    ]


def cancel_job(conn: Connection, job_id: str, *, by: str, now: datetime) -> QueuedJob | None:
    """Take the job out of the queue, or ask its process to stop; gives it as it was, None when there is none.

    What has ended stays as it is.
    """
    lock_for_writing(conn, held)
    job = find_job(conn, job_id)
    if job is None or job.state not in OPEN_STATES:
        return job
    values: dict[str, Any] = {"cancelled_by": by}
    if job.state != "running":
        values |= {"state": "cancelled", "reason": f"cancelled by {by}", "ended_at": now, "leased_until": None}
        _release_reserved(conn, job)
    conn.execute(update(jobs).where(jobs.c.job_id == job.job_id).values(values))
    source_status.clear_next_run(conn, job.sources, now)  # else it would be due at once
    return job


def reject_claim(conn: Connection, job_id: str, *, reason: str, now: datetime) -> QueuedJob | None:
    """The process of a leased job ends before it has begun: the row and what was leased for it are free at once.

    Gives the job as it is then; None when it was never queued. One that has begun stays as it is.
    """
    lock_for_writing(conn, held)
    job = find_job(conn, job_id)
    if job is None or job.state != "leased":
        return job
    ends = {"state": "ended", "outcome": "refused", "reason": reason, "ended_at": now, "leased_until": None}
    still = (jobs.c.job_id == job.job_id) & (jobs.c.state == "leased")
    if conn.execute(update(jobs).where(still).values(ends)).rowcount:
        _release_reserved(conn, job)
    return find_job(conn, job.job_id)


def _find_claimable(conn: Connection, terms: ClaimTerms, now: datetime) -> ColumnElement[bool]:
    """Jobs that wait, whose groups nobody asks and no server is cooling down, while one more process has a place."""
    its = job_groups.c.job_id == jobs.c.job_id
    live = held.c.owner.is_not(None) & (held.c.expires_at > now)
    rests = held.c.paused_until > now + terms.longest_wait
    blocked = exists().where(its, held.c.group == job_groups.c.group, or_(live, rests))
    claims = permits.load_rivals(conn, terms.machine, terms.limits, now=now)
    has_place = terms.limits.refusal_reason(terms.machine, claims) is None
    return (jobs.c.state == "waiting") & ~blocked & (true() if has_place else false())


def _queued_jobs(by_hand: bool) -> ColumnElement[bool]:
    return (jobs.c.operator == "manual") & (jobs.c.spider == "sources") if by_hand else true()


def _is_silent(now: datetime) -> ColumnElement[bool]:
    return jobs.c.state.in_(("leased", "running")) & (jobs.c.leased_until <= now)


def _abandon_job(conn: Connection, job: QueuedJob, now: datetime) -> LostJob:
    assert job.leased_until is not None
    reason = f"nothing was heard of it after {job.leased_until:%Y-%m-%d %H:%M:%S} UTC"
    ends = {"state": "lost", "reason": reason, "ended_at": now}
    conn.execute(update(jobs).where(jobs.c.job_id == job.job_id).values(ends))
    left = _list_left_sources(conn, job)
    if job.cancelled_by is not None or not left:
        return LostJob(job, None)
    if job.attempt >= MAX_ATTEMPTS:
        _alert_lost_job(conn, job, left, now)
        return LostJob(job, None, tuple(left))
    return LostJob(job, _enqueue_rest(conn, job, left, attempt=job.attempt + 1, now=now))


def _list_left_sources(conn: Connection, job: QueuedJob) -> list[str]:
    """The sources of the job whose runs it has not ended."""
    over = select(runs.c.source_id).where(runs.c.job_id == job.job_id, runs.c.state.not_in(OPEN_RUN_STATES))
    done = set(conn.execute(over).scalars())
    return [source for source in job.sources if source not in done]


def _enqueue_rest(conn: Connection, job: QueuedJob, left: list[str], *, attempt: int, now: datetime) -> str:
    """Queue a job for what *job* left; its id."""
    again = str(uuid4())
    terms = {"spider": job.spider, "arguments": job.arguments, "priority": job.priority, "operator": job.operator}
    enqueue_job(
        conn,
        job_id=again,
        sources=left,
        groups=job.groups,
        now=now,
        attempt=attempt,
        follows=job.job_id,
        **terms,  # type: ignore[arg-type]  # as they came
    )
    return again


def _alert_lost_job(conn: Connection, job: QueuedJob, left: list[str], now: datetime) -> None:
    message = (
        f"Job {job.job_id} stopped sending heartbeats, as {MAX_ATTEMPTS - 1} attempts did before it (last node: "
        f"{job.node}). It is not queued again automatically, because it may be what crashes the nodes."
    )
    alert = {"event": JOB_LOST, "cause": job.job_id, "severity": "high", "message": message}
    for source_id in left:
        alerts.raise_alert(conn, source_id=source_id, now=now, **alert)


def _release_reserved(conn: Connection, job: QueuedJob) -> None:
    if job.node is not None:
        owner = leases.reservation_owner(job.node, job.job_id)
        conn.execute(update(held).where(held.c.owner == owner).values(owner=None, expires_at=None))
        permits.release_permits(conn, owner)
