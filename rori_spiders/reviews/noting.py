"""Opening and clearing review items, in the transaction that ends a URL or a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from rori_spiders.ledger import alerts, history
from rori_spiders.ledger.tables import robots_seen, run_urls
from rori_spiders.reviews.events import (
    EVENTS,
    FEW_PAGES,
    OF_PAGES,
    OF_START,
    PAGE_MISSING,
    SAID,
    START_EVENTS,
    START_REDIRECTS,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.items import PageItem

#: So many pages are listed by one item; what is wrong with more of them is wrong with the site.
MOST_PAGES = 200
_ENDED_WELL = frozenset({"captured", "unchanged"})
_PAGE_EVENTS = tuple(dict.fromkeys((*OF_PAGES.values(), PAGE_MISSING)))
#: RFC 9110 §15.4: the address has changed for good.
_PERMANENT = frozenset({301, 308})
#: One open item a source and event.
_CAUSE = "review"


def note_page(conn: Connection, item: PageItem, *, is_start: bool, reason: str, now: datetime) -> None:
    """Take in how a page has ended. *reason* is the item's, without secrets; *is_start*: it is its source's start."""
    visit = item.visit
    if visit.kind != "page":
        return
    opened = {one["event"]: one["pages"] or [] for one in alerts.open_alerts(conn, visit.source_id)}
    failed = item.state == "failed"
    event = _page_event(conn, item, is_start=is_start) if failed else None
    for one in _PAGE_EVENTS:
        if one == event:
            _open(conn, visit.source_id, one, [*_without(visit.url, opened.get(one, ())), visit.url], reason, now)
        elif one in opened and (event is not None or not failed):
            _take_off(conn, visit.source_id, one, opened[one], visit.url, now)
    if is_start:
        _note_redirect(conn, item, opened, now)
        _note_start(conn, item, opened, reason, now)


def _page_event(conn: Connection, item: PageItem, *, is_start: bool) -> str | None:
    if item.verdict is not None and item.verdict.kind == "not_found" and not is_start:
        page = history.page(conn, item.visit.source_id, item.visit.url)
        return PAGE_MISSING if page is not None and page.last_seq and page.gone_at is None else None
    return OF_PAGES.get(item.reason.partition(":")[0])


def _note_redirect(conn: Connection, item: PageItem, opened: Mapping[str, Sequence[str]], now: datetime) -> None:
    """Whether the manifest's URL redirects for good to another address of the source, which is collected instead."""
    if item.visit.hops:
        return  # that is where it leads
    if (target := _moved_to(item)) is not None:
        message = f"the start URL redirects for good to {target}"
        open_item(conn, item.visit.source_id, START_REDIRECTS, message, pages=[item.visit.url], now=now)
    elif START_REDIRECTS in opened and item.state in _ENDED_WELL:
        clear(conn, item.visit.source_id, START_REDIRECTS, now=now)


def _moved_to(item: PageItem) -> str | None:
    if item.alias_of is not None and item.state == "excluded":
        return item.alias_of if item.attempts and item.attempts[-1].status in _PERMANENT else None
    facts = item.fetched
    if facts is None or item.state not in _ENDED_WELL or not facts.redirects or facts.redirects[0][0] not in _PERMANENT:
        return None
    return facts.final_url


def _note_start(
    conn: Connection, item: PageItem, opened: Mapping[str, Sequence[str]], reason: str, now: datetime
) -> None:
    event = _start_event(item)
    answers = item.state in _ENDED_WELL or (item.verdict is not None and item.verdict.kind == "content")
    if event is None and not answers:
        return  # a server in trouble, a redirect to the page that counts: it says nothing new
    for one in START_EVENTS:
        if one == event:
            _open(conn, item.visit.source_id, one, [item.visit.url], reason, now)
        elif one in opened:
            clear(conn, item.visit.source_id, one, now=now)


def _start_event(item: PageItem) -> str | None:
    if item.state == "gone":
        return "source_moved"
    if item.state == "excluded":
        return _excluded_start(item)
    if item.state != "failed":
        return None
    if item.reason.startswith("crawl_delay:"):
        return "crawl_delay"
    if item.reason.startswith("robots:"):
        return None if "answered 429" in item.reason else "robots_unreachable"  # of rate limits `note_run` tells
    return OF_START.get(item.verdict.kind) if item.verdict is not None else None


