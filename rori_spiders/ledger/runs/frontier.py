"""The frontier: one row a URL that a run discovered, from ``pending`` to its one final state.

It is also what an interrupted run goes on from: no other list of URLs is kept anywhere.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any
from urllib.parse import unquote

from sqlalchemy import Connection, Row, Select, bindparam, case, func, literal_column, or_, select, text, update

from rori_spiders.items import FrontierUrl
from rori_spiders.ledger.dialects import upsert_lower
from rori_spiders.ledger.tables import pages, run_urls, runs
from rori_spiders.ledger.tables.runs import FINAL_URL_STATES, OPEN_RUN_STATES, PENDING
from rori_spiders.reasons import CAPTURED, Reason, ReasonCode
from rori_spiders.urls import crawler_traps
from rori_spiders.urls.canonical import url_hash

#: How a sitemap was found that nobody names: it was tried at a conventional place.
GUESSED = "guess"
#: How a page was found that only earlier runs had met: nothing in this one led to it.
IN_LEDGER = "ledger"
#: How a feed was found that the start page names in its head.
ALTERNATE = "alternate"
#: How the next page of a list is found that is split over pages: of one in HTML, or of a feed.
NEXT = "next"
#: Why a feed or sitemap at a page's address is excluded: it is not a document.
LIST_CODES = frozenset({ReasonCode.URL_LIST, ReasonCode.SITEMAP_TORN, ReasonCode.SITEMAP_TOO_LONG})
#: Of a list that was read in part only, and of a page that was in scope and not asked for: no rule of the source's own.
_CUT_LISTS = frozenset(
    {
        ReasonCode.SITEMAP_TORN,
        ReasonCode.SITEMAP_TOO_LONG,
        ReasonCode.SITEMAP_TOO_DEEP,
        ReasonCode.SITEMAP_CAP,
    }
)
#: Answers that are neither a whole list nor an error page: there is a list, and it was not read.
_CUT_ANSWERS = frozenset({ReasonCode.TOO_LARGE, ReasonCode.TRUNCATED})
_NOT_THERE = frozenset({404, 410})
#: Rows that are written, or fetched from the database, together: a run may have a million.
_BATCH_SIZE = 1000
#: ``PENDING`` where the row that is to be inserted has a state, too.
_IS_PENDING = run_urls.c.state == literal_column("'pending'")
#: Examples in a sentence.
_MAX_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class FinalState:
    """The final state of a URL, and the reason."""

    url: str
    state: str
    reason: Reason = CAPTURED
    tier: str | None = None
    verdict: str | None = None
    attempts: int = 0
    at: datetime | None = None  # when that was decided, where it is not that of all


@dataclass(frozen=True, slots=True)
class UrlRow:
    """One URL of a run, as it stands."""

    url: str
    kind: str
    state: str
    reason: str | None
    reason_code: str | None
    reason_detail: dict[str, Any] | None
    depth: int
    found_on: str | None
    found_by: str
    tier: str | None
    verdict: str | None
    attempts: int
    settled_at: datetime | None

    @property
    def read_at(self) -> str | None:
        """The URL at which an excluded page is read; None of any other."""
        return (self.reason_detail or {}).get("target_url") if self.state == "excluded" else None


def add_urls(conn: Connection, run_id: str, visits: Iterable[FrontierUrl]) -> None:
    """Add the URLs that the run does not know yet, as pending.

    The others stay what they are, but a pending one to which a shorter way leads now is found by that.
    """
    left = iter(visits)
    while some := list(islice(left, _BATCH_SIZE)):
        rows = [_found_values(run_id, visit) | {"state": "pending"} for visit in some]
        upsert_lower(conn, run_urls, rows, "depth", _IS_PENDING)


def add_settled_urls(conn: Connection, run_id: str, settled: Iterable[tuple[FrontierUrl, FinalState]]) -> None:
    """As ``add_urls`` and ``settle_urls`` after it, of URLs that end as they are found: a row is written once."""
    left = iter(settled)
    while some := list(islice(left, _BATCH_SIZE)):
        rows = [_found_values(run_id, visit) | _final_values(end, None) for visit, end in some]
        upsert_lower(conn, run_urls, rows, "depth", _IS_PENDING, always=_FINAL_COLUMNS)


def _found_values(run_id: str, visit: FrontierUrl) -> dict[str, object]:
    return {
        "run_id": run_id,
        "url_hash": url_hash(visit.url),
        "url": visit.url,
        "kind": visit.kind,
        "depth": visit.depth,
        "found_on": visit.found_on,
        "found_by": visit.found_by,
        "lastmod": visit.lastmod,
        "rank": visit.rank,
    }


def settle_url(
    conn: Connection,
    run_id: str,
    url: str,
    *,
    state: str,
    reason: Reason,
    tier: str | None,
    verdict: str | None,
    attempts: int,
    now: datetime,
) -> None:
    """Give one URL its final state; see ``settle_urls``."""
    settle_urls(conn, run_id, [FinalState(url, state, reason, tier, verdict, attempts)], now=now)


def settle_urls(conn: Connection, run_id: str, settled: Iterable[FinalState], *, now: datetime | None = None) -> None:
    """Give each URL its final state, in one statement for all. *now* is when that was decided, where it does not say.

    Raises ValueError for a state that is not final, KeyError when the run has not discovered one of the URLs: then
    the sum of the run would be wrong, so nothing of the caller's transaction may be kept.
    """
    rows = [{"of_run": run_id, "of_url": url_hash(one.url), **_final_values(one, now)} for one in settled]
    if not rows:
        return
    done = conn.execute(
        update(run_urls).where(run_urls.c.run_id == bindparam("of_run"), run_urls.c.url_hash == bindparam("of_url")),
        rows,
    )
    if done.rowcount != len(rows):
        raise KeyError(f"run {run_id}: {len(rows) - done.rowcount} of {len(rows)} URLs settled before discovered")


#: What is known of a URL at its end, beside how it was found.
_FINAL_COLUMNS = frozenset(
    {"state", "reason", "reason_code", "reason_detail", "tier", "verdict", "attempts", "settled_at"}
)


def _final_values(one: FinalState, now: datetime | None) -> dict[str, object]:
    if one.state not in FINAL_URL_STATES:
        raise ValueError(f"not a final state: {one.state!r} ({one.url})")
    return {
        "state": one.state,
        "reason": str(one.reason),
        "reason_code": one.reason.code.value,
        "reason_detail": one.reason.detail,
        "tier": one.tier,
        "verdict": one.verdict,
        "attempts": one.attempts,
        "settled_at": one.at or now,
    }


def stream_pending_urls(conn: Connection, run_id: str) -> Iterator[FrontierUrl]:
    """What the run has still to fetch: what is asked for first, then shallow pages first."""
    source_id = _source_of(conn, run_id)
    query = _pending_urls(run_id).order_by(run_urls.c.rank, run_urls.c.depth, run_urls.c.url_hash)
    with conn.execute(query.execution_options(yield_per=_BATCH_SIZE)) as rows:
        for row in rows:
            yield FrontierUrl(run_id, source_id, **row._asdict())


def load_pending_urls(
    conn: Connection, run_id: str, wanted: Mapping[str, int], group_of: Callable[[FrontierUrl], str | None]
) -> list[FrontierUrl]:
    """The first of them of each group, so many as are *wanted* of it; *group_of* gives None for what is left out."""
    left, found = Counter(wanted), list[FrontierUrl]()
    missing = left.total()
    for visit in stream_pending_urls(conn, run_id):
        if (group := group_of(visit)) is not None and left[group] > 0:
            left[group] -= 1
            missing -= 1
            found.append(visit)
        if not missing:
            break
    return found


def find_pending_url(conn: Connection, run_id: str, url: str) -> FrontierUrl | None:
    """The visit of one URL that the run has still to fetch; None when it has not discovered it, or it has ended."""
    row = conn.execute(_pending_urls(run_id).where(run_urls.c.url_hash == url_hash(url))).one_or_none()
    return None if row is None else FrontierUrl(run_id, _source_of(conn, run_id), **row._asdict())


def _pending_urls(run_id: str) -> Select[tuple[Any, ...]]:
    columns = (run_urls.c[one] for one in ("url", "kind", "depth", "found_on", "found_by", "lastmod", "rank"))
    return select(*columns).where(run_urls.c.run_id == run_id, text(PENDING))


def _source_of(conn: Connection, run_id: str) -> str:
    return str(conn.execute(select(runs.c.source_id).where(runs.c.run_id == run_id)).scalar_one())


def stream_url_hashes(conn: Connection, run_id: str) -> Iterator[str]:
    """The hashes (``urls.url_hash``) of all URLs that the run has discovered."""
    query = select(run_urls.c.url_hash).where(run_urls.c.run_id == run_id)
    with conn.execute(query.execution_options(yield_per=_BATCH_SIZE)) as rows:
        yield from rows.scalars()


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page of a run that was captured, or found unchanged."""

    url_hash: str
    url: str
    depth: int


