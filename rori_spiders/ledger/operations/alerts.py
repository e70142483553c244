"""Alerts: one open per source, event and cause until it clears; and their deliveries: what was sent through which
channel, what failed, and who sends now.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, or_, select, text, update

from rori_spiders.ledger.audit.fact_log import note_fact
from rori_spiders.ledger.dialects import lock_for_writing, upsert
from rori_spiders.ledger.operations.source_status import load_state
from rori_spiders.ledger.tables import alert_channels, alert_deliveries, alerts
from rori_spiders.runtime.redaction import get_redactor


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
    if source_id and load_state(conn, source_id).paused_by == "person":
        return False
    lock_for_writing(conn, alerts)
    redact = get_redactor()
    values = {"severity": severity, "message": redact.text(message), "pages": [redact.url(page) for page in pages]}
    found = conn.execute(select(alerts).where(_is_open_alert(source_id, event, cause))).mappings().one_or_none()
    if found is None:
        new = alerts.insert().values(source_id=source_id, event=event, cause=cause, opened_at=now, **values)
        note_fact(conn, "alert", conn.execute(new.returning(alerts.c.alert_id)).scalar_one())
        return True
    if any(found[name] != value for name, value in values.items()):
        _change(conn, alerts.c.alert_id == found["alert_id"], values)
    return False


def raise_alert_once(conn: Connection, *, source_id: str, event: str, cause: str, **alert_values: Any) -> bool:
    """As ``raise_alert``; but one of this cause that has cleared is not opened again. True when it is new."""
    lock_for_writing(conn, alerts)
    same = (alerts.c.source_id == source_id) & (alerts.c.event == event) & (alerts.c.cause == cause)
    before = conn.execute(select(alerts.c.cleared_at).where(same)).scalars().all()
    if before and None not in before:
        return False
    return raise_alert(conn, source_id=source_id, event=event, cause=cause, **alert_values)


def clear_other_alerts(conn: Connection, *, event: str, beginning: str, cause: str, now: datetime) -> None:
    """Close the open alerts of no single source whose cause begins so, but for that of *cause*."""
    others = alerts.c.cause.startswith(beginning, autoescape=True) & (alerts.c.cause != cause)
    same = (alerts.c.source_id == "") & (alerts.c.event == event) & alerts.c.cleared_at.is_(None)
    _change(conn, same & others, {"cleared_at": now})


def clear_alert(conn: Connection, *, source_id: str, event: str, cause: str, now: datetime) -> bool:
    """Close the open alert of this cause; False when there is none."""
    return _change(conn, _is_open_alert(source_id, event, cause), {"cleared_at": now}) > 0


def open_alerts(conn: Connection, source_id: str | None = None) -> list[dict[str, Any]]:
    """The alerts that have not cleared, oldest first; of one source, or of all."""
    query = select(alerts).where(alerts.c.cleared_at.is_(None)).order_by(alerts.c.alert_id)
    if source_id is not None:
        query = query.where(alerts.c.source_id == source_id)
    return [{**row} for row in conn.execute(query).mappings()]


def is_alert_open(conn: Connection, *, source_id: str, event: str, cause: str) -> bool:
    """Whether the alert of this cause is open."""
    return conn.execute(select(alerts.c.alert_id).where(_is_open_alert(source_id, event, cause))).first() is not None


def count_open_alerts(conn: Connection) -> dict[str, int]:
    """Source -> how many of its alerts have not cleared; the key "" is those of no single source."""
    query = select(alerts.c.source_id, func.count()).where(text("cleared_at IS NULL")).group_by(alerts.c.source_id)
    return {row[0]: row[1] for row in conn.execute(query)}


def list_alerts(conn: Connection, source_id: str | None = None, *, cleared: bool = False) -> list[dict[str, Any]]:
    """The open alerts, with *cleared* all that there ever were, oldest first; of one source, or of all."""
    if not cleared:
        return open_alerts(conn, source_id)
    query = select(alerts).order_by(alerts.c.alert_id)
    if source_id is not None:
        query = query.where(alerts.c.source_id == source_id)
    return [{**row} for row in conn.execute(query).mappings()]


def find_alert(conn: Connection, alert_id: int) -> dict[str, Any] | None:
    """One alert; None when there is none of this number."""
    row = conn.execute(select(alerts).where(alerts.c.alert_id == alert_id)).mappings().one_or_none()
    return {**row} if row is not None else None


def _change(conn: Connection, which: ColumnElement[bool], values: dict[str, Any]) -> int:
    changed = conn.execute(update(alerts).where(which).values(values).returning(alerts.c.alert_id)).scalars().all()
    for alert_id in changed:
        note_fact(conn, "alert", alert_id)
    return len(changed)


def _is_open_alert(source_id: str, event: str, cause: str) -> ColumnElement[bool]:
    same = (alerts.c.source_id == source_id) & (alerts.c.event == event) & (alerts.c.cause == cause)
    return same & alerts.c.cleared_at.is_(None)


# Deliveries: which alerts were sent through which channel, which were tried in vain, and who sends now. A channel is
# a name; what is behind it, settings say. Functions over a Connection.

#: Waits after the first, second, ... try in vain: the eighth, two days and a half after the first, is the last.
RETRY_DELAYS = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=15),
    timedelta(hours=1),
    timedelta(hours=6),
    timedelta(days=1),
    timedelta(days=1),
)
#: Longer than a channel may take to answer; a sender that dies keeps the others out no longer than this.
CLAIM_PERIOD = timedelta(minutes=2)
#: Alerts that cleared longer ago are not sent any more.
_LOOK_BACK_PERIOD = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Delivery:
    """The delivery of one alert through one channel. Times are UTC."""

    alert_id: int
    what: str  # opened | cleared
    tries: int
    next_try_at: datetime | None
    delivered: bool
    error: str | None

    def is_due(self, now: datetime) -> bool:
        return not self.delivered and self.next_try_at is not None and self.next_try_at <= now


def alerts_to_deliver(conn: Connection, *, now: datetime) -> list[dict[str, Any]]:
    """The alerts that may still have to be sent: the open ones, and those that cleared lately; oldest first."""
    lately = or_(alerts.c.cleared_at.is_(None), alerts.c.cleared_at >= now - _LOOK_BACK_PERIOD)
    return [{**row} for row in conn.execute(select(alerts).where(lately).order_by(alerts.c.alert_id)).mappings()]


def deliveries_by_channel(conn: Connection, channel: str, *, now: datetime) -> dict[tuple[int, str], Delivery]:
    """(alert, what) -> its delivery through *channel*, of the alerts that ``recent`` gives."""
    lately = or_(alerts.c.cleared_at.is_(None), alerts.c.cleared_at >= now - _LOOK_BACK_PERIOD)
    query = _deliveries_query().join(alerts, alerts.c.alert_id == alert_deliveries.c.alert_id)
    rows = conn.execute(query.where(alert_deliveries.c.channel == channel, lately))
    return {(row.alert_id, row.what): Delivery(*row) for row in rows}


def deliveries_of_alert(conn: Connection, alert_id: int) -> list[dict[str, Any]]:
    """The deliveries of one alert, by channel."""
    query = select(alert_deliveries).where(alert_deliveries.c.alert_id == alert_id)
    ordered = query.order_by(alert_deliveries.c.channel, alert_deliveries.c.tried_at)
    return [{**row} for row in conn.execute(ordered).mappings()]


def _deliveries_query() -> Any:
    names = ("alert_id", "what", "tries", "next_try_at", "delivered", "error")
    return select(*(alert_deliveries.c[name] for name in names))


def is_claimed(until: datetime | None, now: datetime) -> bool:
    """Whether a claim holds at *now*.

    One that reaches further into the future than one can was made by a clock that has been set back: it is void.
    """
    return until is not None and now < until <= now + CLAIM_PERIOD


def claim_channel(conn: Connection, channel: str, *, by: str, now: datetime) -> bool:
    """Whether *by* is the one who sends through *channel*, for CLAIM_PERIOD. To be called first in a transaction."""
    lock_for_writing(conn, alert_channels)
    row = conn.execute(select(alert_channels).where(alert_channels.c.channel == channel)).one_or_none()
    if row is not None and is_claimed(row.claimed_until, now):
        return False
    upsert(conn, alert_channels, [{"channel": channel, "claimed_by": by, "claimed_until": now + CLAIM_PERIOD}])
    return True


def last_sent_at(conn: Connection, channel: str) -> datetime | None:
    """When a message last went out through *channel*."""
    return conn.execute(select(alert_channels.c.sent_at).where(alert_channels.c.channel == channel)).scalar()


def record_attempts(
    conn: Connection,
    channel: str,
    tried: Iterable[tuple[int, str]],
    known: dict[tuple[int, str], Delivery],
    now: datetime,
) -> None:
    """Count a try for each (alert, what) before it is made: one that kills the process counts, too."""
    rows = []
    for alert_id, what in tried:
        before = known.get((alert_id, what))
        tries = 1 + (before.tries if before is not None else 0)
        rows.append(
            {
                "alert_id": alert_id,
                "channel": channel,
                "what": what,
                "tries": tries,
                "tried_at": now,
                "next_try_at": now + RETRY_DELAYS[tries - 1] if tries <= len(RETRY_DELAYS) else None,
                "delivered": False,
                "error": "the program ended before there was an answer",
            }
        )
    upsert(conn, alert_deliveries, rows)


def record_result(
    conn: Connection, channel: str, tried: Iterable[tuple[int, str]], *, error: str | None, now: datetime
) -> None:
    """What became of the message with them; None: it was delivered."""
    values: dict[str, Any] = {"delivered": error is None, "error": get_redactor().text(error) if error else None}
    if error is None:
        values["next_try_at"] = None
        upsert(conn, alert_channels, [{"channel": channel, "sent_at": now}])
    for alert_id, what in tried:
        same = (alert_deliveries.c.alert_id == alert_id) & (alert_deliveries.c.what == what)
        conn.execute(update(alert_deliveries).where(same, alert_deliveries.c.channel == channel).values(values))


def release_channel(conn: Connection, channel: str, *, by: str) -> None:
    """Let others send through *channel* again."""
    own_claim = (alert_channels.c.channel == channel) & (alert_channels.c.claimed_by == by)
    conn.execute(update(alert_channels).where(own_claim).values(claimed_by=None, claimed_until=None))
