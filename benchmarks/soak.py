"""What grows while a fleet works for a long time: memory, open files, connections, WAL, the database.

    .venv/bin/python -m benchmarks.soak --minutes 35          # four hosts, 2 s between requests: 2 pages a second

One Scrapyd node, the dispatcher and the monitor over PostgreSQL; each host has a site that outlasts the time, so that
its job is one process all along. Every 20 s each kind of process and the database are measured. Prints, for each
figure, its value after a third of the time and at the end, and the slope between by least squares: an hour, and a page.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import linear_regression
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.request import ProxyHandler, Request, build_opener

from tests.nodes.node_set import NodeSet
from tests.support.pages import page
from tests.support.postgresql import Cluster, name_of
from tests.support.project import Project, source
from tests.support.server import Site

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_EVERY_S = 20.0
_LATE_S = 0.1
_TEXT = "The baseline conforming loan limit for a one-unit property is $832,750 in most of the United States. " * 60
_DATABASE = """
SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint AS wal, pg_database_size(current_database()) AS bytes,
  (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()) - 1 AS sessions,
  (SELECT count(*) FROM audit WHERE kind = 'page') AS pages
"""


def _processes(root: int) -> Iterator[tuple[str, int, int]]:
    """All that *root* has started and that still runs: kind, resident kB, open files."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            children.setdefault(int(stat.read_text().rpartition(")")[2].split()[1]), []).append(int(stat.parent.name))
        except OSError:
            continue
    waiting = list(children.get(root, ()))
    while waiting:
        pid = waiting.pop()
        waiting += children.get(pid, ())
        if (kind := _kind(pid)) is None:
            continue
        try:
            status = (Path("/proc") / str(pid) / "status").read_text()
            files = sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
        except OSError:
            continue
        if "VmRSS:" in status:
            yield kind, int(status.partition("VmRSS:")[2].split()[0]), files


def _kind(pid: int) -> str | None:
    try:
        words = (Path("/proc") / str(pid) / "cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return None
    if "scrapyd" in words:
        return "node"
    named = {"crawl": "job", "dispatch": "dispatcher", "monitor": "monitor"}
    if "rori_spiders.nodes.runner" in words:
        return "job"
    return next((kind for word, kind in named.items() if word in words), None)


def _measure(node_set: NodeSet, root: int) -> dict[str, float]:
    [(wal, size, sessions, pages)] = node_set.rows(_DATABASE)
    row = {"WAL, MB": float(str(wal)) / 1e6, "database, MB": float(str(size)) / 1e6}
    row |= {"sessions": float(str(sessions)), "pages": float(str(pages))}
    of: dict[str, list[tuple[int, int]]] = {}
    for kind, rss, files in _processes(root):
        of.setdefault(kind, []).append((rss, files))
    for kind, found in of.items():
        row[f"{kind}: number"] = len(found)
        row[f"{kind}: largest, MB"] = max(rss for rss, _ in found) / 1000
        row[f"{kind}: open files, most"] = max(files for _, files in found)
    return row


def _report(times: Sequence[float], rows: Sequence[dict[str, float]]) -> None:
    first = len(rows) // 3
    pages = [row["pages"] for row in rows[first:]]
    print(f"{'figure':28} {'after 1/3':>10} {'end':>10} {'an hour':>10} {'a page':>12}")
    for name in rows[-1]:
        found = [(at, row[name]) for at, row in zip(times[first:], rows[first:], strict=True) if name in row]
        values = [value for _, value in found]
        if len(found) < 3:
            continue
        slope = linear_regression([at for at, _ in found], values).slope * 3600
        by_page = (
            f"{linear_regression(pages, values).slope * 1000:9.2f} kB"
            if name.endswith("MB") and len(found) == len(pages)
            else ""
        )
        print(f"{name:28} {values[0]:10.1f} {values[-1]:10.1f} {slope:+10.1f} {by_page:>12}")


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _make_token(project: Project) -> str:
    for words in (
        ("users", "add", "anna", "--role", "viewer", "--no-password"),
        ("tokens", "add", "anna", "--scope", "read", "--label", "soak"),
    ):
        made = project.scrapy("monitor", *words)
        assert not made.returncode, made.stderr
    return next(word for word in made.stdout.split() if word.startswith("rori_"))


def _ask_monitor(port: int, token: str) -> None:
    """As a dashboard does: the sources, and the newest pages of the audit."""
    for path in ("sources", "changes", "failures"):
        asked = Request(f"http://127.0.0.1:{port}/api/v1/{path}", headers={"Authorization": f"Bearer {token}"})
        try:
            build_opener(ProxyHandler({})).open(asked, timeout=30).read()
        except OSError as error:
            print(f"monitor, {path}: {error}", flush=True)


def main() -> int:
    """Serve, collect for a time, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=35.0)
    parser.add_argument("--hosts", type=int, default=4)
    given = parser.parse_args()
    pages = int(given.minutes * 60 / 2.0) + 200
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="rori-soak-")))
        sites = [stack.enter_context(Site(f"127.0.31.{number + 1}")) for number in range(given.hosts)]
        for site in sites:
            paths = [f"/p/{one}" for one in range(pages)]
            site.page("/", page("Start", *paths))
            for path in paths:
                site.page(path, page(path, text=f"{path}. {_TEXT}"))
        cluster = Cluster()
        stack.callback(cluster.close)
        project = Project(folder)
        project.manifest(source(f"s{at}", site.at("/"), "crawl") for at, site in enumerate(sites))
        node_set = NodeSet(project, cluster.ledger(), number=1, max_proc=given.hosts)
        print(f"database {name_of(node_set.url)}, {given.hosts} sites of {pages} pages", flush=True)
        times: list[float] = []
        rows: list[dict[str, float]] = []
        root, port = os.getpid(), _free_port()
        token = _make_token(project)
        with (
            node_set,
            project.start("dispatch", "-s", "RORI_DISPATCH_INTERVAL=5", begin=()) as loop,
            project.start("monitor", "-s", f"RORI_MONITOR_PORT={port}", begin=()) as monitor,
        ):
            began = time.monotonic()
            while time.monotonic() - began < given.minutes * 60:
                time.sleep(_EVERY_S)
                _ask_monitor(port, token)
                times.append(time.monotonic() - began)
                rows.append(_measure(node_set, root))
                shown = {"s": round(times[-1])} | {name: round(at, 1) for name, at in rows[-1].items()}
                print(json.dumps(shown), flush=True)
            for process in (loop, monitor):
                process.terminate()
                process.communicate(timeout=60)
        gap = min(gap for site in sites for gap in site.report().gaps)
        lost = node_set.rows("SELECT count(*) FROM jobs WHERE state = 'lost'")[0][0]
    _report(times, rows)
    print(f"smallest gap {gap:.3f} s; jobs lost {lost}")
    return int(gap < 2.0 - _LATE_S or bool(lost))


if __name__ == "__main__":
    sys.exit(main())
