"""How long an end waits for others: what a 304 confirmed for longer, the last of a run not at all."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.runs import recorder
from rori_spiders.items import Change, Fetched, PageItem
from rori_spiders.reasons import Reason, ReasonCode

if TYPE_CHECKING:
    from rori_spiders.items import FrontierUrl
    from tests.crawl.runs.conftest import Begin, Running


def confirmed(now: Running, visit: FrontierUrl) -> PageItem:
    """A page of which its server said that it is the one we hold."""
    at, held = now.job.now(), "0" * 64
    fetched = Fetched(visit.url, visit.url, 304, {}, b"", at, "http", "", 1)
    change = Change("unchanged", held, held)
    return PageItem(visit, "unchanged", Reason(ReasonCode.NOT_MODIFIED), fetched=fetched, change=change, at=at)


@pytest.fixture(autouse=True)
def times(monkeypatch: pytest.MonkeyPatch) -> None:
    """So far apart that no busy machine takes one for the other; nothing here waits for the longer."""
    monkeypatch.setattr(recorder, "BATCH_WINDOW_S", 0.05)
    monkeypatch.setattr(recorder, "CONFIRMED_BATCH_WINDOW_S", 600.0)


def test_recorder_unchanged_pages_wait_for_a_full_batch(running: Begin) -> None:
    async def ending() -> None:
        async with running() as now:
            visits = list(now.run.frontier.outstanding.values()) + now.find("1", "2", "3")
            first = [asyncio.ensure_future(now.recorder.record(now.run, confirmed(now, one))) for one in visits[:-1]]
            done, _ = await asyncio.wait(first, timeout=0.3)
            assert (done, now.written) == (set(), [])
            await now.recorder.record(now.run, confirmed(now, visits[-1]))
            await asyncio.gather(*first)
            assert now.written == [len(visits)]

    asyncio.run(ending())


def test_recorder_page_that_cannot_wait_flushes_unchanged_ones(running: Begin) -> None:
    async def ending() -> None:
        async with running() as now:
            one, other, _ = now.find("1", "2", "3")
            waiting = asyncio.ensure_future(now.recorder.record(now.run, confirmed(now, one)))
            await asyncio.sleep(0)
            await now.recorder.record(now.run, now.failed(other))
            await waiting
            assert now.written == [2]

    asyncio.run(ending())


def test_recorder_does_not_wait_for_pages_that_are_not_asked_for(
    running: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As while Scrapy asks for nothing before some of the responses that it holds have ended."""
    monkeypatch.setattr(Job, "is_held_back", True)

    async def ending() -> None:
        async with running() as now:
            one, *_ = now.find("1", "2", "3")
            await asyncio.wait_for(now.recorder.record(now.run, confirmed(now, one)), 60)
            assert now.written == [1]

    asyncio.run(ending())


def test_recorder_full_batch_is_written_at_once(running: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "MAX_BATCH_SIZE", 2)

    async def ending() -> None:
        async with running() as now:
            visits = now.find("1", "2", "3")
            await asyncio.gather(*(now.recorder.record(now.run, confirmed(now, one)) for one in visits[:2]))
            assert now.written == [2]

    asyncio.run(ending())


def test_recorder_stop_does_not_wait_for_batch(running: Begin) -> None:
    async def ending() -> None:
        async with running() as now:
            one, _ = now.find("1", "2")
            waiting = asyncio.ensure_future(now.recorder.record(now.run, confirmed(now, one)))
            await asyncio.sleep(0)
            now.job.stop.has_begun = True
            await waiting
            assert now.written == [1]

    asyncio.run(ending())
