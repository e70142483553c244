"""The pages of sources, listed and counted: the state of each, with the reason; and per source its tier, its hash,
and its changes a day.
"""

from collections.abc import Sequence
from datetime import date, datetime
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    String,
    Subquery,
    and_,
    case,
    cast,
    func,
    literal,
    null,
    or_,
    select,
    text,
)

from rori_spiders.ledger import dialects
from rori_spiders.ledger.pages.held_pages import HELD_REMOVALS, HELD_TEXTS
from rori_spiders.ledger.runs.tier_memory import MEMORY_PERIOD
from rori_spiders.ledger.tables import audit, pages, run_urls, runs, tier_memory, versions
from rori_spiders.ledger.tables.base import AnyText, UtcDateTime
from rori_spiders.ledger.tables.pages import HELD

#: Verdicts by which a server refused the page: it answered with something else in its place.
BLOCKED_VERDICTS = ("denied", "challenge", "captcha", "filtered", "login_wall")
_NOT_MET_REASON = "the last run did not meet it"
_UNFINISHED_STATES = ("running", "partial", "cancelled")


def find_last_run(conn: Connection, source_id: str) -> str | None:
    """The run that ended last, or the only one that there is; None: none has begun."""
    newest = select(runs.c.run_id).where(runs.c.source_id == source_id).order_by(runs.c.started_at.desc()).limit(1)
    ended = conn.execute(newest.where(runs.c.state.not_in(_UNFINISHED_STATES))).scalar()
    return ended or conn.execute(newest).scalar()


def list_pages(
    conn: Connection,
    source_id: str,
    *,
    states: Sequence[str] = (),
    words: str = "",
    url_hash: str | None = None,
    offset: int = 0,
    limit: int = 50,
) -> list[Row[Any]]:
    """Pages by their URLs: in one of *states* (none: all), with *words* in URL, title or reason.

    States: captured, excluded, failed, refused, gone, held, pending, unknown.
    """
    found = _listing_query(conn, source_id, url_hash)
    fitting = select(found).where(*_matches(found, states, words)).order_by(found.c.url, found.c.page_id)
    shown = fitting.offset(offset).limit(limit).subquery("shown")  # first, for what follows is looked up row by row
    newest = and_(versions.c.page_id == shown.c.page_id, versions.c.seq == shown.c.last_seq)
    here = (audit.c.run_id == shown.c.run_id) & (audit.c.url_hash == shown.c.url_hash) & (audit.c.kind == "page")
    last = select(func.max(audit.c.audit_id)).where(here).correlate(shown).scalar_subquery()
    query = select(shown, versions.c.captured_at.label("last_changed_at"), last.label("audit_id"))
    return list(
        conn.execute(query.select_from(shown.outerjoin(versions, newest)).order_by(shown.c.url, shown.c.page_id))
    )


def count_pages_by_state(conn: Connection, source_id: str, *, words: str = "") -> dict[str, int]:
    """How many pages with *words* are in each state; states without a page are left out."""
    found = _listing_query(conn, source_id)
    query = select(found.c.state, func.count()).where(*_matches(found, (), words)).group_by(found.c.state)
    return {row[0]: row[1] for row in conn.execute(query)}


def _matches(found: Subquery, states: Sequence[str], words: str) -> list[ColumnElement[bool]]:
    fits: list[ColumnElement[bool]] = [found.c.state.in_(states)] if states else []
    if words:
        texts = (found.c.url, found.c.title, found.c.reason)
        fits.append(or_(*(text.icontains(words, autoescape=True) for text in texts)))
    return fits


def _listing_query(conn: Connection, source_id: str, url_hash: str | None = None) -> Subquery:
    run_id = find_last_run(conn, source_id)
    met, others = _met_query(run_id, source_id), _not_met_query(run_id, source_id)
    if url_hash is not None:
        met, others = met.where(run_urls.c.url_hash == url_hash), others.where(pages.c.url_hash == url_hash)
    return met.union_all(others).subquery("listing")


