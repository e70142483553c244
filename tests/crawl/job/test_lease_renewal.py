"""The heartbeat of a job: its leases, its permits and its row in the queue are renewed together."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from sqlalchemy import select

from rori_spiders.crawl.job.leases import JobLeases
from rori_spiders.crawl.job.request_permits import RequestPermits
from rori_spiders.crawl.job.storage_thread import StorageThread
from rori_spiders.ledger.queue import job_queue
from rori_spiders.ledger.queue.permits import PermitLimits
from rori_spiders.ledger.tables import jobs, leases, permits
from rori_spiders.nodes.queued_job import JobQueueEntry
from rori_spiders.politeness.rate_limiter import RateLimiter
from tests.ledger.factories import at

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest
    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger

_GROUP = "a.gov"


class _RenewedJob:
    """A queued job that asks one group, at a clock that the test sets."""

    def __init__(self, ledger: Ledger) -> None:
        self.minutes = 0.0
        self.ledger = ledger
        self.job_id = str(uuid4())
        self.owner = f"n:7-1-k:{self.job_id}"
        self.settings = {"RORI_JOB_ID": self.job_id}
        self.storage = StorageThread()
        self.storage.use(ledger)
        self.permits = RequestPermits(
            PermitLimits(10),
            owner=self.owner,
            storage=self.storage,
            now=self.now,
            stopping_on_write_errors=nullcontext,
            schedule_next_request=lambda: None,
        )
        politeness = RateLimiter(lambda _: SimpleNamespace(delay_s=2.0, concurrency=1))
        self.leasing = JobLeases(
            owner=self.owner, storage=self.storage, politeness=politeness, permits=self.permits, now=self.now
        )
        self.row = JobQueueEntry(self)  # type: ignore[arg-type]  # as far as it is used

    def now(self) -> Any:
        return at(self.minutes)

    async def begin(self) -> None:
        order: Any = {"priority": 0.0, "operator": "system", "now": self.now()}
        sources, groups = ["a"], [_GROUP]
        self.ledger.write(
            lambda conn: job_queue.enqueue_job(conn, job_id=self.job_id, sources=sources, groups=groups, **order)
        )
        await self.row.take_over()

    def ends(self) -> list[Any]:
        """Until when lease, permits and job are kept."""
        with self.ledger.connect() as conn:
            return [
                conn.execute(select(column)).scalar_one()
                for column in (leases.c.expires_at, permits.c.expires_at, jobs.c.leased_until)
            ]


def _count_transactions(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    counted, write = SimpleNamespace(number=0), StorageThread.write

    async def counting(self: StorageThread, work: Callable[[Connection], Any]) -> Any:
        counted.number += 1
        return await write(self, work)

    monkeypatch.setattr(StorageThread, "write", counting)
    return counted


def test_renew_extends_lease_permits_and_job_in_one_transaction(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def renew() -> None:
        job = _RenewedJob(ledger)
        await job.begin()
        before, counted = job.ends(), _count_transactions(monkeypatch)
        job.minutes = 0.25
        assert await job.row.renew() is None
        assert counted.number == 1
        assert all(later > end for later, end in zip(job.ends(), before, strict=True))
        await job.leasing.release({_GROUP})

    asyncio.run(renew())


def test_renew_of_cancelled_job_says_so_once_and_keeps_its_lease(ledger: Ledger) -> None:
    async def renew() -> None:
        job = _RenewedJob(ledger)
        await job.begin()
        ledger.write(lambda conn: job_queue.cancel_job(conn, job.job_id, by="ann", now=job.now()))
        assert [await job.row.renew(), await job.row.renew()] == ["cancelled by ann", None]
        assert job.leasing.valid(_GROUP)
        await job.leasing.release({_GROUP})

    asyncio.run(renew())


def test_renew_after_release_claims_no_permits(ledger: Ledger) -> None:
    async def renew() -> None:
        job = _RenewedJob(ledger)
        await job.begin()
        await job.leasing.release({_GROUP})
        assert await job.row.renew() is None
        with ledger.connect() as conn:
            assert conn.execute(select(permits)).all() == []

    asyncio.run(renew())