def load_read_pages(conn: Connection, run_id: str, *, after: str, limit: int) -> list[ReadPage]:
    """At most *limit* pages that the run has read, by their hashes, of which the first comes *after* that."""
    is_read = (run_urls.c.kind == "page") & run_urls.c.state.in_(("captured", "unchanged"))
    query = (
        select(run_urls.c.url_hash, run_urls.c.url, run_urls.c.depth)
        .where(run_urls.c.run_id == run_id, run_urls.c.url_hash > after, is_read)
        .order_by(run_urls.c.url_hash)
        .limit(limit)
    )
    return [ReadPage(*row) for row in conn.execute(query)]


def stream_found_urls(conn: Connection, run_id: str, found_by: Collection[str]) -> Iterator[UrlRow]:
    """The run's URLs that were *found_by* one of these ways."""
    wanted = [run_urls.c[name] for name in UrlRow.__dataclass_fields__]
    query = select(*wanted).where(run_urls.c.run_id == run_id, run_urls.c.found_by.in_(found_by))
    with conn.execute(query.execution_options(yield_per=_BATCH_SIZE)) as rows:
        for row in rows:
            yield UrlRow(*row)


@dataclass(frozen=True, slots=True)
class SitemapCounts:
    """Of a run: the sitemaps that it knows, those of them that are not excluded, and the pages that they named."""

    known: int
    wanted: int
    pages: int


