"""Reading the open review items, with the evidence that the audit has of their pages."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.operations import alerts
from rori_spiders.ledger.pages import held_pages
from rori_spiders.ledger.runs import frontier
from rori_spiders.ledger.tables import runs
from rori_spiders.reviews.events import EVENT_OF_PAGE_REASON, EVENTS, HIGH, MASS_REMOVAL

_LOOK_BACK = 5  # ends of a page


@dataclass(frozen=True, slots=True)
class ReviewPage:
    """A page of an item: how it ended last, in which run and when it came here, the hash of its bytes in the store."""

    url: str
    reason: str | None
    raw_hash: str | None
    run_id: str | None = None
    ended_at: str = ""  # ISO 8601, UTC


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One open item. ``since`` is UTC."""

    source_id: str
    event: str
    severity: str
    since: datetime
    message: str
    to_do: str
    pages: tuple[ReviewPage, ...]


def open_items(conn: Connection, sources: Container[str]) -> list[ReviewItem]:
    """The open items of these *sources*, the most urgent first, then the oldest."""
    found = [one for one in alerts.open_alerts(conn) if one["event"] in EVENTS and one["source_id"] in sources]
    items = [_read_item(conn, one) for one in found]
    return sorted(items, key=lambda item: (item.severity != HIGH, item.since))


def count_open_items(conn: Connection, sources: Container[str]) -> int:
    """How many items of these *sources* are open."""
    return sum(one["event"] in EVENTS and one["source_id"] in sources for one in alerts.open_alerts(conn))


def _read_item(conn: Connection, alert: Mapping[str, Any]) -> ReviewItem:
    source_id = alert["source_id"]
    pages = tuple(_read_page(conn, source_id, alert["event"], url) for url in alert["pages"] or ())
    return ReviewItem(
        source_id=source_id,
        event=alert["event"],
        severity=alert["severity"],
        since=alert["opened_at"],
        message=alert["message"],
        to_do=recommended_action(conn, alert, pages),
        pages=pages,
    )


def recommended_action(conn: Connection, alert: Mapping[str, Any], pages: Sequence[ReviewPage]) -> str:
    """What a person can do about an *alert* with these *pages*, naming its source and its run."""
    source_id = alert["source_id"]
    if alert["event"] == MASS_REMOVAL:
        run = next((run_id for run_id, _, _ in held_pages.runs_with_held_pages(conn, 1, source_id=source_id)), None)
    else:
        run = max(pages, key=lambda page: page.ended_at).run_id if pages else _last_suspect_run(conn, source_id)
    return EVENTS[alert["event"]].to_do.format(id=source_id, run=run or "RUN")


def _last_suspect_run(conn: Connection, source_id: str) -> str | None:
    """The last run that found too few pages: what a person may accept."""
    suspect = select(runs.c.run_id).where(runs.c.source_id == source_id, runs.c.state == "suspect")
    return conn.execute(suspect.order_by(runs.c.started_at.desc()).limit(1)).scalar()


def _read_page(conn: Connection, source_id: str, event: str, url: str) -> ReviewPage:
    """The page as it ended last; run and bytes are of the end that opened the item, where that is not long ago."""
    rows = list(audit_log.query_rows(conn, source_id=source_id, url=url, limit=_LOOK_BACK))
    if not rows:
        return ReviewPage(url, None, None)
    failures = [row for row in reversed(rows) if row["state"] == "failed"]
    telling = [row for row in failures if EVENT_OF_PAGE_REASON.get(frontier.reason_code_of(conn, row) or "") == event]
    raw_hash = next((row["raw_hash"] for row in (*telling, *failures) if row["raw_hash"]), None)
    of = telling[0] if telling else rows[-1]
    return ReviewPage(url, rows[-1]["reason"], raw_hash, str(of["run_id"]), str(of["timestamp"]))
