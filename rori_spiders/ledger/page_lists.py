"""The pages of a source as they stand: what is held of them, and what the last run met, with why not.

Functions over a Connection. The last run is the one that ended last: a page that it excluded, or that failed in it, is
listed though nothing was ever held of it. Of one that is not over yet, the pages are those that the run before met.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import String, and_, case, cast, func, literal, null, or_, select

from rori_spiders.ledger.holds import REMOVAL, SUSPECT
from rori_spiders.ledger.tables import audit, pages, run_urls, runs, versions
from rori_spiders.ledger.tables.types import Text, UtcDateTime

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, Connection, Row, Select, Subquery

STATES = ("captured", "excluded", "failed", "refused", "gone", "held", "pending", "unknown")
#: Verdicts by which a server refused the page: it answered with something else in its place.
REFUSING = ("denied", "challenge", "captcha", "filtered", "login_wall")
_NOT_MET = "the last run did not meet it"
_OPEN = ("running", "partial", "cancelled")


def last_run(conn: Connection, source_id: str) -> str | None:
    """The run that ended last, or the only one that there is; None: none has begun."""
    newest = select(runs.c.run_id).where(runs.c.source_id == source_id).order_by(runs.c.started_at.desc()).limit(1)
    ended = conn.execute(newest.where(runs.c.state.not_in(_OPEN))).scalar()
    return ended or conn.execute(newest).scalar()


def listed(
    conn: Connection,
    source_id: str,
    *,
    states: Sequence[str] = (),
    words: str = "",
    url_hash: str | None = None,
    offset: int = 0,
    limit: int = 50,
) -> list[Row[Any]]:
    """Pages by their URLs: in one of *states* (of STATES; none: all), with *words* in URL, title or reason."""
    found = _listing(conn, source_id, url_hash)
    fitting = select(found).where(*_fits(found, states, words)).order_by(found.c.url, found.c.page_id)
    shown = fitting.offset(offset).limit(limit).subquery("shown")  # first, for what follows is looked up row by row
    newest = and_(versions.c.page_id == shown.c.page_id, versions.c.seq == shown.c.last_seq)
    here = (audit.c.run_id == shown.c.run_id) & (audit.c.url_hash == shown.c.url_hash) & (audit.c.kind == "page")
    last = select(func.max(audit.c.audit_id)).where(here).correlate(shown).scalar_subquery()
    query = select(shown, versions.c.captured_at.label("last_changed_at"), last.label("audit_id"))
    return list(
        conn.execute(query.select_from(shown.outerjoin(versions, newest)).order_by(shown.c.url, shown.c.page_id))
    )


def count(conn: Connection, source_id: str, *, words: str = "") -> dict[str, int]:
    """How many pages with *words* are in each state; states without a page are left out."""
    found = _listing(conn, source_id)
    query = select(found.c.state, func.count()).where(*_fits(found, (), words)).group_by(found.c.state)
    return {row[0]: row[1] for row in conn.execute(query)}


def _fits(found: Subquery, states: Sequence[str], words: str) -> list[ColumnElement[bool]]:
    fits: list[ColumnElement[bool]] = [found.c.state.in_(states)] if states else []
    if words:
        texts = (found.c.url, found.c.title, found.c.reason)
        fits.append(or_(*(text.icontains(words, autoescape=True) for text in texts)))
    return fits


def _listing(conn: Connection, source_id: str, url_hash: str | None = None) -> Subquery:
    run_id = last_run(conn, source_id)
    met, others = _met(run_id, source_id), _others(run_id, source_id)
    if url_hash is not None:
        met, others = met.where(run_urls.c.url_hash == url_hash), others.where(pages.c.url_hash == url_hash)
    return met.union_all(others).subquery("listing")


def _met(run_id: str | None, source_id: str) -> Select[Any]:
    """What the run met, with what is held of it."""
    same = and_(pages.c.source_id == source_id, pages.c.url_hash == run_urls.c.url_hash)
    return (
        select(
            pages.c.page_id,
            run_urls.c.url_hash,
            run_urls.c.url,
            pages.c.title,
            _state().label("state"),
            run_urls.c.reason,
            func.coalesce(run_urls.c.settled_at, pages.c.last_seen_at, type_=UtcDateTime).label("last_checked_at"),
            pages.c.last_seen_at,
            pages.c.missing_since,
            func.coalesce(pages.c.last_seq, 0).label("last_seq"),
            pages.c.body_chars,
            run_urls.c.tier,
            run_urls.c.verdict,
            run_urls.c.run_id,
        )
        .select_from(run_urls.outerjoin(pages, same))
        .where(run_urls.c.run_id == run_id, run_urls.c.kind == "page")
    )


def _others(run_id: str | None, source_id: str) -> Select[Any]:
    """What is known of the source, and was not met by the run."""
    met = select(run_urls.c.url_hash).where(
        run_urls.c.run_id == run_id, run_urls.c.kind == "page", run_urls.c.url_hash == pages.c.url_hash
    )
    state = case((pages.c.gone_at.is_not(None), "gone"), (pages.c.last_seq > 0, "captured"), else_="unknown")
    return select(
        pages.c.page_id,
        pages.c.url_hash,
        pages.c.url,
        pages.c.title,
        state,
        literal(_NOT_MET, Text),
        func.coalesce(pages.c.missing_since, pages.c.last_seen_at, type_=UtcDateTime),
        pages.c.last_seen_at,
        pages.c.missing_since,
        pages.c.last_seq,
        pages.c.body_chars,
        cast(null(), String),
        cast(null(), String),
        cast(null(), String),
    ).where(pages.c.source_id == source_id, ~met.exists())


def _state() -> ColumnElement[str]:
    state, failed = run_urls.c.state, run_urls.c.state == "failed"
    is_missing = pages.c.gone_at.is_(None) & pages.c.missing_since.is_not(None)
    shrunk = run_urls.c.reason.startswith(f"{SUSPECT}:", autoescape=True)
    removal = run_urls.c.reason.contains(REMOVAL, autoescape=True) & is_missing
    has_text = (pages.c.last_seq > 0) & pages.c.gone_at.is_(None)
    return case(
        (state.in_(("captured", "unchanged")), "captured"),
        (failed & or_(shrunk, removal), "held"),
        (failed & run_urls.c.verdict.in_(REFUSING), "refused"),
        ((state == "pending") & has_text, "captured"),
        else_=state,
    )
