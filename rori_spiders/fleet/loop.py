"""Round after round, until it is told to stop. Clock and waiting are given: nothing here reads the time by itself."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError

from rori_spiders.exceptions import WriteError
from rori_spiders.redaction import of_process

if TYPE_CHECKING:
    from collections.abc import Callable

    from rori_spiders.fleet.rounds import Dispatcher, Round

logger = logging.getLogger(__name__)

#: What a clock may differ from the time that really passed, between two rounds: NTP's steps are smaller.
JUMP = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Clock:
    """``now``: the calendar's, aware; ``monotonic``: seconds that nobody sets; ``wait``: True once it is to stop."""

    now: Callable[[], datetime]
    monotonic: Callable[[], float]
    wait: Callable[[float], bool]


def run(
    dispatcher: Dispatcher, clock: Clock, *, every_s: float, after: Callable[[Round, datetime], None] | None = None
) -> None:
    """Rounds, one *every_s* seconds, until ``clock.wait`` says to stop. Raises what the first round raises.

    *after* is called with each round that succeeded, and its time; it must come back at once.

    Afterwards a round that fails is told, once for each reason, and the next one tries again.
    """
    loop = _Loop(dispatcher, clock, after)
    loop.round()
    logger.info("What is due is put into the queue; a round every %(seconds)g s", {"seconds": every_s})
    while not clock.wait(every_s):
        loop.watch_clock()
        try:
            loop.round()
        except (WriteError, DBAPIError) as error:
            loop.failed(error)


class _Loop:
    def __init__(self, dispatcher: Dispatcher, clock: Clock, after: Callable[[Round, datetime], None] | None) -> None:
        self._dispatcher = dispatcher
        self._after = after
        self._clock = clock
        self._seen = clock.now(), clock.monotonic()
        self._failure: str | None = None
        self._not_taken = False
        self._held = 0

    def round(self) -> None:
        now = self._clock.now()
        found = self._dispatcher.round(now)
        if self._failure is not None:
            logger.info("The ledger answers again")
            self._failure = None
        for one in found.queued:
            ids = ", ".join(source.id for source in one.planned.sources)
            logger.info("Queued the job %(job)s: %(sources)s", {"job": one.job_id, "sources": ids})
        if len(found.held) != self._held:
            self._held = len(found.held)
            logger.info("%(number)d sources are due and wait for their hours", {"number": self._held})
        self._watch_queue(found, now)
        if self._after is not None:
            self._after(found, now)

    def failed(self, error: WriteError | DBAPIError) -> None:
        said = of_process().text(str(error.orig) if isinstance(error, DBAPIError) else str(error))
        if said != self._failure:
            logger.error("Nothing can be queued; the next rounds try again: %(error)s", {"error": said})
        self._failure = said

    def watch_clock(self) -> None:
        now, passed = self._clock.now(), self._clock.monotonic()
        jumped = (now - self._seen[0]) - timedelta(seconds=passed - self._seen[1])
        self._seen = now, passed
        if abs(jumped) > JUMP:
            logger.warning(
                "The clock jumped by %(minutes)s min, to %(now)s UTC; what is due is judged by the new time",
                {"minutes": f"{round(jumped.total_seconds() / 60):+d}", "now": f"{now:%Y-%m-%d %H:%M}"},
            )

    def _watch_queue(self, found: Round, now: datetime) -> None:
        since = found.waits_since(now)
        if since is not None and not self._not_taken:
            logger.warning(
                "Jobs wait since %(since)s UTC and none runs: no node takes them (docs/operations.md)",
                {"since": f"{since:%Y-%m-%d %H:%M}"},
            )
        self._not_taken = since is not None
