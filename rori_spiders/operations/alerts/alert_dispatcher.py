"""One round of alerting: update alerts that depend on time or settings, then send what is due. AlertDispatcher does
so in a background thread, beside a dispatcher's or a job's work.
"""

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy.exc import DBAPIError

from rori_spiders import reviews
from rori_spiders.exceptions import RoriError
from rori_spiders.ledger.database import Ledger, open_ledger
from rori_spiders.ledger.operations import alerts, source_status
from rori_spiders.ledger.operations.source_status import SourceState
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.tier_selection import monthly_limit_setting
from rori_spiders.operations.alerts import change_delivery, delivery
from rori_spiders.operations.alerts.change_delivery import ChangeDelivery
from rori_spiders.operations.alerts.channels import Settings, configured_channels
from rori_spiders.operations.alerts.delivery import DailyDigest, DeliveryAttempt
from rori_spiders.runtime.redaction import get_redactor

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AlertRound:
    """What a round sent, or tried to."""

    sent: tuple[DeliveryAttempt, ...]
    changes: tuple[ChangeDelivery, ...]

    @property
    def failed(self) -> tuple[DeliveryAttempt | ChangeDelivery, ...]:
        every: tuple[DeliveryAttempt | ChangeDelivery, ...] = (*self.sent, *self.changes)
        return tuple(one for one in every if one.error is not None)


def run_alert_round(ledger: Ledger, catalog: Catalog, settings: Settings, now: datetime) -> AlertRound:
    """Look, and send alerts and changes. Takes 30 s at most for all channels, and for each subscription.

    Raises UsageError for settings that cannot be.
    """
    ways, digest = configured_channels(settings), DailyDigest.parse(str(settings.get("RORI_ALERT_DIGEST")))
    with ledger.connect() as conn:
        states, everything = source_status.load_states(conn), source_status.find_global_pause(conn)
    is_watched = watched_sources(catalog, states, everything)
    update_alerts(ledger, [source.id for source in catalog.sources if is_watched(source.id)], states, settings, now)
    return AlertRound(
        tuple(delivery.deliver_pending(ledger, ways, is_watched=is_watched, digest=digest, now=now)),
        tuple(change_delivery.deliver_changes(ledger, settings, digest=digest, now=now)),
    )


def watched_sources(
    catalog: Catalog, states: Mapping[str, SourceState], everything: SourceState | None = None
) -> Callable[[str], bool]:
    """Whether alerts of a source are of anybody's interest: not when a person or the manifest has stopped it.

    What the breaker has stopped waits for a person, so it is; and so is what concerns no single source (""), even when
    all sources are paused (*everything*).
    """
    if everything is not None:
        return lambda source_id: not source_id
    here = {source.id for source in catalog.sources if source.status == "active"}
    stopped = {source_id for source_id, state in states.items() if state.paused_by == "person"}
    return lambda source_id: not source_id or (source_id in here and source_id not in stopped)


def update_alerts(
    ledger: Ledger, source_ids: list[str], states: Mapping[str, SourceState], settings: Settings, now: datetime
) -> None:
    """Update alerts of unchanged sources, and of limits or a webhook that were removed. Writes only changes."""
    found = reviews.find_unchanging(source_ids, states)
    with ledger.connect() as conn:
        opened = alerts.open_alerts(conn)
    known = {one["source_id"] for one in opened if one["event"] == reviews.NO_CHANGE}
    is_news = found.keys() - known or known.intersection(source_ids) - found.keys()
    over = [one for one in opened if _is_resolved(one, settings, now)]
    if not is_news and not over:
        return
    with ledger.begin() as conn:
        reviews.note_unchanging(conn, found, source_ids, now=now)
        for one in over:
            reviews.clear_limit_alert(conn, one, now=now)


def _is_resolved(alert: Mapping[str, Any], settings: Settings, now: datetime) -> bool:
    if alert["event"] == reviews.HOOK_DOWN:
        return not settings.get("RORI_WEBHOOK_URL")  # the webhook was removed
    return reviews.is_limit_obsolete(alert, partial(_monthly_limit, settings), now)


def _monthly_limit(settings: Settings, who: str) -> float | None:
    """The monthly limit of *who* in these settings; None without one."""
    limit = settings.get("RORI_MONTHLY_BUDGET_USD" if who == reviews.ALL_PROVIDERS else monthly_limit_setting(who))
    try:
        return float(limit)
    except (TypeError, ValueError):
        return None


# Rounds beside other work: one at a time, in a thread that neither holds that work up nor keeps the process.

#: What a program that ends waits for a message under way, seconds: a server that answers does so in less.
SHUTDOWN_WAIT_S = 5.0


class BackgroundTask:
    """A thread for one piece of work after the other; what comes while it is at one is left out."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None

    def begin(self, work: Callable[[], None]) -> bool:
        """Start *work* in the thread; False while the previous work is running."""
        if self.is_busy:
            return False
        self._thread = threading.Thread(target=work, daemon=True, name="alerts")
        self._thread.start()
        return True

    def wait(self, timeout_s: float = SHUTDOWN_WAIT_S) -> bool:
        """Whether the work has ended, for which it waits so long."""
        if self._thread is not None:
            self._thread.join(timeout_s)
        return not self.is_busy

    @property
    def is_busy(self) -> bool:
        return self._thread is not None and self._thread.is_alive()


class LogOnce:
    """Repeated work, which logs each reason of a failure once."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._failure: str | None = None

    def run(self, work: Callable[[], object]) -> None:
        """Do *work*; what the ledger or our own rules refuse is reported, and not raised."""
        try:
            work()
        except (RoriError, DBAPIError) as error:
            message = get_redactor().text(str(error.orig) if isinstance(error, DBAPIError) else str(error))
            if message != self._failure:
                self._report(message)
            self._failure = message
        else:
            self._failure = None


class AlertDispatcher:
    """What a dispatcher does about alerts: a round after each of its own. Each failure is reported once per reason."""

    def __init__(self, database_url: str, settings: Settings) -> None:
        self._database_url = database_url
        self._settings = settings
        self._background_task = BackgroundTask()
        self._once = LogOnce(lambda message: logger.error("Alerts cannot be sent: %(error)s", {"error": message}))

    def begin(self, catalog: Catalog, now: datetime) -> None:
        """Look and send as of *now*, beside what the caller does next."""
        self._background_task.begin(lambda: self._once.run(lambda: self._look_and_send(catalog, now)))

    def end(self, timeout_s: float = SHUTDOWN_WAIT_S) -> None:
        """Give a message under way a moment: one whose answer is not recorded is sent a second time."""
        if not self._background_task.wait(timeout_s):
            logger.warning("Alerts are still being sent; the next round sends those that fail")

    def _look_and_send(self, catalog: Catalog, now: datetime) -> None:
        with open_ledger(self._database_url, migrate=False) as ledger:
            run_alert_round(ledger, catalog, self._settings, now)
