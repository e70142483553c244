"""Runs and their URLs, a list at a time, and what a run's URLs come to. Functions over a Connection; read-only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import and_, func, or_, select

from rori_spiders.ledger.runs import RunRow
from rori_spiders.ledger.tables import audit, pages, robots_seen, run_urls, runs

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection, Row


class RunPosition(NamedTuple):
    """Where a list of runs ends."""

    started_at: datetime
    run_id: str


class UrlPosition(NamedTuple):
    """Where a list of a run's URLs ends."""

    depth: int
    url: str


def of_source(conn: Connection, source_id: str, *, after: RunPosition | None, limit: int) -> list[RunRow]:
    """The source's runs, newest first, those behind a position."""
    query = select(runs).where(runs.c.source_id == source_id)
    if after is not None:
        query = query.where(
            runs.c.started_at <= after.started_at,
            or_(runs.c.started_at < after.started_at, runs.c.run_id > after.run_id),
        )
    rows = conn.execute(query.order_by(runs.c.started_at.desc(), runs.c.run_id).limit(limit)).mappings()
    return [RunRow(**row) for row in rows]


def has_runs(conn: Connection, source_id: str) -> bool:
    """Whether the source ever began one."""
    return conn.execute(select(runs.c.run_id).where(runs.c.source_id == source_id).limit(1)).scalar() is not None


def urls(
    conn: Connection,
    run: RunRow,
    *,
    states: tuple[str, ...] = (),
    kind: str | None = None,
    words: str = "",
    after: UrlPosition | None = None,
    limit: int = 50,
) -> list[Row[Any]]:
    """The run's URLs behind a position, shallow ones first; with *words* in URL or reason."""
    fits: list[ColumnElement[bool]] = [run_urls.c.run_id == run.run_id]
    if states:
        fits.append(run_urls.c.state.in_(states))
    if kind is not None:
        fits.append(run_urls.c.kind == kind)
    if words:
        texts = (run_urls.c.url, run_urls.c.reason)
        fits.append(or_(*(text.icontains(words, autoescape=True) for text in texts)))
    if after is not None:
        deeper, beside = run_urls.c.depth > after.depth, run_urls.c.depth == after.depth
        fits.append(or_(deeper, and_(beside, run_urls.c.url > after.url)))
    same = and_(pages.c.source_id == run.source_id, pages.c.url_hash == run_urls.c.url_hash)
    here = (audit.c.run_id == run_urls.c.run_id) & (audit.c.url_hash == run_urls.c.url_hash)
    last = select(func.max(audit.c.audit_id)).where(here, audit.c.kind == run_urls.c.kind).correlate(run_urls)
    query = select(run_urls, pages.c.page_id, last.scalar_subquery().label("audit_id"))
    query = query.select_from(run_urls.outerjoin(pages, same)).where(*fits)
    return list(conn.execute(query.order_by(run_urls.c.depth, run_urls.c.url).limit(limit)))


def reasons(conn: Connection, run_id: str, limit: int = 100) -> list[Row[Any]]:
    """Why pages of the run were not collected: state, reason, number; the most frequent first."""
    number = func.count().label("number")
    not_read = run_urls.c.state.not_in(("captured", "unchanged", "pending"))
    query = (
        select(run_urls.c.state, func.coalesce(run_urls.c.reason, "").label("reason"), number)
        .where(run_urls.c.run_id == run_id, run_urls.c.kind == "page", not_read)
        .group_by(run_urls.c.state, run_urls.c.reason)
    )
    return list(conn.execute(query.order_by(number.desc(), run_urls.c.state, run_urls.c.reason).limit(limit)))


def tiers(conn: Connection, run_id: str) -> list[Row[Any]]:
    """Tier -> pages that it ended, of those that were asked for; the busiest first."""
    number = func.count().label("number")
    asked = (run_urls.c.tier.is_not(None), run_urls.c.state != "excluded")
    by_tier = (run_urls.c.run_id == run_id, run_urls.c.kind == "page", *asked)
    query = select(run_urls.c.tier, number).where(*by_tier).group_by(run_urls.c.tier)
    return list(conn.execute(query.order_by(number.desc(), run_urls.c.tier)))


def robots(conn: Connection, run_id: str) -> list[Row[Any]]:
    """The robots.txt files that the run went by."""
    return list(conn.execute(select(robots_seen).where(robots_seen.c.run_id == run_id).order_by(robots_seen.c.origin)))
