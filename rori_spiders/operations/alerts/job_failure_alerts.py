"""Alerts for what keeps jobs from working at all: a manifest that cannot be used, a staging area that cannot be
written, a machine that is offline.
"""

import logging
import socket
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy.exc import DBAPIError

from rori_spiders.configuration.existing_ledger import open_existing_ledger
from rori_spiders.configuration.locations import Locations
from rori_spiders.exceptions import ManifestError, RoriError, StagingError, UsageError
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.operations import alerts
from rori_spiders.ledger.queue import job_queue
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.operations.alerts.alert_dispatcher import AlertDispatcher
from rori_spiders.operations.alerts.channels import Settings, configured_channels, send_message
from rori_spiders.operations.alerts.email_message import AlertMessage, sanitise_line
from rori_spiders.reviews import CLOCK_SET, EVENTS, MANIFEST_BROKEN, OFFLINE, STORAGE
from rori_spiders.runtime.redacted_output import name_rori
from rori_spiders.runtime.wall_clock import ClockJump

logger = logging.getLogger(__name__)


#: Where jobs have begun on another machine so shortly ago, the manifest is broken on one node, whose log says so: the
#: others do its work, and an alert would open and clear with each job.
RECENTLY = timedelta(hours=1)
_MANIFEST_ALERT = {"source_id": "", "event": MANIFEST_BROKEN, "cause": "manifest"}


def note_manifest_refused(ledger: Ledger, error: ManifestError, *, now: datetime, host: str | None = None) -> None:
    """Take in that no job could begin on *host* (None: this machine), for the manifest has these faults."""
    host = host or socket.gethostname()
    first, others = error.problems[0] if error.problems else str(error), len(error.problems) - 1
    more = f" (and {others} more)" if others > 0 else ""
    with ledger.begin() as conn:
        if not job_queue.has_begun_elsewhere(conn, since=now - RECENTLY, besides=host):
            message = f"no job can start on {host}: {first}{more}"
            alerts.raise_alert(
                conn, severity=EVENTS[MANIFEST_BROKEN].severity, message=message, now=now, **_MANIFEST_ALERT
            )


def note_job_begun(ledger: Ledger, *, now: datetime) -> None:
    """Take in that a job has begun."""
    with ledger.connect() as conn:
        is_open = alerts.is_alert_open(conn, **_MANIFEST_ALERT)
    if is_open:
        with ledger.begin() as conn:
            alerts.clear_alert(conn, now=now, **_MANIFEST_ALERT)


def report_manifest_refused(places: Locations, settings: Settings, error: ManifestError, *, now: datetime) -> None:
    """Record it in the ledger, if there is one, and send what is due; waits a few seconds at most for servers."""
    try:
        with open_existing_ledger(places) as ledger:
            if ledger is None:
                return
            note_manifest_refused(ledger, error, now=now)
    except (RoriError, DBAPIError) as failure:
        logger.error("Alerts cannot be sent: %(error)s", {"error": failure})  # noqa: TRY400  (it says what it is)
        return
    alert_dispatcher = AlertDispatcher(places.database_url, settings)
    alert_dispatcher.begin(Catalog([]), now)
    alert_dispatcher.end()


# When a job could not write: an alert for the staging area; a message without one for the ledger itself.


_STORAGE_ALERT = {"source_id": "", "event": STORAGE, "cause": "staging area"}
#: A job that ends waits no longer.
_TIMEOUT_S = 5.0
#: Jumps of a clock that a message names: a machine whose clock is set again and again says no more by more.
_MOST_JUMPS = 5


def update_storage_alert(ledger: Ledger, failure: Exception | None, *, now: datetime) -> None:
    """Raise the alert of the staging area when the job ended by that *failure*; clear it when it ended without any."""
    if isinstance(failure, StagingError):
        with ledger.begin() as conn:
            alerts.raise_alert(conn, severity=EVENTS[STORAGE].severity, message=str(failure), now=now, **_STORAGE_ALERT)
    elif failure is None:
        with ledger.connect() as conn:
            is_open = any(one["event"] == STORAGE for one in alerts.open_alerts(conn, ""))
        if is_open:
            with ledger.begin() as conn:
                alerts.clear_alert(conn, now=now, **_STORAGE_ALERT)


# When a machine was offline, or its clock was set: one alert for each machine, whatever the number of its jobs.


def update_offline_alert(ledger: Ledger, why: str | None, *, has_answered: bool, now: datetime) -> None:
    """Raise this machine's alert for *why* its job stopped; clear it where servers *have answered* the job."""
    alert = {"source_id": "", "event": OFFLINE, "cause": socket.gethostname()}
    with ledger.connect() as conn:
        is_open = alerts.is_alert_open(conn, **alert)
    if why is None and not (is_open and has_answered):
        return
    with ledger.begin() as conn:
        if why is None:
            alerts.clear_alert(conn, now=now, **alert)
        else:
            message = f"{socket.gethostname()}: {why}"
            alerts.raise_alert(conn, severity=EVENTS[OFFLINE].severity, message=message, now=now, **alert)


def update_clock_alert(ledger: Ledger, jumps: Sequence[ClockJump], *, now: datetime) -> None:
    """Raise this machine's alert when its clock was set while the job ran; clear it when it was not."""
    alert = {"source_id": "", "event": CLOCK_SET, "cause": socket.gethostname()}
    with ledger.connect() as conn:
        is_open = alerts.is_alert_open(conn, **alert)
    if not jumps and not is_open:
        return
    with ledger.begin() as conn:
        if jumps:
            message = f"{socket.gethostname()}: clock {'; '.join(map(str, jumps[:_MOST_JUMPS]))}"
            alerts.raise_alert(conn, severity=EVENTS[CLOCK_SET].severity, message=message, now=now, **alert)
        else:
            alerts.clear_alert(conn, now=now, **alert)


def report_without_ledger(settings: Settings, failure: Exception, *, now: datetime) -> None:
    """Tell through every channel that a job could record nothing: no ledger remembers it, so each such job tells it."""
    host = socket.gethostname()
    body = (
        f"A job on {host} could not write to the ledger and stopped at {now:%Y-%m-%d %H:%M} UTC:\n\n  "
        f"{sanitise_line(str(failure))}\n\nRecorded pages are safe; the next job that can write fetches the "
        f"rest.\n{name_rori('To find the cause, run `scrapy runs`')} on that machine and read the job's log.\n"
        "Every job that fails this way sends this message, because the ledger cannot record that it was sent.\n"
    )
    try:
        ways = configured_channels(settings)
    except UsageError as error:
        logger.error("Alerts cannot be sent: %(error)s", {"error": error})  # noqa: TRY400  (a setting, no fault)
        return
    for channel in ways:
        why = send_message(
            channel,
            AlertMessage(f"[RORI] high: {host}: a job could not write to the ledger", body),
            timeout_s=_TIMEOUT_S,
        )
        if why is not None:
            logger.error(
                "The ledger could not be written, and the alert was not sent (%(channel)s): %(error)s",
                {"channel": channel.shown, "error": why},
            )
