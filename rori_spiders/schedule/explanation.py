"""Why a source is, or is not, collected now: in plain sentences for ``scrapy due --explain`` and the monitor."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from rori_spiders.ledger.operations.source_status import GOOD_RUNS
from rori_spiders.runtime.redacted_output import PersonsWords
from rori_spiders.schedule.crawl_window import crawl_window_for, format_crawl_window
from rori_spiders.schedule.intervals import (
    EARLY,
    EPOCH,
    INTERVAL_DAYS,
    backing_off_until,
    check_interval,
    delay_after_suspect_runs,
    next_due,
    offset_in_interval,
)
from rori_spiders.schedule.plan import blocked_reason, has_future_check_date, plan_due_sources
from rori_spiders.schedule.progress import format_progress as progress_in_words

if TYPE_CHECKING:
    from collections.abc import Callable

    from rori_spiders.manifest.models import Source
    from rori_spiders.schedule.crawl_window import HasHours
    from rori_spiders.schedule.intervals import ScheduleState
    from rori_spiders.schedule.progress import RunProgress

_NEW_YORK = ZoneInfo("America/New_York")


def explain_schedule(
    source: Source,
    state: ScheduleState | None,
    now: datetime,
    *,
    rules: Callable[[str], HasHours] | None = None,
    left_alone_until: datetime | None = None,
    progress: RunProgress | None = None,
    everything: ScheduleState | None = None,
    job: str | None = None,
) -> list[str]:
    """Sentences: last check, interval, next due, pauses, hours, and the answer. *now* is aware; *rules* as in plan.

    *left_alone_until* is what the source's servers asked for; it may be over. *progress* is that of its open run.
    *everything* is the pause of all sources. *job* says, in a sentence, which job of the queue has the source.
    """
    now = now.astimezone(UTC)
    is_cooling_down = left_alone_until is not None and left_alone_until > now
    sentences = [_explain_last_check(state, now), f"Interval: {describe_interval(source, state)}."]
    if state is not None and state.interval_factor > 1:
        sentences.append(
            f"The interval returns to {_every_days(INTERVAL_DAYS[source.effective_frequency])} after {GOOD_RUNS} "
            f"complete runs in a row (so far: {state.good_runs_in_row})."
        )
    if state is not None and state.next_run_at is not None:
        sentences.append("A person scheduled the next run; the interval applies again after it.")
    else:
        sentences += _explain_backing_off(source, state)
    sentences += _explain_next_due(source, state, now, rules)
    if progress is not None:
        sentences.append(progress_in_words(progress, crawl_window_for(source.url, rules)))
    if (why := blocked_reason(source, state, everything)) is not None:
        sentences += [job] if job is not None else []
        return [*sentences, PersonsWords(f"Paused: {why}."), _explain_recovery(source, state)]
    if hours := format_crawl_window(crawl_window_for(source.url, rules)):
        sentences.append(f"Crawl window: scheduled runs use this site only at {hours}.")
    if left_alone_until is not None and is_cooling_down:
        sentences.append(
            f"Cooling down: the server asked for no requests until {format_in_both_zones(left_alone_until)}."
        )
    due = plan_due_sources([source], {source.id: state} if state else {}, now, rules=rules)
    if job is not None:
        sentences.append(job)
    elif not due:
        sentences.append(f"Not due yet. To collect it now: `scrapy collect --source {source.id}`.")
    elif due[0].held_until:
        sentences.append(
            f"Due now; waiting for the crawl window, which opens at {format_in_both_zones(due[0].held_until)}."
        )
    else:
        after = "after the cool-down " if is_cooling_down else ""
        sentences.append(f"Due now; the next `scrapy collect` or `scrapy dispatch` {after}collects it.")
    return sentences


def describe_interval(source: Source, state: ScheduleState | None) -> str:
    """``weekly, every 7 days``; with the factor, when rate limiting has stretched it."""
    frequency = source.effective_frequency
    days = check_interval(source, state).days
    every = _every_days(days)
    if days != INTERVAL_DAYS[frequency]:
        return f"{frequency}, extended to {every} because the site rate limited the collector"
    return frequency if days == 1 else f"{frequency}, {every}"


def _every_days(days: int) -> str:
    return "every day" if days == 1 else f"every {days} days"


def format_in_both_zones(at: datetime) -> str:
    """``2026-11-22 07:00 UTC (02:00 in New York)``."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC ({at.astimezone(_NEW_YORK):%H:%M} in New York)"


