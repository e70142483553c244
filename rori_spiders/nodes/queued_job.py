"""This job's row in the shared queue: take over, heartbeat, end.

A job that was never queued (`scrapy collect`, `scrapy crawl`) has none: then all of this does nothing.
"""

import socket
from contextlib import suppress
from datetime import datetime

from sqlalchemy import Connection

from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.job.leases import LEASE_TTL_S
from rori_spiders.exceptions import LedgerError, RoriError
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.dialects import lease_clock
from rori_spiders.ledger.queue import job_queue


class JobQueueEntry:
    """This job in the queue."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._is_ours = False
        self._stopped: str | None = None  # why the queue wants it to stop

    async def take_over(self) -> None:
        """Take over the row, and the leases that the node acquired for it, for this process.

        Raises UsageError when the job is not to begin.
        """
        found = await self._job.storage.write(self._begin)
        if found is None:
            return
        self._is_ours = True
        self._job.leasing.claimed.update(found.groups)
        for group in found.groups:
            # A lease that cannot be acquired is reported by the source that needs it.
            await self._job.leasing.hold(group)

    async def refuse(self, error: RoriError) -> None:
        """Record that the job does not start because of *error*, if the ledger is available."""
        is_queued = bool(self._job.settings.get("RORI_JOB_ID")) and self._job.places.has_ledger
        if is_queued and not self._is_ours and not isinstance(error, LedgerError):
            with suppress(LedgerError):  # then its node ends it (nodes/scrapyd_application.py)
                await self._job.storage.run(lambda: self._refuse(str(error)))

    def _refuse(self, reason: str) -> None:
        places, timeout_s = self._job.places, self._job.settings.getfloat("RORI_LEDGER_TIMEOUT")
        with open_ledger(places.database_url, timeout_s=timeout_s) as ledger, ledger.begin() as conn:
            job_queue.reject_claim(conn, self._job.job_id, reason=reason, now=lease_clock(conn, self._job.now()))

    async def renew(self) -> str | None:
        """Send a heartbeat, and renew the leases. Return, once, why the job must stop; None to continue."""
        if not self._is_ours or self._stopped is not None:
            return await self._job.leasing.renew()
        self._stopped = await self._job.leasing.renew(self._beat)
        return self._stopped

    async def end(self, reason: str) -> None:
        """Record the end of the job; *reason*: Scrapy's close reason. A row that another process took over is left."""
        if not self._is_ours:
            return
        self._is_ours = False
        outcome, why = _job_outcome(self._job)
        is_signalled = self._stopped is None and reason == "shutdown"
        stopped = "stopped by a signal" if is_signalled else self._stopped

        def ending(conn: Connection) -> None:
            now, owner, is_cancelled = lease_clock(conn, self._job.now()), self._job.owner, stopped is not None
            values = {"outcome": outcome, "reason": stopped or why, "cancelled": is_cancelled}
            is_ended = job_queue.end_job(conn, self._job.job_id, owner=owner, now=now, **values)  # type: ignore[arg-type]
            if is_ended and is_signalled:
                job_queue.requeue_stopped_job(conn, self._job.job_id, now=now)

        await self._job.storage.write(ending)

    def _begin(self, conn: Connection) -> job_queue.QueuedJob | None:
        now, host = lease_clock(conn, self._job.now()), socket.gethostname()
        return job_queue.start_job(conn, self._job.job_id, owner=self._job.owner, host=host, now=now, ttl_s=LEASE_TTL_S)

    def _beat(self, conn: Connection, now: datetime) -> str | None:
        return job_queue.renew_job(conn, self._job.job_id, owner=self._job.owner, now=now, ttl_s=LEASE_TTL_S)


def _job_outcome(job: Job) -> tuple[str, str | None]:
    """Return the outcome of a job in one word, with the reason if it is not ``complete``."""
    if job.refused is not None:
        return "refused", str(job.refused)
    if job.failure is not None:
        return "unrecorded", str(job.failure)
    if job.connectivity.offline_reason is not None:
        return job_queue.OFFLINE, str(job.connectivity.offline_reason)
    if job.locked_sources and not job.ended:
        return "locked", "; ".join(f"{source_id}: {why}" for source_id, why in job.locked_sources.items())
    rest = [f"{one.run.source_id}: {one.outcome.state}" for one in job.ended if one.outcome.state != "complete"]
    rest += [f"{source_id}: locked" for source_id in job.locked_sources]
    rest += [f"{source_id}: held {until}" for source_id, until in job.paused_sources.items()]
    return ("incomplete", "; ".join(rest)) if rest else ("complete", None)
