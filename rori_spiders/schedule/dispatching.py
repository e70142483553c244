"""Which jobs to put into the queue: a pure function of what is due and what the queue holds already.

A job is the due sources of one politeness group, methods mixed. The queue is kept short: what waits in it has lost its
place among what becomes due later, and its hours may end before a node takes it. So a backlog is given out in its
order, as fast as the nodes take it, and not all at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rori_spiders.schedule.plan import rank

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from rori_spiders.manifest.models import Source
    from rori_spiders.schedule.plan import Due

#: All ids of a job are one argument of its process (128 KiB at most on Linux).
SOURCES_A_JOB = 50
#: Of a job by hand: higher than that of any schedule.
BY_HAND = 100.0


@dataclass(slots=True)
class Planned:
    """A job to be queued."""

    group: str  # that of its sources' start pages
    groups: set[str]  # all whose servers it asks
    priority: float  # the highest goes first
    sources: list[Source] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of all that is due: in a new job, held until its hours, or left for later, with the reason."""

    jobs: list[Planned]
    held: list[Due]
    later: list[tuple[Due, str]]


def decide(
    due: Iterable[Due],
    *,
    queued: Mapping[str, str],
    busy: Collection[str],
    room: int,
    groups: Callable[[Source], list[str]],
) -> Decision:
    """Jobs for what is *due* (as ``plan`` orders it), at most *room* of them.

    *queued*: sources that are in a job already; they get no other one. *busy*: groups of jobs that wait or run; their
    sources come when these have ended. *groups* gives the groups that a source asks, that of its start page first.
    """
    made: dict[str, Planned] = {}
    held: list[Due] = []
    later: list[tuple[Due, str]] = []
    for one in due:
        if one.source.id in queued:
            continue
        if one.held_until is not None:
            held.append(one)
            continue
        asks = groups(one.source)
        if (why := _why_later(made, asks, busy, room)) is not None:
            later.append((one, why))
            continue
        job = made.setdefault(asks[0], Planned(asks[0], set(), priority_of(one.source)))
        job.groups.update(asks)
        job.sources.append(one.source)
    return Decision(list(made.values()), held, later)


def _why_later(made: Mapping[str, Planned], asks: list[str], busy: Collection[str], room: int) -> str | None:
    if taken := [group for group in asks if group in busy]:
        return f"another job asks {taken[0]}"
    if asks[0] in made:
        return f"the job of {asks[0]} is full" if len(made[asks[0]].sources) >= SOURCES_A_JOB else None
    return "enough jobs wait already" if len(made) >= room else None


def by_hand(sources: Iterable[Source], *, groups: Callable[[Source], list[str]]) -> list[Planned]:
    """Jobs that collect *sources* now, before all others."""
    made: dict[str, Planned] = {}
    for source in sources:
        asks = groups(source)
        job = made.setdefault(asks[0], Planned(asks[0], set(), BY_HAND))
        job.groups.update(asks)
        job.sources.append(source)
    return list(made.values())


def priority_of(source: Source) -> float:
    """A job's place in the queue, from that of its most urgent source: 0 to 24."""
    priority, level = rank(source)
    return 10.0 * (2 - priority) + (4 - level)