def count_sitemaps(conn: Connection, run_id: str) -> SitemapCounts:
    is_sitemap = run_urls.c.kind == "sitemap"
    is_named = (run_urls.c.kind == "page") & (run_urls.c.found_by == "sitemap")
    counted = (is_sitemap, is_sitemap & (run_urls.c.state != "excluded"), is_named)
    query = select(*(func.count(case((one, 1))) for one in counted)).where(run_urls.c.run_id == run_id)
    return SitemapCounts(*tuple(conn.execute(query).one()))


def find_url(conn: Connection, run_id: str, of: str) -> UrlRow | None:
    """One URL of the run as it stands; None when the run has not discovered it."""
    wanted = [run_urls.c[name] for name in UrlRow.__dataclass_fields__]
    row = conn.execute(
        select(*wanted).where(run_urls.c.run_id == run_id, run_urls.c.url_hash == url_hash(of))
    ).one_or_none()
    return UrlRow(*row) if row else None


def reason_code_of(conn: Connection, row: Mapping[Any, Any]) -> str | None:
    """The reason code of *row*, one of the audit; of a row from before there were codes, that of its URL in the run."""
    if row["reason_code"] is not None:
        return str(row["reason_code"])
    ended = find_url(conn, str(row["run_id"]), row["url"])
    return None if ended is None else ended.reason_code


#: Pages in scope that neither the source nor its publisher wants left out, and that were not asked for.
_LEFT_PAGES = {
    ReasonCode.PAGE_CAP: ReasonCode.PAGES_NOT_ASKED,
    ReasonCode.SCRIPT_ROUTE: ReasonCode.ROUTES_NOT_ASKED,
}


