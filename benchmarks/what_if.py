"""How far `scrapy due --what-if` is from what then happens: the packaged manifest, on a clock of its own.

    .venv/bin/python -m benchmarks.what_if --seed 1 2 3

Sources of `fthb` are collected for three weeks by the dispatcher's own plan and the ledger's own states; sizes are
drawn up to `max_pages`, vary by 15 % from run to run and grow by 1 % a week, one run in 25 fails, answers of some
servers are slow, jobs begin late. From that ledger the next three weeks are foreseen, as they are and with each change,
and then simulated with the same change. The simulation shares `plan_due_sources` and `plan_jobs` with the program, and
nothing with `schedule/what_if.py`. Prints both, and the error.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from heapq import heappop, heappush
from itertools import count
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING
from uuid import uuid4

from rori_spiders.crawl.tiers.official.registry import is_single_page
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.operations.source_status import load_states, record_outcome
from rori_spiders.ledger.tables import runs
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.loading import load_packaged
from rori_spiders.politeness.rate_limiter import MARGIN
from rori_spiders.schedule import check_interval, crawl_window_for, current_closing, plan_due_sources
from rori_spiders.schedule.intervals import GRACE
from rori_spiders.schedule.plan import plan_jobs
from rori_spiders.schedule.scenario import Scenario, Today, apply_frequency, build_plan, compare, load_run_costs
from rori_spiders.schedule.what_if import Forecast, foresee

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.operations.source_status import SourceState
    from rori_spiders.manifest.models import Source
    from rori_spiders.schedule.plan import PlannedJob

_BEGAN = datetime(2026, 3, 2, 12, tzinfo=UTC)
_DAYS = 21
_ROUND = timedelta(minutes=15)
_MOST_QUEUED = 20


@dataclass
class World:
    """The sites as they are: how many pages each has, and how slow its server is."""

    random: Random
    sizes: dict[str, float]
    slow: dict[str, float]

    @classmethod
    def drawn(cls, catalog: Catalog, seed: int) -> World:
        random = Random(seed)  # noqa: S311
        sizes = {
            one.id: 1.0
            if is_single_page(one)
            else min(one.scrape_config.max_pages or 2000, max(3.0, random.lognormvariate(4.5, 1.3)))
            for one in catalog.sources
        }
        groups = sorted({catalog.group(one.host) for one in catalog.sources})
        return cls(random, sizes, {one: random.uniform(3, 8) for one in groups if random.random() < 0.1})

    def requests(self, source: Source) -> int:
        size = self.sizes[source.id]
        return 2 if size == 1 else max(2, round(size * self.random.uniform(0.85, 1.15)) + 3)


@dataclass
class Seen:
    """What happened."""

    requests: int = 0
    runs: int = 0
    request_s: float = 0.0
    busy_s: float = 0.0
    pages: int = 0
    waits: list[float] = field(default_factory=list)


class Simulation:
    """The dispatcher's rounds and the nodes' jobs, from *begin* on."""

    def __init__(self, catalog: Catalog, sources: Sequence[Source], ledger: Ledger, world: World, at_once: int) -> None:
        self._catalog, self._sources, self._ledger, self._world = catalog, sources, ledger, world
        self._at_once = at_once
        self._queue: list[tuple[float, int, PlannedJob]] = []
        self._running: list[tuple[datetime, int, PlannedJob]] = []
        self._left: dict[str, int] = {}  # requests of a run that its hours cut off
        self._since: dict[str, datetime] = {}
        self._states: dict[str, SourceState] | None = None  # as last read
        self._numbers = count()
        self.seen = Seen()

    def run(self, begin: datetime, days: int) -> Forecast:
        now, end = begin, begin + timedelta(days=days)
        while now < end:
            self._end_jobs(now)
            self._dispatch(now)
            now += _ROUND
        with self._ledger.connect() as conn:
            states = load_states(conn)
        in_time = sum(
            (state := states.get(one.id)) is not None
            and state.last_checked_at is not None
            and end - state.last_checked_at <= check_interval(one, state) + GRACE
            for one in self._sources
        )
        seen, waits = self.seen, sorted(self.seen.waits)
        return Forecast(
            days, len(self._sources), seen.runs, seen.requests, seen.pages, 0, 0, 0, seen.request_s / 3600,
            seen.busy_s / (self._at_once * days * 86_400), in_time, waits[int(len(waits) * 0.95)] / 3600,
            waits[-1] / 3600, 0, (),
        )  # fmt: skip

    def _dispatch(self, now: datetime) -> None:
        if len(self._queue) >= _MOST_QUEUED:
            self._begin_jobs(now)
            return
        if self._states is None:
            with self._ledger.connect() as conn:
                self._states = load_states(conn)
        states = self._states
        due = plan_due_sources(self._sources, states, now, rules=self._catalog.rules)
        for one in due:
            if one.held_until is None:
                self._since.setdefault(one.source.id, now)
        jobs = [job for _, _, job in (*self._queue, *self._running)]
        queued = {source.id: "" for job in jobs for source in job.sources}
        busy = {group for job in jobs for group in job.groups}
        groups = lambda source: [self._catalog.group(source.host)]  # noqa: E731
        for job in plan_jobs(due, queued=queued, busy=busy, room=_MOST_QUEUED - len(self._queue), groups=groups).jobs:
            heappush(self._queue, (-job.priority, next(self._numbers), job))
        self._begin_jobs(now)

    def _begin_jobs(self, now: datetime) -> None:
        while self._queue and len(self._running) < self._at_once:
            self._begin(heappop(self._queue)[-1], now + timedelta(seconds=self._world.random.uniform(0, 300)))

    def _begin(self, job: PlannedJob, at: datetime) -> None:
        """A job: its runs side by side, at the group's pace, until they end or the hours do."""
        first, group = job.sources[0], self._catalog.group(job.sources[0].host)
        every_s = max(self._catalog.rules_of_group(group).delay_s * MARGIN, self._world.slow.get(group, 0.0))
        closes = current_closing(crawl_window_for(first.url, self._catalog.rules), at)
        room = int((closes - at).total_seconds() / every_s) if closes is not None else 10**9
        done = 0
        for source in job.sources:
            if (taken := room - done) <= 0:
                continue
            wanted = self._left.pop(source.id, 0) or self._world.requests(source)
            taken = min(wanted, taken)
            began = at + timedelta(seconds=done * every_s)
            done += taken
            ended = at + timedelta(seconds=done * every_s + 4)
            if source.id in self._since:
                self.seen.waits.append((began - self._since.pop(source.id)).total_seconds())
            self._record(source, taken, wanted - taken, every_s, ended)
        took = done * every_s + 4
        self.seen.busy_s += took
        heappush(self._running, (at + timedelta(seconds=took), next(self._numbers), job))

    def _record(self, source: Source, taken: int, left: int, every_s: float, ended: datetime) -> None:
        self.seen.requests += taken
        self.seen.request_s += taken * every_s
        if left:
            self._left[source.id] = left
            return
        self._states = None
        self.seen.runs += 1
        state = "failed" if self._world.random.random() < 0.04 else "complete"
        pages = int(self._world.sizes[source.id])
        self.seen.pages += pages
        self._world.sizes[source.id] *= 1.0 if pages == 1 else 1.0 + 0.0014 * check_interval(source, None).days
        run_id, began = str(uuid4()), ended - timedelta(seconds=taken * every_s + 4)
        with self._ledger.begin() as conn:
            conn.execute(
                runs.insert().values(
                    run_id=run_id,
                    source_id=source.id,
                    manifest_version="1",
                    method=source.method,
                    state=state,
                    operator="system",
                    job_id=run_id,
                    started_at=began,
                    finished_at=ended,
                    requests=taken,
                    counts={"discovered": pages, "changed": 0},
                    seconds=taken * every_s + 4,
                )
            )
            record_outcome(conn, source.id, run_id=run_id, state=state, operator="system", changed=False, now=ended)

    def _end_jobs(self, now: datetime) -> None:
        while self._running and self._running[0][0] <= now:
            heappop(self._running)


