"""Leases: which job may ask a group's servers, until when, and what the next one must know of the last request.

One row a group, kept for good. ``epoch`` grows each time the right is given anew, so that a job which slept through its
lease is told at its next write.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, or_, select, update

from rori_spiders.exceptions import LeaseLost
from rori_spiders.ledger.dialects import lock_for_writing, upsert
from rori_spiders.ledger.tables import leases


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


def acquire_lease(conn: Connection, group: str, *, owner: str, now: datetime, ttl_s: float = 60) -> Lease | None:
    """The lease of *group*, or None: then ``refusal_reason`` tells why.

    A lease whose time is over is free for all. Who holds it already gets it back, longer and of the same epoch; so does
    the process of a job for which a node has ``reserved`` it.
    """
    lock_for_writing(conn, leases)
    held = _load_row(conn, group, for_update=True)  # else its holder might renew it at this moment
    live = held is not None and held.owner is not None and held.expires_at > now
    if held is not None and live and held.owner != owner and not is_reserved_for(held.owner, owner):
        return None
    epoch = held.epoch + (not live) if held is not None else 1
    terms = {"owner": owner, "epoch": epoch, "expires_at": now + timedelta(seconds=ttl_s)}
    upsert(conn, leases, [{"group": group} | terms])
    return Lease(**conn.execute(select(leases).where(leases.c.group == group)).mappings().one())


def refusal_reason(conn: Connection, group: str, *, now: datetime) -> str | None:
    """Why ``acquire`` gives nothing at *now*, in words; None when it would."""
    held = _load_row(conn, group)
    if held is not None and held.owner is not None and held.expires_at > now:
        return describe_holder(held)
    return None


def describe_holder(held: Lease | Row[Any]) -> str:
    """Who has a lease, in words."""
    return f"{held.group} is held by {held.owner} until {held.expires_at:%Y-%m-%d %H:%M:%S} UTC"


def paused_until(conn: Connection, group: str) -> datetime | None:
    """Until when the group's servers are cooling down, as last known; it may be over."""
    held = _load_row(conn, group)
    return held.paused_until if held is not None else None


def reservation_owner(node: str, job_id: str) -> str:
    """The owner of a lease that *node* has taken for a job whose process has not begun: of no pid."""
    return f"{node}:0:{job_id}"


def is_reserved_for(holder: str, owner: str) -> bool:
    """Whether *holder* stands for the job of the process *owner*, which has begun since."""
    return holder.endswith(f":0:{owner.rpartition(':')[2]}")


def renew_leases(conn: Connection, held: Iterable[Lease], *, now: datetime, ttl_s: float = 60) -> set[str]:
    """Extend leases to *ttl_s* seconds from *now*; gives the groups of those that are lost.

    Lost is a lease that another job took over, and one whose time was over before: somebody may have had it since.
    """
    lost = set()
    for lease in held:
        own_lease = _is_same_lease(lease) & (leases.c.expires_at > now)
        done = conn.execute(update(leases).where(own_lease).values(expires_at=now + timedelta(seconds=ttl_s)))
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
    """Keep the delays that were learnt and the pause that was asked for, for the group's next holder."""
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
