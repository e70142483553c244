"""A step that takes long lets the process say that it is alive, lest another takes the run up beside it."""

from __future__ import annotations

import asyncio
from threading import Barrier
from typing import TYPE_CHECKING

import pytest

from rori_spiders.corpus.runs.audit_step import run_validation_audit
from rori_spiders.corpus.runs.cleaning_steps import run_preflight
from rori_spiders.ledger.corpus import run_pages
from rori_spiders.staging.disk.store import DiskStore
from tests.corpus.runs.test_llm_cleanup import Corpus

if TYPE_CHECKING:
    from pathlib import Path

    from rori_spiders.corpus.runs.state_machine import Step
    from rori_spiders.ledger.database import Ledger


@pytest.mark.parametrize("step", [run_preflight, run_validation_audit])
def test_corpus_run_yields_to_event_loop_between_pages(ledger: Ledger, path: Path, step: Step) -> None:
    corpus = Corpus(ledger, path, "a", "b", "c")
    corpus.clean(None)
    if step is run_preflight:
        with ledger.begin() as conn:
            for name in ("a", "b", "c"):
                run_pages.update_page(conn, corpus.run.run_id, corpus.page(name).page_id, {"draft_object": None})

    async def turns() -> int:
        had = 0

        async def have() -> None:
            nonlocal had
            while True:
                had += 1
                await asyncio.sleep(0)

        other = asyncio.create_task(have())
        await step(corpus.work(None))
        other.cancel()
        return had

    assert asyncio.run(turns()) >= 3
    assert all(corpus.page(name).draft_object for name in ("a", "b", "c"))


class BucketLike(DiskStore):
    """A store that is worth several reads at once: the first read of a text waits until another one is under way."""

    concurrent_reads = 2

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._two = Barrier(2, action=lambda: setattr(self, "_have_met", True))
        self._have_met = False

    def get_object(self, digest: str) -> bytes:
        if not self._have_met:
            self._two.wait(timeout=60)
        return super().get_object(digest)


@pytest.mark.parametrize("step", [run_preflight, run_validation_audit])
def test_corpus_run_store_of_several_reads_is_read_by_several_threads(ledger: Ledger, path: Path, step: Step) -> None:
    corpus = Corpus(ledger, path, "a", "b")
    corpus.clean(None)
    with ledger.begin() as conn:
        for name in ("a", "b"):
            run_pages.update_page(conn, corpus.run.run_id, corpus.page(name).page_id, {"draft_object": None})
    corpus.store = BucketLike(path.parent / "staged")

    async def run() -> None:
        await step(corpus.work(None))

    asyncio.run(run())
    pages = [corpus.page(name) for name in ("a", "b")]
    assert all(one.draft_object if step is run_preflight else one.document_object for one in pages)
