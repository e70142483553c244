"""A run given up, or taken up again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.corpus.reviewing.turn import said
from rori_spiders.corpus.states import may_move
from rori_spiders.exceptions import UsageError
from rori_spiders.ledger.corpus import run_states
from rori_spiders.reviews.corpus_alerts import clear_draft, clear_failed

if TYPE_CHECKING:
    from rori_spiders.corpus.reviewing.turn import Turn


def cancel(turn: Turn, reason: str) -> None:
    """Give the run up, and free its domain. Decisions and approvals stay; a process that works on it ends."""
    why = said(reason)
    turn.record("corpus_cancel", reason=why)
    turn.move("cancelled", ends=True, says=why)
    clear_failed(turn.conn, turn.run.domain, now=turn.now)
    clear_draft(turn.conn, turn.run.domain, now=turn.now)


def resume(turn: Turn) -> None:
    """Take a run that failed up again, in the state where it stopped."""
    run = turn.run
    if not may_move("failed", run.stopped_in, "operator") or run.state != "failed":  # type: ignore[arg-type]  # a row's
        raise UsageError(f"the run is {run.state}: only one that failed is resumed")
    if (other := run_states.resume_run(turn.conn, run, now=turn.now)) is not None:
        raise UsageError(f"{run.domain} has another run by now, which {other.requested_by} began: {other.state}")
    turn.record("corpus_resume")
