"""Permits: how many requests each process may have under way, so that all processes of a ledger keep to one limit.

A process takes permits in blocks, uses them without asking again, and returns at its next visit what others lack. The
permits of all live rows never exceed the limit, whoever visits when: a process gets at most what the others leave.
Its fair share is what it wants, but no more than an equal part of what those who want less leave.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, func, select

from rori_spiders.ledger.dialects import lock_for_writing, upsert
from rori_spiders.ledger.queue.leases import is_reserved_for
from rori_spiders.ledger.tables import permits


@dataclass(frozen=True, slots=True)
class PermitClaim:
    """One process: the permits that it holds, and how many it could use."""

    owner: str
    permits: int
    wanted: int


def claim_permits(
    conn: Connection, owner: str, *, keep: int, wanted: int, limit: int, now: datetime, ttl_s: float
) -> tuple[int, int] | None:
    """Claim as many of *limit* permits as *owner* could use, for *ttl_s* seconds; it uses up to *keep* meanwhile.

    Gives how many it holds, and how many of these it may use from now on: fewer than *keep* while others lack theirs.
    None when so many processes have claimed that not each could have one.
    """
    lock_for_writing(conn, permits)
    claims = [claim for claim in load_claims(conn, now=now) if claim.owner != owner]
    reserved = [claim.owner for claim in claims if is_reserved_for(claim.owner, owner)]
    others = [claim for claim in claims if claim.owner not in reserved]
    if len(others) >= limit:
        return None
    may_use = grantable_permits(owner, wanted, others, limit)
    held = max(keep, may_use)
    conn.execute(delete(permits).where((permits.c.expires_at <= now) | permits.c.owner.in_(reserved)))
    _save_claim(conn, PermitClaim(owner, held, wanted), now + timedelta(seconds=ttl_s))
    return held, may_use


def grantable_permits(owner: str, wanted: int, others: Sequence[PermitClaim], limit: int) -> int:
    """How many *owner* may use: what *others* leave of *limit*, and no more than its fair share.

    Those who want least are served first, each with an equal part of what is left at most.
    """
    own = PermitClaim(owner, 0, wanted)
    left, claims = limit, sorted([own, *others], key=lambda claim: (claim.wanted, claim.owner))
    for at, claim in enumerate(claims):
        share = min(claim.wanted, left // (len(claims) - at))
        if claim is own:
            break
        left -= share
    return max(0, min(share, limit - sum(claim.permits for claim in others)))


def reserve_place(conn: Connection, owner: str, *, now: datetime, ttl_s: float) -> None:
    """Keep a place, and the wish for one permit, for the process of a job that a node begins."""
    _save_claim(conn, PermitClaim(owner, 0, 1), now + timedelta(seconds=ttl_s))


def release_permits(conn: Connection, owner: str) -> None:
    """The process has nothing under way, and wants nothing."""
    conn.execute(delete(permits).where(permits.c.owner == owner))


def load_claims(conn: Connection, *, now: datetime) -> list[PermitClaim]:
    """The claims of all processes that live."""
    live = select(permits.c.owner, permits.c.permits, permits.c.wanted).where(permits.c.expires_at > now)
    return [PermitClaim(*row) for row in conn.execute(live)]


def count_processes(conn: Connection, *, now: datetime) -> int:
    """How many processes have claimed, those included for which a node keeps a place."""
    return int(conn.execute(select(func.count()).where(permits.c.expires_at > now)).scalar_one())


def _save_claim(conn: Connection, claim: PermitClaim, expires_at: datetime) -> None:
    row = {"owner": claim.owner, "permits": claim.permits, "wanted": claim.wanted, "expires_at": expires_at}
    upsert(conn, permits, [row])
