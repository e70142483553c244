"""A manifest that cannot be used: no job begins, so no run can tell. One alert for it, until a job begins again.

Told by the job that is refused, and by the commands that would have begun or queued one.
"""

from __future__ import annotations

import logging
import socket
from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError

from rori_spiders.alerts.beside import Teller
from rori_spiders.exceptions import RoriError
from rori_spiders.inforce import existing_ledger
from rori_spiders.ledger import alerts, jobs
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.reviews import EVENTS, MANIFEST_BROKEN

if TYPE_CHECKING:
    from datetime import datetime

    from rori_spiders.alerts.channels import Settings
    from rori_spiders.exceptions import ManifestError
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.places import Places

logger = logging.getLogger(__name__)

#: Where jobs have begun on another machine so shortly ago, the manifest is broken on one node, whose log says so: the
#: others do its work, and an alert would open and clear with each job.
LATELY = timedelta(hours=1)
_ALERT = {"source_id": "", "event": MANIFEST_BROKEN, "cause": "manifest"}


def note_refused(ledger: Ledger, error: ManifestError, *, now: datetime, host: str | None = None) -> None:
    """Take in that no job could begin on *host* (None: this machine), for the manifest has these faults."""
    host = host or socket.gethostname()
    first, others = error.problems[0] if error.problems else str(error), len(error.problems) - 1
    more = f" (and {others} more)" if others > 0 else ""
    with ledger.begin() as conn:
        if not jobs.has_begun(conn, since=now - LATELY, besides=host):
            said = f"no job can begin on {host}: {first}{more}"
            alerts.raise_alert(conn, severity=EVENTS[MANIFEST_BROKEN].severity, message=said, now=now, **_ALERT)


def note_begun(ledger: Ledger, *, now: datetime) -> None:
    """Take in that a job has begun."""
    with ledger.connect() as conn:
        is_open = alerts.is_open(conn, **_ALERT)
    if is_open:
        with ledger.begin() as conn:
            alerts.clear_alert(conn, now=now, **_ALERT)


def tell_refused(places: Places, settings: Settings, error: ManifestError, *, now: datetime) -> None:
    """Note it in the ledger, where there is one, and send what is due; waits for servers some seconds at most."""
    try:
        with existing_ledger(places) as ledger:
            if ledger is None:
                return
            note_refused(ledger, error, now=now)
    except (RoriError, DBAPIError) as failure:
        logger.error("No alert can be sent: %(error)s", {"error": failure})  # noqa: TRY400  (it says what it is)
        return
    teller = Teller(places.database_url, settings)
    teller.begin(Catalog([]), now)
    teller.end()
