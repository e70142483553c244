"""Alerts as a person reads them: rows of a listing, the facts of one, its pages with the way to their evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rori_spiders.ledger import audit
from rori_spiders.reviews import EVENTS
from rori_spiders.terminal.listing import Column
from rori_spiders.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sqlalchemy import Connection

_COLOURS = (("high", "red"), ("warning", "yellow"))
COLUMNS = (
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
PAGE_COLUMNS = (
    Column("url", "page"),
    Column("reason", "how it ended last"),
    Column("run_id", "in run"),
    Column("audit_id", "audit row", right=True),
)
DELIVERY_COLUMNS = (
    Column("channel", "channel"),
    Column("what", "told"),
    Column("state", "state"),
    Column("tries", "tries", right=True),
    Column("tried_at", "last try (UTC)"),
    Column("next_try_at", "next try (UTC)"),
    Column("error", "error"),
)
_ORDER = ("high", "warning", "info")


def ordered(rows: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The open ones first, the most urgent of them first, then the oldest."""
    return sorted(rows, key=lambda row: (row["cleared_at"] is not None, _ORDER.index(row["severity"]), row["alert_id"]))


def row(alert: Mapping[str, Any], *, is_watched: bool) -> dict[str, Any]:
    """One row of the list."""
    note = "" if is_watched or alert["cleared_at"] is not None else "source is stopped: not sent"
    return {**alert, "number_of_pages": len(alert["pages"] or ()), "note": note}


def summary(number: int, *, all_of_them: bool) -> str:
    """The line under the list."""
    if not number:
        return "There was never an alert." if all_of_them else "No alert is open."
    return f"\n{counted(number, 'alert')}. `scrapy alerts NUMBER` shows one, with its pages and what to do."


def facts(conn: Connection, alert: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """One alert's facts, in the order in which people ask."""
    kind = EVENTS.get(alert["event"])
    source_id = alert["source_id"]
    run = next((page["run_id"] for page in pages(conn, alert) if page["run_id"]), None)
    return [
        ("Alert", alert["alert_id"]),
        ("Source", source_id or "all"),
        ("Event", alert["event"]),
        ("Means", kind.opens if kind else None),
        ("Severity", alert["severity"]),
        ("Since", alert["opened_at"]),
        ("Cleared", alert["cleared_at"]),
        ("What happened", alert["message"]),
        ("What to do", kind.to_do.format(id=source_id or "ID", run=run or "RUN") if kind else None),
        ("Clears", f"when {kind.clears}" if kind else None),
    ]


def pages(conn: Connection, alert: Mapping[str, Any]) -> list[dict[str, Any]]:
    """How each of its pages ended last, and the row of the audit that leads to what the server answered."""
    found = []
    for url in alert["pages"] or ():
        rows = list(audit.query(conn, source_id=alert["source_id"], url=url, limit=1))
        last = rows[-1] if rows else {}
        found.append({"url": url, **{name: last.get(name) for name in ("reason", "run_id", "audit_id")}})
    return found


def delivered(rows: Iterable[Mapping[str, Any]], names: Callable[[str], str]) -> list[dict[str, Any]]:
    """The deliveries of one alert; *names* gives what people see of a channel."""
    return [{**row, "channel": names(row["channel"]), "state": _state(row)} for row in rows]


def _state(row: Mapping[str, Any]) -> str:
    if row["delivered"]:
        return "delivered"
    return "given up" if row["next_try_at"] is None else "tried"
