"""Open and clear the alerts of a source: its pages, its start URL, its runs, its circuit breaker, its changes and
their absence. Functions over a Connection, in the transaction that ends a page or a run; `find_unchanging` is
pure.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, func, select

from rori_spiders.items import PERMANENT_REDIRECTS, PageItem
from rori_spiders.ledger.operations import alerts
from rori_spiders.ledger.operations.source_status import SourceState
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.tables import pages, robots_seen, run_urls, versions
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.reviews.events import (
    BREAKER,
    CONTENT_CHANGED,
    EVENT_MESSAGES,
    EVENT_OF_PAGE_REASON,
    EVENT_OF_START_VERDICT,
    EVENTS,
    FEW_PAGES,
    FIELDS_CHANGED,
    INCOMPLETE,
    LOST_VERDICTS,
    MISSING_VERDICTS,
    NO_CHANGE,
    PAGE_BLOCKED,
    PAGE_LIMIT,
    PAGE_MISSING,
    PAGES_FAILING,
    PAGES_UNREAD,
    START_EVENTS,
    START_REDIRECTS,
)
from rori_spiders.runtime.plurals import format_count, format_page_numbers

#: The most pages that one alert lists; a problem of more pages is a problem of the site.
MAX_PAGES_PER_ITEM = 200
#: The message about a run that ended in this state.
_EVENT_OF_STATE = {"suspect": FEW_PAGES, "incomplete": INCOMPLETE}
_ENDED_WELL = frozenset({"captured", "unchanged"})
_LOST_EVENTS = frozenset({PAGE_MISSING, PAGE_BLOCKED})
_PAGE_EVENTS = frozenset(EVENT_OF_PAGE_REASON.values()) | _LOST_EVENTS
#: Servers of agencies are away for hours, or over a weekend; who collects weekly has asked twice by then.
_FAILING_FOR = timedelta(days=7)
_CLOSED_BY_ROBOTS = frozenset({ReasonCode.ROBOTS_DISALLOWED, ReasonCode.ROBOTS_DISALLOWED_TARGET})
#: One open item a source and event.
_CAUSE = "review"


def note_page(conn: Connection, item: PageItem, *, is_start: bool, reason: str, now: datetime) -> None:
    """Take in how a page has ended. *reason* is the item's, without secrets; *is_start*: it is its source's start."""
    visit = item.visit
    if visit.kind != "page":
        return
    opened = {one["event"]: one["pages"] or [] for one in alerts.open_alerts(conn, visit.source_id)}
    event, urls = _page_event(item, is_start=is_start), [visit.url]
    if event in _LOST_EVENTS and not (urls := _held_urls(conn, item)):
        event = None  # no text of it is held: nothing is lost
    if event is not None or not (item.state == "failed" or item.reason.code == ReasonCode.REDIRECTED):
        answered = [visit.url]
        if item.state in _ENDED_WELL and opened.keys() & _LOST_EVENTS:
            answered += page_history.held_former_urls(conn, visit.source_id, visit.url)
        for one in opened.keys() & (_PAGE_EVENTS - {event}):
            _remove_pages(conn, visit.source_id, one, opened[one], answered, now)
    if event is not None:
        listed = [*_pages_without(urls, opened.get(event, ())), *urls]
        _open_page_item(conn, visit.source_id, event, listed, reason, now)
    _note_unread(conn, item, opened, now)
    if is_start:
        _note_redirect(conn, item, opened, now)
        _note_start(conn, item, opened, reason, now)


def _page_event(item: PageItem, *, is_start: bool) -> str | None:
    if item.state == "excluded":
        return PAGE_BLOCKED if item.reason.code in _CLOSED_BY_ROBOTS and not is_start else None
    if item.state != "failed":
        return None
    kind = None if item.verdict is None else item.verdict.kind
    event = PAGE_MISSING if kind in MISSING_VERDICTS else PAGE_BLOCKED if kind in LOST_VERDICTS else None
    if event is None or (is_start and kind in EVENT_OF_START_VERDICT):
        return EVENT_OF_PAGE_REASON.get(item.reason.code)
    return event


def _held_urls(conn: Connection, item: PageItem) -> list[str]:
    """The addresses of the text that the page of *item* had: its own, or those that redirect to it by now."""
    source_id, url = item.visit.source_id, item.visit.url
    page = page_history.find_page(conn, source_id, url)
    is_held = page is not None and page.last_seq and page.gone_at is None
    return [url] if is_held else page_history.held_former_urls(conn, source_id, url)


def _note_unread(conn: Connection, item: PageItem, opened: Mapping[str, Sequence[str]], now: datetime) -> None:
    """Whether the page's text lacks pages of its document. Without a text made anew, all stays as it was."""
    visit, pages = item.visit, opened.get(PAGES_UNREAD, ())
    if item.state == "gone":
        _remove_pages(conn, visit.source_id, PAGES_UNREAD, pages, [visit.url], now)
    elif item.converted is None or item.state not in _ENDED_WELL:
        return
    elif numbers := item.converted.hints.unread_pages:
        of_last = f"{visit.url}, {format_page_numbers(numbers)}"
        _open_page_item(
            conn, visit.source_id, PAGES_UNREAD, [*_pages_without([visit.url], pages), visit.url], of_last, now
        )
    else:
        _remove_pages(conn, visit.source_id, PAGES_UNREAD, pages, [visit.url], now)