def why_incomplete(conn: Connection, run_id: str) -> Reason | None:
    """Why not all pages of the run are known or were asked for, as far as its rows tell; None: nothing is missing.

    A sitemap or feed that broke off, was cut, or could not be read may name pages that no link leads to; so may a page
    that failed and is the next one of a list. A sitemap that nobody names proves nothing where it fails, nor does one
    of robots.txt, a feed of the start page, or a next page, that is not there: such lines outlive their files. Of
    dated versions that were excluded as copies the current text must be there.
    """
    of_run = run_urls.c.run_id == run_id
    codes = [*_CUT_LISTS, ReasonCode.BAD_SITEMAP]
    is_list = or_(run_urls.c.kind == "sitemap", run_urls.c.reason_code.in_(codes))
    query = select(run_urls).where(of_run, is_list).order_by(run_urls.c.url)
    unread = [row for row in conn.execute(query) if _is_unread_list(row)]
    unread += [row for row in conn.execute(_failed_next_pages(run_id)) if not _is_absent(row)]
    if unread:
        examples = ", ".join(f"{row.url} ({row.reason})" for row in unread[:_MAX_EXAMPLES])
        return Reason(ReasonCode.LISTS_UNREAD, count=len(unread), examples=examples)
    for code, reason_code in _LEFT_PAGES.items():
        left = select(func.count(), func.max(run_urls.c.url)).where(of_run, run_urls.c.reason_code == code)
        count, example = conn.execute(left).one()
        if count:
            return Reason(reason_code, count=count, examples=example)
    dated = _dated_without_current(conn, run_id)
    return Reason(ReasonCode.ONLY_DATED, count=len(dated), examples=", ".join(dated[:_MAX_EXAMPLES])) if dated else None


def why_in_part(conn: Connection, run_id: str) -> Reason | None:
    """What a run that is complete left out: pages beyond its source's `max_pages`, or else the rest of lists that pages
    show in part. None: nothing.
    """
    code = run_urls.c.reason_code
    left = (run_urls.c.run_id == run_id) & code.in_([ReasonCode.MAX_PAGES, ReasonCode.LIST_PAGE_CAP])
    query = select(code, func.count(), func.max(run_urls.c.url)).where(left).group_by(code)
    found = {row[0]: (row[1], row[2]) for row in conn.execute(query)}
    if not found:
        return _lists_in_part(conn, run_id)
    detail = conn.execute(select(run_urls.c.reason_detail).where(left).limit(1)).scalar() or {}
    count, example = found.get(ReasonCode.MAX_PAGES, (None, None))
    lists, _ = found.get(ReasonCode.LIST_PAGE_CAP, (None, None))
    return Reason(ReasonCode.COMPLETE_TO_LIMIT, limit=detail.get("limit"), count=count, examples=example, lists=lists)


def _lists_in_part(conn: Connection, run_id: str) -> Reason | None:
    is_left = (run_urls.c.run_id == run_id) & (run_urls.c.reason_code == ReasonCode.LIST_IN_PART)
    count, example = conn.execute(select(func.count(), func.max(run_urls.c.url)).where(is_left)).one()
    return Reason(ReasonCode.LISTS_IN_PART, count=count, examples=unquote(example)) if count else None


def _dated_without_current(conn: Connection, run_id: str) -> list[str]:
    """The pages of dated versions that were excluded as copies, where the run met the current text of none of them."""
    of_run = run_urls.c.run_id == run_id
    query = select(run_urls.c.url, run_urls.c.reason_detail).where(of_run, run_urls.c.reason_code == ReasonCode.COPY)
    excluded = {url for url, detail in conn.execute(query) if (detail or {}).get("rule") == "dated_version"}
    current = {url: crawler_traps.undated_urls(url) for url in sorted(excluded)}
    if not any(current.values()):
        return []
    others = [url for url in conn.execute(select(run_urls.c.url).where(of_run)).scalars() if url not in excluded]
    # Where the start URL leads to a dated version, that is the current text.
    met = {one.rstrip("/") for url in others for one in (url, *crawler_traps.undated_urls(url))}
    if any(one.rstrip("/") in met for urls in current.values() for one in urls):
        return []
    return [url for url, urls in current.items() if urls]


