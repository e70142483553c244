"""Runs of the corpus brought forward: for each that a person has begun or sent back, a process of its own.

``scrapy corpus run DOMAIN`` outlives the monitor. Never two are started for one domain; a second from elsewhere is
harmless, since a run is worked on by whoever has claimed it in the ledger.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy.exc import SQLAlchemyError

from rori_spiders.corpus.states import WORK
from rori_spiders.exceptions import LedgerError
from rori_spiders.ledger.corpus import runs
from rori_spiders.ledger.dialects import clock
from rori_spiders.monitor import processes
from rori_spiders.monitor.answers.corpus import CorpusProcess

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Mapping
    from pathlib import Path

    from rori_spiders.ledger.corpus.runs import CorpusRun
    from rori_spiders.monitor.served import Served

logger = logging.getLogger(__name__)

#: What was claimed by another process is looked at again, and what has ended is noticed.
_LOOKS_EVERY_S = 2.0
_SAYS_CHARS = 500


@dataclass(slots=True)
class _Started:
    process: subprocess.Popen[bytes]
    log: Path


class CorpusWorkers:
    """Starts the processes that people ask for while its block lasts. *given* is added to their environment."""

    def __init__(self, served: Served, given: Mapping[str, str]) -> None:
        self._served = served
        self._given = dict(given)
        self._wanted: set[str] = set()
        self._started: dict[str, _Started] = {}  # by domain; those that have ended, too
        self._guard = threading.Lock()
        self._wake = threading.Event()
        self._ends = False
        self._thread = threading.Thread(target=self._follow, name="corpus", daemon=True)

    def __enter__(self) -> CorpusWorkers:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Start no more. What is under way goes on by itself."""
        self._ends = True
        self._wake.set()
        self._thread.join()

    def order(self, domain: str) -> None:
        """The open run of *domain* is to be brought forward."""
        with self._guard:
            self._wanted.add(domain)
        self._wake.set()

    def process(self, domain: str) -> CorpusProcess | None:
        """What became of the last process for *domain*; None: none was started here."""
        with self._guard:
            started, waits = self._started.get(domain), domain in self._wanted
        code = started.process.poll() if started else None
        if waits:
            return CorpusProcess(state="waits", log=None, code=None, says=None)
        if started is None:
            return None
        says = _last_line(started.log) if code else None
        return CorpusProcess(state="runs" if code is None else "ended", log=str(started.log), code=code, says=says)

    def round(self) -> None:
        """Start what is wanted and nobody does."""
        with self._guard:
            wanted = sorted(self._wanted)
        for domain in wanted:
            before = self._started.get(domain)
            if before is not None and before.process.poll() is None:
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
            process = processes.start(self._served.root, ("corpus", "run", domain), log, self._given)
            started = _Started(process, log)
            logger.info("Started scrapy corpus run %(domain)s, its log is %(log)s", {"domain": domain, "log": log})
        with self._guard:
            self._wanted.discard(domain)
            if started is not None:
                self._started[domain] = started

    def _follow(self) -> None:
        while not self._ends:
            try:
                self.round()
            except (LedgerError, SQLAlchemyError) as error:
                logger.warning("Runs of the corpus are not started for now: %(error)s", {"error": error})
            except OSError:
                logger.exception("A run of the corpus cannot be started")
            self._wake.wait(_LOOKS_EVERY_S if self._wanted else None)
            self._wake.clear()


def _last_line(log: Path) -> str | None:
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return None
    return next((line.strip()[:_SAYS_CHARS] for line in reversed(lines) if line.strip()), None)
