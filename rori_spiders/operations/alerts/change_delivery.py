"""Send each subscription the changes that it has not been sent: at once, or in a daily or weekly digest; never twice.

Claimed in the ledger, counted before it is tried, recorded after, as alerts are. A digest without changes is not sent.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection

from rori_spiders.comparison.importance import Importance
from rori_spiders.exceptions import UsageError
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.pages import subscriptions
from rori_spiders.ledger.pages.change_records import ChangeRow
from rori_spiders.ledger.pages.subscriptions import Subscription
from rori_spiders.operations.alerts.channels import Channel, Settings, configured_channels, email_channel, send_message
from rori_spiders.operations.alerts.delivery import MIN_GAP, DailyDigest

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ChangeDelivery:
    """A message that was tried: how many changes it tells, and why it did not arrive."""

    subscription: Subscription
    changes: int
    error: str | None


def find_channel(settings: Settings, send_to: str) -> Channel:
    """The channel of an e-mail address, or of the name of one in RORI_ALERT_URLS. Raises UsageError."""
    if "@" in send_to:
        return email_channel([send_to], str(settings.get("RORI_SMTP_URL") or ""), name="the address")
    channels = {channel.name: channel for channel in configured_channels(settings)}
    if send_to not in channels:
        known = f"; configured: {', '.join(channels)}" if channels else "; no channel is configured (RORI_ALERT_URLS)"
        raise UsageError(f"{send_to!r} is neither an e-mail address nor the name of a channel{known}")
    return channels[send_to]


def due_changes(conn: Connection, one: Subscription, *, digest: DailyDigest, now: datetime) -> list[ChangeRow]:
    """What *one* is to be sent at *now*, newest first; most often nothing."""
    if not one.is_sent or (one.next_try_at is not None and now < one.next_try_at):
        return []
    may_interrupt = one.sent_at is None or not timedelta(0) <= now - one.sent_at < MIN_GAP
    if one.schedule == "at_once":
        return subscriptions.unsent_changes(conn, one) if may_interrupt else []
    until = digest.last(now) if one.schedule == "daily" else digest.last_monday(now)
    if found := subscriptions.unsent_changes(conn, one, until=until):
        return found
    if one.high_at_once and may_interrupt:
        return subscriptions.unsent_changes(conn, one, importance=Importance.HIGH)
    return []


def deliver_changes(ledger: Ledger, settings: Settings, *, digest: DailyDigest, now: datetime) -> list[ChangeDelivery]:
    """Send what is due to all subscriptions, one after the other; each takes 30 s at most."""
    with ledger.connect() as conn:
        waiting = [
            one for one in subscriptions.list_subscriptions(conn) if due_changes(conn, one, digest=digest, now=now)
        ]
    found = (_deliver(ledger, one, settings, digest=digest, now=now) for one in waiting)
    return [one for one in found if one is not None]


def _deliver(
    ledger: Ledger, one: Subscription, settings: Settings, *, digest: DailyDigest, now: datetime
) -> ChangeDelivery | None:
    number = one.subscription_id
    with ledger.begin() as conn:
        due = subscriptions.claim_changes(
            conn, number, lambda claimed: due_changes(conn, claimed, digest=digest, now=now), now=now
        )
    if not due:
        return None
    error = _send(one, due, settings, where=str(ledger.place), now=now)
    with ledger.begin() as conn:
        subscriptions.record_sending(conn, number, due, error=error, now=now)
    words = {"number": len(due), "subscription": number, "error": error}
    if error is None:
        logger.info("Sent %(number)d changes to subscription %(subscription)d", words)
    else:
        logger.warning(
            "%(number)d changes could not be sent to subscription %(subscription)d and will be retried: %(error)s",
            words,
        )
    return ChangeDelivery(one, len(due), error)


def _send(one: Subscription, due: Sequence[ChangeRow], settings: Settings, *, where: str, now: datetime) -> str | None:
    try:
        channel = find_channel(settings, one.send_to or "")
    except UsageError as error:  # the settings have changed since
        return str(error)
    from rori_spiders.operations.alerts.change_message import compose_changes  # what compares texts is loaded for one

    return send_message(channel, compose_changes(one, due, where=where, now=now))
