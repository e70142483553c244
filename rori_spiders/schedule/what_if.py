"""What a plan of visits comes to before anybody makes it: requests, hours, credits, and what waits.

In: sources, when each was checked last, what its runs came to, how many runs may be under way. Out: an `Forecast`. The
days to come are gone through run by run: one run at a time in a group, at the group's pace, in its hours, as many at
once as there are nodes for; who waits goes in the order of the dispatcher. Failures, and sources that grow, are not
foreseen. `python -m benchmarks.what_if` measures the error.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from heapq import heappop, heappush
from itertools import count
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.schedule.crawl_window import crawl_window_for, current_closing, is_always_open, next_opening
from rori_spiders.schedule.intervals import EARLY, GRACE, check_interval, next_check_at, next_due
from rori_spiders.schedule.plan import priority_rank

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rori_spiders.manifest.catalog import CrawlWindow
    from rori_spiders.manifest.models import Source
    from rori_spiders.schedule.crawl_window import HasHours
    from rori_spiders.schedule.intervals import ScheduleState

#: A single page and its robots.txt.
SINGLE_PAGE_REQUESTS = 2.0
#: Of a job whose runs are not known: its start.
START_S = 3.0


class RunCost(NamedTuple):
    """What one run of a source comes to, by its last ones."""

    requests: float
    pages: float
    changed: float
    browser_pages: float
    credits: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Plan:
    """Who is visited, and by how many runs at once. ``every_s``: seconds between two requests, by group."""

    sources: Sequence[Source]
    group_of: Callable[[Source], str]
    every_s: Callable[[str], float]
    rules: Callable[[str], HasHours]
    runs_at_once: int


@dataclass(frozen=True, slots=True)
class Forecast:
    """Over so many days. Times that something waited are from when it was due and its site open until its run began."""

    days: int
    sources: int
    runs: int
    requests: float
    pages: float
    changed: float
    browser_pages: float
    credits: float
    request_hours: float
    busy_share: float  # of the runs that may be under way at once
    in_time: int  # sources that were checked within their interval and GRACE when the days are over
    waited_p95_h: float
    waited_most_h: float
    waiting: int  # sources that wait for their turn when the days are over
    too_full: tuple[tuple[str, float], ...]  # groups that cannot do their visits in their hours, and their load


class _Hours:
    """When a site is open, in seconds from the beginning."""

    def __init__(self, hours: CrawlWindow, begin: datetime, days: int) -> None:
        self.opens: list[float] = [0.0]
        self.closes: list[float] = [float("inf")]
        self.share = 1.0
        if is_always_open(hours):
            return
        self.opens, self.closes = [], []
        at = begin
        while (at - begin).days <= days + 1:
            at = next_opening(hours, at)
            closes = current_closing(hours, at)
            assert closes is not None, hours
            self.opens.append((at - begin).total_seconds())
            self.closes.append((closes - begin).total_seconds())
            at = closes
        self.share = (
            sum(closes - opens for opens, closes in zip(self.opens, self.closes, strict=True)) / self.closes[-1]
        )

    def open_from(self, at: float) -> tuple[float, float]:
        """The first moment from *at* on at which it is open, and when it closes."""
        place = min(bisect_right(self.closes, at), len(self.closes) - 1)
        return max(at, self.opens[place]), self.closes[place]

    def taken_at(self, due: float, now: float) -> float:
        """When a plan takes what is *due*: a little early, and at the opening of the night in which it falls due."""
        if due >= self.closes[-1]:
            return due  # after all that is foreseen
        opens, closes = self.open_from(max(now, due - 86_400.0))
        while due - EARLY.total_seconds() > opens and due >= closes:
            opens, closes = self.open_from(closes)
        return opens if due < closes < float("inf") else max(opens, due - EARLY.total_seconds())


@dataclass(slots=True)
class _Site:
    """A politeness group: who waits in it, and whether one of its runs is under way."""

    name: str
    every_s: float
    hours: _Hours
    is_busy: bool = False
    waiting: list[tuple[tuple[int, int], float, str, _Visit]] = field(default_factory=list)


@dataclass(slots=True)
class _Visit:
    """A source's next run, or the rest of one that its hours cut off."""

    source: Source
    cost: RunCost
    seconds: float  # still to go
    eligible_at: float
    has_begun: bool = False