def _note_redirect(conn: Connection, item: PageItem, opened: Mapping[str, Sequence[str]], now: datetime) -> None:
    """Whether the manifest's URL redirects for good to another address of the source, which is collected instead."""
    if item.visit.hops:
        return  # that is where it leads
    if (target := _redirect_target(item)) is not None:
        message = f"the start URL redirects permanently to {target}"
        open_item(conn, item.visit.source_id, START_REDIRECTS, message, pages=[item.visit.url], now=now)
    elif START_REDIRECTS in opened and item.state in _ENDED_WELL:
        clear_item(conn, item.visit.source_id, START_REDIRECTS, now=now)


def _redirect_target(item: PageItem) -> str | None:
    if item.alias_of is not None and item.state == "excluded":
        return item.alias_of if item.attempts and item.attempts[-1].status in PERMANENT_REDIRECTS else None
    facts = item.fetched
    if facts is None or item.state not in _ENDED_WELL or not facts.redirects:
        return None
    return facts.final_url if facts.redirects[0][0] in PERMANENT_REDIRECTS else None


def _note_start(
    conn: Connection, item: PageItem, opened: Mapping[str, Sequence[str]], reason: str, now: datetime
) -> None:
    event = _start_event(item)
    answers = item.state in _ENDED_WELL or (item.verdict is not None and item.verdict.kind == "content")
    if event is None and not answers:
        return  # a server error or a redirect to the canonical page: no evidence about the source
    for one in START_EVENTS:
        if one == event:
            _open_page_item(conn, item.visit.source_id, one, [item.visit.url], reason, now)
        elif one in opened:
            clear_item(conn, item.visit.source_id, one, now=now)


def _start_event(item: PageItem) -> str | None:
    if item.state == "gone":
        return "source_moved"
    if item.state == "excluded":
        if item.reason.code in _CLOSED_BY_ROBOTS:
            return "robots_forbids"
        is_for_good = bool(item.attempts) and item.attempts[-1].status in PERMANENT_REDIRECTS
        return "source_moved" if is_for_good and item.reason.code == ReasonCode.REDIRECTED_OFF_SITE else None
    if item.state != "failed":
        return None
    if item.reason.code == ReasonCode.CRAWL_DELAY:
        return "crawl_delay"
    if item.reason.code in {ReasonCode.ROBOTS_UNAVAILABLE, ReasonCode.ROBOTS_WALL}:
        is_rate_limited = item.reason.detail.get("http_status") == 429
        return None if is_rate_limited else "robots_unreachable"  # of rate limits `note_run` tells
    return EVENT_OF_START_VERDICT.get(item.verdict.kind) if item.verdict is not None else None


def _pages_without(urls: Collection[str], pages: Iterable[str]) -> list[str]:
    return [one for one in pages if one not in urls][: MAX_PAGES_PER_ITEM - 1]


def _remove_pages(
    conn: Connection, source_id: str, event: str, pages: Sequence[str], urls: Collection[str], now: datetime
) -> None:
    if set(pages).isdisjoint(urls):
        return
    if left := _pages_without(urls, pages):
        _open_page_item(conn, source_id, event, left, None, now)
    else:
        clear_item(conn, source_id, event, now=now)


