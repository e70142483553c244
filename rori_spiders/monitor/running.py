"""Jobs that people start here, where no node takes them: each is a process of its own, which outlives the monitor.

The queue is the ledger's: what waits there by a person's hand is started, two at once, whoever put it there.
"""

from __future__ import annotations

import logging
import socket
from typing import TYPE_CHECKING

from rori_spiders import processes
from rori_spiders.leasing import TERMS
from rori_spiders.ledger import claims
from rori_spiders.ledger.dialects import clock
from rori_spiders.monitor.rounds import Rounds

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.ledger.jobs import QueuedJob
    from rori_spiders.monitor.served import Served
    from rori_spiders.processes import Started

logger = logging.getLogger(__name__)

#: At once: a job uses a core while it converts, and people look at the monitor meanwhile.
MOST_AT_ONCE = 2
_LOOKS_EVERY_S = 5.0


class Runner(Rounds):
    """Starts what waits while its block lasts, and notices what has ended.

    *given* is added to the environment of its processes.
    """

    def __init__(self, served: Served, given: Mapping[str, str]) -> None:
        super().__init__("Jobs", self.round, lambda: _LOOKS_EVERY_S)
        self._served = served
        self._given = dict(given)
        self._started: dict[str, Started] = {}

    def round(self) -> None:
        """Note what has ended, queue again what was lost, start what waits."""
        for job_id, one in list(self._started.items()):
            if one.code() is not None:
                del self._started[job_id]
                self._note_end(job_id, one)
        self._recover()
        while len(self._started) < MOST_AT_ONCE and (job := self._claim()) is not None:
            self._start(job)

    def _claim(self) -> QueuedJob | None:
        """The next job by a person's hand whose servers nobody else asks, and its leases with it."""
        with self._served.ledger.connect() as conn:
            if not claims.free(conn, TERMS, now=self._now(conn), by_hand=True):
                return None  # looking every few seconds must not be a write each time
        node = f"{socket.gethostname()} (monitor)"
        with self._served.ledger.begin() as conn:
            return claims.claim(conn, TERMS, node=node, now=self._now(conn), by_hand=True)

    def _now(self, conn: Connection) -> datetime:
        return clock(conn, self._served.now())

    def _recover(self) -> None:
        """Where there is no node, nobody else notices that a job's process was killed."""
        with self._served.ledger.connect() as conn:
            silent = claims.lost(conn, now=self._now(conn))
        if silent:
            with self._served.ledger.begin() as conn:
                claims.recover(conn, now=self._now(conn))

    def _start(self, job: QueuedJob) -> None:
        log = processes.log_file(self._served.root, "jobs", job.job_id)
        words = ("crawl", "sources", "-a", f"sources={','.join(job.sources)}")
        mine = {"RORI_JOB_ID": job.job_id, "RORI_OPERATOR": "manual"}
        self._started[job.job_id] = processes.start(self._served.root, words, log, {**self._given, **mine})
        logger.info("Started the job %(job)s, its log is %(log)s", {"job": job.job_id, "log": log})

    def _note_end(self, job_id: str, one: Started) -> None:
        """A process that ended before it had begun its job leaves the row to us."""
        reason = f"its process ended with exit code {one.code()} before it had begun; {one.log} says why"
        with self._served.ledger.begin() as conn:
            claims.refuse(conn, job_id, reason=reason, now=self._now(conn))
