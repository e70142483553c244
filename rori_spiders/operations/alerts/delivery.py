"""Deliver the messages that each channel has not received yet, at once or in the daily digest, never twice."""

from __future__ import annotations

import logging
import os
import socket
import threading
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from rori_spiders.exceptions import UsageError
from rori_spiders.ledger.operations import alerts as operations_alerts
from rori_spiders.operations.alerts.channels import send_message
from rori_spiders.operations.alerts.email_message import CLEARED, OPENED, PendingMessage, compose_message
from rori_spiders.reviews import AT_ONCE, DAILY, EVENTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.operations.alerts import Delivery
    from rori_spiders.operations.alerts.channels import Channel

logger = logging.getLogger(__name__)


#: After a message, what comes next waits so long: forty sources that meet the same wall within minutes are two
#: messages, not forty.
MIN_GAP = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class DailyDigest:
    """When the digest goes out: *at* this time of day in *zone*."""

    at: time
    zone: ZoneInfo

    @classmethod
    def parse(cls, text: str) -> DailyDigest:
        """``07:00 America/New_York``; UTC without a zone. Raises UsageError."""
        hour, _, zone = text.strip().partition(" ")
        try:
            return cls(time.fromisoformat(hour), ZoneInfo(zone.strip() or "UTC"))
        except (ValueError, OSError, KeyError):
            raise UsageError(
                f"RORI_ALERT_DIGEST is {text!r}; it must be a time of day and a time zone: 07:00 America/New_York"
            ) from None

    def last(self, now: datetime) -> datetime:
        """The last time that it was to go out, *now* included (UTC)."""
        local = now.astimezone(self.zone)
        today = datetime.combine(local.date(), self.at, self.zone).astimezone(UTC)
        if today <= now:
            return today
        return datetime.combine(local.date() - timedelta(days=1), self.at, self.zone).astimezone(UTC)

    def last_monday(self, now: datetime) -> datetime:
        """The last time on a Monday, *now* included (UTC)."""
        local = self.last(now).astimezone(self.zone)
        return datetime.combine(local.date() - timedelta(days=local.weekday()), self.at, self.zone).astimezone(UTC)


def pending_messages(
    rows: Sequence[Mapping[str, Any]],
    known: Mapping[tuple[int, str], Delivery],
    *,
    is_watched: Callable[[str], bool],
    digest: DailyDigest,
    sent_at: datetime | None,
    now: datetime,
) -> list[PendingMessage]:
    """The messages that are due on a channel: immediate ones, then the digest. Most often there are none.

    *rows* are alerts, *known* their deliveries through the channel; *sent_at* is when it was last used.
    """
    watched = [row for row in rows if is_watched(row["source_id"]) and row["event"] in EVENTS]
    found = []
    if sent_at is None or not timedelta(0) <= now - sent_at < MIN_GAP:
        opened = _unsent_alerts(_open_alerts_to_send(watched, AT_ONCE), known, OPENED, now)
        cleared = _unsent_alerts(_cleared_alerts_to_send(watched, known), known, CLEARED, now)
        found.append(PendingMessage(tuple(opened), tuple(cleared)))
    daily = [row for row in _open_alerts_to_send(watched, DAILY) if row["opened_at"] <= digest.last(now)]
    found.append(PendingMessage(tuple(_unsent_alerts(daily, known, OPENED, now)), is_digest=True))
    return [one for one in found if one]


def _open_alerts_to_send(rows: Iterable[Mapping[str, Any]], how: str) -> list[Mapping[str, Any]]:
    """The open alerts that are sent so."""
    return [row for row in rows if row["cleared_at"] is None and EVENTS[row["event"]].sent == how]


def _cleared_alerts_to_send(
    rows: Iterable[Mapping[str, Any]], known: Mapping[tuple[int, str], Delivery]
) -> list[Mapping[str, Any]]:
    """Cleared alerts whose opening the channel was sent at once."""
    found = []
    for row in rows:
        opened = known.get((row["alert_id"], OPENED))
        was_sent = opened is not None and opened.delivered and EVENTS[row["event"]].sent == AT_ONCE
        if row["cleared_at"] is not None and was_sent:
            found.append(row)
    return found


def _unsent_alerts(
    rows: Iterable[Mapping[str, Any]], known: Mapping[tuple[int, str], Delivery], what: str, now: datetime
) -> list[Mapping[str, Any]]:
    found = []
    for row in rows:
        before = known.get((row["alert_id"], what))
        if before is None or before.is_due(now):
            found.append(row)
    return found


# Delivering what channels are owed: claimed in the ledger, counted before it is tried, recorded after. Never twice. A
# crash between the server's yes and our record is the one case in which a message goes out again.


@dataclass(frozen=True, slots=True)
class DeliveryAttempt:
    """A message that was tried: how many alerts it tells, and why it did not arrive."""

    channel: Channel
    alerts: int
    error: str | None


def deliver_pending(
    ledger: Ledger,
    channels: Sequence[Channel],
    *,
    is_watched: Callable[[str], bool],
    digest: DailyDigest,
    now: datetime,
) -> list[DeliveryAttempt]:
    """Send what is due through all channels concurrently, so that a hanging one delays no other."""
    found: list[DeliveryAttempt] = []

    def one(channel: Channel) -> None:
        try:
            found.extend(_deliver_through(ledger, channel, is_watched=is_watched, digest=digest, now=now))
        except Exception:
            logger.exception("Alerts could not be sent through %(channel)s", {"channel": channel.shown})

    threads = [threading.Thread(target=one, args=(channel,), daemon=True, name="alerts") for channel in channels]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def _deliver_through(
    ledger: Ledger, channel: Channel, *, is_watched: Callable[[str], bool], digest: DailyDigest, now: datetime
) -> list[DeliveryAttempt]:
    def due(conn: Connection) -> list[PendingMessage]:
        return pending_messages(
            operations_alerts.alerts_to_deliver(conn, now=now),
            operations_alerts.deliveries_by_channel(conn, channel.name, now=now),
            is_watched=is_watched,
            digest=digest,
            sent_at=operations_alerts.last_sent_at(conn, channel.name),
            now=now,
        )

    with ledger.connect() as conn:
        if not due(conn):
            return []
    by = f"{socket.gethostname()}:{os.getpid()}:{threading.get_ident()}"
    with ledger.begin() as conn:
        if not operations_alerts.claim_channel(conn, channel.name, by=by, now=now):
            return []
        messages = due(conn)  # another one may have sent them meanwhile
        known = operations_alerts.deliveries_by_channel(conn, channel.name, now=now)
        operations_alerts.record_attempts(conn, channel.name, [key for one in messages for key in one.keys], known, now)
    return [_send_pending(ledger, channel, one, by=by, is_last=one is messages[-1], now=now) for one in messages]


def _send_pending(
    ledger: Ledger, channel: Channel, one: PendingMessage, *, by: str, is_last: bool, now: datetime
) -> DeliveryAttempt:
    error = send_message(channel, compose_message(one, where=str(ledger.place), now=now))
    with ledger.begin() as conn:
        operations_alerts.record_result(conn, channel.name, one.keys, error=error, now=now)
        if is_last:
            operations_alerts.release_channel(conn, channel.name, by=by)
    sent = DeliveryAttempt(channel, len(one.keys), error)
    words = {"number": sent.alerts, "channel": sent.channel.shown, "error": sent.error}
    if sent.error is None:
        logger.info("Sent %(number)d alerts: %(channel)s", words)
    else:
        logger.warning("%(number)d alerts could not be sent (%(channel)s) and will be retried: %(error)s", words)
    return sent
