"""Kills at random moments of crawls, as many as you like; tests/crawl/crashes/test_random_kills.py does ten.

    .venv/bin/python -m benchmarks.kills          # 200
    .venv/bin/python -m benchmarks.kills 1000 --seed 7

Each round is a new edition of a site of 24 pages, a wiki of nine, a page and a PDF. Jobs collect it that are killed: at
any moment up to 1.2 s after one of the next answers, or at a step on the disk (in the middle of a write, too), also
while a run is opened or taken up, while it is closed, and before the first request; the last one is not. In some a
process of the pool is killed alone. Ends with an AssertionError at the first page that is lost, staged twice or torn,
at a page that was captured and asked for again, and when `scrapy verify` finds anything. Prints what the kills left
half done.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path

from tests.crawl.crashes.editions import Editions
from tests.crawl.crashes.random_kills import Killed
from tests.support.project import Project

_A_ROUND, _ROUNDS = 5, 4


def main() -> None:
    """Kill, go on, look; print how many kills it survived, and where they struck."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kills", type=int, nargs="?", default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    where: Counter[str] = Counter()
    workers, seed = 0, given.seed
    while (done := where.total()) < given.kills:
        with Editions() as editions, tempfile.TemporaryDirectory() as folder:
            killed = Killed(Project(Path(folder)), editions, seed)
            for _ in range(_ROUNDS):
                if done + killed.kills < given.kills:
                    killed.collect(min(_A_ROUND, given.kills - done - killed.kills))
        where, workers, seed = where + killed.where, workers + killed.workers, seed + 1
        print(f"{where.total()} kills: nothing lost, nothing twice, nothing torn", flush=True)
    for what, number in where.most_common():
        print(f"{number:5}  {what}")
    print(f"{workers:5}  processes of the pool")


if __name__ == "__main__":
    main()
