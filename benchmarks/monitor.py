"""How long the monitor's answers take over a large ledger: real requests to a running monitor, on both databases.

    .venv/bin/python -m benchmarks.monitor              # 1,000,000 audit rows, 5,000 sources
    .venv/bin/python -m benchmarks.monitor 100000 --only sqlite
    .venv/bin/python -m benchmarks.monitor --sqlite /tmp/ledger.db --postgresql postgresql://...    # kept

The ledger is that of ``benchmarks.ledger_queries``, with three runs at work, a queue, and a source of 20,000 pages. The
monitor runs in a process of its own, at the time at which that ledger ends. Each question is asked thirty times, others
and a write in between, so that each meets what is kept at every age. Prints the median and the 95th percentile in
milliseconds, and how long the first answers of the list of sources take one after the other, of a monitor that was just
started; and the mean of the processor's time that the monitor used meanwhile, with what it does beside the answers,
which other work on the machine disturbs least (the server of PostgreSQL is not in it). Ends with 1 when a 95th
percentile is above 200 ms (`benchmarks.monitor_view`: in a browser).
CSV and the event stream are not measured: they go on for as long as there is something.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import subprocess
import sys
import tempfile
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from pathlib import Path
from statistics import fmean, median, quantiles
from time import clock_gettime, perf_counter, sleep
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from sqlalchemy import select, text

from benchmarks import ledger_queries
from rori_spiders import settings
from rori_spiders.configuration.locations import Locations
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.operations import accounts
from rori_spiders.ledger.queue import job_queue
from rori_spiders.ledger.tables import pages as page_rows
from rori_spiders.ledger.tables import run_urls
from rori_spiders.ledger.tables import runs as run_rows
from rori_spiders.monitor.application.app import create_app
from rori_spiders.monitor.application.server import open_socket, run_server, server_url
from rori_spiders.monitor.state.dependencies import AppState
from rori_spiders.monitor.state.settings import MonitorSettings
from tests.support.postgresql import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.ledger.database import Ledger

_MOST_MS = 200
_NOW = datetime(2026, 8, 1, tzinfo=UTC)
_TIMES = 30
_LARGE = 20_000
_RUN = "00000000-0000-4000-8000-000000000077"
_WEEK = "2026-07-25T00:00:00Z"
#: What the list of sources asks when it is opened.
FIRST = ("/api/v1/session", "/api/v1/sources", "/api/v1/alerts", "/api/v1/activity")
PATHS = (
    *FIRST,
    "/api/v1/sources?limit=500",
    "/api/v1/sources?sort=changes&order=desc",
    "/api/v1/sources?sort=status&offset=4900",
    "/api/v1/sources?q=rule+77&status=OK",
    "/api/v1/failures",
    "/api/v1/failures?limit=500",
    "/api/v1/failures?sort=severity",
    "/api/v1/failures?sort=oldest",
    "/api/v1/failures?resolved=false",
    "/api/v1/failures?resolved=true&severity=high",
    "/api/v1/failures?q=after+13+s",
    "/api/v1/failures?q=hamster",
    "/api/v1/failures?q=hamster&source=source-7",
    "/api/v1/failures?status=404",
    f"/api/v1/failures?since={_WEEK}&tier=zyte",
    "/api/v1/failures/30",
    "/api/v1/sources/source-7",
    "/api/v1/sources/source-7/costs",
    "/api/v1/sources/source-7/runs",
    "/api/v1/sources/source-7/pages",
    "/api/v1/sources/source-7/pages?state=failed",
    "/api/v1/sources/source-7/pages?q=rules",
    f"/api/v1/runs/{_RUN}",
    f"/api/v1/runs/{_RUN}/urls",
    "/api/v1/runs/RUNNING",
    "/api/v1/runs/RUNNING/urls",
    "/api/v1/runs/RUNNING/urls?q=hamster",
    "/api/v1/sources/source-8/pages",
    "/api/v1/sources/source-8/pages?state=failed&offset=1000",
    "/api/v1/sources/source-8/pages?q=hamster",
    "/api/v1/pages/777",
    "/api/v1/versions/VERSION",
    "/api/v1/openapi.json",
)


class Took(NamedTuple):
    """Milliseconds: of answers to one question, or of one answer."""

    median: float
    p95: float
    cpu: float


def manifest(path: Path, sources: int) -> None:
    """So many sources, five on each host."""
    common = {"method": "crawl", "status": "active", "jurisdiction": "federal", "source_type": "regulation"}
    made = [
        {
            "id": f"source-{number}",
            "name": f"Rule {number}",
            "url": f"https://www.example-{number % 1000}.gov/rules/{number}",
            "domain": f"www.example-{number % 1000}.gov",
            "metadata": {"agency": f"Agency {number % 60}"},
            **common,
        }
        for number in range(sources)
    ]
    path.write_text(json.dumps({"version": "1", "sources": made}), encoding="utf-8")


def at_work(ledger: Ledger) -> str:
    """Frontiers of 5,000 pages each for the three open runs, and forty jobs that wait; gives the id of one run."""
    with ledger.begin() as conn:
        open_runs = list(conn.execute(select(run_rows.c.run_id).where(run_rows.c.state == "running")).scalars())
        if conn.execute(select(run_urls.c.run_id).limit(1)).first() is None:
            for run_id in open_runs:
                conn.execute(run_urls.insert(), [_found(run_id, number) for number in range(5_000)])
            for number in range(40):
                told = {"sources": [f"source-{number}"], "groups": [f"example-{number}.gov"], "now": _NOW}
                job_id = f"00000000-0000-4000-9000-{number:012}"
                job_queue.enqueue_job(conn, job_id=job_id, priority=0, operator="system", **told)  # type: ignore[arg-type]
            conn.execute(text("ANALYZE"))
    return str(open_runs[0])


def large(ledger: Ledger) -> None:
    """Give `source-8` 20,000 pages more, which its last run met."""
    with ledger.begin() as conn:
        of_source = select(run_rows.c.run_id).where(run_rows.c.source_id == "source-8")
        run_id = conn.execute(of_source.order_by(run_rows.c.started_at.desc()).limit(1)).scalar_one()
        if conn.execute(select(run_urls.c.run_id).where(run_urls.c.run_id == run_id).limit(1)).first() is None:
            conn.execute(run_urls.insert(), [_found(run_id, 1_000_000 + number) for number in range(_LARGE)])
            conn.execute(page_rows.insert(), [_page(1_000_000 + number) for number in range(_LARGE)])
            conn.execute(text("ANALYZE"))


def _page(number: int) -> dict[str, object]:
    url, found = f"https://www.example.gov/{number}", {"title": f"Rule {number}", "last_seq": 0}
    times = {"first_seen_at": _NOW, "last_seen_at": _NOW}
    return {**found, **times, "source_id": "source-8", "url": url, "url_hash": f"{number:064}"}


def _found(run_id: str, number: int) -> dict[str, object]:
    found = {"run_id": run_id, "url_hash": f"{number:064}", "url": f"https://www.example.gov/{number}", "depth": 1}
    return {**found, "state": "pending" if number % 3 else "unchanged", "found_by": "sitemap"}


def _served(database_url: str, folder: Path) -> AppState:
    values = {name: value for name, value in vars(settings).items() if name.isupper()}
    places = Locations(manifests=(folder / "sources.json",), staging=str(folder / "staged"), database_url=database_url)
    return AppState(places, values, folder, now=lambda: _NOW)


def serve_it(database_url: str, folder: Path) -> None:
    """The monitor, until it is told to end; says its address."""
    with closing(_served(database_url, folder)) as served, closing(open_socket(MonitorSettings(port=0))) as listening:
        served.warm()
        run_server(create_app(served), listening, lambda: print(server_url(listening), flush=True))


@contextmanager
def running(database_url: str, folder: Path) -> Iterator[tuple[HTTPConnection, int]]:
    """A connection to a monitor that was just started, and the number of its process."""
    command = [sys.executable, "-m", "benchmarks.monitor", "--serve", database_url, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ) as process:
        try:
            assert process.stdout is not None
            address = urlsplit(process.stdout.readline().strip())
            with closing(HTTPConnection(address.hostname or "", address.port)) as connection:
                yield connection, process.pid
        finally:
            process.terminate()


def signed_in(ledger: Ledger) -> str:
    token, told = secrets.token_urlsafe(32), MonitorSettings().lasting
    with ledger.begin() as conn:
        if accounts.find_user(conn, "bench") is None:
            accounts.add_user(conn, "bench", role="viewer", password_hash=None, now=_NOW)
        accounts.begin_session(conn, token, "bench", now=_NOW - timedelta(seconds=1), lasting=told)
    return token


def cpu_ms(pid: int) -> float:
    """The processor's time that a process has used: user and system, of all its threads."""
    return clock_gettime(~pid << 3 | 2) * 1000  # clock_getcpuclockid(3), which Python does not have


