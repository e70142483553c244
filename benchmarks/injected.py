"""Faults at every commit and every call of the staging area of a run: what `scrapy verify` finds after recovery.

    .venv/bin/python -m benchmarks.injected                # every step, each broken in four ways
    .venv/bin/python -m benchmarks.injected --every 5 --seed 3

A site of seven pages is collected, then changed (one page goes, one comes); the job that collects it anew is broken at
one step: it fails, it is done and says that it failed, the job is killed before it, or after it. The next job goes on.
Tells each fault after which a page is lost, staged twice or not as it was served, or `scrapy verify` finds anything,
and then ends with 1. RORI_DATABASE_URL and RORI_STAGING, a server's, are used as they are: of a new database each.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.crawl.injected import Injected
from tests.crawl.injecting import HOWS, Fault
from tests.project import Project
from tests.server import Site
from tests.server.fixtures import next_address


def main() -> None:
    """Break each step in each way; print how many were broken, by what was called."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each N-th of them")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="leave out so many before")
    given = parser.parse_args()
    steps = _broken(Fault())
    print(f"{len(steps)} steps: {dict(Counter(steps))}", flush=True)
    faults = [Fault(at, how) for at in range(1, len(steps) + 1) for how in HOWS]
    broken: Counter[str] = Counter()
    left: list[Fault] = []
    for fault in faults[given.first :: given.every]:
        broken[steps[fault.at - 1]] += 1
        try:
            _broken(fault)
        except AssertionError as error:
            left.append(fault)
            print(f"{fault}\n{error}", flush=True)
        if broken.total() % 20 == 0:
            print(f"{broken.total()} of {len(faults[given.first :: given.every])}, {len(left)} not recovered", flush=True)
    print(f"{broken.total() - len(left)} of {broken.total()} faults recovered: {dict(broken)}")
    sys.exit(bool(left))


def _broken(fault: Fault) -> list[str]:
    site = Site(next_address())
    try:
        with tempfile.TemporaryDirectory() as folder:
            return Injected(site, Project(Path(folder))).breaks_at(fault)
    finally:
        site.close()


if __name__ == "__main__":
    main()
