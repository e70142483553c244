"""Announce pending envelopes in batches: one delivery, and the thread that repeats it while a job runs.
Neither the job nor its end waits for the receiver.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from time import monotonic

from sqlalchemy.exc import DBAPIError

from rori_spiders.exceptions import LedgerError
from rori_spiders.ledger import staged_envelopes
from rori_spiders.ledger.database import Ledger, open_ledger
from rori_spiders.runtime.background_loop import BackgroundLoop
from rori_spiders.staging.webhook.client import WebhookClient, WebhookFailed

logger = logging.getLogger(__name__)


#: Envelopes in one request: some 30 KiB.
BATCH_SIZE = 100
#: Longer than one request can take: if a process dies during one, another takes over after this time.
_TURN_LIMIT_S = 60.0


def current_time() -> datetime:
    return datetime.now(UTC)


def deliver_announcements(
    ledger: Ledger,
    hook: WebhookClient,
    owner: str,
    *,
    clock: Callable[[], datetime] = current_time,
    goes_on: Callable[[], bool],
) -> int:
    """Announce pending envelopes while *goes_on*; return their number. Does nothing while another process announces.

    Raises WebhookFailed when a batch was not taken: it and all that follow it wait. Raises LedgerError.
    """
    sent = 0
    try:
        while goes_on():
            with ledger.connect() as conn:
                batch = staged_envelopes.list_unannounced(conn, limit=BATCH_SIZE)
            if not batch:
                break
            with ledger.begin() as conn:
                if not staged_envelopes.acquire_announcer(conn, owner, now=clock(), ttl_s=_TURN_LIMIT_S):
                    break
                batch = staged_envelopes.list_unannounced(conn, limit=BATCH_SIZE)  # another may have had its turn since
            if batch:
                hook.post(batch, clock())
                with ledger.begin() as conn:
                    staged_envelopes.mark_announced(conn, batch, now=clock())
                sent += len(batch)
    finally:
        with suppress(LedgerError), ledger.begin() as conn:
            staged_envelopes.release_announcer(conn, owner)
    return sent


# Announces beside a job, in a thread of its own: neither the job nor its end waits for the receiver.

#: Seconds between checks for newly staged envelopes.
POLL_INTERVAL_S = 1.0
#: Seconds before each retry of a batch; after them the next job sends it.
RETRY_DELAYS_S = (1, 2, 5, 10, 30, 60, 60, 60)
#: Seconds to announce the rest when a job ends.
SHUTDOWN_LIMIT_S = 4.0


class AnnouncerThread(BackgroundLoop):
    """Announces what *owner*'s job, and jobs before it, have staged in the ledger at *url*.

    *noted* is called when something was taken (with None), or with why not, and whether that was the last try.
    """

    def __init__(
        self,
        url: str,
        hook: WebhookClient,
        owner: str,
        *,
        noted: Callable[[Ledger, WebhookFailed | None, bool], None] = lambda *_: None,
        waits_s: tuple[float, ...] = RETRY_DELAYS_S,
    ) -> None:
        super().__init__("announcing", self._announce)
        self._url, self._hook, self._owner, self._waits_s = url, hook, owner, waits_s
        self._noted = noted
        self._until: float | None = None

    def end(self, within_s: float = SHUTDOWN_LIMIT_S) -> None:
        """Announce what is left, and stop: after *within_s* seconds at the latest."""
        self._until = monotonic() + within_s
        self.stop(within_s)

    def _announce(self) -> Iterator[float]:
        try:
            with open_ledger(self._url) as ledger:
                yield from self._follow(ledger)
        except (LedgerError, DBAPIError) as error:
            logger.warning(
                "This job does not notify the webhook of staged envelopes; the next one does: %(error)s",
                {"error": error},
            )

    def _follow(self, ledger: Ledger) -> Iterator[float]:
        failures = 0
        while failures < len(self._waits_s):
            was_ending = self.is_stopping
            try:
                if deliver_announcements(ledger, self._hook, self._owner, goes_on=self._goes_on):
                    self._noted(ledger, None, False)
                failures = 0
            except WebhookFailed as error:
                if not failures:
                    self._report(ledger, error)
                failures += 1
                self._noted(ledger, error, failures == len(self._waits_s))
            if was_ending:
                return
            yield self._waits_s[failures - 1] if failures else POLL_INTERVAL_S

    def _goes_on(self) -> bool:
        return self._until is None or monotonic() < self._until

    def _report(self, ledger: Ledger, error: WebhookFailed) -> None:
        with ledger.connect() as conn:
            count = staged_envelopes.count_unannounced(conn)
        logger.warning(
            "%(count)d staged envelopes are waiting to be sent: %(hook)s did not accept them, %(error)s",
            {"count": count, "hook": self._hook.place, "error": error},
        )
