"""Advance a run, state by state, until people have to review it. One process at a time; any may continue later.

The step of each state (`STEPS`) writes its results as it goes and asks only for what is missing, so an interrupted
step is simply repeated. A worker sends a heartbeat every ``ALIVE_S`` seconds; its claim expires after ``CLAIM_S``.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING
from uuid import uuid4

from rori_spiders.corpus.run_states import WORK, may_move, next_state
from rori_spiders.corpus.runs.audit_step import run_validation_audit
from rori_spiders.corpus.runs.cleaning_steps import run_llm_cleanup, run_preflight
from rori_spiders.corpus.runs.page_map import run_mapping
from rori_spiders.corpus.runs.page_texts import run_scraping
from rori_spiders.corpus.runs.run import MACHINES
from rori_spiders.corpus.runs.triage_steps import run_page_triage, run_section_sampling
from rori_spiders.exceptions import ActionRefused, RoriError
from rori_spiders.ledger.corpus import run_states
from rori_spiders.reviews.corpus_alerts import clear_corpus_alert, note_draft, note_failed
from rori_spiders.reviews.events import CORPUS_FAILED

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

    from rori_spiders.corpus.run_states import State
    from rori_spiders.corpus.runs.run import RunContext
    from rori_spiders.ledger.corpus.run_states import CorpusRun

    Step = Callable[[RunContext], Awaitable[None]]

logger = logging.getLogger(__name__)


#: Seconds after which a claim without a heartbeat expires, and between heartbeats.
CLAIM_S, ALIVE_S = 90.0, 20.0


async def advance_corpus_run(work: RunContext, steps: Mapping[State, Step], *, until: State | None = None) -> CorpusRun:
    """Advance the run until it needs a person, or until the state *until* is done; return the run.

    Raises UsageError when another process works on it. What a step raises fails the run, which says why, and is raised.
    """
    run = work.run
    async with _hold_claim(work):
        while run.state in WORK:
            done = run.state
            await _run_state(replace(work, run=run), steps)
            run = _reload_run(work)
            if done == until:
                break
    return _reload_run(work)


async def _run_state(work: RunContext, steps: Mapping[State, Step]) -> None:
    """Run the step of the run's state, and move the run on unless someone moved it meanwhile."""
    run = work.run
    try:
        await steps[run.state](work)  # type: ignore[index]  # WORK holds it
    except RoriError as error:
        _record_failure(work, str(error))
        raise
    except Exception as error:
        _record_failure(work, f"unexpected: {type(error).__name__}: {error}")
        raise
    to = next_state(run.state)  # type: ignore[arg-type]  # WORK holds it
    if not may_move(run.state, to, "machine"):  # type: ignore[arg-type]  # the same
        raise AssertionError(f"a run in {run.state} cannot move to {to}")
    moved = work.ledger.write(partial(run_states.move_run, run=run, to=to, now=work.now(), says=run.says))
    log_values = {"domain": run.domain, "was": run.state, "to": to}
    if moved and to not in WORK:
        work.ledger.write(partial(clear_corpus_alert, event=CORPUS_FAILED, domain=run.domain, now=work.now()))
        if run.requested_by in MACHINES:
            work.ledger.write(partial(note_draft, domain=run.domain, says=run.says, now=work.now()))
    if moved:
        logger.info("Corpus of %(domain)s: %(was)s done, next %(to)s", log_values)


def _record_failure(work: RunContext, says: str) -> None:
    """Record a failure. If the ledger cannot be written either, the run stays in its state for the next process."""
    with suppress(RoriError):
        work.ledger.write(partial(run_states.stop_run, run=work.run, to="failed", now=work.now(), says=says[:2000]))
        work.ledger.write(partial(note_failed, domain=work.run.domain, says=says, now=work.now()))


@asynccontextmanager
async def _hold_claim(work: RunContext) -> AsyncIterator[None]:
    """Hold the claim on the run, renewed by heartbeats."""
    worker = f"{socket.gethostname()}:{os.getpid()}:{uuid4().hex[:8]}"
    if not _renew_claim(work, worker):
        now = _reload_run(work)
        if not now.is_open:
            raise ActionRefused(f"the run of {now.domain} has ended: {now.state}")
        raise ActionRefused(f"another process is working on the corpus of {now.domain}: {now.worker}")
    task = asyncio.current_task()
    assert task is not None
    alive = asyncio.create_task(_send_heartbeats(work, worker, task))
    try:
        yield
    finally:
        alive.cancel()
        with suppress(asyncio.CancelledError):
            await alive
        with suppress(RoriError):
            work.ledger.write(partial(run_states.release_run, run_id=work.run.run_id, worker=worker))


async def _send_heartbeats(work: RunContext, worker: str, task: asyncio.Task[object]) -> None:
    """Send heartbeats; cancel *task* when the run was cancelled or claimed by another process."""
    while True:
        await asyncio.sleep(ALIVE_S)
        if not await asyncio.to_thread(_renew_claim, work, worker):
            task.cancel("the run was cancelled or taken over by another process")
            return


def _renew_claim(work: RunContext, worker: str) -> bool:
    return work.ledger.write(
        partial(
            run_states.claim_run, run_id=work.run.run_id, worker=worker, now=work.now(), for_=timedelta(seconds=CLAIM_S)
        )
    )


def _reload_run(work: RunContext) -> CorpusRun:
    run = work.ledger.read(partial(run_states.find_run, run_id=work.run.run_id))
    assert run is not None
    return run


# The step of each state that a machine moves.

STEPS: dict[State, Step] = {
    "mapping": run_mapping,
    "section_sampling": run_section_sampling,
    "page_triage": run_page_triage,
    "scraping": run_scraping,
    "deterministic_preflight": run_preflight,
    "llm_cleanup": run_llm_cleanup,
    "validation_audit": run_validation_audit,
}
