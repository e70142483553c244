"""What is due, and in which order.

In: sources, their states, the time. Out: a list of ``Due``, those that must wait for their hours included.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from rori_spiders.schedule.hindrance import hindrance
from rori_spiders.schedule.hours import Openings
from rori_spiders.schedule.interval import EARLY, next_due, rests_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from rori_spiders.manifest.models import Source
    from rori_spiders.schedule.hours import HasHours, Open
    from rori_spiders.schedule.interval import State

#: A check that lies further in the future than this was dated by a clock that was wrong, and says nothing.
WRONG_CLOCK = timedelta(days=1)

_PRIORITIES = {"high": 0, "medium": 1, "low": 2}
# S0 §3.2.2 names these two as the first.
_FIRST_CATEGORIES = frozenset({"federal_register", "cfpb"})
_FIRST_AGENCIES = frozenset({"cfpb", "consumer financial protection bureau", "federal register"})
_LEVELS = {"federal": 1, "national": 2, "state": 3, "local": 4}


@dataclass(frozen=True, slots=True)
class Due:
    """A source that should be collected. Times are UTC."""

    source: Source
    due_at: datetime | None  # None: it was never checked
    held_until: datetime | None  # None: it may start now; else the opening of its hours
    hours: str  # "02:00-06:00 New York time"; "" for all day


def plan(
    sources: Iterable[Source],
    states: Mapping[str, State],
    now: datetime,
    *,
    rules: Callable[[str], HasHours] | None = None,
    force: bool = False,
    everything: State | None = None,
) -> list[Due]:
    """The sources that are due at *now* (aware), the most urgent first; those outside their hours say until when.

    *rules* is ``Catalog.rules``. *force* takes every source that nothing pauses, whatever its interval and hours.
    *everything* is the pause of all sources, if there is one: then nothing is due.
    """
    now = now.astimezone(UTC)
    openings = Openings(now, rules)
    due = []
    for source in sources:
        state = states.get(source.id)
        if hindrance(source, state, everything) is not None:
            continue
        site = openings.of(source.url)
        due_at = next_due(source, state, hours=site.hours)
        if force or _is_due(due_at, state, now, site):
            due.append(Due(source, due_at, None if force else site.opens_at, site.words))
    return sorted(due, key=_urgency)


def _is_due(due_at: datetime | None, state: State | None, now: datetime, site: Open) -> bool:
    if (rested := rests_until(state)) is not None and now < rested < now + WRONG_CLOCK:
        return False
    if due_at is None or due_at - EARLY <= now:
        return True
    # What falls due before tonight's hours end is taken tonight: the alternative is a day late, every time.
    if site.closes_at is not None and due_at < site.closes_at:
        return True
    return state is not None and dated_wrongly(state, now)


def dated_wrongly(state: State, now: datetime) -> bool:
    """Whether the last check is dated in the future: the clock was wrong then, or is now."""
    return state.last_checked_at is not None and state.last_checked_at > now + WRONG_CLOCK


def _urgency(due: Due) -> tuple[int, int, datetime, str]:
    longest_ago = due.due_at or datetime.min.replace(tzinfo=UTC)
    return *rank(due.source), longest_ago, due.source.id


def rank(source: Source) -> tuple[int, int]:
    """The first two things that order sources: priority; then the Federal Register and the CFPB, federal, state."""
    return _PRIORITIES[source.effective_priority], _level(source)


def _level(source: Source) -> int:
    agency = (source.metadata.agency or "").lower()
    if source.effective_category in _FIRST_CATEGORIES or agency in _FIRST_AGENCIES:
        return 0
    return _LEVELS[source.jurisdiction.partition(":")[0]]
