"""Start processes on this machine: the loop that does so, and that of queued jobs."""

import logging
import socket
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Self

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from rori_spiders.crawl.job.leases import claim_terms
from rori_spiders.exceptions import LedgerError
from rori_spiders.ledger.dialects import lease_clock
from rori_spiders.ledger.queue import job_queue
from rori_spiders.ledger.queue.job_queue import QueuedJob
from rori_spiders.monitor.state.dependencies import AppState
from rori_spiders.runtime import child_processes
from rori_spiders.runtime.background_loop import BackgroundLoop
from rori_spiders.runtime.child_processes import ChildProcess

logger = logging.getLogger(__name__)


class ProcessStarter(BackgroundLoop):
    """Call *look* within its ``with`` block: at once, when woken, and every *wait_s* seconds.

    *wait_s* may answer None: until it is woken. What fails is logged, with *what* is not started, and tried again.
    """

    def __init__(self, what: str, look: Callable[[], None], wait_s: Callable[[], float | None]) -> None:
        super().__init__(what, self._look_again)
        self._what = what
        self._look = look
        self._wait_s = wait_s

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop starting processes; those in progress continue."""
        self.stop()

    def _look_again(self) -> Iterator[float | None]:
        while not self.is_stopping:
            try:
                self._look()
            except (LedgerError, SQLAlchemyError) as error:
                log_values = {"what": self._what, "error": error}
                logger.warning("%(what)s cannot be started at the moment: %(error)s", log_values)
            except OSError:
                logger.exception("Failed to start one of: %(what)s", {"what": self._what})
            yield self._wait_s()


#: Concurrent jobs: a job uses a core while it converts, and the monitor must stay responsive.
MAX_CONCURRENT_JOBS = 2
_POLL_INTERVAL_S = 5.0


class JobRunner(ProcessStarter):
    """Start queued jobs within its ``with`` block, and record those that ended.

    *environment* is added to the environment of its processes.
    """

    def __init__(self, served: AppState, environment: Mapping[str, str]) -> None:
        super().__init__("Jobs", self.round, lambda: _POLL_INTERVAL_S)
        self._served = served
        self._environment = dict(environment)
        self._terms = claim_terms(served.settings)
        self._started: dict[str, ChildProcess] = {}

    def round(self) -> None:
        """Record ended jobs, requeue lost ones, start queued ones."""
        for job_id, one in list(self._started.items()):
            if one.code() is not None:
                del self._started[job_id]
                self._note_end(job_id, one)
        # Without nodes, no other process notices that a job's process was killed.
        with self._served.ledger.connect() as conn:
            silent = job_queue.count_lost(conn, now=self._now(conn))
        if silent:
            with self._served.ledger.begin() as conn:
                job_queue.recover_lost_jobs(conn, now=self._now(conn))
        while len(self._started) < MAX_CONCURRENT_JOBS and (job := self._claim()) is not None:
            self._start(job)

    def _claim(self) -> QueuedJob | None:
        """Claim the next manual job whose politeness groups are free, with their leases."""
        with self._served.ledger.connect() as conn:
            if not job_queue.count_claimable(conn, self._terms, now=self._now(conn), by_hand=True):
                return None  # looking every few seconds must not be a write each time
        node = f"{socket.gethostname()} (monitor)"
        with self._served.ledger.begin() as conn:
            return job_queue.claim_job(conn, self._terms, node=node, now=self._now(conn), by_hand=True)

    def _now(self, conn: Connection) -> datetime:
        return lease_clock(conn, self._served.now())

    def _start(self, job: QueuedJob) -> None:
        log = child_processes.prepare_log_file(self._served.root, "jobs", job.job_id)
        words = ("crawl", "sources", "-a", f"sources={','.join(job.sources)}")
        variables = {"RORI_JOB_ID": job.job_id, "RORI_OPERATOR": "manual"}
        self._started[job.job_id] = child_processes.start_command(
            self._served.root, words, log, {**self._environment, **variables}
        )
        logger.info("Started job %(job)s; log: %(log)s", {"job": job.job_id, "log": log})

    def _note_end(self, job_id: str, one: ChildProcess) -> None:
        """Record a process that ended before it started its job."""
        reason = f"the process ended with exit code {one.code()} before the job started; see {one.log}"
        with self._served.ledger.begin() as conn:
            job_queue.reject_claim(conn, job_id, reason=reason, now=self._now(conn))
