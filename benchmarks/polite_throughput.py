"""How fast many hosts are collected at the default rates, and whether each of them is treated as it was promised.

    .venv/bin/python -m benchmarks.polite_throughput                          # 20 hosts of 14 pages, 5 and 20 runs
    .venv/bin/python -m benchmarks.polite_throughput --runs 20 --processes 2  # two jobs of one ledger
    .venv/bin/python -m benchmarks.polite_throughput --hosts 200 --pages 3 --runs 200 --answer-s 2
    .venv/bin/python -m benchmarks.polite_throughput --hosts 400 --pages 1 --runs 10 --machines 1 4 --delay-s 8

``--machines``: one process on each of so many machines (namespaces with host names of their own, as root) over one
PostgreSQL, which divide the hosts; each may have RORI_MAX_CONCURRENT_REQUESTS requests under way.

Each host is a loopback address that answers after ``--answer-s``. Prints for each RORI_PARALLEL_RUNS: seconds,
those from the first request to the last answer, CPU seconds, the floor that the rate of a host (one request in 1.025
times ``--delay-s``) leaves, requests, the most that were under way at once over all hosts, the share of the time in
which so many were, and the smallest gap of any host. Gaps and requests under way are what the servers saw: from the
arrival of a request's last header until its answer was sent.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Self

from tests.support.pages import page
from tests.support.postgresql import Cluster
from tests.support.project import Project, source

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The default delay, and how much more the collector waits.
DELAY_S, MARGIN = 2.0, 1.025
_ON_MACHINE = ("unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"')
_TEXT = "The baseline conforming loan limit for a one-unit property is $832,750 in most of the United States. " * 20


@dataclass(slots=True)
class Visit:
    """One request as its server saw it, on the monotonic clock."""

    host: str
    path: str
    began: float
    ended: float


class Hosts:
    """Hosts on 127.1.x.y, served by one event loop in a thread. Each has *pages* pages, all linked by the first."""

    def __init__(self, number: int, pages: int, *, answer_s: float) -> None:
        self.addresses = [f"127.1.{at // 250}.{at % 250 + 1}" for at in range(number)]
        self.method = "crawl" if pages > 1 else "scrape"
        self.visits: list[Visit] = []
        self.port = 0
        self._answer_s = answer_s
        paths = [f"/page/{at}" for at in range(1, pages)]
        self._pages = {path: page(path, text=f"{path}. {_TEXT}").encode() for path in paths}
        self._pages["/"] = page("Start", *paths, text=_TEXT).encode()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    async def _listen(self) -> None:
        for address in self.addresses:
            server = await asyncio.start_server(self._serve, address, self.port)
            self.port = server.sockets[0].getsockname()[1]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host = writer.get_extra_info("sockname")[0]
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                path = head.split(b" ", 2)[1].decode()
                visit = Visit(host, path, time.monotonic(), 0.0)
                self.visits.append(visit)
                await asyncio.sleep(self._answer_s)
                body = self._pages.get(path, b"")
                visit.ended = time.monotonic()
                status = "200 OK" if body else "404 Not Found"
                kind = f"Content-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}"
                writer.write(f"HTTP/1.1 {status}\r\n{kind}\r\n\r\n".encode() + body)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


def smallest_gap(visits: Sequence[Visit]) -> float:
    """Seconds between two requests to the same host, the smallest of all."""
    by_host: dict[str, list[float]] = {}
    for visit in visits:
        by_host.setdefault(visit.host, []).append(visit.began)
    return min(later - earlier for began in by_host.values() for earlier, later in pairwise(sorted(began)))


def under_way(visits: Sequence[Visit]) -> tuple[int, float]:
    """The most requests under way at once over all hosts, and the share of the time in which they were so many."""
    changes = sorted([(visit.began, 1) for visit in visits] + [(visit.ended, -1) for visit in visits])
    seconds: dict[int, float] = {}
    now = 0
    for (at, change), (until, _) in pairwise(changes):
        now += change
        seconds[now] = seconds.get(now, 0.0) + until - at
    most = max(seconds)
    return most, seconds[most] / sum(seconds.values())


def measure(
    hosts: Hosts, runs: int, processes: int, more: Sequence[str], *, delay_s: float = DELAY_S, database_url: str = ""
) -> None:
    """Collect all hosts in a new project, shared by *processes* jobs, and print a row.

    With a *database_url* each of them is on a machine of its own.
    """
    with tempfile.TemporaryDirectory() as folder, ExitStack() as jobs:
        project = Project(Path(folder))
        if database_url:
            project.env["RORI_DATABASE_URL"] = database_url
        sources = [
            source(f"s{at}", f"http://{one}:{hosts.port}/", hosts.method) for at, one in enumerate(hosts.addresses)
        ]
        project.manifest(sources, delay_s=delay_s if delay_s != DELAY_S else None)
        made = project.scrapy("ledger", "upgrade")
        if made.returncode:
            sys.exit(made.stdout + made.stderr)
        names = [one["id"] for one in sources]
        hosts.visits.clear()
        began, used = time.monotonic(), _cpu_s()
        settings = ["-s", f"RORI_PARALLEL_RUNS={runs}", *more]
        started = [
            jobs.enter_context(
                project.start(
                    *("crawl", "sources", "-a", f"sources={','.join(names[at::processes])}", *settings),
                    begin=(*_ON_MACHINE, f"machine-{at}") if database_url else None,
                )
            )
            for at in range(processes)
        ]
        said = [one.communicate()[0] for one in started]
        took, cpu = time.monotonic() - began, _cpu_s() - used
        if any(one.returncode for one in started):
            sys.exit("\n".join(said))
    requests = [visit for visit in hosts.visits if visit.ended]
    most, share_of_time = under_way(requests)
    each = len(requests) / len(hosts.addresses)
    floor = delay_s * MARGIN * (each - 1) * -(-len(hosts.addresses) // min(runs * processes, len(hosts.addresses)))
    row = {
        "runs": runs,
        "machines" if database_url else "processes": processes,
        "hosts": len(hosts.addresses),
        "requests": len(requests),
        "seconds": round(took, 1),
        "asking_s": round(max(visit.ended for visit in requests) - min(visit.began for visit in requests), 1),
        "floor": round(floor, 1),
        "cpu_s": round(cpu, 1),
        "per_second": round(len(requests) / took, 2),
        "most_under_way": most,
        "share_of_time": round(share_of_time, 3),
        "smallest_gap_s": round(smallest_gap(requests), 3),
    }
    print(json.dumps(row), flush=True)


def _cpu_s() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def main() -> None:
    """Serve, collect with each number of runs, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=20)
    parser.add_argument("--pages", type=int, default=14)
    parser.add_argument("--runs", type=int, nargs="+", default=[5, 20])
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--machines", type=int, nargs="+", default=[])
    parser.add_argument("--answer-s", type=float, default=0.05)
    parser.add_argument("--delay-s", type=float, default=DELAY_S)
    given, more = parser.parse_known_args()
    with Hosts(given.hosts, given.pages, answer_s=given.answer_s) as hosts:
        for runs in given.runs:
            if not given.machines:
                measure(hosts, runs, given.processes, more, delay_s=given.delay_s)
                continue
            with closing(Cluster()) as cluster:
                for number in given.machines:
                    measure(hosts, runs, number, more, delay_s=given.delay_s, database_url=cluster.empty())


if __name__ == "__main__":
    main()