def count_urls(conn: Connection, run_id: str, code: ReasonCode) -> int:
    """The URLs of the run that ended for the reason *code*."""
    query = select(func.count()).where(run_urls.c.run_id == run_id, run_urls.c.reason_code == code)
    return conn.execute(query).scalar_one()


def unrendered_url_hashes(conn: Connection, source_id: str) -> list[str]:
    """Pages that the source's last ended run left, its browser budget being spent; those unseen for longest first."""
    of_source = select(runs.c.run_id).where(runs.c.source_id == source_id, runs.c.state.not_in(OPEN_RUN_STATES))
    last = conn.execute(of_source.order_by(runs.c.started_at.desc()).limit(1)).scalar()
    if last is None:
        return []
    is_same = (pages.c.source_id == source_id) & (pages.c.url_hash == run_urls.c.url_hash)
    query = (
        select(run_urls.c.url_hash)
        .join(pages, is_same, isouter=True)
        .where(run_urls.c.run_id == last, run_urls.c.reason_code == ReasonCode.BROWSER_BUDGET_SPENT)
        .order_by(pages.c.last_seen_at.is_not(None), pages.c.last_seen_at, run_urls.c.depth, run_urls.c.url_hash)
    )
    return list(conn.execute(query).scalars())


def _failed_next_pages(run_id: str) -> Select[Any]:
    is_failed = (run_urls.c.run_id == run_id) & (run_urls.c.state == "failed")
    source_id = select(runs.c.source_id).where(runs.c.run_id == run_id).scalar_subquery()
    is_next = pages.c.next_url.in_(select(run_urls.c.url).where(is_failed))
    next_urls = select(pages.c.next_url).where(pages.c.source_id == source_id, pages.c.gone_at.is_(None), is_next)
    return select(run_urls).where(is_failed, run_urls.c.url.in_(next_urls)).order_by(run_urls.c.url)


def _is_unread_list(row: Row[Any]) -> bool:
    if row.reason_code in _CUT_LISTS:
        return True
    if row.found_by == GUESSED:
        return row.state == "failed" and row.reason_code in _CUT_ANSWERS
    if row.state != "failed":
        return bool(row.kind == "sitemap" and row.reason_code == ReasonCode.REDIRECTED_OFF_SITE)
    return not (row.found_by in {"robots", ALTERNATE} and _is_absent(row))


def _is_absent(row: Row[Any]) -> bool:
    return (row.reason_detail or {}).get("http_status") in _NOT_THERE


def list_urls(conn: Connection, run_id: str, state: str | None = None) -> list[UrlRow]:
    """The run's URLs as they stand, in one state or in any, shallow pages first."""
    wanted = [run_urls.c[name] for name in UrlRow.__dataclass_fields__]
    query = select(*wanted).where(run_urls.c.run_id == run_id).order_by(run_urls.c.depth, run_urls.c.url)
    if state is not None:
        query = query.where(run_urls.c.state == state)
    return [UrlRow(*row) for row in conn.execute(query)]


def previously_failed_urls(conn: Connection, run_id: str, source_id: str) -> list[UrlRow]:
    """Pages that failed in the source's run before this one, and are named by pages that this run found unchanged."""
    others = select(runs.c.run_id).where(runs.c.source_id == source_id, runs.c.run_id != run_id)
    last = conn.execute(others.order_by(runs.c.started_at.desc()).limit(1)).scalar()
    failed = [row for row in list_urls(conn, last, "failed") if row.kind == "page" and row.found_on] if last else []
    if not failed:
        return []
    same = select(run_urls.c.url).where(run_urls.c.run_id == run_id, run_urls.c.state == "unchanged")
    unchanged = set(conn.execute(same).scalars())
    return [row for row in failed if row.found_on in unchanged]
