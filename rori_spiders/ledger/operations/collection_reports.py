"""Report requests, response times, failures, changes and costs over time. Functions over a Connection.

Sums are the database's; medians are made here of how often each response time came, which either database counts in
the same pass (SQLite has no function for percentiles). What was excluded was never asked for, and is not counted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, case, func, select

from rori_spiders.ledger.dialects import json_list, utc_month
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


class _Scope(NamedTuple):
    by: str
    since: datetime | None
    until: datetime | None
    source_id: str | None

    def conditions(self, at: ColumnElement[Any], source: ColumnElement[Any]) -> list[ColumnElement[bool]]:
        return [
            *([at >= self.since] if self.since else []),
            *([at < self.until] if self.until else []),
            *([source == self.source_id] if self.source_id is not None else []),
        ]


def collection_figures(
    conn: Connection, by: str, *, since: datetime | None, until: datetime | None, source_id: str | None = None
) -> dict[str | None, CollectionFigures]:
    """By source, month (``2026-02``, UTC) or page (its URL): what happened from *since* to before *until*."""
    found: dict[str | None, CollectionFigures] = {}
    key = {"source": audit.c.manifest_id, "month": utc_month(conn, audit.c.timestamp), "page": audit.c.url}[by]
    scope = _Scope(by, since, until, source_id)
    wanted = [*scope.conditions(audit.c.timestamp, audit.c.manifest_id), audit.c.state != "excluded"]
    for name, times, numbers, *sums in conn.execute(_count_operations(conn, key, wanted)):
        pairs = zip(json.loads(times), json.loads(numbers), strict=True)
        counts = Counter({took: number for took, number in pairs if took is not None})
        one = found[name] = CollectionFigures(times=counts)
        for field_name, number in zip(_SUMS, sums, strict=True):
            setattr(one, field_name, int(number))
    if by != "month":
        _add_gaps(conn, found, scope)
    if by != "page":
        _add_costs(conn, found, scope)
    return found


#: Of operations, in the order in which they are asked for.
_SUMS = ("requests", "retries", "pages", "failed", "read", "changed")


def _count_operations(conn: Connection, key: ColumnElement[Any], wanted: Sequence[ColumnElement[bool]]) -> Any:
    """Of each *key*: its response times with how often each came, and the sums. A row for each time would be one for
    nearly each operation, and to make objects of those took four fifths of a report's time."""
    is_page = audit.c.kind == "page"
    compared = audit.c.state.in_(("captured", "unchanged", "gone"))
    sums = (
        func.count(),
        func.sum(audit.c.retry_count),
        _count_where(is_page),
        _count_where(is_page & (audit.c.state == "failed")),
        _count_where(is_page & compared),
        _count_where(is_page & compared & audit.c.content_changed),
    )
    took = audit.c.response_time_ms
    named = (one.label(name) for name, one in zip(_SUMS, sums, strict=True))
    each = select(key.label("key"), took, *named).where(*wanted).group_by(key, took).subquery()
    totals = (func.sum(each.c[name]) for name in _SUMS)
    lists = (json_list(conn, each.c[took.name]), json_list(conn, each.c.requests))
    return select(each.c.key, *lists, *totals).group_by(each.c.key)


def _count_where(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(case((condition, 1), else_=0))


def _add_gaps(conn: Connection, found: dict[str | None, CollectionFigures], scope: _Scope) -> None:
    """Days from a page's first version in that time to its last; a month has no such time of its own."""
    at = versions.c.captured_at
    query = (
        select(pages.c.source_id, pages.c.url, func.min(at), func.max(at), func.count())
        .join_from(versions, pages, pages.c.page_id == versions.c.page_id)
        .where(*scope.conditions(at, pages.c.source_id))
        .group_by(pages.c.page_id)
        .having(func.count() > 1)
    )
    for source, url, first, last, count in conn.execute(query):
        key = url if scope.by == "page" else source
        if key in found:
            days = (last - first).total_seconds() / _DAY_S
            found[key].add(CollectionFigures(gaps=count - 1, gap_days=days))


def _add_costs(conn: Connection, found: dict[str | None, CollectionFigures], scope: _Scope) -> None:
    """Paid calls; one not yet settled counts as reserved. Of no source are those of no run."""
    key = runs.c.source_id if scope.by == "source" else utc_month(conn, costs.c.reserved_at)
    amount = func.sum(func.coalesce(costs.c.settled, costs.c.reserved))
    query = select(key, costs.c.provider, costs.c.unit, amount, func.sum(costs.c.usd)).select_from(
        costs.outerjoin(runs, runs.c.run_id == costs.c.run_id)
    )
    wanted = scope.conditions(costs.c.reserved_at, runs.c.source_id)
    query = query.where(*wanted).group_by(key, costs.c.provider, costs.c.unit)
    for name, provider, unit, spent, usd in conn.execute(query):
        one = found.setdefault(name, CollectionFigures())
        one.add(CollectionFigures(usd=usd, spent=Counter({(provider, unit): spent})))
