"""Delivering what channels are owed: claimed in the ledger, counted before it is tried, recorded after. Never twice.

A crash between the server's yes and our record is the one case in which a message goes out again.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rori_spiders.alerts.channels import send
from rori_spiders.alerts.message import compose
from rori_spiders.alerts.picking import owed
from rori_spiders.ledger import deliveries

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.alerts.channels import Channel
    from rori_spiders.alerts.picking import Digest, Owed
    from rori_spiders.ledger.database import Ledger

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sent:
    """A message that was tried: how many alerts it tells, and why it did not arrive."""

    channel: Channel
    alerts: int
    error: str | None


def deliver(
    ledger: Ledger,
    channels: Sequence[Channel],
    *,
    is_watched: Callable[[str], bool],
    digest: Digest,
    now: datetime,
) -> list[Sent]:
    """Send what is due through each channel, side by side: a hanging one holds up no other."""
    found: list[Sent] = []

    def one(channel: Channel) -> None:
        try:
            found.extend(_through(ledger, channel, is_watched=is_watched, digest=digest, now=now))
        except Exception:
            logger.exception("Alerts could not be sent through %(channel)s", {"channel": channel.shown})

    threads = [threading.Thread(target=one, args=(channel,), daemon=True, name="alerts") for channel in channels]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def _through(
    ledger: Ledger, channel: Channel, *, is_watched: Callable[[str], bool], digest: Digest, now: datetime
) -> list[Sent]:
    def due(conn: Connection) -> list[Owed]:
        return owed(
            deliveries.recent(conn, now=now),
            deliveries.of_channel(conn, channel.name, now=now),
            is_watched=is_watched,
            digest=digest,
            sent_at=deliveries.sent_at(conn, channel.name),
            now=now,
        )

    with ledger.connect() as conn:
        if not due(conn):
            return []
    by = f"{socket.gethostname()}:{os.getpid()}:{threading.get_ident()}"
    with ledger.begin() as conn:
        if not deliveries.claim(conn, channel.name, by=by, now=now):
            return []
        messages = due(conn)  # another one may have sent them meanwhile
        known = deliveries.of_channel(conn, channel.name, now=now)
        deliveries.note_tries(conn, channel.name, [key for one in messages for key in one.keys], known, now)
    return [_send(ledger, channel, one, by=by, is_last=one is messages[-1], now=now) for one in messages]


def _send(ledger: Ledger, channel: Channel, one: Owed, *, by: str, is_last: bool, now: datetime) -> Sent:
    error = send(channel, compose(one, where=str(ledger.place), now=now))
    with ledger.begin() as conn:
        deliveries.note_result(conn, channel.name, one.keys, error=error, now=now)
        if is_last:
            deliveries.release(conn, channel.name, by=by)
    sent = Sent(channel, len(one.keys), error)
    _tell(sent)
    return sent


def _tell(sent: Sent) -> None:
    words = {"number": sent.alerts, "channel": sent.channel.shown, "error": sent.error}
    if sent.error is None:
        logger.info("%(number)d alerts were sent: %(channel)s", words)
    else:
        logger.warning("%(number)d alerts could not be sent (%(channel)s), and are tried again: %(error)s", words)
