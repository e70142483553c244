"""The end of a run in the ledger: judged by its URLs, closed, and what that makes of its source.

Functions over a Connection, all in the caller's transaction. In: a run whose job leaves it. Out: how it ended.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rori_spiders import removal, reviews, schedule, summaries
from rori_spiders.ledger import frontier, history, jobs, runs, sources
from rori_spiders.ledger import summaries as kept
from rori_spiders.ledger.tables.runs import OPEN_RUN_STATES
from rori_spiders.run import Outcome, judge
from rori_spiders.urls import normalise

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from rori_spiders.ledger.sources import SourceState
    from rori_spiders.manifest.models import Source
    from rori_spiders.run import Run
    from rori_spiders.summaries import Coverage

_LEADS_ON = re.compile(r"(?:redirected to|only frames; read at) (\S+)")


@dataclass(frozen=True, slots=True)
class End:
    """How a run ended: its outcome, its counts, how its source stood before and stands after."""

    outcome: Outcome
    counts: dict[str, int]
    before: SourceState
    after: SourceState
    note: str | None = None  # what a person should know of it: it found nothing


def close(
    conn: Connection, run: Run, *, job_id: str, operator: str, now: datetime, sitemaps: Coverage | None = None
) -> End:
    """Judge and close *run*, which the job *job_id* leaves; unless another job has taken it up.

    *sitemaps* is what became of what those that it read name, for its summary.
    """
    before = sources.state_of(conn, run.source_id)
    if runs.run(conn, run.run_id).job_id != job_id:
        # Our lease ended, and its next holder took the run up: how it ends is for that job to say.
        outcome = Outcome("partial", f"another job goes on with it ({run.stopped})")
        return End(outcome, runs.counts(conn, run.run_id), before, before)
    outcome = judge(
        runs.counts(conn, run.run_id),
        start=start_end(conn, run.run_id, run.source.url),
        stopped=run.stopped,
        expect=run.source.scrape_config.expect,
        usual=run.usual,
        unread=len(run.outstanding) - run.pages_out,
        limited=run.limited or run.lacks,
    )
    if outcome.state == "suspect":
        history.forget_looks(conn, run.source_id, since=run.started_at)
    seconds = (now - run.taken_up_at).total_seconds() if run.taken_up_at is not None else 0.0
    runs.add_requests(conn, run.run_id, requests=run.requests, seconds=max(0.0, seconds))
    counts = runs.close_run(conn, run.run_id, state=outcome.state, reason=outcome.reason, now=now)
    after = _note(conn, run, outcome, operator=operator, changed=bool(counts["changed"]), now=now)
    note = None
    if outcome.state not in OPEN_RUN_STATES and run.source.method in summaries.METHODS:
        note = summarise(conn, run.run_id, run.source, sitemaps, now=now)
    return End(outcome, counts, before, after, note if outcome.state in {"complete", "suspect"} else None)


def summarise(conn: Connection, run_id: str, source: Source, sitemaps: Coverage | None, *, now: datetime) -> str | None:
    """Keep the summary of a run of a site or wiki that has ended; gives what a person should know of it."""
    note = summaries.found_nothing(conn, run_id, source)
    kept.keep(conn, run_id, summaries.make(conn, run_id, source, sitemaps, note, now=now), now=now)
    return note


def _note(conn: Connection, run: Run, outcome: Outcome, *, operator: str, changed: bool, now: datetime) -> SourceState:
    """What the run's end makes of its source."""
    limited = run.limited is not None or reviews.was_rate_limited(conn, run.run_id)
    after = sources.record_outcome(
        conn,
        run.source_id,
        run_id=run.run_id,
        state=outcome.state,
        operator=operator,
        changed=changed,
        now=now,
        rate_limited=limited,
    )
    words = schedule.interval_words(run.source, after)
    is_stretched = after.interval_factor > 1
    reviews.note_run(
        conn, run.source_id, run.run_id, rate_limited=limited, is_stretched=is_stretched, words=words, now=now
    )
    removal.note_end(conn, run.source_id, now)
    jobs.note_end(conn, run.source_id, now)
    reviews.note_pages(conn, run.source_id, state=outcome.state, reason=outcome.reason, now=now)
    if outcome.state == "failed":
        reviews.note_breaker(conn, run.source_id, after, run_reason=outcome.reason, now=now)
    if outcome.state not in OPEN_RUN_STATES:
        reviews.note_changes(conn, run.source_id, run.run_id, now=now)
    return after


def start_end(conn: Connection, run_id: str, start_url: str) -> tuple[str, str] | None:
    """How a run's start URL ended, or the page that it leads to at once: final state and reason."""
    row = frontier.url(conn, run_id, normalise(start_url))
    while row is not None and row.state == "excluded" and (led := _LEADS_ON.fullmatch(row.reason or "")) is not None:
        target = frontier.url(conn, run_id, led[1])
        if target is None or target.url == row.url:
            break
        row = target
    return None if row is None else (row.state, row.reason or "")