def asked(connection: HTTPConnection, pid: int, path: str, token: str) -> tuple[float, float]:
    """Milliseconds until the whole answer is there, and of the processor's time."""
    before, began = cpu_ms(pid), perf_counter()
    connection.request("GET", path, headers={"Cookie": f"rori-session={token}"})
    answer = connection.getresponse()
    body = answer.read()
    took = (perf_counter() - began) * 1000
    if answer.status != 200:
        raise SystemExit(f"{path}: {answer.status} {body[:300]!r}")
    return took, cpu_ms(pid) - before


def measured(url: str, rows: int, folder: Path) -> dict[str, Took]:
    """Path -> how long its answers took; the first view under a name of its own."""
    with closing(open_ledger(url)) as ledger:
        ledger_queries.filled(ledger, rows)
        open_run = at_work(ledger)
        large(ledger)
        token = signed_in(ledger)
        with ledger.connect() as conn:
            version = conn.execute(text("SELECT page_id, seq FROM versions WHERE page_id = 777 AND seq = 2")).one()
    manifest(folder / "sources.json", rows // 200)
    paths = {path: path.replace("RUNNING", open_run).replace("VERSION", f"{version[0]}-{version[1]}") for path in PATHS}
    with running(url, folder) as (connection, pid), closing(open_ledger(url)) as ledger:
        first, cpu = map(sum, zip(*(asked(connection, pid, path, token) for path in FIRST), strict=True))
        took: dict[str, list[tuple[float, float]]] = {path: [] for path in paths}
        for _ in range(_TIMES):
            for path, spelled in paths.items():
                took[path].append(asked(connection, pid, spelled, token))
            with ledger.begin() as conn:  # as jobs at work do
                conn.execute(run_urls.update().where(run_urls.c.url_hash == f"{1:064}").values(depth=run_urls.c.depth))
            sleep(0.2)
    return {"the first view, of a new monitor": Took(first, first, cpu)} | {
        path: _of(some) for path, some in took.items()
    }


def _of(some: list[tuple[float, float]]) -> Took:
    walls, cpus = zip(*some, strict=True)
    return Took(median(walls), quantiles(walls, n=20)[-1], fmean(cpus))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--sqlite", metavar="FILE", help="this ledger, which is kept")
    parser.add_argument("--postgresql", metavar="URL", help="this ledger, which is kept")
    parser.add_argument("--only", choices=("sqlite", "postgresql"))
    parser.add_argument("--serve", nargs=2, metavar=("URL", "FOLDER"), help=argparse.SUPPRESS)
    opts = parser.parse_args()
    if opts.serve:
        serve_it(opts.serve[0], Path(opts.serve[1]))
        return 0
    found: dict[str, dict[str, Took]] = {}
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        if opts.only != "postgresql":
            found["SQLite"] = measured(opts.sqlite or str(folder / "ledger.db"), opts.rows, folder)
        if opts.only != "sqlite":
            url = opts.postgresql or stack.enter_context(closing(Cluster())).ledger()
            found["PostgreSQL"] = measured(url, opts.rows, folder)
    print(f"{'ms: median, 95th percentile, processor':<55}" + "".join(f"{name:>29}" for name in found))
    for path in next(iter(found.values())):
        told = "".join(
            f"{took.median:>11.1f}{took.p95:>9.1f}{took.cpu:>9.1f}" for took in (one[path] for one in found.values())
        )
        print(f"{path:<55}{told}")
    return int(any(took[path].p95 > _MOST_MS for took in found.values() for path in PATHS))


if __name__ == "__main__":
    sys.exit(main())