def _open_page_item(
    conn: Connection, source_id: str, event: str, pages: Sequence[str], reason: str | None, now: datetime
) -> None:
    message = EVENT_MESSAGES[event]
    if event not in START_EVENTS:
        at_least = "At least " if len(pages) >= MAX_PAGES_PER_ITEM else ""  # the list is full
        message = f"{at_least}{format_count(len(pages), 'page')} {message}{f': {reason}' if reason else ''}"
    elif reason:
        message = f"start URL: {reason}"
    open_item(conn, source_id, event, message, pages=pages, now=now)


def note_gone(conn: Connection, source_id: str, url: str, *, now: datetime) -> None:
    """A page was accepted as gone, be it of an older run: it is missing no more, and has no text."""
    for one in alerts.open_alerts(conn, source_id):
        if one["event"] in {PAGE_MISSING, PAGE_BLOCKED, PAGES_UNREAD}:
            _remove_pages(conn, source_id, one["event"], one["pages"] or [], [url], now)


def note_run(
    conn: Connection, source_id: str, run_id: str, *, rate_limited: bool, is_stretched: bool, words: str, now: datetime
) -> None:
    """Take in what a run's end made of its source's interval: *words*, and whether it *is_stretched*."""
    if rate_limited:
        limited = (
            select(run_urls.c.url)
            .where(_is_rate_limited_row(run_id))
            .order_by(run_urls.c.settled_at)
            .limit(MAX_PAGES_PER_ITEM)
        )
        message = f"the server rate limited the run until the retries were exhausted; new interval: {words}"
        open_item(conn, source_id, "rate_limited", message, pages=list(conn.execute(limited).scalars()), now=now)
    elif not is_stretched:
        clear_item(conn, source_id, "rate_limited", now=now)


def note_pages(conn: Connection, source_id: str, *, state: str, reason: Reason | None, now: datetime) -> None:
    """Note whether a run that ended in *state* found all pages of the source, and as many as its baseline."""
    if state in _EVENT_OF_STATE:
        open_item(conn, source_id, _EVENT_OF_STATE[state], reason or "", now=now)
    elif state == "complete":
        for event in _EVENT_OF_STATE.values():
            clear_item(conn, source_id, event, now=now)
        if reason is not None and reason.code == ReasonCode.COMPLETE_TO_LIMIT:
            open_item(conn, source_id, PAGE_LIMIT, reason, now=now)
        else:
            clear_item(conn, source_id, PAGE_LIMIT, now=now)


def note_failing(conn: Connection, source_id: str, run_id: str, *, now: datetime) -> None:
    """Note which pages the complete run could not read, as none since `_FAILING_FOR`, and no other alert lists."""
    other_alerts = run_urls.c.verdict.in_(LOST_VERDICTS | MISSING_VERDICTS)
    query = (
        select(pages.c.url, pages.c.last_seen_at, run_urls.c.reason)
        .join(run_urls, run_urls.c.url_hash == pages.c.url_hash)
        .where(
            run_urls.c.run_id == run_id,
            run_urls.c.state == "failed",
            run_urls.c.verdict.is_(None) | ~other_alerts,
            run_urls.c.reason_code.not_in(EVENT_OF_PAGE_REASON),
            pages.c.source_id == source_id,
            pages.c.last_seq > 0,
            pages.c.gone_at.is_(None),
            pages.c.last_seen_at < now - _FAILING_FOR,
        )
        .order_by(pages.c.last_seen_at, pages.c.url)
        .limit(MAX_PAGES_PER_ITEM)
    )
    found = conn.execute(query).all()
    if not found:
        clear_item(conn, source_id, PAGES_FAILING, now=now)
        return
    since = f"last read {found[0].last_seen_at:%Y-%m-%d} UTC: {found[0].reason}"
    _open_page_item(conn, source_id, PAGES_FAILING, [row.url for row in found], since, now)


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


def clear_item(conn: Connection, source_id: str, event: str, *, now: datetime) -> bool:
    """Clear the alert; False if there was none."""
    return alerts.clear_alert(conn, source_id=source_id, event=event, cause=_CAUSE, now=now)


def was_rate_limited(conn: Connection, run_id: str) -> bool:
    """Whether a URL of the run, or a robots.txt, was rate limited to the end (specification §7.1)."""
    urls = select(func.count()).select_from(run_urls).where(_is_rate_limited_row(run_id))
    files = select(func.count()).where(
        robots_seen.c.run_id == run_id, robots_seen.c.outcome == "unavailable", robots_seen.c.status == 429
    )
    return bool(conn.execute(urls).scalar_one() or conn.execute(files).scalar_one())


