"""Which sources are due, in which order, and which jobs collect them; what keeps a source from running (a pause,
the circuit breaker).
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from rori_spiders.schedule.crawl_window import WindowCache
from rori_spiders.schedule.intervals import EARLY, backing_off_until, next_due

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from rori_spiders.manifest.models import Source
    from rori_spiders.manifest.vocabulary import Category, Priority
    from rori_spiders.schedule.crawl_window import HasHours, WindowStatus
    from rori_spiders.schedule.intervals import ScheduleState


def blocked_reason(source: Source, state: ScheduleState | None, everything: ScheduleState | None = None) -> str | None:
    """Why no schedule starts this source, in words for a person; None when nothing does.

    What the manifest says wins: it is the reviewed file, and ``resume`` cannot change it. Then the source's own pause;
    then that of *everything* (None: not all are paused).
    """
    if source.status == "paused":
        return "the manifest pauses it (status: paused)"
    if source.status == "retired":
        return "the manifest retires it (status: retired)"
    if source.status == "proposed":
        return "the manifest only proposes it (status: proposed); set it to active once it is reviewed"
    if state is not None and state.paused_by:
        who = (
            "the circuit breaker, after too many failed runs in a row," if state.paused_by == "breaker" else "a person"
        )
        return f"{who} paused it{_pause_details(state, 'on')}"
    if everything is not None and everything.paused_by:
        return describe_global_pause(everything)
    return None


def describe_global_pause(everything: ScheduleState) -> str:
    """``all sources are paused since 2026-11-22 15:00 UTC: the network is being moved``."""
    return f"all sources are paused{_pause_details(everything, 'since')}"


def _pause_details(state: ScheduleState, word: str) -> str:
    when = f" {word} {state.paused_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if state.paused_at else ""
    return when + (f": {state.paused_reason}" if state.paused_reason else "")


# What is due, and in which order. In: sources, their states, the time. Out: a list of ``Due``, those that must wait
# for their hours included.

#: A check dated further in the future than this comes from a wrong clock, and is ignored.
CLOCK_TOLERANCE = timedelta(days=1)

_NEVER = datetime.min.replace(tzinfo=UTC)
_PRIORITIES = {"high": 0, "medium": 1, "low": 2}
# S0 §3.2.2 names these two as the first.
_FIRST_CATEGORIES = frozenset({"federal_register", "cfpb"})
_FIRST_AGENCIES = frozenset({"cfpb", "consumer financial protection bureau", "federal register"})
_LEVELS = {"federal": 1, "national": 2, "state": 3, "local": 4}


@dataclass(frozen=True, slots=True)
class DueSource:
    """A source that should be collected. Times are UTC."""

    source: Source
    due_at: datetime | None  # None: it was never checked
    held_until: datetime | None  # None: it may start now; else the opening of its hours
    hours: str  # "02:00-06:00 New York time"; "" for all day


@contextmanager
def _cyclic_gc_disabled() -> Iterator[None]:
    """Python looks for circles after every so many new objects. A plan makes many, and no circle; what it would look
    through for nothing, again and again, is all sources."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@_cyclic_gc_disabled()
def plan_due_sources(
    sources: Iterable[Source],
    states: Mapping[str, ScheduleState],
    now: datetime,
    *,
    rules: Callable[[str], HasHours] | None = None,
    force: bool = False,
    everything: ScheduleState | None = None,
) -> list[DueSource]:
    """The sources that are due at *now* (aware), the most urgent first; those outside their hours say until when.

    *rules* is ``Catalog.rules``. *force* takes every source that nothing pauses, whatever its interval and hours.
    *everything* is the pause of all sources, if there is one: then nothing is due.
    """
    now = now.astimezone(UTC)
    openings = WindowCache(now, rules)
    due: dict[tuple[int, int], list[DueSource]] = {}
    for source in sources:
        state = states.get(source.id)
        if blocked_reason(source, state, everything) is not None:
            continue
        site = openings.of(source.url)
        due_at = next_due(source, state, hours=site.hours)
        if force or _is_due(due_at, state, now, site):
            one = DueSource(source, due_at, None if force else site.opens_at, site.words)
            due.setdefault(priority_rank(source), []).append(one)
    return [one for level in sorted(due) for one in _order_by_last_check(due[level])]


def _is_due(due_at: datetime | None, state: ScheduleState | None, now: datetime, site: WindowStatus) -> bool:
    if state is not None and state.next_run_at is not None:
        return state.next_run_at <= now
    if (rested := backing_off_until(state)) is not None and now < rested < now + CLOCK_TOLERANCE:
        return False
    if due_at is None or due_at - EARLY <= now:
        return True
    # What falls due before tonight's hours end is taken tonight: the alternative is a day late, every time.
    if site.closes_at is not None and due_at < site.closes_at:
        return True
    return state is not None and has_future_check_date(state, now)


