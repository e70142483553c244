"""Permits: how many requests each process may have under way, so that those of a machine keep to its limit, and those
of all machines that share a ledger to that of the fleet.

A process takes permits in blocks, uses them without asking again, and returns at its next visit what others lack. The
permits of all live rows never exceed a limit, whoever visits when: a process gets at most what the others leave.
Its fair share is what it wants, but no more than an equal part of what those who want less leave.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, select

from rori_spiders.ledger.dialects import lock_for_writing, upsert
from rori_spiders.ledger.queue.leases import is_reserved_for
from rori_spiders.ledger.tables import permits


@dataclass(frozen=True, slots=True)
class PermitClaim:
    """One process: the permits that it holds, and how many it could use."""

    owner: str
    permits: int
    wanted: int

    @property
    def machine(self) -> str:
        return machine_of(self.owner)


@dataclass(frozen=True, slots=True)
class PermitLimits:
    """The most requests under way: of one *machine*; and of all machines together, where *fleet* is not 0."""

    machine: int
    fleet: int = 0

    def refusal_reason(self, owner: str, others: Sequence[PermitClaim]) -> str | None:
        """Why one more process, *owner*, has no place beside *others*: not each could have a permit."""
        if sum(claim.machine == machine_of(owner) for claim in others) >= self.machine:
            return f"all {self.machine} requests at once of this machine are in use by other jobs"
        if self.fleet and len(others) >= self.fleet:
            return f"all {self.fleet} requests at once of all machines are in use by other jobs"
        return None


def machine_of(owner: str) -> str:
    """The host of an owner: of a process, of a node that keeps a place for one, or of the monitor's own node."""
    return owner.partition(":")[0].partition(" ")[0]


def claim_permits(
    conn: Connection, owner: str, *, keep: int, wanted: int, limits: PermitLimits, now: datetime, ttl_s: float
) -> tuple[int, int] | str:
    """Claim as many permits as *owner* could use, for *ttl_s* seconds; it uses up to *keep* meanwhile.

    Gives how many it holds, and how many of these it may use from now on: fewer than *keep* while others lack theirs.
    A sentence when so many processes have claimed that not each could have one.
    """
    if limits.fleet:
        lock_for_writing(conn, permits)
    lock_for_writing(conn, permits, machine_of(owner))
    claims = [claim for claim in load_rivals(conn, owner, limits, now=now) if claim.owner != owner]
    reserved = [claim.owner for claim in claims if is_reserved_for(claim.owner, owner)]
    others = [claim for claim in claims if claim.owner not in reserved]
    if (no_place := limits.refusal_reason(owner, others)) is not None:
        return no_place
    may_use = grantable_permits(owner, wanted, others, limits)
    held = max(keep, may_use)
    if reserved:
        conn.execute(delete(permits).where(permits.c.owner.in_(reserved)))
    _save_claim(conn, PermitClaim(owner, held, wanted), now + timedelta(seconds=ttl_s))
    return held, may_use


def grantable_permits(owner: str, wanted: int, others: Sequence[PermitClaim], limits: PermitLimits) -> int:
    """How many *owner* may use: what *others* leave of the limits, and no more than its fair share.

    Of the limit of the fleet each process wants no more than what is its share on its machine.
    """
    by_machine: defaultdict[str, list[PermitClaim]] = defaultdict(list)
    for claim in [PermitClaim(owner, 0, wanted), *others]:
        by_machine[claim.machine].append(claim)
    of_machine = by_machine[machine_of(owner)]
    most = limits.machine - sum(claim.permits for claim in of_machine)
    if not limits.fleet:
        return max(0, min(_fair_shares(of_machine, limits.machine)[owner], most))
    shares = {
        name: max(1, share)
        for claims in by_machine.values()
        for name, share in _fair_shares(claims, limits.machine).items()
    }
    share = _fair_shares((PermitClaim(name, 0, number) for name, number in shares.items()), limits.fleet)[owner]
    return max(0, min(share, most, limits.fleet - sum(claim.permits for claim in others)))


def _fair_shares(claims: Iterable[PermitClaim], limit: int) -> dict[str, int]:
    """Of each process: those who want least are served first, each with an equal part of what is left at most."""
    left, shares = limit, {}
    ordered = sorted(claims, key=lambda claim: (claim.wanted, claim.owner))
    for at, claim in enumerate(ordered):
        shares[claim.owner] = min(claim.wanted, left // (len(ordered) - at))
        left -= shares[claim.owner]
    return shares


def reserve_place(conn: Connection, owner: str, *, now: datetime, ttl_s: float) -> None:
    """Keep a place, and the wish for one permit, for the process of a job that a node begins."""
    _save_claim(conn, PermitClaim(owner, 0, 1), now + timedelta(seconds=ttl_s))


def release_permits(conn: Connection, owner: str) -> None:
    """The process has nothing under way, and wants nothing."""
    conn.execute(delete(permits).where(permits.c.owner == owner))


def delete_expired(conn: Connection, *, now: datetime) -> None:
    """Forget the claims of processes that died."""
    conn.execute(delete(permits).where(permits.c.expires_at <= now))


def load_claims(conn: Connection, *, now: datetime, machine: str = "") -> list[PermitClaim]:
    """The claims of all processes that live; of those of one *machine* alone, where it is named."""
    live = select(permits.c.owner, permits.c.permits, permits.c.wanted).where(permits.c.expires_at > now)
    if machine:
        live = live.where(permits.c.owner.startswith(machine, autoescape=True))
    claims = [PermitClaim(*row) for row in conn.execute(live)]
    return [claim for claim in claims if machine in {"", claim.machine}]


def load_rivals(conn: Connection, owner: str, limits: PermitLimits, *, now: datetime) -> list[PermitClaim]:
    """The claims with which that of *owner* shares a limit, its own included."""
    return load_claims(conn, now=now, machine="" if limits.fleet else machine_of(owner))


def _save_claim(conn: Connection, claim: PermitClaim, expires_at: datetime) -> None:
    row = {"owner": claim.owner, "permits": claim.permits, "wanted": claim.wanted, "expires_at": expires_at}
    upsert(conn, permits, [row])
