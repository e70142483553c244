"""How a run stands once a page that it held is accepted: its figures, its state, and what that says of its source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.ending import start_end
from rori_spiders.ledger import runs, sources
from rori_spiders.ledger.tables.runs import OPEN_RUN_STATES
from rori_spiders.run import Outcome, judge
from rori_spiders.usual import usual

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.ledger.runs import RunRow
    from rori_spiders.manifest.models import Source


def of_sum(conn: Connection, run_id: str, source: Source) -> Outcome:
    """The outcome that the run's sum in the ledger gives."""
    return judge(
        runs.counts(conn, run_id),
        start=start_end(conn, run_id, source.url),
        stopped=None,
        expect=source.scrape_config.expect,
        usual=usual(conn, source, before=runs.run(conn, run_id).started_at),
    )


def close_again(conn: Connection, run: RunRow, source: Source, before: Outcome, *, changed: bool, now: datetime) -> str:
    """Write the run's figures anew; gives the state that it is in now.

    A run that failed by its sum (*before*, what that gave until now) is judged by its new sum. One that failed for
    another reason, or was not finished, stays what it is. When it ended stays as it was.
    """
    ended = run.finished_at or now
    outcome = Outcome(run.state, run.reason)
    if run.state not in OPEN_RUN_STATES and outcome == before:
        outcome = of_sum(conn, run.run_id, source)
    runs.close_run(conn, run.run_id, state=outcome.state, reason=outcome.reason, now=ended)
    note(conn, run, outcome, changed=changed, at=ended)
    return outcome.state


def note(conn: Connection, run: RunRow, outcome: Outcome, *, changed: bool, at: datetime) -> None:
    """Its source was checked, and changed, when the run ended; a later run has said more of it than this one."""
    if sources.state_of(conn, run.source_id).last_run_id != run.run_id:
        return
    # Where it was complete before, or is not yet, only the change is news: `partial` counts neither way.
    state = "complete" if outcome.state == "complete" != run.state else "partial"
    sources.record_outcome(
        conn, run.source_id, run_id=run.run_id, state=state, operator=run.operator, changed=changed, now=at
    )
