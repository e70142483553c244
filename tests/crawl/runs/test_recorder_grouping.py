"""URLs that end together are recorded together: what is wrong with one of them is its own affair."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import update

from rori_spiders.crawl.tiers import order
from rori_spiders.exceptions import LeaseLost, WriteError
from rori_spiders.items import Fetched
from rori_spiders.ledger.runs import run_records, tier_memory
from rori_spiders.ledger.tables import leases
from tests.crawl.runs.conftest import START

if TYPE_CHECKING:
    from tests.crawl.runs.conftest import Begin

#: No database takes half of a character where none was ever awaited.
BROKEN = "\ud800"


def test_recorder_unrecordable_page_fails_alone(running: Begin) -> None:
    async def ending() -> None:
        async with running() as now:
            visits = now.find("1", "2", "3")
            now.run.usage.requests = 4
            items = [now.failed(replace(one, found_by=BROKEN) if one.url.endswith("2") else one) for one in visits]
            ended = await asyncio.gather(*map(now.recorder.record, [now.run] * 3, items), return_exceptions=True)
            assert [type(one) for one in ended] == [type(None), UnicodeEncodeError, type(None)]
            assert {path: row.state for path, row in (await now.ends()).items()} == {"1": "failed", "3": "failed"}
            assert [one.url for one in now.run.frontier.outstanding.values()] == [START + "2"]
            row = await now.job.storage.read(lambda conn: run_records.get_run(conn, now.run.run_id))
            assert row.requests + now.run.usage.requests == 4

    asyncio.run(ending())


def test_recorder_rolled_back_transaction_is_repeated(running: Begin) -> None:
    """The tier that failed is forgotten in the ledger too, when another end of the same moment was the broken one."""

    async def ending() -> None:
        async with running() as now:
            visits = now.find("rules/1", "2")
            kind = order.url_template(visits[0].url)
            await now.job.storage.write(
                lambda conn: tier_memory.remember_tier(conn, "a", kind, "browser", now=now.job.now())
            )
            now.run.tiers.remembered[kind] = "browser"
            items = [now.failed(visits[0], tier="browser"), now.failed(visits[1])]
            items[1].fetched = Fetched(
                visits[1].url, START, 500, {}, b"", now.job.now(), "http", "", 1, ip_address="\ud800"
            )
            await asyncio.gather(*map(now.recorder.record, [now.run] * 2, items), return_exceptions=True)
            remembered = await now.job.storage.read(
                lambda conn: tier_memory.remembered_tiers(conn, "a", now=now.job.now())
            )
            assert remembered == now.run.tiers.remembered == {}
            assert set(await now.ends()) == {"rules/1"}

    asyncio.run(ending())


def test_recorder_lease_lost_while_waiting_leaves_pages_pending(running: Begin) -> None:
    async def ending() -> None:
        async with running() as now:
            items = [now.failed(one) for one in now.find("1", "2")]
            now.run.usage.requests = 2
            await now.job.storage.write(
                lambda conn: conn.execute(update(leases).values(owner="another", epoch=leases.c.epoch + 1))
            )
            ended = await asyncio.gather(*map(now.recorder.record, [now.run] * 2, items), return_exceptions=True)
            assert [type(one) for one in ended] == [LeaseLost, LeaseLost]
            assert await now.ends() == {}
            assert (len(now.run.frontier.outstanding), now.run.usage.requests) == (2, 2)

    asyncio.run(ending())


def test_recorder_ended_run_records_nothing(running: Begin) -> None:
    async def ending() -> None:
        async with running() as now:
            [visit] = now.find("1")
            now.job.runs.clear()
            with pytest.raises(LeaseLost, match="its run ended"):
                await now.recorder.record(now.run, now.failed(visit))
            assert await now.ends() == {}

    asyncio.run(ending())


def test_recorder_page_counts_although_its_log_lines_fail(running: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ending() -> None:
        async with running() as now:
            [visit] = now.find("1")

            def full(_: object) -> None:
                raise WriteError("the disk is full")

            monkeypatch.setattr(now.job.storage.store.errors, "append", full)
            with pytest.raises(WriteError):
                await now.recorder.record(now.run, now.failed(visit))
            assert {path: row.state for path, row in (await now.ends()).items()} == {"1": "failed"}
            assert (now.run.frontier.outstanding, now.run.frontier.tally["failed"]) == ({}, 1)

    asyncio.run(ending())