def _foreseen(
    ledger: Ledger, catalog: Catalog, now: datetime, at_once: int, world: World, words: list[str]
) -> Forecast:
    scenario = Scenario.parse(words)
    with ledger.connect() as conn:
        slow = {group: delay / MARGIN for group, delay in world.slow.items()}
        today = Today(load_states(conn), None, load_run_costs(conn), slow, 0, at_once, at_once, 0)
    sources = apply_frequency(catalog.sources, scenario.frequency, ())
    plan, costs, unknown = build_plan(catalog, sources, today, scenario, is_single_page)
    if unknown:
        print(f"left out: {len(unknown)}")
    return foresee(plan, today.states, costs, now, days=_DAYS)


def main() -> int:
    """Collect, foresee, collect on, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, nargs="+", default=[1])
    parser.add_argument("--jobs", type=int, default=4)
    given = parser.parse_args()
    catalog = Catalog([load_packaged("fthb")])
    active = [one for one in catalog.sources if one.status == "active"]
    errors: dict[str, list[float]] = {}
    for seed in given.seed:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "ledger.db"
            world = World.drawn(catalog, seed)
            with open_ledger(f"sqlite:///{path}") as ledger:
                Simulation(catalog, active, ledger, world, given.jobs).run(_BEGAN, _DAYS)
            sizes, now = dict(world.sizes), _BEGAN + timedelta(days=_DAYS)
            for words in (
                ["jobs=" + str(given.jobs)],
                ["frequency=daily"],
                ["frequency=weekly"],
                ["jobs=1"],
                ["jobs=12"],
            ):
                copy = Path(folder) / "copy.db"
                shutil.copy(path, copy)
                scenario = Scenario.parse(words)
                world.sizes = dict(sizes)
                with open_ledger(f"sqlite:///{copy}") as ledger:
                    foreseen = _foreseen(ledger, catalog, now, given.jobs, world, words)
                    sources = apply_frequency(active, scenario.frequency, ())
                    happened = Simulation(catalog, sources, ledger, world, scenario.jobs or given.jobs).run(now, _DAYS)
                print(f"\nseed {seed}, {words[0]}")
                for row in compare(foreseen, happened):
                    before, after = float(row["now"]), float(row["what_if"])
                    if row["measure"] in {"changed", "browser_pages_a_week", "credits_a_week", "waiting", "sources"}:
                        continue
                    error = (before - after) / after if after else 0.0
                    errors.setdefault(str(row["measure"]), []).append(error)
                    print(
                        f"  {row['words']:40} foreseen {before:10,.2f}  happened {after:10,.2f}  {error:+.1%}",
                        flush=True,
                    )
    print("\nmean and largest error")
    for name, found in errors.items():
        print(f"  {name:24} {sum(map(abs, found)) / len(found):.1%} {max(map(abs, found)):.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
