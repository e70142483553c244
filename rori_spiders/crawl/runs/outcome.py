"""Finalise a run in the ledger: its outcome, its summary, and the status of its source."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from rori_spiders import reviews, schedule
from rori_spiders.crawl.runs import tombstones
from rori_spiders.crawl.runs.run import Run, RunOutcome, StartOutcome, judge_run
from rori_spiders.ledger.operations import source_status
from rori_spiders.ledger.operations.source_status import SourceState
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.queue import job_queue
from rori_spiders.ledger.runs import crawl_summaries as kept
from rori_spiders.ledger.runs import frontier, run_records
from rori_spiders.ledger.tables.runs import OPEN_RUN_STATES
from rori_spiders.manifest.models import Source
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.staging import crawl_summary
from rori_spiders.staging.crawl_summary import Coverage
from rori_spiders.urls.canonical import normalise_url

#: An excluded URL whose page is read at another address.
_LEADS_ON = frozenset({ReasonCode.REDIRECTED, ReasonCode.ONLY_FRAMES})
_READ_STARTS = frozenset({*frontier.LIST_CODES, ReasonCode.COLLECTED_BY})


@dataclass(frozen=True, slots=True)
class FinalisedRun:
    """A finished run: its outcome, its counts, the status of its source before and after."""

    outcome: RunOutcome
    counts: dict[str, int]
    before: SourceState
    after: SourceState
    note: str | None = None  # what a person should know of it: it found nothing


def finalise_run(
    conn: Connection, run: Run, *, job_id: str, operator: str, now: datetime, sitemaps: Coverage | None = None
) -> FinalisedRun:
    """Judge and close *run*, which the job *job_id* leaves; unless another job has taken it up.

    *sitemaps* is what became of what those that it read name, for its summary.
    """
    before = source_status.load_state(conn, run.source_id)
    if run_records.get_run(conn, run.run_id).job_id != job_id:
        # Our lease ended, and its next holder took the run up: how it ends is for that job to say.
        outcome = RunOutcome("partial", Reason(ReasonCode.TAKEN_OVER, error=run.limits.stop_reason))
        return FinalisedRun(outcome, run_records.count_pages(conn, run.run_id), before, before)
    outcome = judge_run(
        run_records.count_pages(conn, run.run_id),
        shared=frontier.count_urls(conn, run.run_id, ReasonCode.COLLECTED_BY),
        unrendered=frontier.count_urls(conn, run.run_id, ReasonCode.BROWSER_BUDGET_SPENT),
        start=start_url_outcome(conn, run.run_id, run.source.url),
        stopped=run.limits.stop_reason,
        expect=run.source.scrape_config.expect,
        baseline=run.history.baseline,
        unread=run.frontier.lists_outstanding,
        limited=run.limits.rate_limit_reason,
        incomplete=run.limits.incomplete_reason or frontier.why_incomplete(conn, run.run_id),
        beyond=frontier.why_in_part(conn, run.run_id),
    )
    if outcome.state == "suspect":
        page_history.forget_missing(conn, run.source_id, since=run.started_at)
    seconds = (now - run.taken_up_at).total_seconds() if run.taken_up_at is not None else 0.0
    run_records.add_requests(conn, run.run_id, requests=run.usage.requests, seconds=max(0.0, seconds))
    counts = run_records.close_run(conn, run.run_id, state=outcome.state, reason=outcome.reason, now=now)
    after = _update_source_status(conn, run, outcome, operator=operator, changed=bool(counts["changed"]), now=now)
    note = None
    if outcome.state not in OPEN_RUN_STATES and run.source.method in crawl_summary.SUMMARY_METHODS:
        note = save_run_summary(conn, run.run_id, run.source, sitemaps, now=now)
    return FinalisedRun(outcome, counts, before, after, note if outcome.state in {"complete", "suspect"} else None)


def save_run_summary(
    conn: Connection, run_id: str, source: Source, sitemaps: Coverage | None, *, now: datetime
) -> str | None:
    """Keep the summary of a run of a site or wiki that has ended; gives what a person should know of it."""
    note = crawl_summary.explain_empty_run(conn, run_id, source)
    kept.save_summary(conn, run_id, crawl_summary.make_summary(conn, run_id, source, sitemaps, note, now=now), now=now)
    return note


def _update_source_status(
    conn: Connection, run: Run, outcome: RunOutcome, *, operator: str, changed: bool, now: datetime
) -> SourceState:
    """What the run's end makes of its source."""
    limited = run.limits.rate_limit_reason is not None or reviews.was_rate_limited(conn, run.run_id)
    after = source_status.record_outcome(
        conn,
        run.source_id,
        run_id=run.run_id,
        state=outcome.state,
        operator=operator,
        changed=changed,
        now=now,
        rate_limited=limited,
    )
    words = schedule.describe_interval(run.source, after)
    is_stretched = after.interval_factor > 1
    reviews.note_run(
        conn, run.source_id, run.run_id, rate_limited=limited, is_stretched=is_stretched, words=words, now=now
    )
    tombstones.clear_mass_removal_alert(conn, run.source_id, now)
    job_queue.clear_lost_job_alert(conn, run.source_id, now)
    reviews.note_pages(conn, run.source_id, state=outcome.state, reason=outcome.reason, now=now)
    if outcome.state == "complete":
        reviews.note_failing(conn, run.source_id, run.run_id, now=now)
    if outcome.state == "failed":
        reviews.note_breaker(conn, run.source_id, after, run_reason=outcome.reason, now=now)
    if outcome.state not in OPEN_RUN_STATES:
        reviews.note_changes(conn, run.source_id, run.run_id, now=now)
    return after


def start_url_outcome(conn: Connection, run_id: str, start_url: str) -> StartOutcome | None:
    """How a run's start URL ended, or the page that it leads to at once."""
    row = frontier.find_url(conn, run_id, normalise_url(start_url))
    while row is not None and row.state == "excluded" and row.reason_code in _LEADS_ON:
        target = frontier.find_url(conn, run_id, (row.reason_detail or {})["target_url"])
        if target is None or target.url == row.url:
            break
        row = target
    if row is not None and row.state == "excluded" and row.reason_code in _READ_STARTS:
        return None  # a list of pages, or a page of another source: those that it leads to tell
    return None if row is None else StartOutcome(row.state, row.reason or "", row.reason_code)
