"""Runs of the corpus brought forward, and loaders: for each that a person has asked for, a process of its own.

``scrapy corpus run DOMAIN`` and ``scrapy corpus load DOMAIN`` outlive the monitor. Never two runs are started for one
domain; a second from elsewhere is harmless, since a run is worked on by whoever has claimed it in the ledger.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from rori_spiders import processes
from rori_spiders.corpus.states import WORK
from rori_spiders.ledger.corpus import runs
from rori_spiders.ledger.dialects import clock
from rori_spiders.monitor.answers.corpus import CorpusProcess
from rori_spiders.monitor.rounds import Rounds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rori_spiders.ledger.corpus.runs import CorpusRun
    from rori_spiders.monitor.served import Served
    from rori_spiders.processes import Started

logger = logging.getLogger(__name__)

#: What was claimed by another process is looked at again, and what has ended is noticed.
_LOOKS_EVERY_S = 2.0


class CorpusWorkers(Rounds):
    """Starts the processes that people ask for while its block lasts. *given* is added to their environment."""

    def __init__(self, served: Served, given: Mapping[str, str]) -> None:
        super().__init__("Runs of the corpus", self.round, lambda: _LOOKS_EVERY_S if self._wanted else None)
        self._served = served
        self._given = dict(given)
        self._wanted: set[str] = set()
        self._started: dict[str, Started] = {}  # by domain; those that have ended, too
        self._loading: dict[str, Started] = {}  # kept so that they are waited for when they have ended
        self._guard = threading.Lock()

    def order(self, domain: str) -> None:
        """The open run of *domain* is to be brought forward."""
        with self._guard:
            self._wanted.add(domain)
        self.wake()

    def load(self, domain: str) -> None:
        """Start the loader of the latest version of *domain*. The ledger lets nobody start a second beside it."""
        log = processes.log_file(self._served.root, "corpus", f"load-{domain}")
        try:
            self._loading[domain] = processes.start(self._served.root, ("corpus", "load", domain), log, self._given)
        except OSError:
            logger.exception("The loader of %(domain)s cannot be started", {"domain": domain})
            return
        logger.info("Started scrapy corpus load %(domain)s, its log is %(log)s", {"domain": domain, "log": log})

    def process(self, domain: str) -> CorpusProcess | None:
        """What became of the last process for *domain*; None: none was started here."""
        with self._guard:
            started, waits = self._started.get(domain), domain in self._wanted
        code = started.code() if started else None
        if waits:
            return CorpusProcess(state="waits", log=None, code=None, says=None)
        if started is None:
            return None
        says = started.last_words() if code else None
        return CorpusProcess(state="runs" if code is None else "ended", log=str(started.log), code=code, says=says)

    def round(self) -> None:
        """Start what is wanted and nobody does."""
        with self._guard:
            wanted = sorted(self._wanted)
        for domain in wanted:
            before = self._started.get(domain)
            if before is not None and before.code() is None:
                continue
            run, is_free = self._found(domain)
            if is_free:
                self._start(domain, run)

    def _found(self, domain: str) -> tuple[CorpusRun | None, bool]:
        """The open run, and whether it is to be begun now: also when there is nothing to do, which ends the wish."""
        with self._served.ledger.connect() as conn:
            run = runs.open_run(conn, domain)
            now = clock(conn, self._served.now())
        return run, run is None or run.worker_until is None or run.worker_until <= now

    def _start(self, domain: str, run: CorpusRun | None) -> None:
        started = None
        if run is not None and run.state in WORK:
            log = processes.log_file(self._served.root, "corpus", run.run_id)
            its = ("corpus", "run", domain, "--run", run.run_id)  # one that is cancelled meanwhile is not begun anew
            started = processes.start(self._served.root, its, log, self._given)
            logger.info("Started scrapy corpus run %(domain)s, its log is %(log)s", {"domain": domain, "log": log})
        with self._guard:
            self._wanted.discard(domain)
            if started is not None:
                self._started[domain] = started
