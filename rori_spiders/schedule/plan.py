"""What is due, and in which order.

In: sources, their states, the time. Out: a list of ``Due``, those that must wait for their hours included.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Protocol

from rori_spiders.schedule.hours import closing, hours_of, in_words, opening

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from rori_spiders.manifest.models import Source
    from rori_spiders.schedule.hours import HasHours

#: S0 §4.4's frequencies, in days.
INTERVAL_DAYS = {"daily": 1, "weekly": 7, "biweekly": 14, "monthly": 30}
#: A job that starts each night at the same minute must not find last night's sources "not yet due" by the minutes
#: that they had waited for their turn: it would come only every second night.
EARLY = timedelta(hours=1)

#: What was read first must not be older than this when a run ends: monthly is the longest interval.
LONGEST_RUN = timedelta(days=30)
#: A run of several nights goes on each night; one night may fail.
_NIGHTS_APART = timedelta(days=2)

#: 2 to this power is more days than the longest interval.
_MOST_DOUBLED = 8

_PRIORITIES = {"high": 0, "medium": 1, "low": 2}
# S0 §3.2.2 names these two as the first.
_FIRST_CATEGORIES = frozenset({"federal_register", "cfpb"})
_FIRST_AGENCIES = frozenset({"cfpb", "consumer financial protection bureau", "federal register"})
_LEVELS = {"federal": 1, "national": 2, "state": 3, "local": 4}


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


@dataclass(frozen=True, slots=True)
class Due:
    """A source that should be collected. Times are UTC."""

    source: Source
    due_at: datetime | None  # None: it was never checked
    held_until: datetime | None  # None: it may start now; else the opening of its hours
    hours: str  # "02:00-06:00 New York time"; "" for all day


def interval(source: Source, state: State | None) -> timedelta:
    """The time between two checks, with the factor that rate limiting has put on it."""
    days = INTERVAL_DAYS[source.effective_frequency]
    return timedelta(days=days * max(1, state.interval_factor if state else 1))


def longest_pause(source: Source) -> timedelta:
    """For how long a run may have been left before it is given up: the interval, or two nights where that is less."""
    return max(interval(source, None), _NIGHTS_APART)


def next_due(source: Source, state: State | None) -> datetime | None:
    """When the interval since the last successful check ends (UTC); None: never checked, so due at once.

    After runs that nobody believes, suspect or with a wrong sum, not before a day, then two, four, up to the interval:
    a site that broke is not walked by every job until a person has looked.
    """
    if state is None:
        return None
    regular = None if state.last_checked_at is None else state.last_checked_at.astimezone(UTC) + interval(source, state)
    again = again_after(source, state)
    if again is None or state.doubted_at is None:
        return regular
    waited = state.doubted_at.astimezone(UTC) + again
    return waited if regular is None else max(waited, regular)


def again_after(source: Source, state: State | None) -> timedelta | None:
    """How long a source is left alone after the runs that ended in doubt; None: its last one did not."""
    if state is None or not state.doubted_in_row:
        return None
    return min(timedelta(days=2 ** min(state.doubted_in_row - 1, _MOST_DOUBLED)), interval(source, state))


def hindrance(source: Source, state: State | None) -> str | None:
    """Why no schedule starts this source, in words for a person; None when nothing does.

    What the manifest says wins: it is the reviewed file, and ``resume`` cannot change it.
    """
    if source.status == "paused":
        return "the manifest pauses it (status: paused)"
    if source.status == "retired":
        return "the manifest has retired it (status: retired)"
    if source.status == "proposed":
        return "the manifest only proposes it (status: proposed); set it to active once it is reviewed"
    if state is not None and state.paused_by:
        who = "the breaker, after too many failed runs in a row," if state.paused_by == "breaker" else "a person"
        when = f" on {state.paused_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if state.paused_at else ""
        why = f": {state.paused_reason}" if state.paused_reason else ""
        return f"{who} paused it{when}{why}"
    return None


def plan(
    sources: Iterable[Source],
    states: Mapping[str, State],
    now: datetime,
    *,
    rules: Callable[[str], HasHours] | None = None,
    force: bool = False,
) -> list[Due]:
    """The sources that are due at *now* (aware), the most urgent first; those outside their hours say until when.

    *rules* is ``Catalog.rules``. *force* takes every source that nothing pauses, whatever its interval and hours.
    """
    now = now.astimezone(UTC)
    due = []
    for source in sources:
        state = states.get(source.id)
        if hindrance(source, state) is None and (force or _is_due(source, state, now, rules)):
            hours = hours_of(source.url, rules)
            held = None if force or hours.cover(now) else opening(hours, now)
            due.append(Due(source, next_due(source, state), held, in_words(hours)))
    return sorted(due, key=_urgency)


def _is_due(source: Source, state: State | None, now: datetime, rules: Callable[[str], HasHours] | None) -> bool:
    due_at = next_due(source, state)
    if due_at is None or due_at - EARLY <= now:
        return True
    # What falls due before tonight's hours end is taken tonight: the alternative is a day late, every time.
    closes = closing(hours_of(source.url, rules), now)
    return closes is not None and due_at < closes


def _urgency(due: Due) -> tuple[int, int, datetime, str]:
    source = due.source
    longest_ago = due.due_at or datetime.min.replace(tzinfo=UTC)
    return _PRIORITIES[source.effective_priority], _level(source), longest_ago, source.id


def _level(source: Source) -> int:
    agency = (source.metadata.agency or "").lower()
    if source.effective_category in _FIRST_CATEGORIES or agency in _FIRST_AGENCIES:
        return 0
    return _LEVELS[source.jurisdiction.partition(":")[0]]
