"""Why a source is, or is not, collected now: in plain sentences for ``scrapy due --explain`` and the monitor."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from rori_spiders.retries import GOOD_RUNS
from rori_spiders.schedule.hindrance import hindrance
from rori_spiders.schedule.hours import hours_of, in_words
from rori_spiders.schedule.interval import EARLY, INTERVAL_DAYS, again_after, interval, next_due, rests_until
from rori_spiders.schedule.plan import dated_wrongly, plan
from rori_spiders.schedule.progress import in_words as progress_in_words
from rori_spiders.schedule.spread import EPOCH, own_moment

if TYPE_CHECKING:
    from collections.abc import Callable

    from rori_spiders.manifest.models import Source
    from rori_spiders.schedule.hours import HasHours
    from rori_spiders.schedule.interval import State
    from rori_spiders.schedule.progress import Progress

_NEW_YORK = ZoneInfo("America/New_York")


def explain(
    source: Source,
    state: State | None,
    now: datetime,
    *,
    rules: Callable[[str], HasHours] | None = None,
    left_alone_until: datetime | None = None,
    progress: Progress | None = None,
    everything: State | None = None,
    job: str | None = None,
) -> list[str]:
    """Sentences: last check, interval, next due, pauses, hours, and the answer. *now* is aware; *rules* as in plan.

    *left_alone_until* is what the source's servers asked for; it may be over. *progress* is that of its open run.
    *everything* is the pause of all sources. *job* says, in a sentence, which job of the queue has the source.
    """
    now = now.astimezone(UTC)
    rests = left_alone_until is not None and left_alone_until > now
    said = [_last_check(state, now), f"Interval: {interval_words(source, state)}."]
    if state is not None and state.interval_factor > 1:
        said.append(
            f"It is {_every(INTERVAL_DAYS[source.effective_frequency])} again after {GOOD_RUNS} complete runs in a row "
            f"(so far: {state.good_runs_in_row})."
        )
    if state is not None and state.next_run_at is not None:
        said.append("A person has set the moment of its next run; after that its interval counts again.")
    else:
        said += _left_alone(source, state)
    said += _next_due(source, state, now, rules)
    if progress is not None:
        said.append(progress_in_words(progress, hours_of(source.url, rules)))
    if (why := hindrance(source, state, everything)) is not None:
        said += [job] if job is not None else []
        return [*said, f"Paused: {why}.", _way_back(source, state)]
    if hours := in_words(hours_of(source.url, rules)):
        said.append(f"Hours: schedules ask this site only at {hours}.")
    if left_alone_until is not None and rests:
        said.append(f"Its servers asked to be left alone until {in_both_zones(left_alone_until)}: no job asks before.")
    due = plan([source], {source.id: state} if state else {}, now, rules=rules)
    if job is not None:
        said.append(job)
    elif not due:
        said.append(f"So it waits for its next due time; `scrapy collect --source {source.id} --force` does not.")
    elif due[0].held_until:
        said.append(f"So it is due, and held until {in_both_zones(due[0].held_until)}.")
    else:
        said.append(f"So the next `scrapy collect` or `scrapy dispatch` {'after that ' if rests else ''}takes it.")
    return said


def interval_words(source: Source, state: State | None) -> str:
    """``weekly, every 7 days``; with the factor, when rate limiting has stretched it."""
    frequency = source.effective_frequency
    days = interval(source, state).days
    every = _every(days)
    if days != INTERVAL_DAYS[frequency]:
        return f"{frequency}, stretched to {every} because the site asked us to slow down"
    return f"{frequency}, {every}"


def _every(days: int) -> str:
    return "every day" if days == 1 else f"every {days} days"


def in_both_zones(at: datetime) -> str:
    """``2026-11-22 07:00 UTC (02:00 in New York)``."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC ({at.astimezone(_NEW_YORK):%H:%M} in New York)"


def _doubted(number: int, days: int) -> str:
    runs = "Its last run is not believed" if number == 1 else f"Its last {number} runs are not believed"
    wait = "a day" if days == 1 else f"{days} days"
    return f"{runs} (`scrapy sources --review` says why): it is left alone for {wait}, or until a person accepts it."


def _left_alone(source: Source, state: State | None) -> list[str]:
    """Why its last runs make schedules wait."""
    said = []
    if state is not None and (again := again_after(source, state)) is not None:
        said.append(_doubted(state.doubted_in_row, again.days))
    if state is not None and (rested := rests_until(state)) is not None:
        said.append(_failed(state.failures_in_row, rested))
    return said


def _failed(number: int, until: datetime) -> str:
    runs = "Its last scheduled run failed" if number == 1 else f"Its last {number} scheduled runs failed"
    return f"{runs}: schedules leave it alone until {until:%Y-%m-%d %H:%M} UTC."


def _last_check(state: State | None, now: datetime) -> str:
    if state is None or state.last_checked_at is None:
        return "Last successful check: none yet."
    at = state.last_checked_at.astimezone(UTC)
    return f"Last successful check: {at:%Y-%m-%d %H:%M} UTC, {_span(now - at)} ago."


def _next_due(source: Source, state: State | None, now: datetime, rules: Callable[[str], HasHours] | None) -> list[str]:
    due_at = next_due(source, state, rules)
    if due_at is None or state is None:
        return ["Next due: at once, since no check has succeeded yet."]
    by_person = state.next_run_at is not None
    if not by_person and dated_wrongly(state, now):
        return ["Next due: at once, since its last check is dated in the future: the clock was wrong then, or is now."]
    spread = [] if by_person else _spread(source, state, due_at)
    shown = f"{due_at:%Y-%m-%d %H:%M} UTC"
    if due_at <= now:
        return [f"Next due: since {shown}, {_span(now - due_at)} overdue.", *spread]
    rested = rests_until(state)
    is_near = not by_person and due_at - EARLY <= now and (rested is None or rested <= now)
    grace = " (close enough to be taken now)" if is_near else ""
    return [f"Next due: {shown}, in {_span(due_at - now)}{grace}.", *spread]


def _spread(source: Source, state: State, due_at: datetime) -> list[str]:
    """Why its next check comes before a whole interval is over, where it does by an hour or more."""
    if state.last_checked_at is None or state.doubted_in_row or state.failures_in_row:
        return []
    length = interval(source, state)
    earlier = state.last_checked_at + length - due_at
    if earlier < EARLY:
        return []
    own = (due_at - own_moment(source.id, length) - EPOCH) % length < timedelta(minutes=1)
    where = "at its own moment" if own else "nearer to its own moment"
    kind = source.effective_frequency
    whole = f"{_span(earlier)} before a whole interval is over"
    return [f"Spread: {whole}, {where}, so that {kind} sources come on many nights."]


def _way_back(source: Source, state: State | None) -> str:
    if source.status != "active":
        return "To change that, edit the manifest and activate it: `scrapy manifest activate FILE`."
    if state is None or not state.paused_by:
        return "To go on: `scrapy resume --all`."
    verb = "look at its failures (`scrapy audit --source {0} --status failed`), then `scrapy resume {0}`"
    plain = "`scrapy resume {0}`"
    by_breaker = state is not None and state.paused_by == "breaker"
    return f"To go on: {(verb if by_breaker else plain).format(source.id)}."


def _span(length: timedelta) -> str:
    """The two largest units of a time span: ``6 days 4 h``."""
    minutes = max(0, int(length.total_seconds() // 60))
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    if days:
        return f"{days} day{'s' * (days > 1)}" + (f" {hours} h" if hours else "")
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
