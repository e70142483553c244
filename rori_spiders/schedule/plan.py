"""What is due, and in which order.

In: sources, their states, the time. Out: a list of ``Due``, those that must wait for their hours included.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from rori_spiders.schedule.hindrance import hindrance
from rori_spiders.schedule.hours import Openings
from rori_spiders.schedule.interval import EARLY, next_due, rests_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from rori_spiders.manifest.models import Source
    from rori_spiders.manifest.vocabulary import Category, Priority
    from rori_spiders.schedule.hours import HasHours, Open
    from rori_spiders.schedule.interval import State

#: A check that lies further in the future than this was dated by a clock that was wrong, and says nothing.
WRONG_CLOCK = timedelta(days=1)

_NEVER = datetime.min.replace(tzinfo=UTC)
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


@contextmanager
def _without_collections() -> Iterator[None]:
    """Python looks for circles after every so many new objects. A plan makes many, and no circle; what it would look
    through for nothing, again and again, is all sources."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@_without_collections()
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
    due: dict[tuple[int, int], list[Due]] = {}
    for source in sources:
        state = states.get(source.id)
        if hindrance(source, state, everything) is not None:
            continue
        site = openings.of(source.url)
        due_at = next_due(source, state, hours=site.hours)
        if force or _is_due(due_at, state, now, site):
            one = Due(source, due_at, None if force else site.opens_at, site.words)
            due.setdefault(rank(source), []).append(one)
    return [one for level in sorted(due) for one in _longest_ago_first(due[level])]


def _is_due(due_at: datetime | None, state: State | None, now: datetime, site: Open) -> bool:
    if state is not None and state.next_run_at is not None:
        return state.next_run_at <= now
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


def _longest_ago_first(due: list[Due]) -> list[Due]:
    # Equals stay in the order of their ids. Two sorts by one key each take a third of the time of one by both.
    due.sort(key=lambda one: one.source.id)
    due.sort(key=lambda one: one.due_at or _NEVER)
    return due


def rank(source: Source) -> tuple[int, int]:
    """The first two things that order sources: priority; then the Federal Register and the CFPB, federal, state."""
    return _rank(source.effective_priority, source.effective_category, source.metadata.agency, source.jurisdiction)


@lru_cache(maxsize=4096)
def _rank(priority: Priority, category: Category, agency: str | None, jurisdiction: str) -> tuple[int, int]:
    if category in _FIRST_CATEGORIES or (agency or "").lower() in _FIRST_AGENCIES:
        level = 0
    else:
        level = _LEVELS[jurisdiction.partition(":")[0]]
    return _PRIORITIES[priority], level
