"""What is known of pages is read for many at once, once, and forgotten when they have ended."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from rori_spiders.crawl.job.page_states import PREFETCH_SIZE
from rori_spiders.exceptions import LedgerError
from rori_spiders.ledger.pages import page_history, page_state

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import Connection

    from rori_spiders.ledger.pages.page_state import PageState
    from tests.crawl.runs.conftest import Begin


class Reads:
    """The URLs of each question to the ledger; the first ones fail."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, failing: int = 0) -> None:
        self.sizes: list[int] = []
        self._failing, self._read = failing, page_state.load_page_states
        monkeypatch.setattr(page_state, "load_page_states", self)

    def __call__(self, conn: Connection, source_id: str, urls: Collection[str]) -> dict[str, PageState]:
        self.sizes.append(len(urls))
        if len(self.sizes) <= self._failing:
            raise LedgerError("the ledger is locked")
        return self._read(conn, source_id, urls)


def test_page_states_are_read_in_batches_of_fifty(running: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    async def asking() -> None:
        async with running() as now:
            reads, pages = Reads(monkeypatch), now.job.page_states
            visits = now.find(*(str(number) for number in range(PREFETCH_SIZE + 10)))
            await now.job.storage.write(
                lambda conn: page_history.ensure_page(conn, "a", visits[3].url, now=now.job.now())
            )
            for one in visits:
                pages.expect(one)
                pages.expect(one)
            found = await asyncio.gather(*map(pages.of, visits), *map(pages.of, visits))
            assert sorted(reads.sizes) == [10, PREFETCH_SIZE]
            assert [at for at, one in enumerate(found) if one is not None] == [3, 3 + len(visits)]

    asyncio.run(asking())


def test_page_states_failed_read_is_repeated_for_all_waiting(running: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    async def asking() -> None:
        async with running() as now:
            reads, pages = Reads(monkeypatch, failing=1), now.job.page_states
            visits = now.find("1", "2", "3")
            for one in visits:
                pages.expect(one)
            failed = await asyncio.gather(*map(pages.of, visits), return_exceptions=True)
            assert {type(one) for one in failed} == {LedgerError}
            assert await asyncio.gather(*map(pages.of, visits)) == [None] * 3
            assert reads.sizes == [3, 3]

    asyncio.run(asking())


def test_page_states_cancelled_waiter_does_not_affect_others(running: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    async def asking() -> None:
        async with running() as now:
            reads, pages = Reads(monkeypatch), now.job.page_states
            one, other = now.find("1", "2")
            pages.expect(other)
            leaving, staying = (asyncio.ensure_future(pages.of(visit)) for visit in (one, other))
            await asyncio.sleep(0)
            leaving.cancel()
            assert await staying is None
            with pytest.raises(asyncio.CancelledError):
                await leaving
            assert sum(reads.sizes) == 2

    asyncio.run(asking())


def test_page_states_of_ended_run_are_discarded(running: Begin) -> None:
    async def asking() -> None:
        async with running() as now:
            visits, pages = now.find("1", "2", "3"), now.job.page_states
            for one in visits:
                assert await pages.of(one) is None
            await asyncio.gather(*(now.recorder.record(now.run, now.failed(one)) for one in visits[:2]))
            assert [url for _, url in pages._batches] == [visits[2].url]
            pages.forget_run("a")
            assert (pages._batches, pages._open) == ({}, {})

    asyncio.run(asking())


def test_page_states_of_previous_run_are_available(running: Begin) -> None:
    """Another run of the source, as after an acceptance, asks anew."""

    async def asking() -> None:
        async with running() as now:
            [visit] = now.find("1")
            assert await now.job.page_states.of(visit) is None
            now.job.page_states.forget_run("a")
            await now.job.storage.write(lambda conn: page_history.ensure_page(conn, "a", visit.url, now=now.job.now()))
            assert await now.job.page_states.of(visit) is not None

    asyncio.run(asking())
