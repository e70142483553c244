"""URLs that were lost inside the program get their end together; what cannot even be recorded so ends its run."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from rori_spiders.extensions.runs import RunsExtension
from rori_spiders.ledger.runs import frontier, run_records
from rori_spiders.reasons import Reason

if TYPE_CHECKING:
    import pytest

    from tests.crawl.runs.conftest import Begin, Running


async def _idle(now: Running) -> None:
    extension = RunsExtension.from_crawler(now.crawler)
    await extension._reconcile()


def test_lost_urls_are_recorded_in_one_transaction(running: Begin, caplog: pytest.LogCaptureFixture) -> None:
    async def ending() -> None:
        async with running() as now:
            now.find(*map(str, range(20)))
            await _idle(now)
            ends = await now.ends()
            assert {(row.state, row.reason) for row in ends.values()} == {("failed", Reason("no_result"))}
            assert now.written == [20]
            assert len(ends) == 20
            assert now.job.runs == {}

    asyncio.run(ending())
    assert caplog.text.count("ended with neither a response nor an error") == 20


def test_lost_urls_stored_but_not_recorded_leave_run_incomplete(running: Begin) -> None:
    async def ending() -> None:
        async with running() as now:
            now.run.frontier.limit_requests(1)
            made = now.run.frontier.admit(now.find("1", "2", "3"))
            assert (len(made), now.run.frontier.stored, now.run.frontier.pages_known) == (2, 1, 3)
            for visit in made:
                await now.recorder.record(now.run, replace(now.failed(visit), state="captured"))
            assert not now.run.frontier.is_done
            await _idle(now)
            row = await now.job.storage.read(lambda conn: run_records.get_run(conn, now.run.run_id))
            assert (row.state, row.reason_code) == ("incomplete", "not_recorded")

    asyncio.run(ending())


def test_lost_urls_failed_record_ends_its_run_alone(running: Begin) -> None:
    async def ending() -> None:
        async with running() as now:
            visits = now.find("1", "2", "3")
            await now.job.storage.write(lambda conn: frontier.add_urls(conn, now.run.run_id, visits))
            broken = visits[-1]
            key = next(key for key, visit in now.run.frontier.outstanding.items() if visit == broken)
            now.run.frontier.outstanding[key] = replace(broken, found_by="\ud800")
            await _idle(now)
            states = {path: row.state for path, row in (await now.ends()).items()}
            assert states == {"1": "failed", "2": "failed", "3": "pending"}
            await _idle(now)
            assert now.job.runs == {}
            row = await now.job.storage.read(lambda conn: run_records.get_run(conn, now.run.run_id))
            assert row.state == "partial"
            assert row.reason_code == "not_recorded"

    asyncio.run(ending())
