"""Send staged envelopes to the webhook, raise an alert while it is down, and do both beside a dispatcher's rounds."""

import logging
import os
import socket
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from time import monotonic

from rori_spiders.exceptions import UsageError
from rori_spiders.ledger import staged_envelopes
from rori_spiders.ledger.database import Ledger, open_ledger
from rori_spiders.ledger.operations import alerts
from rori_spiders.operations.alerts.alert_dispatcher import SHUTDOWN_WAIT_S, BackgroundTask, LogOnce
from rori_spiders.reviews import EVENTS, HOOK_DOWN
from rori_spiders.runtime.plurals import format_count
from rori_spiders.staging.webhook.announcer import deliver_announcements
from rori_spiders.staging.webhook.client import WebhookClient, WebhookFailed

logger = logging.getLogger(__name__)


#: A receiver that is started anew is back sooner. Alerts are gathered for as long (docs/reference/alerts.md).
DOWN_AFTER = timedelta(minutes=15)
_HOOK_ALERT = {"source_id": "", "event": HOOK_DOWN, "cause": "webhook"}


def update_hook_alert(
    ledger: Ledger, hook: WebhookClient, failure: WebhookFailed | None, *, gave_up: bool = False, now: datetime
) -> None:
    """Update the alert after *hook* accepted a batch, or failed (*failure*).

    Raises the alert when something waits for it since STAYS_DOWN, or when a job *gave_up*.
    """
    with ledger.connect() as conn:
        is_open = alerts.is_alert_open(conn, **_HOOK_ALERT)
        since, number = staged_envelopes.oldest_unannounced_at(conn), staged_envelopes.count_unannounced(conn)
    if failure is None:
        if is_open:
            with ledger.begin() as conn:
                alerts.clear_alert(conn, now=now, **_HOOK_ALERT)
    elif since is not None and (gave_up or now - since >= DOWN_AFTER):
        waiting = format_count(number, "envelope")
        message = f"{hook.place} accepts no envelopes: {failure}; {waiting} waiting since {since:%Y-%m-%d %H:%M}"
        with ledger.begin() as conn:
            alerts.raise_alert(
                conn, severity=EVENTS[HOOK_DOWN].severity, message=f"{message} UTC", now=now, **_HOOK_ALERT
            )


def deliver_and_update_alert(
    ledger: Ledger, hook: WebhookClient, owner: str, *, clock: Callable[[], datetime], goes_on: Callable[[], bool]
) -> int:
    """As ``deliver``, and what came of it noted. Raises WebhookFailed, LedgerError."""
    try:
        sent = deliver_announcements(ledger, hook, owner, clock=clock, goes_on=goes_on)
    except WebhookFailed as error:
        update_hook_alert(ledger, hook, error, now=clock())
        raise
    with ledger.connect() as conn:
        none_waits = not staged_envelopes.count_unannounced(conn)
    if sent or none_waits:
        update_hook_alert(ledger, hook, None, now=clock())
    return sent


# What is staged and was not announced yet, announced beside a dispatcher's rounds: jobs give up when they end.


class WebhookDispatcher:
    """What a dispatcher does about envelopes that wait to be announced: a try after each of its rounds."""

    def __init__(self, database_url: str, url: str | None, environment: Mapping[str, str] = os.environ) -> None:
        self._database_url = database_url
        self._background_task = BackgroundTask()
        self._until: float | None = None
        self._once = LogOnce(self._report)
        try:
            self._hook = WebhookClient.from_settings(url, environment)
        except UsageError as error:
            logger.error("The webhook is not notified between rounds: %(error)s", {"error": error})  # noqa: TRY400
            self._hook = None

    def begin(self, clock: Callable[[], datetime]) -> None:
        """Announce what waits, beside what the caller does next."""
        hook = self._hook
        if hook is not None:
            self._background_task.begin(lambda: self._once.run(lambda: self._announce(hook, clock)))

    def end(self, timeout_s: float = SHUTDOWN_WAIT_S) -> None:
        """Wait for at most *timeout_s* seconds; batches that fail are sent again by the next announcement."""
        self._until = monotonic() + timeout_s
        self._background_task.wait(timeout_s)

    def _announce(self, hook: WebhookClient, clock: Callable[[], datetime]) -> None:
        owner = f"{socket.gethostname()}:{os.getpid()}:dispatch"
        with open_ledger(self._database_url, migrate=False) as ledger:
            deliver_and_update_alert(ledger, hook, owner, clock=clock, goes_on=self._goes_on)

    def _report(self, message: str) -> None:
        assert self._hook is not None  # without one nothing is begun
        logger.warning(
            "The webhook %(hook)s was not notified of staged envelopes; the next rounds retry: %(error)s",
            {"hook": self._hook.place, "error": message},
        )

    def _goes_on(self) -> bool:
        return self._until is None or monotonic() < self._until
