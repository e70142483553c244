"""Alerts: one open a source, event and cause, until it clears."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select, text, update

from rori_spiders.ledger.dialects import only_writer
from rori_spiders.ledger.sources import state_of
from rori_spiders.ledger.tables import alerts
from rori_spiders.redaction import of_process

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection


def raise_alert(
    conn: Connection,
    *,
    source_id: str,
    event: str,
    cause: str,
    severity: str,
    message: str,
    pages: Sequence[str] = (),
    now: datetime,
) -> bool:
    """Open the alert of this cause, or bring the open one's message and pages up to date; True when it is new.

    *source_id* is "" for what concerns no single source. Of a source that a person has paused nothing is raised.
    """
    if source_id and state_of(conn, source_id).paused_by == "person":
        return False
    only_writer(conn, alerts)
    redact = of_process()
    told = {"severity": severity, "message": redact.text(message), "pages": [redact.url(page) for page in pages]}
    if conn.execute(update(alerts).where(_open(source_id, event, cause)).values(told)).rowcount:
        return False
    conn.execute(alerts.insert().values(source_id=source_id, event=event, cause=cause, opened_at=now, **told))
    return True


def raise_once(conn: Connection, *, source_id: str, event: str, cause: str, **told: Any) -> bool:
    """As ``raise_alert``; but one of this cause that has cleared is not opened again. True when it is new."""
    only_writer(conn, alerts)
    same = (alerts.c.source_id == source_id) & (alerts.c.event == event) & (alerts.c.cause == cause)
    before = conn.execute(select(alerts.c.cleared_at).where(same)).scalars().all()
    if before and None not in before:
        return False
    return raise_alert(conn, source_id=source_id, event=event, cause=cause, **told)


def clear_others(conn: Connection, *, event: str, beginning: str, cause: str, now: datetime) -> None:
    """Close the open alerts of no single source whose cause begins so, but for that of *cause*."""
    others = alerts.c.cause.startswith(beginning, autoescape=True) & (alerts.c.cause != cause)
    same = (alerts.c.source_id == "") & (alerts.c.event == event) & alerts.c.cleared_at.is_(None)
    conn.execute(update(alerts).where(same & others).values(cleared_at=now))


def clear_alert(conn: Connection, *, source_id: str, event: str, cause: str, now: datetime) -> bool:
    """Close the open alert of this cause; False when there is none."""
    done = conn.execute(update(alerts).where(_open(source_id, event, cause)).values(cleared_at=now))
    return done.rowcount > 0


def open_alerts(conn: Connection, source_id: str | None = None) -> list[dict[str, Any]]:
    """The alerts that have not cleared, oldest first; of one source, or of all."""
    query = select(alerts).where(alerts.c.cleared_at.is_(None)).order_by(alerts.c.alert_id)
    if source_id is not None:
        query = query.where(alerts.c.source_id == source_id)
    return [{**row} for row in conn.execute(query).mappings()]


def is_open(conn: Connection, *, source_id: str, event: str, cause: str) -> bool:
    """Whether the alert of this cause is open."""
    return conn.execute(select(alerts.c.alert_id).where(_open(source_id, event, cause))).first() is not None


def numbers_open(conn: Connection) -> dict[str, int]:
    """Source -> how many of its alerts have not cleared; the key "" is those of no single source."""
    query = select(alerts.c.source_id, func.count()).where(text("cleared_at IS NULL")).group_by(alerts.c.source_id)
    return {row[0]: row[1] for row in conn.execute(query)}


def listed(conn: Connection, source_id: str | None = None, *, cleared: bool = False) -> list[dict[str, Any]]:
    """The open alerts, with *cleared* all that there ever were, oldest first; of one source, or of all."""
    if not cleared:
        return open_alerts(conn, source_id)
    query = select(alerts).order_by(alerts.c.alert_id)
    if source_id is not None:
        query = query.where(alerts.c.source_id == source_id)
    return [{**row} for row in conn.execute(query).mappings()]


def alert(conn: Connection, alert_id: int) -> dict[str, Any] | None:
    """One alert; None when there is none of this number."""
    row = conn.execute(select(alerts).where(alerts.c.alert_id == alert_id)).mappings().one_or_none()
    return {**row} if row is not None else None


def _open(source_id: str, event: str, cause: str) -> ColumnElement[bool]:
    same = (alerts.c.source_id == source_id) & (alerts.c.event == event) & (alerts.c.cause == cause)
    return same & alerts.c.cleared_at.is_(None)