def _explain_suspect_runs(number: int, days: int) -> str:
    runs = "The last run" if number == 1 else f"The last {number} runs"
    wait = "a day" if days == 1 else f"{days} days"
    why = "(`scrapy sources --review` shows why)"
    return f"{runs} ended suspect or incomplete {why}; next attempt in {wait}, or once a person accepts it."


def _explain_backing_off(source: Source, state: ScheduleState | None) -> list[str]:
    """Why its last runs make schedules wait."""
    sentences = []
    if state is not None and (again := delay_after_suspect_runs(source, state)) is not None:
        sentences.append(_explain_suspect_runs(state.doubted_in_row, again.days))
    if state is not None and (rested := backing_off_until(state)) is not None:
        sentences.append(_explain_failed_runs(state.failures_in_row, rested))
    return sentences


def _explain_failed_runs(number: int, until: datetime) -> str:
    runs = "The last scheduled run failed" if number == 1 else f"The last {number} scheduled runs failed"
    return f"{runs}; no scheduled run before {until:%Y-%m-%d %H:%M} UTC."


def _explain_last_check(state: ScheduleState | None, now: datetime) -> str:
    if state is None or state.last_checked_at is None:
        return "Last successful check: none yet."
    at = state.last_checked_at.astimezone(UTC)
    return f"Last successful check: {at:%Y-%m-%d %H:%M} UTC, {_format_timedelta(now - at)} ago."


def _explain_next_due(
    source: Source, state: ScheduleState | None, now: datetime, rules: Callable[[str], HasHours] | None
) -> list[str]:
    due_at = next_due(source, state, rules)
    if due_at is None or state is None:
        return ["Next due: now; no check has succeeded yet."]
    by_person = state.next_run_at is not None
    if not by_person and has_future_check_date(state, now):
        return ["Next due: now; the last check is dated in the future, so the clock was wrong then or is wrong now."]
    spread = [] if by_person else _explain_early_check(source, state, due_at)
    shown = f"{due_at:%Y-%m-%d %H:%M} UTC"
    if due_at <= now:
        return [f"Next due: since {shown}, {_format_timedelta(now - due_at)} overdue.", *spread]
    rested = backing_off_until(state)
    is_near = not by_person and due_at - EARLY <= now and (rested is None or rested <= now)
    grace = " (close enough to be collected now)" if is_near else ""
    return [f"Next due: {shown}, in {_format_timedelta(due_at - now)}{grace}.", *spread]


def _explain_early_check(source: Source, state: ScheduleState, due_at: datetime) -> list[str]:
    """Why its next check comes before a whole interval is over, where it does by an hour or more."""
    if state.last_checked_at is None or state.doubted_in_row or state.failures_in_row:
        return []
    length = check_interval(source, state)
    earlier = state.last_checked_at + length - due_at
    if earlier < EARLY:
        return []
    own = (due_at - offset_in_interval(source.id, length) - EPOCH) % length < timedelta(minutes=1)
    where = "at its assigned time" if own else "closer to its assigned time"
    kind = source.effective_frequency
    whole = f"{_format_timedelta(earlier)} before the full interval ends"
    return [f"Spread: {whole}, {where}, to spread {kind} sources over many nights."]


def _explain_recovery(source: Source, state: ScheduleState | None) -> str:
    if source.status != "active":
        return "To change that, edit the manifest and activate it: `scrapy manifest activate FILE`."
    if state is None or not state.paused_by:
        return "To resume: `scrapy resume --all`."
    verb = "review its failures (`scrapy audit --source {0} --status failed`), then run `scrapy resume {0}`"
    plain = "`scrapy resume {0}`"
    by_breaker = state is not None and state.paused_by == "breaker"
    return f"To resume: {(verb if by_breaker else plain).format(source.id)}."


def _format_timedelta(length: timedelta) -> str:
    """The two largest units of a time span: ``6 days 4 h``."""
    minutes = max(0, int(length.total_seconds() // 60))
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    if days:
        return f"{days} day{'s' * (days > 1)}" + (f" {hours} h" if hours else "")
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
