"""A step that takes long lets the process say that it is alive, lest another takes the run up beside it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from rori_spiders.corpus.runs.audit_step import run_validation_audit
from rori_spiders.corpus.runs.cleaning_steps import run_preflight
from rori_spiders.ledger.corpus import run_pages
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
