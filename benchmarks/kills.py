"""Kills at random moments of crawls, as many as you like: what tests/crawl/test_kills.py does twenty times.

    .venv/bin/python -m benchmarks.kills          # 200
    .venv/bin/python -m benchmarks.kills 1000 --seed 7

Each round is a new edition of a site of 40 pages, collected by jobs that are killed (SIGKILL) up to 0.7 s after one of
the next requests, and by a last one that is not. Ends with an AssertionError at the first page that is lost, staged
twice or torn, at a page that was captured and asked for again, and when `scrapy verify` finds anything.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from tests.crawl.kills import Killed
from tests.project import Project
from tests.server import Site

_A_ROUND, _ROUNDS_OF_A_SITE = 5, 4


def main() -> None:
    """Kill, go on, look; print how many kills it survived."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kills", type=int, nargs="?", default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    done, seed = 0, given.seed
    while done < given.kills:
        with Site() as site, tempfile.TemporaryDirectory() as folder:
            killed = Killed(Project(Path(folder)), site, seed)
            for _ in range(_ROUNDS_OF_A_SITE):
                if done + killed.kills < given.kills:
                    killed.collect(min(_A_ROUND, given.kills - done - killed.kills))
        done, seed = done + killed.kills, seed + 1
        print(f"{done} kills: nothing lost, nothing twice, nothing torn", flush=True)


if __name__ == "__main__":
    main()
