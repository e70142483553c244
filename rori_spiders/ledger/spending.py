"""What a source's requests came to and cost, by month, tier and provider. Functions over a Connection; read-only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import case, func, select

from rori_spiders.ledger.dialects import month
from rori_spiders.ledger.tables import audit, costs, runs

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection, Row


def by_tier(conn: Connection, source_id: str, *, since: datetime) -> list[Row[Any]]:
    """One row a month and tier, newest month first; what was never asked for counts nothing."""
    key, is_page = month(conn, audit.c.timestamp).label("month"), audit.c.kind == "page"
    query = (
        select(
            key,
            audit.c.engine,
            func.count().label("requests"),
            _number(is_page).label("pages"),
            _number(is_page & (audit.c.state == "failed")).label("failed"),
            func.sum(audit.c.retry_count).label("retries"),
            func.sum(audit.c.credits_consumed).label("credits"),
            func.coalesce(func.sum(audit.c.response_time_ms), 0).label("ms"),
        )
        .where(audit.c.manifest_id == source_id, audit.c.timestamp >= since, audit.c.state != "excluded")
        .group_by(key, audit.c.engine)
    )
    return list(conn.execute(query.order_by(key.desc(), audit.c.engine)))


def by_provider(conn: Connection, source_id: str, *, since: datetime) -> list[Row[Any]]:
    """One row a month and provider, newest month first; a call not yet settled counts as reserved."""
    key = month(conn, costs.c.reserved_at).label("month")
    query = (
        select(
            key,
            costs.c.provider,
            costs.c.unit,
            func.count().label("calls"),
            _number(costs.c.settled_at.is_(None)).label("unsettled"),
            func.sum(func.coalesce(costs.c.settled, costs.c.reserved)).label("amount"),
            func.sum(costs.c.usd).label("usd"),
        )
        .select_from(costs.join(runs, runs.c.run_id == costs.c.run_id))
        .where(runs.c.source_id == source_id, costs.c.reserved_at >= since)
        .group_by(key, costs.c.provider, costs.c.unit)
    )
    return list(conn.execute(query.order_by(key.desc(), costs.c.provider, costs.c.unit)))


def of_url(conn: Connection, run_id: str, url: str) -> list[Row[Any]]:
    """The paid calls of a run for one URL, oldest first."""
    return list(
        conn.execute(select(costs).where(costs.c.run_id == run_id, costs.c.url == url).order_by(costs.c.cost_id))
    )


def _number(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(case((condition, 1), else_=0))
