"""How much sooner changes are seen with the frequencies that `scrapy due --intervals` proposes, and for which requests.

    .venv/bin/python -m benchmarks.learnt_intervals --seed 1 2 3

2,000 sources change as Poisson processes, once in 2 to 400 days, and in bursts (a third of them: nothing for months,
then for four weeks each second day); the manifest says weekly, biweekly or monthly. After 180 days of history they are
proposed frequencies, and the next 180 days are simulated three times: as the manifest says, as proposed, and with as
many requests as the proposals take, spread evenly (all intervals shortened alike). Prints the mean and p95 of the days
from a change to the check that sees it.
"""

from __future__ import annotations

import argparse
from random import Random
from statistics import mean

from rori_spiders.schedule.intervals import INTERVAL_DAYS
from rori_spiders.schedule.learnt_intervals import CheckHistory, propose_interval

_SOURCES, _HISTORY, _DAYS = 2000, 180.0, 180.0


def _changes(random: Random, rate: float, *, in_bursts: bool) -> list[float]:
    found, at = [], 0.0
    while at < _HISTORY + _DAYS:
        if in_bursts and random.random() < 0.1:
            at += random.expovariate(rate / 4)
        at += random.expovariate(0.5 if in_bursts else rate)
        if in_bursts and len(found) % 14 == 13:
            at += random.expovariate(rate)
        found.append(at)
    return [one for one in found if one < _HISTORY + _DAYS]


def _delays(changes: list[float], first: float, every: float, begin: float, end: float) -> list[float]:
    """From each change to the next check; checks are at *first* and every so many days after it."""
    return [-((first - at) % -every) for at in changes if begin <= at < end]


def main() -> None:
    """Simulate, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, nargs="+", default=[1])
    for seed in parser.parse_args().seed:
        random = Random(seed)  # noqa: S311
        sources = []
        for _ in range(_SOURCES):
            now = random.choice(("weekly", "biweekly", "monthly"))
            every, first = INTERVAL_DAYS[now], random.uniform(0, INTERVAL_DAYS[now])
            changes = _changes(random, 1 / 2 ** random.uniform(1, 8.64), in_bursts=random.random() < 1 / 3)
            checks = int((_HISTORY - first) / every)
            changed = sum(
                any(first + at * every < one <= first + (at + 1) * every for one in changes) for at in range(checks)
            )
            found = propose_interval(now, CheckHistory(checks, changed, float(checks * every)), "daily")  # type: ignore[arg-type]
            sources.append((changes, first, every, INTERVAL_DAYS[found.proposed]))
        fixed = sum(_DAYS / every for _, _, every, _ in sources)
        learnt = sum(_DAYS / every for *_, every in sources)
        plans = {
            "as the manifest says": [(changes, first, every) for changes, first, every, _ in sources],
            "as proposed": [(changes, first, every) for changes, first, _, every in sources],
            "as many, evenly": [(changes, first, every * fixed / learnt) for changes, first, every, _ in sources],
        }
        moved = sum(before != after for *_, before, after in sources)
        print(f"seed {seed}: {moved} of {_SOURCES} sources get another frequency")
        for name, plan in plans.items():
            delays = sorted(
                one
                for changes, first, every in plan
                for one in _delays(changes, first, every, _HISTORY, _HISTORY + _DAYS)
            )
            checks = sum(_DAYS / every for *_, every in plan)
            p95 = delays[int(len(delays) * 0.95)]
            print(f"  {name:22} {checks:9,.0f} checks, a change is seen after {mean(delays):5.2f} days, p95 {p95:5.1f}")


if __name__ == "__main__":
    main()
