"""Leases: which job may ask a group's servers, until when, and what the next one must know of the last request.

One row a group, kept for good. ``epoch`` grows each time the right is given anew, so that a job which slept through its
lease is told at its next write. The permits of all live leases together never exceed the requests allowed at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, or_, select, update

from rori_spiders.exceptions import LeaseLost
from rori_spiders.ledger.dialects import lock_for_writing, upsert
from rori_spiders.ledger.tables import leases

#: Requests at once over all jobs and nodes (specification §6.2), and the share that one group can use of them.
MAX_PERMITS = 10
GROUP_PERMITS = 3


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to ask a group's servers until ``expires_at``, with the politeness that the group gets."""

    group: str
    owner: str
    epoch: int
    expires_at: datetime
    last_request_at: datetime | None
    delay_s: float | None  # asked for by robots.txt; None: the configured one
    throttle_s: float | None  # found by AutoThrottle; None: not above the others
    paused_until: datetime | None
    permits: int  # requests at once


def acquire_lease(
    conn: Connection, group: str, *, owner: str, now: datetime, ttl_s: float = 60, permits: int = GROUP_PERMITS
) -> Lease | None:
    """The lease of *group*, or None: then ``why_not`` tells the reason.

    A lease whose time is over is free for all. Who holds it already gets it back, longer and of the same epoch; so does
    the process of a job for which a node has ``reserved`` it.
    It comes with *permits* requests at once, or as many as the live leases of all groups leave.
    """
    lock_for_writing(conn, leases)
    held = _load_row(conn, group, for_update=True)  # else its holder might renew it at this moment
    live = held is not None and held.owner is not None and held.expires_at > now
    if held is not None and live and held.owner != owner and not _is_reserved_for(held.owner, owner):
        return None
    share = held.permits if held is not None and live else min(permits, count_free_permits(conn, now=now))
    if share < 1:
        return None
    epoch = held.epoch + (not live) if held is not None else 1
    terms = {"owner": owner, "epoch": epoch, "expires_at": now + timedelta(seconds=ttl_s), "permits": share}
    upsert(conn, leases, [{"group": group} | terms])
    return Lease(**conn.execute(select(leases).where(leases.c.group == group)).mappings().one())


def refusal_reason(conn: Connection, group: str, *, now: datetime) -> str | None:
    """Why ``acquire`` gives nothing at *now*, in words; None when it would."""
    held = _load_row(conn, group)
    if held is not None and held.owner is not None and held.expires_at > now:
        return describe_holder(held)
    if are_permits_exhausted(conn, now=now):
        return f"all {MAX_PERMITS} requests at once are in use by other jobs"
    return None


def describe_holder(held: Lease | Row[Any]) -> str:
    """Who has a lease, in words."""
    return f"{held.group} is held by {held.owner} until {held.expires_at:%Y-%m-%d %H:%M:%S} UTC"


def paused_until(conn: Connection, group: str) -> datetime | None:
    """Until when the group's servers are cooling down, as last known; it may be over."""
    held = _load_row(conn, group)
    return held.paused_until if held is not None else None


def are_permits_exhausted(conn: Connection, *, now: datetime) -> bool:
    """Whether the live leases together have all permits."""
    return count_free_permits(conn, now=now) < 1


def count_free_permits(conn: Connection, *, now: datetime) -> int:
    """How many requests at once the live leases leave."""
    live = select(func.coalesce(func.sum(leases.c.permits), 0)).where(
        leases.c.owner.is_not(None), leases.c.expires_at > now
    )
    return MAX_PERMITS - int(conn.execute(live).scalar_one())


def reservation_owner(node: str, job_id: str) -> str:
    """The owner of a lease that *node* has taken for a job whose process has not begun: of no pid."""
    return f"{node}:0:{job_id}"


def _is_reserved_for(holder: str, owner: str) -> bool:
    return holder.endswith(f":0:{owner.rpartition(':')[2]}")


def renew_leases(conn: Connection, held: Iterable[Lease], *, now: datetime, ttl_s: float = 60) -> set[str]:
    """Extend leases to *ttl_s* seconds from *now*; gives the groups of those that are lost.

    Lost is a lease that another job took over, and one whose time was over before: its permits may be in use.
    """
    lost = set()
    for lease in held:
        mine = _is_same_lease(lease) & (leases.c.expires_at > now)
        done = conn.execute(update(leases).where(mine).values(expires_at=now + timedelta(seconds=ttl_s)))
        if done.rowcount != 1:
            lost.add(lease.group)
    return lost


def release_leases(conn: Connection, held: Iterable[Lease]) -> None:
    """Free leases that are still this job's; what the groups get stays for the next one."""
    for lease in held:
        conn.execute(update(leases).where(_is_same_lease(lease)).values(owner=None, expires_at=None))


def check_lease(conn: Connection, group: str, epoch: int) -> None:
    """Raise LeaseLost unless the lease of *group* is still that of *epoch*. To be called first in a transaction."""
    found = conn.execute(
        select(leases.c.epoch).where(leases.c.group == group, leases.c.owner.is_not(None)).with_for_update()
    ).scalar()
    if found != epoch:
        raise LeaseLost(f"the lease on {group} went to another job, or was released; this job stops writing for it")


def record_request(conn: Connection, group: str, at: datetime) -> None:
    """The group was asked at *at*; an earlier time than the one kept changes nothing."""
    later = or_(leases.c.last_request_at.is_(None), leases.c.last_request_at < at)
    conn.execute(update(leases).where(leases.c.group == group, later).values(last_request_at=at))


def record_politeness(
    conn: Connection, group: str, *, delay_s: float | None, throttle_s: float | None, paused_until: datetime | None
) -> None:
    """Keep the delays that were learnt and the pause that was asked for, for whoever holds the group next."""
    learnt = {"delay_s": delay_s, "throttle_s": throttle_s, "paused_until": paused_until}
    conn.execute(update(leases).where(leases.c.group == group).values(learnt))


def lease_holders(conn: Connection) -> list[Lease]:
    """The leases that have an owner, expired ones included, by group."""
    rows = conn.execute(select(leases).where(leases.c.owner.is_not(None)).order_by(leases.c.group)).mappings()
    return [Lease(**row) for row in rows]


def _load_row(conn: Connection, group: str, *, for_update: bool = False) -> Row[Any] | None:
    query = select(leases).where(leases.c.group == group)
    return conn.execute(query.with_for_update() if for_update else query).one_or_none()


def _is_same_lease(lease: Lease) -> ColumnElement[bool]:
    return (leases.c.group == lease.group) & (leases.c.owner == lease.owner) & (leases.c.epoch == lease.epoch)