def _is_rate_limited_row(run_id: str) -> Any:
    return (
        (run_urls.c.run_id == run_id)
        & (run_urls.c.state == "failed")
        & run_urls.c.reason_code.in_((ReasonCode.RATE_LIMITED, ReasonCode.COOLING_DOWN))
    )


# A source as a whole: its breaker, its changes, and that it has none.

#: Specification §7.3: "No changes detected in 30 days".
NO_CHANGE_FOR = timedelta(days=30)


def note_breaker(
    conn: Connection, source_id: str, state: SourceState, *, run_reason: str | None, now: datetime
) -> None:
    """Tell that the breaker holds the source, with why its last run failed."""
    if state.paused_by != "breaker":
        return
    why = f"; last failure: {run_reason}" if run_reason else ""
    open_item(conn, source_id, BREAKER, f"{state.paused_reason}: paused until a person resumes it{why}", now=now)


def note_resumed(conn: Connection, source_id: str, *, now: datetime) -> None:
    """A person has resumed the source."""
    clear_item(conn, source_id, BREAKER, now=now)


def note_changes(conn: Connection, source_id: str, run_id: str, *, now: datetime) -> None:
    """Tell what a run changed, once it has ended; nothing when it changed nothing."""
    changed = select(pages.c.url).join(versions, versions.c.page_id == pages.c.page_id)
    of_run = changed.where(pages.c.source_id == source_id, versions.c.run_id == run_id)
    urls = list(conn.execute(of_run.order_by(pages.c.url)).scalars())
    if not urls:
        return
    is_new = alerts.raise_alert_once(
        conn,
        source_id=source_id,
        event=CONTENT_CHANGED,
        cause=run_id,
        severity=EVENTS[CONTENT_CHANGED].severity,
        message=f"{format_count(len(urls), 'page')} changed in run {run_id}",
        pages=urls[:MAX_PAGES_PER_ITEM],
        now=now,
    )
    if is_new:
        alerts.clear_alert(conn, source_id=source_id, event=CONTENT_CHANGED, cause=run_id, now=now)
    clear_item(conn, source_id, NO_CHANGE, now=now)


def note_fields(conn: Connection, source_id: str, fields: Sequence[str], *, now: datetime) -> None:
    """Tell which fields of a source have another value; nothing when none has."""
    if not fields:
        return
    cause = f"{now:%Y-%m-%dT%H:%M:%S.%fZ}"
    alerts.raise_alert_once(
        conn,
        source_id=source_id,
        event=FIELDS_CHANGED,
        cause=cause,
        severity=EVENTS[FIELDS_CHANGED].severity,
        message=f"{format_count(len(fields), 'field')} changed: {', '.join(fields)}",
        now=now,
    )
    alerts.clear_alert(conn, source_id=source_id, event=FIELDS_CHANGED, cause=cause, now=now)


def find_unchanging(source_ids: Iterable[str], states: Mapping[str, SourceState]) -> dict[str, str]:
    """The sources in which the checks of 30 days found no change -> that in words.

    Only what was looked at counts: from the last change to the last successful check, not to now.
    """
    found = {}
    for source_id in source_ids:
        state = states.get(source_id)
        if state is None or state.last_changed_at is None or state.last_checked_at is None:
            continue
        if state.last_checked_at - state.last_changed_at >= NO_CHANGE_FOR:
            found[source_id] = (
                f"no change between {state.last_changed_at:%Y-%m-%d} and the last check on "
                f"{state.last_checked_at:%Y-%m-%d}"
            )
    return found


def note_unchanging(conn: Connection, found: Mapping[str, str], watched: Iterable[str], *, now: datetime) -> None:
    """Open the items of the sources that were *found*, and clear those of other *watched* ones."""
    is_open = {one["source_id"] for one in alerts.open_alerts(conn) if one["event"] == NO_CHANGE}
    for source_id in watched:
        if source_id in found and source_id not in is_open:
            open_item(conn, source_id, NO_CHANGE, found[source_id], now=now)
        elif source_id in is_open and source_id not in found:
            clear_item(conn, source_id, NO_CHANGE, now=now)
