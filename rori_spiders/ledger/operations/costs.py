"""Costs: reserved before a paid call and settled after it, so that a limit holds; and what requests cost by month,
tier and provider.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, case, func, select, update

from rori_spiders.ledger.dialects import lock_for_writing, utc_month
from rori_spiders.ledger.tables import audit, costs, runs

#: Sums of many small amounts are not exact.
_ROUNDING = 1e-9
#: A call that was never settled is taken to be under way for so long, longer than the time that a provider (90 s) or a
#: model (60 s) is given: else what a killed process has reserved would hold a place for ever.
CALL_LIFETIME = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class CostLimits:
    """Monthly limits (UTC): *amount* for one provider, in its unit; *usd* for all of them together.

    *at_once* calls may be under way, of all providers and models, in all processes that share the ledger.
    """

    amount: float
    usd: float
    at_once: int


@dataclass(frozen=True, slots=True)
class PaidCall:
    """The maximum cost of a call: *amount* in the provider's *unit*, and *usd*."""

    provider: str
    unit: str
    amount: float
    usd: float


@dataclass(frozen=True, slots=True)
class CallSlotsFull:
    """Raised when the maximum number of paid calls is in progress: the caller waits."""

    at_once: int

    def __str__(self) -> str:
        return f"all {self.at_once} concurrent calls of RORI_MAX_CONCURRENT_PAID_CALLS are in use"


def check_call_slots(conn: Connection, limits: CostLimits, now: datetime) -> CallSlotsFull | None:
    """Whether a call has to wait for its turn; None when it has not."""
    lock_for_writing(conn, costs)
    is_open = costs.c.settled_at.is_(None), costs.c.reserved_at > now - CALL_LIFETIME
    under_way = conn.execute(select(func.count()).select_from(costs).where(*is_open)).scalar_one()
    return CallSlotsFull(limits.at_once) if under_way >= limits.at_once else None


def refusal_reason(conn: Connection, call: PaidCall, *, limits: CostLimits, now: datetime) -> str | None:
    """Why *call* may not be made, in words; None when it may."""
    lock_for_writing(conn, costs)
    since = month_start(now)
    if (gone := spent_amount(conn, call.provider, since=since)) + call.amount > limits.amount + _ROUNDING:
        return f"{gone:g} of {limits.amount:g} {call.unit}s of {call.provider} are spent this month"
    if call.usd and (gone := spent_usd(conn, since=since)) + call.usd > limits.usd + _ROUNDING:
        return f"{gone:.2f} of {limits.usd:.2f} USD are spent this month"
    return None


def reserve_cost(
    conn: Connection,
    *,
    provider: str,
    unit: str,
    amount: float,
    run_id: str | None,
    url: str | None,
    now: datetime,
    usd: float | None = None,
) -> int:
    """Set *amount* (in the provider's *unit*), and *usd*, aside for a call; gives the number to settle it by."""
    row = {"provider": provider, "unit": unit, "reserved": amount, "run_id": run_id, "url": url, "reserved_at": now}
    return int(conn.execute(costs.insert().values(usd=usd, **row).returning(costs.c.cost_id)).scalar_one())


def settle_cost(conn: Connection, cost_id: int, *, amount: float, usd: float | None, now: datetime) -> None:
    """What the call cost: *amount* in the provider's unit (0 for one that was not made), and in USD when known."""
    done = {"settled": amount, "usd": usd, "settled_at": now}
    conn.execute(update(costs).where(costs.c.cost_id == cost_id).values(done))


def spent_amount(conn: Connection, provider: str, *, since: datetime) -> float:
    """What the provider's calls since then cost, in its unit; a call not yet settled counts as reserved."""
    amount = func.sum(func.coalesce(costs.c.settled, costs.c.reserved))
    query = select(amount).where(costs.c.provider == provider, costs.c.reserved_at >= since)
    return float(conn.execute(query).scalar() or 0)


def spent_usd(conn: Connection, *, since: datetime) -> float:
    """What all calls since then cost, in USD; a call not yet settled counts as reserved."""
    return float(conn.execute(select(func.sum(costs.c.usd)).where(costs.c.reserved_at >= since)).scalar() or 0)


def spent_by_run(conn: Connection, run_ids: Iterable[str]) -> dict[tuple[str, str], float]:
    """(provider, unit) -> what its calls for these runs cost; one not yet settled counts as reserved."""
    amount = func.sum(func.coalesce(costs.c.settled, costs.c.reserved))
    query = select(costs.c.provider, costs.c.unit, amount).where(costs.c.run_id.in_(list(run_ids)))
    return {(row[0], row[1]): float(row[2]) for row in conn.execute(query.group_by(costs.c.provider, costs.c.unit))}


def month_start(now: datetime) -> datetime:
    """When the month of *now* began."""
    return now.replace(day=1, hour=0, minute=0, second=0, microsecond=0)


# What a source's requests came to and cost, by month, tier and provider. Functions over a Connection; read-only.


def requests_by_tier(conn: Connection, source_id: str, *, since: datetime) -> list[Row[Any]]:
    """One row a month and tier, newest month first; what was never asked for counts nothing."""
    key, is_page = utc_month(conn, audit.c.timestamp).label("month"), audit.c.kind == "page"
    query = (
        select(
            key,
            audit.c.engine,
            func.count().label("requests"),
            _count_where(is_page).label("pages"),
            _count_where(is_page & (audit.c.state == "failed")).label("failed"),
            func.sum(audit.c.retry_count).label("retries"),
            func.sum(audit.c.credits_consumed).label("credits"),
            func.coalesce(func.sum(audit.c.response_time_ms), 0).label("ms"),
        )
        .where(audit.c.manifest_id == source_id, audit.c.timestamp >= since, audit.c.state != "excluded")
        .group_by(key, audit.c.engine)
    )
    return list(conn.execute(query.order_by(key.desc(), audit.c.engine)))


def costs_by_provider(conn: Connection, source_id: str, *, since: datetime) -> list[Row[Any]]:
    """One row a month and provider, newest month first; a call not yet settled counts as reserved."""
    key = utc_month(conn, costs.c.reserved_at).label("month")
    query = (
        select(
            key,
            costs.c.provider,
            costs.c.unit,
            func.count().label("calls"),
            _count_where(costs.c.settled_at.is_(None)).label("unsettled"),
            func.sum(func.coalesce(costs.c.settled, costs.c.reserved)).label("amount"),
            func.sum(costs.c.usd).label("usd"),
        )
        .select_from(costs.join(runs, runs.c.run_id == costs.c.run_id))
        .where(runs.c.source_id == source_id, costs.c.reserved_at >= since)
        .group_by(key, costs.c.provider, costs.c.unit)
    )
    return list(conn.execute(query.order_by(key.desc(), costs.c.provider, costs.c.unit)))


def paid_calls_of_url(conn: Connection, run_id: str, url: str) -> list[Row[Any]]:
    """The paid calls of a run for one URL, oldest first."""
    return list(
        conn.execute(select(costs).where(costs.c.run_id == run_id, costs.c.url == url).order_by(costs.c.cost_id))
    )


def _count_where(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(case((condition, 1), else_=0))
