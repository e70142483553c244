"""A run brought forward: state by state, by one process, and taken up again where it stopped."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from functools import wraps
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.corpus.run_states import WORK, State
from rori_spiders.corpus.runs import state_machine
from rori_spiders.corpus.runs.run import RunContext
from rori_spiders.exceptions import StagingError, UsageError
from rori_spiders.ledger.corpus import run_states
from rori_spiders.ledger.dialects import lease_clock
from rori_spiders.ledger.operations import alerts
from rori_spiders.staging.disk.store import DiskStore
from tests.corpus.factories import a_run, now_of
from tests.ledger.factories import at

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

    from rori_spiders.ledger.corpus.run_states import CorpusRun
    from rori_spiders.ledger.database import Ledger


def in_a_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """The test, with an event loop of its own."""

    @wraps(test)
    def run(**given: Any) -> None:
        asyncio.run(test(**given))

    return run


class Steps(dict[State, Any]):
    """A step for each state, which notes that it was done; *fails* in one of them."""

    def __init__(self, fails: dict[State, Exception] | None = None) -> None:
        self.done: list[str] = []
        self.fails = fails or {}
        super().__init__({state: self._step(state) for state in WORK})

    def _step(self, state: State) -> Any:
        async def step(work: RunContext) -> None:
            assert work.run.state == state
            if state in self.fails:
                raise self.fails.pop(state)
            self.done.append(state)

        return step


def work_on(ledger: Ledger, run: CorpusRun, path: Path) -> RunContext:
    return RunContext(run, ledger, DiskStore(path.parent / "staged"), {}, lambda: at(1))


def opened(ledger: Ledger) -> list[tuple[str, str]]:
    with ledger.connect() as conn:
        return [(one["event"], one["message"]) for one in alerts.open_alerts(conn)]


@in_a_loop
async def test_state_machine_runs_until_review_is_needed(ledger: Ledger, path: Path) -> None:
    run, steps = a_run(ledger), Steps()
    ended = await state_machine.advance_corpus_run(work_on(ledger, run, path), steps)
    assert steps.done == list(WORK)
    assert (ended.state, ended.worker, ended.is_open) == ("ready_for_review", None, True)
    assert (await state_machine.advance_corpus_run(work_on(ledger, ended, path), steps)).state == "ready_for_review"
    assert steps.done == list(WORK)


@in_a_loop
async def test_state_machine_stops_at_requested_state(ledger: Ledger, path: Path) -> None:
    run, steps = a_run(ledger), Steps()
    assert (
        await state_machine.advance_corpus_run(work_on(ledger, run, path), steps, until="page_triage")
    ).state == "scraping"


@pytest.mark.parametrize("error", [StagingError("the disk is full"), ZeroDivisionError("by zero")])
@in_a_loop
async def test_state_machine_failed_state_has_reason_and_resumes_there(
    ledger: Ledger, path: Path, error: Exception
) -> None:
    run, steps = a_run(ledger), Steps({"llm_cleanup": error})
    with pytest.raises(type(error)):
        await state_machine.advance_corpus_run(work_on(ledger, run, path), steps)
    failed = now_of(ledger, run.run_id)
    assert (failed.state, failed.stopped_in, failed.is_open) == ("failed", "llm_cleanup", False)
    assert str(error) in (failed.says or "")
    ((event, message),) = opened(ledger)
    assert event == "corpus_failed" and str(error) in message
    with pytest.raises(UsageError, match="has ended: failed"):
        await state_machine.advance_corpus_run(work_on(ledger, failed, path), steps)
    with ledger.begin() as conn:
        assert run_states.resume_run(conn, failed, now=at(2)) is None
    resumed = now_of(ledger, run.run_id)
    assert (await state_machine.advance_corpus_run(work_on(ledger, resumed, path), steps)).state == "ready_for_review"
    assert steps.done == list(WORK)
    assert opened(ledger) == []


@in_a_loop
async def test_state_machine_other_process_is_not_disturbed(ledger: Ledger, path: Path) -> None:
    run = a_run(ledger)
    with ledger.begin() as conn:
        assert run_states.claim_run(conn, run.run_id, "other:1", now=lease_clock(conn, at(1)), for_=timedelta(hours=1))
    with pytest.raises(UsageError, match="another process is working on the corpus"):
        await state_machine.advance_corpus_run(work_on(ledger, run, path), Steps())


@in_a_loop
async def test_state_machine_cancelled_run_ends_its_worker(
    ledger: Ledger, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state_machine, "ALIVE_S", 0.01)
    run = a_run(ledger)
    begun = asyncio.Event()

    async def never_done(_: RunContext) -> None:
        begun.set()
        await asyncio.Event().wait()

    working = asyncio.create_task(state_machine.advance_corpus_run(work_on(ledger, run, path), {"mapping": never_done}))
    await begun.wait()
    with ledger.begin() as conn:
        run_states.move_run(conn, run, "cancelled", now=at(2), ends=True)
    with pytest.raises(asyncio.CancelledError):
        await working
    assert now_of(ledger, run.run_id).state == "cancelled"


@in_a_loop
async def test_state_machine_stopped_process_leaves_state(ledger: Ledger, path: Path) -> None:
    run = a_run(ledger)
    begun = asyncio.Event()

    async def never_done(_: RunContext) -> None:
        begun.set()
        await asyncio.Event().wait()

    working = asyncio.create_task(state_machine.advance_corpus_run(work_on(ledger, run, path), {"mapping": never_done}))
    await begun.wait()
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    left = now_of(ledger, run.run_id)
    assert (left.state, left.worker, left.is_open) == ("mapping", None, True)
