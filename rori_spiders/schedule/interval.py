"""How often a source is checked, and when it is next due. Steps: a source and its state in, times out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from rori_spiders.schedule.hours import all_day, hours_of
from rori_spiders.schedule.spread import next_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from rori_spiders.manifest.hours import Hours
    from rori_spiders.manifest.models import Source
    from rori_spiders.schedule.hours import HasHours

#: S0 §4.4's frequencies, in days.
INTERVAL_DAYS = {"daily": 1, "weekly": 7, "biweekly": 14, "monthly": 30}
_INTERVALS = {frequency: timedelta(days=days) for frequency, days in INTERVAL_DAYS.items()}
#: A job that starts each night at the same minute must not find last night's sources "not yet due" by the minutes
#: that they had waited for their turn: it would come only every second night.
EARLY = timedelta(hours=1)
_NONE = timedelta()

#: What was read first must not be older than this when a run ends: monthly is the longest interval.
LONGEST_RUN = timedelta(days=30)
#: A run of several nights goes on each night; one night may fail.
_NIGHTS_APART = timedelta(days=2)

#: How long a source is left alone after so many scheduled runs in a row that failed (specification §3.2.2: exponential
#: backoff). The breaker stops it after the fifth, two days and more after the first. The last wait leaves room for a
#: job that starts each night at the same minute.
FAILURE_WAITS = (timedelta(hours=1), timedelta(hours=4), timedelta(days=1) - EARLY)

#: 2 to this power is more days than the longest interval.
_MOST_DOUBLED = 8


class State(Protocol):
    """A source's row of ``source_state``, as far as the schedule reads it. Times are aware."""

    @property
    def paused_by(self) -> str | None: ...
    @property
    def paused_reason(self) -> str | None: ...
    @property
    def paused_at(self) -> datetime | None: ...
    @property
    def last_checked_at(self) -> datetime | None: ...
    @property
    def interval_factor(self) -> int: ...
    @property
    def good_runs_in_row(self) -> int: ...
    @property
    def doubted_in_row(self) -> int: ...
    @property
    def doubted_at(self) -> datetime | None: ...
    @property
    def failures_in_row(self) -> int: ...
    @property
    def failed_at(self) -> datetime | None: ...
    @property
    def next_run_at(self) -> datetime | None: ...


def interval(source: Source, state: State | None) -> timedelta:
    """The longest time between two checks, with the factor that rate limiting has put on it."""
    plain = _INTERVALS[source.effective_frequency]
    return plain * state.interval_factor if state is not None and state.interval_factor > 1 else plain


def longest_pause(source: Source) -> timedelta:
    """For how long a run may have been left before it is given up: the interval, or two nights where that is less."""
    return max(interval(source, None), _NIGHTS_APART)


def next_due(
    source: Source, state: State | None, rules: Callable[[str], HasHours] | None = None, *, hours: Hours | None = None
) -> datetime | None:
    """When the next check is due (UTC), at the source's own moment where that can be; None: at once, never checked.

    After runs that nobody believes, suspect or with a wrong sum, not before a day, then two, four, up to the interval:
    a site that broke is not walked by every job until a person has looked. After failed runs: FAILURE_WAITS. *hours*
    are those of *rules*, where known. A person's moment for the next run comes before all of it.
    """
    if state is None:
        return None
    if state.next_run_at is not None:
        return state.next_run_at.astimezone(UTC)
    regular = None
    if state.last_checked_at is not None:
        checked_at = state.last_checked_at.astimezone(UTC)
        regular = _regular(source, state, checked_at, hours or hours_of(source.url, rules))
    if not state.doubted_in_row and not state.failures_in_row:
        return regular
    times = [_after_doubts(source, state), rests_until(state), regular]
    return max((time for time in times if time is not None), default=None)


def _after_doubts(source: Source, state: State) -> datetime | None:
    again = again_after(source, state)
    return None if again is None or state.doubted_at is None else state.doubted_at.astimezone(UTC) + again


def _regular(source: Source, state: State, checked_at: datetime, hours: Hours) -> datetime:
    length = interval(source, state)
    if state.interval_factor > 1:
        return checked_at + length  # the site asked us to slow down: nothing comes earlier
    has_hours = not all_day(hours)
    return next_at(source.id, length, checked_at, early=_NONE if has_hours else EARLY, has_hours=has_hours)


def again_after(source: Source, state: State | None) -> timedelta | None:
    """How long a source is left alone after the runs that ended in doubt; None: its last one did not."""
    if state is None or not state.doubted_in_row:
        return None
    return min(timedelta(days=2 ** min(state.doubted_in_row - 1, _MOST_DOUBLED)), interval(source, state))


def rests_until(state: State | None) -> datetime | None:
    """Until when a source is left alone because its last scheduled run failed (UTC); None: it did not."""
    if state is None or not state.failures_in_row or state.failed_at is None:
        return None
    return state.failed_at.astimezone(UTC) + FAILURE_WAITS[min(state.failures_in_row, len(FAILURE_WAITS)) - 1]
