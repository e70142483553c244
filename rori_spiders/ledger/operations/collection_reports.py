"""Report requests, response times, failures, changes and costs over time. Functions over a Connection.

Sums are the database's; medians are made here of how often each response time came, which either database counts in
the same pass (SQLite has no function for percentiles). What was excluded was never asked for, and is not counted.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, case, func, select

from rori_spiders.ledger.dialects import utc_month
from rori_spiders.ledger.tables import audit, costs, pages, runs, versions

_DAY_S = 86_400


@dataclass(slots=True)
class CollectionFigures:
    """Counts of requests and outcomes. ``times`` counts response times in milliseconds."""

    requests: int = 0  # pages, robots.txt, sitemaps, API answers: each operation at its end
    retries: int = 0  # tries that failed before it
    pages: int = 0  # of the requests
    failed: int = 0  # of the pages
    read: int = 0  # pages whose text was compared with the one that was held
    changed: int = 0  # of these: new, modified, gone
    times: Counter[int] = field(default_factory=Counter)
    gaps: int = 0  # times between two versions of a page
    gap_days: float = 0.0  # all of them together
    usd: float | None = None
    spent: Counter[tuple[str, str]] = field(default_factory=Counter)  # (provider, unit)

    def add(self, other: CollectionFigures) -> None:
        for name in ("requests", "retries", "pages", "failed", "read", "changed", "gaps", "gap_days"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.times.update(other.times)
        self.spent.update(other.spent)
        if other.usd is not None:
            self.usd = (self.usd or 0.0) + other.usd

    def percentile(self, share: float) -> int | None:
        """The response time that *share* of the answers did not exceed (nearest rank); None without an answer."""
        left = share * self.times.total()
        for milliseconds in sorted(self.times):
            left -= self.times[milliseconds]
            if left <= 0:
                return milliseconds
        return None


def collection_figures(
    conn: Connection, by: str, *, since: datetime | None, until: datetime | None, source_id: str | None = None
) -> dict[str | None, CollectionFigures]:
    """By source, month (``2026-02``, UTC) or page (its URL): what happened from *since* to before *until*."""
    found: dict[str | None, CollectionFigures] = {}
    key = {"source": audit.c.manifest_id, "month": utc_month(conn, audit.c.timestamp), "page": audit.c.url}[by]
    wanted = [*_is_between(audit.c.timestamp, since, until), audit.c.state != "excluded"]
    if source_id is not None:
        wanted.append(audit.c.manifest_id == source_id)
    for row in conn.execute(_count_operations(key).where(*wanted).group_by(key, audit.c.response_time_ms)):
        one = found.setdefault(row[0], CollectionFigures())
        times = Counter() if row[1] is None else Counter({row[1]: row[2]})
        one.add(CollectionFigures(row[2], row[3], row[4], row[5], row[6], row[7], times))
    _add_gaps(conn, found, by, since, until, source_id)
    if by != "page":
        _add_costs(conn, found, by, since, until, source_id)
    return found


def _count_operations(key: ColumnElement[Any]) -> Any:
    is_page = audit.c.kind == "page"
    compared = audit.c.state.in_(("captured", "unchanged", "gone"))
    return select(
        key,
        audit.c.response_time_ms,
        func.count(),
        func.sum(audit.c.retry_count),
        _count_where(is_page),
        _count_where(is_page & (audit.c.state == "failed")),
        _count_where(is_page & compared),
        _count_where(is_page & compared & audit.c.content_changed),
    )


def _count_where(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(case((condition, 1), else_=0))


def _is_between(
    column: ColumnElement[Any], since: datetime | None, until: datetime | None
) -> list[ColumnElement[bool]]:
    return [*([column >= since] if since else []), *([column < until] if until else [])]


def _add_gaps(
    conn: Connection,
    found: dict[str | None, CollectionFigures],
    by: str,
    since: datetime | None,
    until: datetime | None,
    source_id: str | None,
) -> None:
    """Days from a page's first version in that time to its last; a month has no such time of its own."""
    if by == "month":
        return
    number = func.count()
    query = (
        select(
            pages.c.source_id, pages.c.url, func.min(versions.c.captured_at), func.max(versions.c.captured_at), number
        )
        .join_from(versions, pages)
        .where(*_is_between(versions.c.captured_at, since, until))
        .group_by(pages.c.page_id, pages.c.source_id, pages.c.url)
        .having(number > 1)
    )
    for source, url, first, last, count in conn.execute(query):
        key = url if by == "page" else source
        if key in found and source_id in (None, source):
            days = (last - first).total_seconds() / _DAY_S
            found[key].add(CollectionFigures(gaps=count - 1, gap_days=days))


def _add_costs(
    conn: Connection,
    found: dict[str | None, CollectionFigures],
    by: str,
    since: datetime | None,
    until: datetime | None,
    source_id: str | None,
) -> None:
    """Paid calls; one not yet settled counts as reserved. Of no source are those of no run."""
    key = runs.c.source_id if by == "source" else utc_month(conn, costs.c.reserved_at)
    amount = func.sum(func.coalesce(costs.c.settled, costs.c.reserved))
    query = select(key, costs.c.provider, costs.c.unit, amount, func.sum(costs.c.usd)).select_from(
        costs.outerjoin(runs, runs.c.run_id == costs.c.run_id)
    )
    wanted = _is_between(costs.c.reserved_at, since, until)
    if source_id is not None:
        wanted.append(runs.c.source_id == source_id)
    for name, provider, unit, spent, usd in conn.execute(
        query.where(*wanted).group_by(key, costs.c.provider, costs.c.unit)
    ):
        one = found.setdefault(name, CollectionFigures())
        one.add(CollectionFigures(usd=usd, spent=Counter({(provider, unit): spent})))
