"""What concerns a source as a whole: its breaker, its changes, and that it has none.

Functions over a Connection, in the transaction that ends a run or resumes a source; ``unchanging`` is pure.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select

from rori_spiders.ledger import alerts
from rori_spiders.ledger.tables import pages, versions
from rori_spiders.reviews.events import BREAKER, CONTENT_CHANGED, EVENTS, FIELDS_CHANGED, NO_CHANGE
from rori_spiders.reviews.noting import MOST_PAGES, clear, open_item
from rori_spiders.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.ledger.sources import SourceState

#: Specification §7.3: "No changes detected in 30 days".
NO_CHANGE_FOR = timedelta(days=30)


def note_breaker(
    conn: Connection, source_id: str, state: SourceState, *, run_reason: str | None, now: datetime
) -> None:
    """Tell that the breaker holds the source, with why its last run failed."""
    if state.paused_by != "breaker":
        return
    why = f"; the last one: {run_reason}" if run_reason else ""
    open_item(conn, source_id, BREAKER, f"{state.paused_reason}: it is paused until a person resumes it{why}", now=now)


def note_resumed(conn: Connection, source_id: str, *, now: datetime) -> None:
    """A person has resumed the source."""
    clear(conn, source_id, BREAKER, now=now)


def note_changes(conn: Connection, source_id: str, run_id: str, *, now: datetime) -> None:
    """Tell what a run changed, once it has ended; nothing when it changed nothing."""
    changed = select(pages.c.url).join(versions, versions.c.page_id == pages.c.page_id)
    of_run = changed.where(pages.c.source_id == source_id, versions.c.run_id == run_id)
    urls = list(conn.execute(of_run.order_by(pages.c.url)).scalars())
    if not urls:
        return
    told = alerts.raise_once(
        conn,
        source_id=source_id,
        event=CONTENT_CHANGED,
        cause=run_id,
        severity=EVENTS[CONTENT_CHANGED].severity,
        message=f"{counted(len(urls), 'page')} changed in run {run_id}",
        pages=urls[:MOST_PAGES],
        now=now,
    )
    if told:
        alerts.clear_alert(conn, source_id=source_id, event=CONTENT_CHANGED, cause=run_id, now=now)
    clear(conn, source_id, NO_CHANGE, now=now)


def note_fields(conn: Connection, source_id: str, fields: Sequence[str], *, now: datetime) -> None:
    """Tell which fields of a source have another value; nothing when none has."""
    if not fields:
        return
    cause = f"{now:%Y-%m-%dT%H:%M:%S.%fZ}"
    alerts.raise_once(
        conn,
        source_id=source_id,
        event=FIELDS_CHANGED,
        cause=cause,
        severity=EVENTS[FIELDS_CHANGED].severity,
        message=f"{counted(len(fields), 'field')} changed: {', '.join(fields)}",
        now=now,
    )
    alerts.clear_alert(conn, source_id=source_id, event=FIELDS_CHANGED, cause=cause, now=now)


def unchanging(source_ids: Iterable[str], states: Mapping[str, SourceState]) -> dict[str, str]:
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
            clear(conn, source_id, NO_CHANGE, now=now)
