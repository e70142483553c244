"""Costs: reserved before a paid call, settled after it, so that a limit holds whatever the calls cost in the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select, update

from rori_spiders.ledger.tables import costs

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection


def reserve(
    conn: Connection, *, provider: str, unit: str, amount: float, run_id: str | None, url: str | None, now: datetime
) -> int:
    """Set *amount* (in the provider's *unit*) aside for a call; gives the number to settle it by."""
    row = {"provider": provider, "unit": unit, "reserved": amount, "run_id": run_id, "url": url, "reserved_at": now}
    return int(conn.execute(costs.insert().values(row).returning(costs.c.cost_id)).scalar_one())


def settle(conn: Connection, cost_id: int, *, amount: float, usd: float | None, now: datetime) -> None:
    """What the call cost: *amount* in the provider's unit (0 for one that was not made), and in USD when known."""
    done = {"settled": amount, "usd": usd, "settled_at": now}
    conn.execute(update(costs).where(costs.c.cost_id == cost_id).values(done))


def spent(conn: Connection, provider: str, *, since: datetime) -> float:
    """What the provider's calls since then cost, in its unit; a call not yet settled counts as reserved."""
    amount = func.sum(func.coalesce(costs.c.settled, costs.c.reserved))
    query = select(amount).where(costs.c.provider == provider, costs.c.reserved_at >= since)
    return float(conn.execute(query).scalar() or 0)
