"""Compute the next due time: interval, offset within it, and back-off after failed or suspect runs."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from typing import Protocol

from rori_spiders.manifest.catalog import CrawlWindow
from rori_spiders.manifest.models import Source
from rori_spiders.schedule.crawl_window import HasHours, crawl_window_for, is_always_open

#: Shorter intervals are not spread: a daily source comes each day anyhow.
MIN_SPREAD_INTERVAL = timedelta(days=7)
#: A check comes earlier by at most a third of the interval: after a first night the monthly sources are spread over ten
#: days, and each is on its own after four rounds at most. All that comes earlier is together less than one interval.
EARLY_SHARE = 3
_DAY = timedelta(days=1)
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


def next_check_at(
    source_id: str, interval: timedelta, checked_at: datetime, *, early: timedelta = timedelta(), has_hours: bool
) -> datetime:
    """When a source is checked again that was last checked at *checked_at* (UTC): at its own moment, if that lies in
    the last third of *interval*; else somewhat earlier than a whole interval, and so nearer to its moment.

    Never later than a whole interval and *early*, by which it is taken before it is due. A source that *has_hours* may
    have been taken in those before its moment: it is then in its place already.
    """
    if interval < MIN_SPREAD_INTERVAL:
        return checked_at + interval
    latest = checked_at + interval + early
    past = latest - EPOCH - offset_in_interval(source_id, interval)
    past -= _multiply_interval(interval, past.days // interval.days)
    if past <= _early_share(interval):
        return latest - past
    if has_hours and past >= interval - _DAY:
        return checked_at + interval
    return latest - early - past / EARLY_SHARE


def offset_in_interval(source_id: str, interval: timedelta) -> timedelta:
    """The place of a source in each interval (of whole days), to the minute, counted from the beginning of 2026."""
    number = int.from_bytes(sha256(source_id.encode()).digest()[:8])
    days, minute = divmod(number % (interval.days * 1440), 1440)
    return timedelta(days, minute * 60)


# A plan divides 100,000 spans of time by their interval. To remember the few multiples of so few intervals takes a
# fifth of the time of that arithmetic.
@lru_cache(maxsize=4096)
def _multiply_interval(interval: timedelta, number: int) -> timedelta:
    return interval * number


@lru_cache(maxsize=64)
def _early_share(interval: timedelta) -> timedelta:
    return interval / EARLY_SHARE


# How often a source is checked, and when it is next due. Steps: a source and its state in, times out.

#: S0 §4.4's frequencies, in days.
INTERVAL_DAYS = {"daily": 1, "weekly": 7, "biweekly": 14, "monthly": 30}
_INTERVALS = {frequency: timedelta(days=days) for frequency, days in INTERVAL_DAYS.items()}
#: A job that starts each night at the same minute must not find last night's sources "not yet due" by the minutes
#: that they had waited for their turn: it would come only every second night.
EARLY = timedelta(hours=1)
#: A source may come so much later than its interval: `.gov` is requested in four hours of a day.
GRACE = timedelta(days=1)
_NO_TIME = timedelta()

#: What was read first must not be older than this when a run ends: monthly is the longest interval.
MAX_RUN_AGE = timedelta(days=30)
#: A run of several nights continues each night; one night may fail.
_NIGHTS_APART = timedelta(days=2)

#: How long a source backs off after so many scheduled runs in a row that failed (specification §3.2.2: exponential
#: backoff). The breaker stops it after the fifth, two days and more after the first. The last wait leaves room for a
#: job that starts each night at the same minute.
FAILURE_WAITS = (timedelta(hours=1), timedelta(hours=4), timedelta(days=1) - EARLY)

#: 2 to this power is more days than the longest interval.
_MOST_DOUBLED = 8


class ScheduleState(Protocol):
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


def check_interval(source: Source, state: ScheduleState | None) -> timedelta:
    """The longest time between two checks, with the factor that rate limiting has put on it."""
    plain = _INTERVALS[source.effective_frequency]
    return plain * state.interval_factor if state is not None and state.interval_factor > 1 else plain


def max_run_pause(source: Source) -> timedelta:
    """For how long a run may have been left before it is given up: the interval, or two nights where that is less."""
    return max(check_interval(source, None), _NIGHTS_APART)


def next_due(
    source: Source,
    state: ScheduleState | None,
    rules: Callable[[str], HasHours] | None = None,
    *,
    hours: CrawlWindow | None = None,
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
        regular = _regular_due(source, state, checked_at, hours or crawl_window_for(source.url, rules))
    if not state.doubted_in_row and not state.failures_in_row:
        return regular
    times = [_due_after_suspect_runs(source, state), backing_off_until(state), regular]
    return max((time for time in times if time is not None), default=None)


def _due_after_suspect_runs(source: Source, state: ScheduleState) -> datetime | None:
    again = delay_after_suspect_runs(source, state)
    return None if again is None or state.doubted_at is None else state.doubted_at.astimezone(UTC) + again


def _regular_due(source: Source, state: ScheduleState, checked_at: datetime, hours: CrawlWindow) -> datetime:
    length = check_interval(source, state)
    if state.interval_factor > 1:
        return checked_at + length  # the site asked us to slow down: nothing comes earlier
    has_hours = not is_always_open(hours)
    return next_check_at(source.id, length, checked_at, early=_NO_TIME if has_hours else EARLY, has_hours=has_hours)


def delay_after_suspect_runs(source: Source, state: ScheduleState | None) -> timedelta | None:
    """How long a source backs off after the runs that ended in doubt; None: its last one did not."""
    if state is None or not state.doubted_in_row:
        return None
    return min(timedelta(days=2 ** min(state.doubted_in_row - 1, _MOST_DOUBLED)), check_interval(source, state))


def backing_off_until(state: ScheduleState | None) -> datetime | None:
    """Until when a source backs off because its last scheduled run failed (UTC); None: it did not."""
    if state is None or not state.failures_in_row or state.failed_at is None:
        return None
    return state.failed_at.astimezone(UTC) + FAILURE_WAITS[min(state.failures_in_row, len(FAILURE_WAITS)) - 1]
