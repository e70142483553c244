"""Two Scrapyd nodes over PostgreSQL, 60 sources on 20 loopback addresses, one node killed with -9 in the middle.

``python -m benchmarks.nodes``: three to four minutes, real leases and the collector's own 2 seconds between requests.
Prints what the servers saw and what was staged; exit code 1 when a promise was broken.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.nodes.fleet import Fleet, serve, smallest_gap, turns
from tests.postgresql import Cluster
from tests.project import Project
from tests.server import Site

DOMAINS, PAGES, DELAY_S = 20, 3, 2.0
_LATE_S = 0.1  # between leaving and arrival, on a loaded machine


def main() -> int:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="rori-nodes-")))
        sites = [stack.enter_context(Site(f"127.0.30.{number + 1}")) for number in range(DOMAINS)]
        cluster = Cluster()
        stack.callback(cluster.close)
        project = Project(folder)
        project.manifest(serve(sites, PAGES), delay_s=DELAY_S)
        fleet = Fleet(project, cluster.ledger(), max_proc=3)
        began = time.monotonic()
        with fleet:
            fleet.queue(sites, PAGES)
            dying = fleet.nodes[0]
            dying.wait("daemonstatus.json", '"finished": 3', timeout_s=180)
            dying.kill()
            killed = time.monotonic() - began
            fleet.wait_until_over(600)
            jobs = Counter(state for (state,) in fleet.rows("SELECT state FROM jobs"))
            runs = Counter(state for (state,) in fleet.rows("SELECT state FROM runs"))
        index = (project.staging / "_index.jsonl").read_text(encoding="utf-8").splitlines()
        staged = Counter(json.loads(line)["url"] for line in index)
        wanted = {site.at(f"/{one}"): 1 for site in sites for one in range(PAGES)}
        verified = project.scrapy("verify").returncode
        by_node = Counter(name for site in sites for name in turns(site))
        together = sum(len(turns(site)) != len(set(turns(site))) for site in sites)
        gap = min(map(smallest_gap, sites))
        print(f"{time.monotonic() - began:.0f} s in all, a node killed after {killed:.0f} s; jobs {dict(jobs)}")
        print(f"runs {dict(runs)}; {len(staged)} pages staged, {sum(staged.values())} index lines; verify: {verified}")
        print(f"domains by node {dict(by_node)}; asked by two in turn: {together}; smallest gap {gap:.3f} s")
        good = staged == wanted and runs == {"complete": len(wanted)} and not verified
        return int(not (good and not together and gap >= DELAY_S - _LATE_S))


if __name__ == "__main__":
    sys.exit(main())