def has_future_check_date(state: ScheduleState, now: datetime) -> bool:
    """Whether the last check is dated in the future: the clock was wrong then, or is now."""
    return state.last_checked_at is not None and state.last_checked_at > now + CLOCK_TOLERANCE


def _order_by_last_check(due: list[DueSource]) -> list[DueSource]:
    # Equals stay in the order of their ids. Two sorts by one key each take a third of the time of one by both.
    due.sort(key=lambda one: one.source.id)
    due.sort(key=lambda one: one.due_at or _NEVER)
    return due


def priority_rank(source: Source) -> tuple[int, int]:
    """The first two things that order sources: priority; then the Federal Register and the CFPB, federal, state."""
    return _compute_rank(
        source.effective_priority, source.effective_category, source.metadata.agency, source.jurisdiction
    )


@lru_cache(maxsize=4096)
def _compute_rank(priority: Priority, category: Category, agency: str | None, jurisdiction: str) -> tuple[int, int]:
    if category in _FIRST_CATEGORIES or (agency or "").lower() in _FIRST_AGENCIES:
        level = 0
    else:
        level = _LEVELS[jurisdiction.partition(":")[0]]
    return _PRIORITIES[priority], level


# Which jobs to put into the queue: a pure function of what is due and what the queue holds already. A job is the due
# sources of one politeness group, methods mixed. The queue is kept short: what waits in it has lost its place among
# what becomes due later, and its hours may end before a node takes it. So a backlog is given out in its order, as
# fast as the nodes take it, and not all at once.

#: All ids of a job are one argument of its process (128 KiB at most on Linux).
MAX_SOURCES_PER_JOB = 50
#: Of a job by hand: higher than that of any schedule.
MANUAL_PRIORITY = 100.0


@dataclass(slots=True)
class PlannedJob:
    """A job to be queued."""

    group: str  # that of its sources' start pages
    groups: set[str]  # all whose servers it asks
    priority: float  # the highest goes first
    sources: list[Source] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class JobPlan:
    """What becomes of all that is due: in a new job, held until its hours, or left for later, with the reason."""

    jobs: list[PlannedJob]
    held: list[DueSource]
    later: list[tuple[DueSource, str]]


def plan_jobs(
    due: Iterable[DueSource],
    *,
    queued: Mapping[str, str],
    busy: Collection[str],
    room: int,
    groups: Callable[[Source], list[str]],
) -> JobPlan:
    """Jobs for what is *due* (as ``plan`` orders it), at most *room* of them.

    *queued*: sources that are in a job already; they get no other one. *busy*: groups of jobs that wait or run; their
    sources come when these have ended. *groups* gives the groups that a source asks, that of its start page first.
    """
    made: dict[str, PlannedJob] = {}
    held: list[DueSource] = []
    later: list[tuple[DueSource, str]] = []
    for one in due:
        if one.source.id in queued:
            continue
        if one.held_until is not None:
            held.append(one)
            continue
        asks = groups(one.source)
        if (why := _postponed_reason(made, asks, busy, room)) is not None:
            later.append((one, why))
            continue
        job = made.setdefault(asks[0], PlannedJob(asks[0], set(), job_priority(one.source)))
        job.groups.update(asks)
        job.sources.append(one.source)
    return JobPlan(list(made.values()), held, later)


def _postponed_reason(made: Mapping[str, PlannedJob], asks: list[str], busy: Collection[str], room: int) -> str | None:
    if taken := [group for group in asks if group in busy]:
        return f"another job is using {taken[0]}"
    if asks[0] in made:
        return f"the job for {asks[0]} is full" if len(made[asks[0]].sources) >= MAX_SOURCES_PER_JOB else None
    return "enough jobs are already queued" if len(made) >= room else None


def plan_manual_jobs(sources: Iterable[Source], *, groups: Callable[[Source], list[str]]) -> list[PlannedJob]:
    """Jobs that collect *sources* now, before all others."""
    made: dict[str, PlannedJob] = {}
    for source in sources:
        asks = groups(source)
        job = made.setdefault(asks[0], PlannedJob(asks[0], set(), MANUAL_PRIORITY))
        job.groups.update(asks)
        job.sources.append(source)
    return list(made.values())


def job_priority(source: Source) -> float:
    """A job's place in the queue, from that of its most urgent source: 0 to 24."""
    priority, level = priority_rank(source)
    return 10.0 * (2 - priority) + (4 - level)
