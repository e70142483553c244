"""Announces beside a job, in a thread of its own: neither the job nor its end waits for the receiver."""

from __future__ import annotations

import logging
from contextlib import closing
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError

from rori_spiders.announcing.delivering import deliver
from rori_spiders.announcing.hook import HookFailed
from rori_spiders.exceptions import LedgerError
from rori_spiders.ledger import announcements
from rori_spiders.ledger.database import Ledger, open_ledger

if TYPE_CHECKING:
    from collections.abc import Callable

    from rori_spiders.announcing.hook import Hook

logger = logging.getLogger(__name__)

#: How soon what was staged is announced, seconds.
LOOK_S = 1.0
#: Seconds before a batch that was not taken is sent again; then the next job sends it.
WAITS_S = (1, 2, 5, 10, 30, 60, 60, 60)
#: What is left when a job ends is announced for so long.
END_S = 4.0


class Announcer:
    """Announces what *owner*'s job, and jobs before it, have staged in the ledger at *url*.

    *noted* is told when something was taken (None), or why not, and whether that was the last try.
    """

    def __init__(
        self,
        url: str,
        hook: Hook,
        owner: str,
        *,
        noted: Callable[[Ledger, HookFailed | None, bool], None] = lambda *_: None,
        waits_s: tuple[float, ...] = WAITS_S,
    ) -> None:
        self._url, self._hook, self._owner, self._waits_s = url, hook, owner, waits_s
        self._noted = noted
        self._ending = Event()
        self._until: float | None = None
        self._thread = Thread(target=self._run, name="announcing", daemon=True)  # a process's end does not wait

    def start(self) -> None:
        self._thread.start()

    def end(self, within_s: float = END_S) -> None:
        """Announce what is left, and stop: after *within_s* seconds at the latest."""
        self._until = monotonic() + within_s
        self._ending.set()
        self._thread.join(within_s)

    def _run(self) -> None:
        try:
            with closing(open_ledger(self._url)) as ledger:
                self._follow(ledger)
        except (LedgerError, DBAPIError) as error:
            logger.warning(
                "What is staged is not announced by this job, the next one does: %(error)s", {"error": error}
            )

    def _follow(self, ledger: Ledger) -> None:
        failures = 0
        while failures < len(self._waits_s):
            was_ending = self._ending.is_set()
            try:
                if deliver(ledger, self._hook, self._owner, goes_on=self._goes_on):
                    self._noted(ledger, None, False)
                failures = 0
            except HookFailed as error:
                if not failures:
                    self._tell(ledger, error)
                failures += 1
                self._noted(ledger, error, failures == len(self._waits_s))
            if was_ending:
                return
            self._ending.wait(self._waits_s[failures - 1] if failures else LOOK_S)

    def _goes_on(self) -> bool:
        return self._until is None or monotonic() < self._until

    def _tell(self, ledger: Ledger, error: HookFailed) -> None:
        with ledger.connect() as conn:
            count = announcements.count(conn)
        logger.warning(
            "%(count)d staged envelopes wait to be announced: %(hook)s did not take them, %(error)s",
            {"count": count, "hook": self._hook.place, "error": error},
        )