def _excluded_start(item: PageItem) -> str | None:
    if item.reason.startswith("robots.txt disallows"):
        return "robots_forbids"
    is_for_good = bool(item.attempts) and item.attempts[-1].status in _PERMANENT
    return "source_moved" if is_for_good and item.reason.startswith("redirected to other domain") else None


def _without(url: str, pages: Iterable[str]) -> list[str]:
    return [one for one in pages if one != url][: MOST_PAGES - 1]


def _take_off(conn: Connection, source_id: str, event: str, pages: Sequence[str], url: str, now: datetime) -> None:
    if url not in pages:
        return
    if left := _without(url, pages):
        _open(conn, source_id, event, left, None, now)
    else:
        clear(conn, source_id, event, now=now)


def _open(
    conn: Connection, source_id: str, event: str, pages: Sequence[str], reason: str | None, now: datetime
) -> None:
    said = SAID[event]
    if event not in START_EVENTS:
        said = f"{len(pages)} page{'s' * (len(pages) != 1)} {said}"
    open_item(conn, source_id, event, f"{said}: {reason}" if reason else said, pages=pages, now=now)


def note_gone(conn: Connection, source_id: str, url: str, *, now: datetime) -> None:
    """A page was accepted as gone, be it of an older run: it is missing no more."""
    for one in alerts.open_alerts(conn, source_id):
        if one["event"] == PAGE_MISSING:
            _take_off(conn, source_id, PAGE_MISSING, one["pages"] or [], url, now)


def note_run(
    conn: Connection, source_id: str, run_id: str, *, rate_limited: bool, is_stretched: bool, words: str, now: datetime
) -> None:
    """Take in what a run's end made of its source's interval: *words*, and whether it *is_stretched*."""
    if rate_limited:
        limited = select(run_urls.c.url).where(_limited(run_id)).order_by(run_urls.c.settled_at).limit(MOST_PAGES)
        message = f"its server limited us to the end; from now on: {words}"
        open_item(conn, source_id, "rate_limited", message, pages=list(conn.execute(limited).scalars()), now=now)
    elif not is_stretched:
        clear(conn, source_id, "rate_limited", now=now)


def note_pages(conn: Connection, source_id: str, *, state: str, reason: str | None, now: datetime) -> None:
    """Take in whether a run that ended in *state* found as many pages as the source usually has."""
    if state == "suspect":
        open_item(conn, source_id, FEW_PAGES, reason or "", now=now)
    elif state == "complete":
        clear(conn, source_id, FEW_PAGES, now=now)


def open_item(
    conn: Connection, source_id: str, event: str, message: str, *, pages: Sequence[str] = (), now: datetime
) -> bool:
    """Open the source's item of this event (of EVENTS), or bring it up to date; True when it is new."""
    return alerts.raise_alert(
        conn,
        source_id=source_id,
        event=event,
        cause=_CAUSE,
        severity=EVENTS[event].severity,
        message=message,
        pages=pages,
        now=now,
    )


def clear(conn: Connection, source_id: str, event: str, *, now: datetime) -> bool:
    """The cause is no more; False when there was no item."""
    return alerts.clear_alert(conn, source_id=source_id, event=event, cause=_CAUSE, now=now)


def was_rate_limited(conn: Connection, run_id: str) -> bool:
    """Whether a URL of the run, or a robots.txt, was rate limited to the end (specification §7.1)."""
    urls = select(func.count()).select_from(run_urls).where(_limited(run_id))
    files = select(func.count()).where(
        robots_seen.c.run_id == run_id, robots_seen.c.outcome == "unavailable", robots_seen.c.status == 429
    )
    return bool(conn.execute(urls).scalar_one() or conn.execute(files).scalar_one())


def _limited(run_id: str) -> Any:
    return (
        (run_urls.c.run_id == run_id)
        & (run_urls.c.state == "failed")
        & run_urls.c.reason.like("rate\\_limited%", escape="\\")
    )
