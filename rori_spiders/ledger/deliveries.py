"""Deliveries: which alerts were told through which channel, which were tried in vain, and who sends now.

A channel is a name; what is behind it, settings say. Functions over a Connection.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import or_, select, update

from rori_spiders.ledger.dialects import only_writer, put
from rori_spiders.ledger.tables import alert_channels, alert_deliveries, alerts
from rori_spiders.redaction import of_process

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Connection

#: Waits after the first, second, ... try in vain: the eighth, two days and a half after the first, is the last.
WAITS = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=15),
    timedelta(hours=1),
    timedelta(hours=6),
    timedelta(days=1),
    timedelta(days=1),
)
#: Longer than a channel may take to answer; whoever dies meanwhile keeps the others out no longer than this.
CLAIM = timedelta(minutes=2)
#: Alerts that cleared longer ago are told to nobody any more.
_LOOK_BACK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Delivery:
    """What became of telling one alert through one channel. Times are UTC."""

    alert_id: int
    what: str  # opened | cleared
    tries: int
    next_try_at: datetime | None
    delivered: bool
    error: str | None

    def is_due(self, now: datetime) -> bool:
        return not self.delivered and self.next_try_at is not None and self.next_try_at <= now


def recent(conn: Connection, *, now: datetime) -> list[dict[str, Any]]:
    """The alerts that may still have to be told: the open ones, and those that cleared lately; oldest first."""
    lately = or_(alerts.c.cleared_at.is_(None), alerts.c.cleared_at >= now - _LOOK_BACK)
    return [{**row} for row in conn.execute(select(alerts).where(lately).order_by(alerts.c.alert_id)).mappings()]


def of_channel(conn: Connection, channel: str, *, now: datetime) -> dict[tuple[int, str], Delivery]:
    """(alert, what) -> its delivery through *channel*, of the alerts that ``recent`` gives."""
    lately = or_(alerts.c.cleared_at.is_(None), alerts.c.cleared_at >= now - _LOOK_BACK)
    query = _deliveries().join(alerts, alerts.c.alert_id == alert_deliveries.c.alert_id)
    rows = conn.execute(query.where(alert_deliveries.c.channel == channel, lately))
    return {(row.alert_id, row.what): Delivery(*row) for row in rows}


def of_alert(conn: Connection, alert_id: int) -> list[dict[str, Any]]:
    """The deliveries of one alert, by channel."""
    query = select(alert_deliveries).where(alert_deliveries.c.alert_id == alert_id)
    ordered = query.order_by(alert_deliveries.c.channel, alert_deliveries.c.tried_at)
    return [{**row} for row in conn.execute(ordered).mappings()]


def _deliveries() -> Any:
    names = ("alert_id", "what", "tries", "next_try_at", "delivered", "error")
    return select(*(alert_deliveries.c[name] for name in names))


def claim(conn: Connection, channel: str, *, by: str, now: datetime) -> bool:
    """Whether *by* is the one who sends through *channel*, for the time of CLAIM. To be called first in a transaction.

    A claim that reaches further into the future than one can was made by a clock that has been set back: it is void.
    """
    only_writer(conn, alert_channels)
    row = conn.execute(select(alert_channels).where(alert_channels.c.channel == channel)).one_or_none()
    if row is not None and row.claimed_until is not None and now < row.claimed_until <= now + CLAIM:
        return False
    put(conn, alert_channels, [{"channel": channel, "claimed_by": by, "claimed_until": now + CLAIM}])
    return True


def sent_at(conn: Connection, channel: str) -> datetime | None:
    """When a message last went out through *channel*."""
    return conn.execute(select(alert_channels.c.sent_at).where(alert_channels.c.channel == channel)).scalar()


def note_tries(
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
                "next_try_at": now + WAITS[tries - 1] if tries <= len(WAITS) else None,
                "delivered": False,
                "error": "the program ended before there was an answer",
            }
        )
    put(conn, alert_deliveries, rows)


def note_result(
    conn: Connection, channel: str, tried: Iterable[tuple[int, str]], *, error: str | None, now: datetime
) -> None:
    """What became of the message with them; None: it was delivered."""
    values: dict[str, Any] = {"delivered": error is None, "error": of_process().text(error) if error else None}
    if error is None:
        values["next_try_at"] = None
        put(conn, alert_channels, [{"channel": channel, "sent_at": now}])
    for alert_id, what in tried:
        same = (alert_deliveries.c.alert_id == alert_id) & (alert_deliveries.c.what == what)
        conn.execute(update(alert_deliveries).where(same, alert_deliveries.c.channel == channel).values(values))


def release(conn: Connection, channel: str, *, by: str) -> None:
    """Let others send through *channel* again."""
    mine = (alert_channels.c.channel == channel) & (alert_channels.c.claimed_by == by)
    conn.execute(update(alert_channels).where(mine).values(claimed_by=None, claimed_until=None))