class _Simulation:
    def __init__(
        self, plan: Plan, states: Mapping[str, ScheduleState], costs: Mapping[str, RunCost], now: datetime, days: int
    ) -> None:
        self._plan, self._states, self._costs = plan, states, costs
        self._begin, self._end_s = now.astimezone(UTC), days * 86_400.0
        self._days = days
        self._hours: dict[CrawlWindow, _Hours] = {}
        self._sites: dict[str, _Site] = {}
        self._numbers = count()
        self._events: list[tuple[float, int, Callable[[float], None]]] = []
        self._ready: list[tuple[tuple[int, int], float, int, _Site]] = []
        self._free = plan.runs_at_once
        self._checked = {one.id: states[one.id].last_checked_at for one in plan.sources if one.id in states}
        # What a run takes beyond its requests, by the median of all: the start of jobs, and answers that were slow.
        beyond = [
            cost.seconds - cost.requests * plan.every_s(plan.group_of(one))
            for one in plan.sources
            if (cost := costs[one.id]).seconds
        ]
        self._overhead_s = max(0.0, median(beyond)) if beyond else START_S
        self._busy_s, self._request_s = 0.0, 0.0
        self._waits: list[float] = []
        self._totals: defaultdict[str, float] = defaultdict(float)

    def run(self) -> Forecast:
        for source in self._plan.sources:
            due = next_due(source, self._states.get(source.id), self._plan.rules)
            self._expect(source, (due - self._begin).total_seconds() if due is not None else 0.0, 0.0)
        while self._events and self._events[0][0] <= self._end_s:
            at, _, work = heappop(self._events)
            work(at)
            self._start_ready(at)
        return self._build_forecast()

    def _site(self, source: Source) -> _Site:
        name = self._plan.group_of(source)
        if name not in self._sites:
            window = crawl_window_for(source.url, self._plan.rules)
            if window not in self._hours:
                self._hours[window] = _Hours(window, self._begin, self._days)
            self._sites[name] = _Site(name, self._plan.every_s(name), self._hours[window])
        return self._sites[name]

    def _at(self, at: float, work: Callable[[float], None]) -> None:
        heappush(self._events, (at, next(self._numbers), work))

    def _expect(self, source: Source, due: float, now: float) -> None:
        site, cost = self._site(source), self._costs[source.id]
        eligible_at = site.hours.taken_at(due, now)
        visit = _Visit(source, cost, cost.requests * site.every_s + self._overhead_s, eligible_at)
        self._at(eligible_at, lambda _: self._arrive(site, visit, due))

    def _arrive(self, site: _Site, visit: _Visit, due: float) -> None:
        heappush(site.waiting, (priority_rank(visit.source), due, visit.source.id, visit))
        if not site.is_busy:
            self._offer(site)

    def _offer(self, site: _Site) -> None:
        rank, due, _, _ = site.waiting[0]
        heappush(self._ready, (rank, due, next(self._numbers), site))

    def _start_ready(self, now: float) -> None:
        while self._free and self._ready:
            _, _, _, site = heappop(self._ready)
            if site.is_busy or not site.waiting:
                continue
            opens, closes = site.hours.open_from(now)
            if opens > now:  # its hours ended while it waited for a node
                self._at(opens, lambda _, site=site: self._offer(site) if not site.is_busy and site.waiting else None)  # type: ignore[misc]
                continue
            self._start(site, heappop(site.waiting), now, closes)

    def _start(
        self, site: _Site, waiting: tuple[tuple[int, int], float, str, _Visit], now: float, closes: float
    ) -> None:
        visit = waiting[-1]
        if not visit.has_begun:
            visit.has_begun = True
            self._waits.append(now - visit.eligible_at)
            self._totals["runs"] += 1
        until = min(now + visit.seconds, closes)
        site.is_busy = True
        self._free -= 1
        self._at(until, lambda at: self._end(site, waiting, at - now, at))

    def _end(
        self, site: _Site, waiting: tuple[tuple[int, int], float, str, _Visit], worked_s: float, at: float
    ) -> None:
        visit = waiting[-1]
        whole_s = visit.cost.requests * site.every_s + self._overhead_s
        share = worked_s / whole_s if whole_s else 1.0
        for name, number in zip(RunCost._fields[:-1], visit.cost, strict=False):
            self._totals[name] += number * share
        self._request_s += visit.cost.requests * site.every_s * share
        self._busy_s += worked_s
        self._free += 1
        site.is_busy = False
        visit.seconds -= worked_s
        if visit.seconds > 1e-6:
            heappush(site.waiting, waiting)  # the rest of it comes with the next opening
        else:
            self._checked[visit.source.id] = self._begin + timedelta(seconds=at)
            self._expect(visit.source, self._next_due(visit.source, site, at), at)
        if site.waiting:
            self._offer(site)

    def _next_due(self, source: Source, site: _Site, at: float) -> float:
        state, has_hours = self._states.get(source.id), site.hours.share < 1
        length, checked_at = check_interval(source, state), self._begin + timedelta(seconds=at)
        due = next_check_at(
            source.id, length, checked_at, early=timedelta() if has_hours else EARLY, has_hours=has_hours
        )
        return (due - self._begin).total_seconds()

    def _build_forecast(self) -> Forecast:
        end = self._begin + timedelta(days=self._days)
        in_time = sum(
            (at := self._checked.get(one.id)) is not None
            and end - at <= check_interval(one, self._states.get(one.id)) + GRACE
            for one in self._plan.sources
        )
        waits = sorted(self._waits)
        totals = self._totals
        return Forecast(
            days=self._days,
            sources=len(self._plan.sources),
            runs=int(totals["runs"]),
            requests=totals["requests"],
            pages=totals["pages"],
            changed=totals["changed"],
            browser_pages=totals["browser_pages"],
            credits=totals["credits"],
            request_hours=self._request_s / 3600,
            busy_share=self._busy_s / (self._plan.runs_at_once * self._end_s),
            in_time=in_time,
            waited_p95_h=waits[int(len(waits) * 0.95)] / 3600 if waits else 0.0,
            waited_most_h=waits[-1] / 3600 if waits else 0.0,
            waiting=sum(not one[-1].has_begun for site in self._sites.values() for one in site.waiting),
            too_full=self._too_full(),
        )

    def _too_full(self) -> tuple[tuple[str, float], ...]:
        load: defaultdict[str, float] = defaultdict(float)
        for one in self._plan.sources:
            site = self._site(one)
            seconds = self._costs[one.id].requests * site.every_s + self._overhead_s
            load[site.name] += (
                seconds / check_interval(one, self._states.get(one.id)).total_seconds() / site.hours.share
            )
        return tuple(sorted(((name, at) for name, at in load.items() if at > 1), key=lambda one: -one[1]))


def foresee(
    plan: Plan, states: Mapping[str, ScheduleState], costs: Mapping[str, RunCost], now: datetime, *, days: int
) -> Forecast:
    """Go through *days* from *now* (aware). *costs* has each of the plan's sources."""
    return _Simulation(plan, states, costs, now, days).run()