def _met_query(run_id: str | None, source_id: str) -> Select[Any]:
    """What the run met, with what is held of it."""
    same = and_(pages.c.source_id == source_id, pages.c.url_hash == run_urls.c.url_hash)
    return (
        select(
            pages.c.page_id,
            run_urls.c.url_hash,
            run_urls.c.url,
            pages.c.title,
            _state_column().label("state"),
            run_urls.c.reason,
            run_urls.c.reason_code,
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


def _not_met_query(run_id: str | None, source_id: str) -> Select[Any]:
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
        literal(_NOT_MET_REASON, AnyText),
        cast(null(), String),
        func.coalesce(pages.c.missing_since, pages.c.last_seen_at, type_=UtcDateTime),
        pages.c.last_seen_at,
        pages.c.missing_since,
        pages.c.last_seq,
        pages.c.body_chars,
        cast(null(), String),
        cast(null(), String),
        cast(null(), String),
    ).where(pages.c.source_id == source_id, ~met.exists())


def _state_column() -> ColumnElement[str]:
    state, failed = run_urls.c.state, run_urls.c.state == "failed"
    is_missing = pages.c.gone_at.is_(None) & pages.c.missing_since.is_not(None)
    is_text = run_urls.c.reason_code.in_(HELD_TEXTS)
    removal = run_urls.c.reason_code.in_(HELD_REMOVALS) & is_missing
    has_text = (pages.c.last_seq > 0) & pages.c.gone_at.is_(None)
    return case(
        (state.in_(("captured", "unchanged")), "captured"),
        (failed & or_(is_text, removal), "held"),
        (failed & run_urls.c.verdict.in_(BLOCKED_VERDICTS), "refused"),
        ((state == "pending") & has_text, "captured"),
        else_=state,
    )


# What is held of sources: by which tier it came last, and a hash of it all.

_READ_STATES = ("captured", "unchanged")
#: Ends of pages that are looked at for one that went well; a source whose last pages all failed has no tier in use.
_MAX_SCANNED = 20


def source_hashes(conn: Connection, source_ids: Sequence[str]) -> dict[str, str]:
    """Source -> the content hash of its only page; of several, SHA-256 of their hashes, by the hash of their URLs.

    Of nothing that is held there is none. Some hundreds of sources at once.
    """
    of = select(pages.c.source_id, pages.c.url_hash, pages.c.content_hash)
    query = of.where(pages.c.source_id.in_(source_ids), text(HELD)).order_by(pages.c.source_id, pages.c.url_hash)
    found = {}
    for source_id, rows in groupby(conn.execute(query), itemgetter(0)):
        lines = [f"{url_hash} {content_hash}\n" for _, url_hash, content_hash in rows]
        only = lines[0].split()[1]
        found[source_id] = only if len(lines) == 1 else sha256("".join(lines).encode()).hexdigest()
    return found


def current_tiers(conn: Connection, source_ids: Sequence[str], now: datetime) -> dict[str, str]:
    """Source -> the tier by which its pages come now: what is remembered, else that of the last one that was read."""
    its = tier_memory.c
    newest = (
        select(its.source_id, func.max(its.worked_at).label("at"))
        .where(its.source_id.in_(source_ids), its.worked_at > now - MEMORY_PERIOD)
        .group_by(its.source_id)
        .subquery()
    )
    same = (its.source_id == newest.c.source_id) & (its.worked_at == newest.c.at)
    found = {
        row.source_id: row.tier
        for row in conn.execute(select(its.source_id, its.tier).join_from(tier_memory, newest, same))
    }
    return _last_tiers(conn, [one for one in source_ids if one not in found]) | found


def _last_tiers(conn: Connection, source_ids: Sequence[str]) -> dict[str, str]:
    """Of each source the tier of the last page that was read, if it is among the last ends."""
    its = select(runs.c.source_id).where(runs.c.source_id.in_(source_ids)).group_by(runs.c.source_id).subquery().c
    ends = (
        select(audit.c.engine, audit.c.state, audit.c.timestamp)
        .where(audit.c.manifest_id == its.source_id, audit.c.kind == "page")
        .order_by(audit.c.timestamp.desc())
        .limit(_MAX_SCANNED)
        .correlate(its.source_id.table)
        .subquery()
    )
    last = select(ends.c.engine).where(ends.c.state.in_(_READ_STATES)).order_by(ends.c.timestamp.desc()).limit(1)
    query = select(its.source_id, last.scalar_subquery())
    return {row[0]: row[1] for row in conn.execute(query) if row[1] is not None}


# How much changed, day by day.


def count_changes_by_day(conn: Connection, since: datetime, days: int) -> dict[str, list[int]]:
    """Source -> the texts that came, changed or went on each of so many *days* in UTC; without any: left out.

    What a source had until it was first collected whole has not come then: its publisher had it before. *since* is the
    beginning of the first day, in UTC.
    """
    day = dialects.utc_day(conn, versions.c.captured_at)
    whole = (
        select(runs.c.source_id, func.min(runs.c.finished_at).label("at"))
        .where(runs.c.state == "complete")
        .group_by(runs.c.source_id)
        .subquery()
    )
    has_come = (versions.c.change_type != "new") | (versions.c.captured_at > whole.c.at)
    query = (
        select(pages.c.source_id, day, func.count())
        .join_from(versions, pages, pages.c.page_id == versions.c.page_id)
        .outerjoin(whole, whole.c.source_id == pages.c.source_id)
        .where(versions.c.captured_at >= since, has_come)
        .group_by(pages.c.source_id, day)
    )
    found: dict[str, list[int]] = {}
    for source_id, on, number in conn.execute(query):
        place = (date.fromisoformat(on) - since.date()).days
        if place < days:  # later ones are of a clock that was wrong
            found.setdefault(source_id, [0] * days)[place] += number
    return found
