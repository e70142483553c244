"""Pages that are ready at the same time are staged together, and one that cannot be fails alone."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.utils.test import get_crawler

from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.page import staging
from rori_spiders.crawl.page.staging import EnvelopeStager
from rori_spiders.exceptions import LeaseLost
from rori_spiders.items import PageItem
from rori_spiders.ledger.database import open_ledger
from rori_spiders.staging.store_factory import DiskStore
from tests.envelope.factories import NOON, SITE, a_fetch, an_id
from tests.staging.job_driver import Job as Driver
from tests.staging.job_driver import begin, rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rori_spiders.envelope import Envelope


class _CountingStore(DiskStore):
    """A store that remembers how many envelopes came at a time."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.groups: list[int] = []

    def write_envelopes(self, files: Mapping[str, bytes]) -> set[str]:
        self.groups.append(len(files))
        return super().write_envelopes(files)


@dataclass
class _Staging:
    """A job's stager, the pages that it is given, and where they go."""

    driver: Driver
    job: Job
    store: _CountingStore
    items: list[PageItem]

    def stage_all(self) -> list[BaseException | None]:
        async def stage() -> list[BaseException | None]:
            stager = EnvelopeStager(self.job)
            return await asyncio.gather(*map(stager.stage, self.items), return_exceptions=True)

        return asyncio.run(stage())

    def staged_urls(self) -> set[str]:
        return {row.url for row in rows(self.driver.ledger).values() if self.store.exists(row.path)}


@pytest.fixture
def ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[_Staging]:
    """Five pages, converted and compared."""
    ledger, store = open_ledger(str(tmp_path / "ledger.db")), _CountingStore(tmp_path / "staged")
    driver = Driver(ledger, store, an_id(1), NOON)
    visits = begin(driver, *(f"{SITE}{number}/" for number in range(5)))
    items = [PageItem(one, "captured", fetched=a_fetch(one.url, one.url.encode(), at=NOON)) for one in visits]

    def build(_: Job, item: PageItem) -> Envelope:
        if "broken" in item.visit.found_by:
            raise ValueError("no envelope can be made of it")
        return driver.envelope(item.visit, item.visit.url.encode())

    job: Any = Job(get_crawler())
    job.storage.use(ledger, store)
    monkeypatch.setattr(staging, "_build_envelope", build)
    monkeypatch.setattr(job.leasing, "check", lambda *_: None)
    monkeypatch.setattr(type(job.manifests), "group", lambda _, host: host)
    yield _Staging(driver, job, store, items)
    asyncio.run(job.storage.close())


def test_stage_pages_that_are_ready_together_are_one_group(ready: _Staging) -> None:
    assert ready.stage_all() == [None] * 5
    assert ready.store.groups == [5]
    assert ready.staged_urls() == {item.visit.url for item in ready.items}
    paths = {row.envelope_id: row.path for row in rows(ready.driver.ledger).values()}
    assert [paths[item.envelope_id or ""] for item in ready.items] == [item.staged_path for item in ready.items]


def test_stage_pages_of_a_run_that_come_one_by_one_are_one_group(
    ready: _Staging, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staging, "GROUP_WINDOW_S", 600.0)
    run = SimpleNamespace(frontier=SimpleNamespace(outstanding=[item.visit.url for item in ready.items]))
    monkeypatch.setattr(ready.job, "runs", {ready.items[0].visit.run_id: run})

    async def stage() -> None:
        stager, begun = EnvelopeStager(ready.job), list[asyncio.Task[None]]()
        for item in ready.items:
            begun.append(asyncio.create_task(stager.stage(item)))
            for _ in range(3):
                await asyncio.sleep(0)
        await asyncio.gather(*begun)

    asyncio.run(stage())
    assert ready.store.groups == [5]


def test_stage_does_not_wait_for_pages_that_are_not_asked_for(ready: _Staging, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging, "GROUP_WINDOW_S", 600.0)
    run = SimpleNamespace(frontier=SimpleNamespace(outstanding=[item.visit.url for item in ready.items]))
    monkeypatch.setattr(ready.job, "runs", {ready.items[0].visit.run_id: run})
    monkeypatch.setattr(Job, "is_held_back", True)
    asyncio.run(asyncio.wait_for(EnvelopeStager(ready.job).stage(ready.items[0]), 60))
    assert ready.store.groups == [1]


def test_stage_page_of_which_no_envelope_is_made_fails_alone(ready: _Staging) -> None:
    ready.items[2].visit = type(ready.items[2].visit)(
        ready.items[2].visit.run_id, ready.items[2].visit.source_id, ready.items[2].visit.url, found_by="broken"
    )
    failed = ready.stage_all()
    assert [type(one) for one in failed] == [type(None), type(None), ValueError, type(None), type(None)]
    assert len(ready.staged_urls()) == 4


def test_stage_page_with_withdrawn_reservation_loses_its_file_alone(
    ready: _Staging, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where another job has taken this one for dead while it wrote."""
    lost = ready.items[3].visit.url
    write = ready.store.write_envelopes

    def write_slowly(files: Mapping[str, bytes]) -> set[str]:
        refused = write(files)
        with ready.driver.ledger.begin() as conn:
            conn.exec_driver_sql("DELETE FROM envelopes WHERE url = ?", (lost,))
        return refused

    monkeypatch.setattr(ready.store, "write_envelopes", write_slowly)
    failed = ready.stage_all()
    assert [isinstance(one, LeaseLost) for one in failed] == [False, False, False, True, False]
    assert ready.staged_urls() == {item.visit.url for item in ready.items} - {lost}
    assert len(list(ready.store.paths())) == 4
