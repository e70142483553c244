"""Processes of corpus runs and loaders, one for each that an operator asked for."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from rori_spiders.corpus.run_states import WORK
from rori_spiders.ledger.corpus import run_states
from rori_spiders.ledger.dialects import lease_clock
from rori_spiders.monitor.control.job_runner import ProcessStarter
from rori_spiders.monitor.corpus.schemas import CorpusProcess
from rori_spiders.runtime import child_processes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rori_spiders.ledger.corpus.run_states import CorpusRun
    from rori_spiders.monitor.state.dependencies import AppState
    from rori_spiders.runtime.child_processes import ChildProcess

logger = logging.getLogger(__name__)

#: Seconds between two rounds, which check runs claimed by other processes and record ended workers.
_POLL_INTERVAL_S = 2.0


class CorpusWorkers(ProcessStarter):
    """Start the workers that operators request, within its ``with`` block. *environment* is added to theirs."""

    def __init__(self, served: AppState, environment: Mapping[str, str]) -> None:
        super().__init__("Corpus runs", self.round, lambda: _POLL_INTERVAL_S if self._wanted else None)
        self._served = served
        self._environment = dict(environment)
        self._wanted: set[str] = set()
        self._started: dict[str, ChildProcess] = {}  # by domain, ended ones included
        self._loading: dict[str, ChildProcess] = {}  # kept to be waited for when they end
        self._guard = threading.Lock()

    def order(self, domain: str) -> None:
        """Request a worker for the open run of *domain*."""
        with self._guard:
            self._wanted.add(domain)
        self.wake()

    def load(self, domain: str) -> None:
        """Start the loader of the latest version of *domain*. The ledger prevents a second one at the same time."""
        log = child_processes.prepare_log_file(self._served.root, "corpus", f"load-{domain}")
        try:
            self._loading[domain] = child_processes.start_command(
                self._served.root, ("corpus", "load", domain), log, self._environment
            )
        except OSError:
            logger.exception("The loader of %(domain)s cannot be started", {"domain": domain})
            return
        logger.info("Started scrapy corpus load %(domain)s; log: %(log)s", {"domain": domain, "log": log})

    def process(self, domain: str) -> CorpusProcess | None:
        """Return the state of the last process for *domain*; None: none was started here."""
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
        """Start requested workers whose run has none."""
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
        """Return the open run, and whether to start its worker now; a request without work to do ends."""
        with self._served.ledger.connect() as conn:
            run = run_states.find_open_run(conn, domain)
            now = lease_clock(conn, self._served.now())
        return run, run is None or run.worker_until is None or run.worker_until <= now

    def _start(self, domain: str, run: CorpusRun | None) -> None:
        started = None
        if run is not None and run.state in WORK:
            log = child_processes.prepare_log_file(self._served.root, "corpus", run.run_id)
            its = ("corpus", "run", domain, "--run", run.run_id)  # one that is cancelled meanwhile is not begun anew
            started = child_processes.start_command(self._served.root, its, log, self._environment)
            logger.info("Started scrapy corpus run %(domain)s; log: %(log)s", {"domain": domain, "log": log})
        with self._guard:
            self._wanted.discard(domain)
            if started is not None:
                self._started[domain] = started
