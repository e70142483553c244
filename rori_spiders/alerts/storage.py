"""When a job could not write: an alert for the staging area; a message without one for the ledger itself."""

from __future__ import annotations

import logging
import socket
from typing import TYPE_CHECKING

from rori_spiders.alerts.channels import channels, send
from rori_spiders.alerts.message import Message, harmless
from rori_spiders.exceptions import StagingError, UsageError
from rori_spiders.ledger import alerts
from rori_spiders.reviews import EVENTS, STORAGE

if TYPE_CHECKING:
    from datetime import datetime

    from rori_spiders.alerts.channels import Settings
    from rori_spiders.ledger.database import Ledger

logger = logging.getLogger(__name__)

_ALERT = {"source_id": "", "event": STORAGE, "cause": "staging area"}
#: A job that ends waits no longer.
_TIMEOUT_S = 5.0


def note_end(ledger: Ledger, failure: Exception | None, *, now: datetime) -> None:
    """Raise the alert of the staging area when the job ended by that *failure*; clear it when it ended without any."""
    if isinstance(failure, StagingError):
        with ledger.begin() as conn:
            alerts.raise_alert(conn, severity=EVENTS[STORAGE].severity, message=str(failure), now=now, **_ALERT)
    elif failure is None:
        with ledger.connect() as conn:
            is_open = any(one["event"] == STORAGE for one in alerts.open_alerts(conn, ""))
        if is_open:
            with ledger.begin() as conn:
                alerts.clear_alert(conn, now=now, **_ALERT)


def tell_without_ledger(settings: Settings, failure: Exception, *, now: datetime) -> None:
    """Tell through every channel that a job could record nothing: no ledger remembers it, so each such job tells it."""
    host = socket.gethostname()
    body = (
        f"A job on {host} could not record anything, and stopped at {now:%Y-%m-%d %H:%M} UTC:\n\n"
        f"  {harmless(str(failure))}\n\n"
        "What was recorded before is safe; what was not is fetched again by the next job, once that can write.\n"
        "Look closer on that machine: scrapy runs, and the log of the job.\n"
        "Each job that ends so sends this, for the ledger, which would remember it, is what fails.\n"
    )
    try:
        ways = channels(settings)
    except UsageError as error:
        logger.error("No alert can be sent: %(error)s", {"error": error})  # noqa: TRY400  (a setting, no fault)
        return
    for channel in ways:
        why = send(channel, Message(f"[RORI] high: {host}: a job could record nothing", body), timeout_s=_TIMEOUT_S)
        if why is not None:
            logger.error(
                "That nothing could be recorded was not told either (%(channel)s): %(error)s",
                {"channel": channel.shown, "error": why},
            )
