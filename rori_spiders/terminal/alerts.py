"""Print alerts and review items: rows, facts, the pages of one and its deliveries."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from sqlalchemy import Connection

from rori_spiders.ledger.audit import audit_log
from rori_spiders.reviews import EVENTS, ReviewItem
from rori_spiders.runtime.plurals import format_count
from rori_spiders.staging.layout import object_path
from rori_spiders.terminal.listing import Column

_COLOURS = (("high", "red"), ("warning", "yellow"))
ALERT_COLUMNS = (
    Column("alert_id", "alert", right=True),
    Column("source_id", "source"),
    Column("event", "event"),
    Column("severity", "severity", colours=_COLOURS),
    Column("opened_at", "since (UTC)"),
    Column("cleared_at", "cleared (UTC)"),
    Column("number_of_pages", "pages", right=True),
    Column("message", "what happened"),
    Column("note", "note"),
    Column("pages"),
    Column("cause"),
)
ALERT_PAGE_COLUMNS = (
    Column("url", "page"),
    Column("reason", "last result"),
    Column("run_id", "run"),
    Column("audit_id", "audit row", right=True),
)
DELIVERY_COLUMNS = (
    Column("channel", "channel"),
    Column("what", "message"),
    Column("state", "state"),
    Column("tries", "attempts", right=True),
    Column("tried_at", "last attempt (UTC)"),
    Column("next_try_at", "next attempt (UTC)"),
    Column("error", "error"),
)
_ORDER = ("high", "warning", "info")


def sort_alerts(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Sort open alerts first, then by severity, then by age."""
    return sorted(rows, key=lambda row: (row["cleared_at"] is not None, _ORDER.index(row["severity"]), row["alert_id"]))


def alert_row(alert: Mapping[str, Any], *, is_watched: bool) -> dict[str, Any]:
    """One row of the list."""
    note = "" if is_watched or alert["cleared_at"] is not None else "source is stopped: not sent"
    return {**alert, "number_of_pages": len(alert["pages"] or ()), "note": note}


def alerts_summary(number: int, *, all_of_them: bool) -> str:
    """The line under the list."""
    if not number:
        return "No alerts." if all_of_them else "No open alerts."
    return f"\n{format_count(number, 'alert')}. Details and what to do: scrapy alerts show NUMBER"


def alert_facts(conn: Connection, alert: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of one alert, the most important first."""
    kind = EVENTS.get(alert["event"])
    source_id = alert["source_id"]
    run = next((page["run_id"] for page in alert_page_rows(conn, alert) if page["run_id"]), None)
    return {
        "alert": alert["alert_id"],
        "source": source_id or "all",
        "event": alert["event"],
        "means": kind.opens if kind else None,
        "severity": alert["severity"],
        "since": alert["opened_at"],
        "cleared": alert["cleared_at"],
        "what_happened": alert["message"],
        "what_to_do": kind.to_do.format(id=source_id or "ID", run=run or "RUN") if kind else None,
        "clears": f"when {kind.clears}" if kind else None,
    }


def alert_page_rows(conn: Connection, alert: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The last result of each of its pages, with the audit row of the stored response."""
    found = []
    for url in alert["pages"] or ():
        rows = list(audit_log.query_rows(conn, source_id=alert["source_id"], url=url, limit=1))
        last = rows[-1] if rows else {}
        found.append({"url": url, **{name: last.get(name) for name in ("reason", "run_id", "audit_id")}})
    return found


def delivery_rows(rows: Iterable[Mapping[str, Any]], names: Callable[[str], str]) -> list[dict[str, Any]]:
    """The deliveries of one alert; *names* gives a channel's display name."""
    return [{**row, "channel": names(row["channel"]), "state": _delivery_state(row)} for row in rows]


def _delivery_state(row: Mapping[str, Any]) -> str:
    if row["delivered"]:
        return "delivered"
    return "failed" if row["next_try_at"] is None else "retrying"


# Review items: rows of a listing, the pages of each with their evidence, and a hint.

REVIEW_COLUMNS = (
    Column("id", "source"),
    Column("event", "event"),
    Column("severity", "severity", colours=(("high", "red"), ("warning", "yellow"))),
    Column("since", "since (UTC)"),
    Column("shown_pages", "pages"),
    Column("what", "what happened"),
    Column("to_do", "what to do"),
    Column("pages"),
    Column("evidence"),
)
REVIEW_PAGE_COLUMNS = (
    Column("event", "event"),
    Column("url", "page"),
    Column("reason", "last result"),
    Column("run_id", "run"),
    Column("raw_object", "stored response"),
)


def review_rows(items: Iterable[ReviewItem]) -> Iterator[dict[str, Any]]:
    """One row per item."""
    for item in items:
        urls = [page.url for page in item.pages]
        more = f" and {len(urls) - 1} more" if len(urls) > 1 else ""
        yield {
            "id": item.source_id,
            "event": item.event,
            "severity": item.severity,
            "since": item.since,
            "shown_pages": f"{urls[0]}{more}" if urls else "",
            "what": item.message,
            "to_do": item.to_do,
            "pages": urls,
            "evidence": [
                {key: value for key, value in row.items() if key != "event"} for row in review_page_rows([item])
            ],
        }


def review_page_rows(items: Iterable[ReviewItem]) -> Iterator[dict[str, Any]]:
    """One row per page of each item: its last result and its stored response."""
    for item in items:
        for page in item.pages:
            yield {
                "event": item.event,
                "url": page.url,
                "reason": page.reason,
                "run_id": page.run_id,
                "raw_object": object_path(page.raw_hash) if page.raw_hash else None,
            }


def review_hint(number: int, source_id: str = "") -> str:
    """The line under a summary that counts the review items of one source or of all."""
    shown = f"show {source_id} " if source_id else ""
    return f"{number} review item{'s' * (number != 1)}: scrapy sources {shown}--review"
