"""First and second visits of this collector beside other collectors, over real pages that nginx serves on loopback.

    make bench                                            # 500 pages of the repository's own, all rivals, three rounds
    .venv/bin/python -m benchmarks.crawl --folder PAGES   # your own HTML files (.html, .html.gz)
    .venv/bin/python -m benchmarks.crawl --only ours --pages 10000 --rounds 1

Each collector fetches every page, finds its main content, converts that to markdown and writes a JSON file a page,
without delay. They take turns, round after round; of each figure the best round counts, because other work on the
machine only ever slows. A rival has an environment of its own below `build/benchmarks`; one that cannot be installed or
run is reported with its error. CPU and memory are of all processes of a collector, nginx left out.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import sys
import tempfile
from collections import Counter, defaultdict
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.page_server import PageServer
from benchmarks.process_cost import ProcessCost, measure
from benchmarks.rivals.environments import Rival, RivalUnavailable, python_of, rivals, versions_of
from tests.support.crawl_output import CrawlOutput
from tests.support.project import Project, source

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_REPOSITORY = Path(__file__).parents[1]
_OWN_PAGES = (_REPOSITORY / "rori_spiders" / "demo" / "site", _REPOSITORY / "tests" / "content" / "fixtures")
OURS, OURS_AGAIN = "ours", "ours, second visit"


@dataclass(frozen=True, slots=True)
class Visit:
    """One collection of all pages by one collector."""

    collector: str
    pages: int
    files: int  # non-empty files written
    without_file: dict[str, int]  # pages that ours reported instead, by reason code; rivals write whatever comes
    requests: int  # of pages, as nginx logged them
    request_seconds: float  # from the first request of a page to the end of the last
    cost: ProcessCost

    @property
    def is_whole(self) -> bool:
        """Whether every page was asked for and is accounted for."""
        return self.requests >= self.pages == self.files + sum(self.without_file.values())


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve, collect in turn, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--folder", type=Path, action="append", help="HTML files to serve; may be given again")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--only", action="append", help="collectors whose name begins so: ours, scrapy, crawlee, crawl4ai"
    )
    parser.add_argument("--json", type=Path, help="write every visit to this file")
    given = parser.parse_args(arguments)
    chosen = tuple(given.only or [""])
    available = list(_available(rival for rival in rivals(os.cpu_count() or 1) if rival.name.startswith(chosen)))
    compileall.compile_dir(_REPOSITORY / "rori_spiders", quiet=2)  # as `make setup` does, and pip for the rivals
    visits = defaultdict[str, list[Visit]](list)
    with tempfile.TemporaryDirectory(prefix="rori-bench-") as kept, ExitStack() as stack:
        folders = given.folder or _OWN_PAGES
        server = stack.enter_context(PageServer(Path(kept) / "nginx", folders, given.pages))
        print(
            f"{given.pages} pages of {server.page_bytes / given.pages / 1000:.0f} kB from {server.netloc}; {_machine()}"
        )
        for number in range(given.rounds):
            if OURS.startswith(chosen):
                for visit in collect_with_ours(Path(kept) / f"ours-{number}", server):
                    _report(visits, visit)
            for rival, python in available:
                _report(visits, collect_with_rival(rival, python, Path(kept) / f"{rival.name}-{number}", server))
    _print_table(visits)
    if given.json:
        whole = [{**_figures(visit), "output": visit.cost.output[-2000:]} for each in visits.values() for visit in each]
        given.json.write_text(json.dumps(whole, indent=1), encoding="utf-8")
    return 0 if all(visit.is_whole for each in visits.values() for visit in each) else 1


def collect_with_ours(folder: Path, server: PageServer) -> list[Visit]:
    """A first visit with a fresh ledger and staging area, and a second, when nothing has changed."""
    folder.mkdir()
    project = Project(folder)
    start = source(
        "bench",
        server.urls[0],
        "crawl",
        scrape_config={
            "sitemaps": [f"http://{server.netloc}/sitemap.xml"],
            "follow_links": False,
            "max_pages": len(server.paths) + 1,
        },
    )
    project.manifest([start], delay_s=0.0001)
    left, visits, served = CrawlOutput(project), [], set(server.urls)
    project.env.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-m", "scrapy", "collect", "--force"]
    for name in (OURS, OURS_AGAIN):
        server.take_log()
        cost = measure(command, folder, {**project.env, "RORI_PROGRESS": "never"})
        log = server.take_log()
        rows = left.rows(
            "SELECT url, state, reason_code FROM run_urls WHERE run_id = ?", left.last_run("bench")["run_id"]
        )
        ended = Counter(row["reason_code"] or row["state"] for row in rows if row["url"] in served)
        files = sum((project.staging / path).stat().st_size > 0 for path in left.files()) if name == OURS else 0
        del ended["captured"]
        visits.append(Visit(name, len(server.paths), files, dict(ended), log.requests, log.seconds, cost))
    return visits


def collect_with_rival(rival: Rival, python: Path, folder: Path, server: PageServer) -> Visit:
    """All pages once; the rival gets the list of URLs."""
    written = folder / "written"
    written.mkdir(parents=True)
    urls = folder / "urls.txt"
    urls.write_text("\n".join(server.urls), encoding="ascii")
    script = Path(__file__).parent / "rivals" / rival.script
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "CRAWL"))}
    env |= {"HOME": str(folder), "CRAWLEE_STORAGE_DIR": str(folder / "storage")}
    server.take_log()
    cost = measure([str(python), str(script), str(urls), str(written), *rival.arguments], folder, env)
    log = server.take_log()
    files = sum(path.stat().st_size > 0 for path in written.iterdir())
    return Visit(rival.name, len(server.paths), files, {}, log.requests, log.seconds, cost)


def _available(wanted: Iterable[Rival]) -> Iterable[tuple[Rival, Path]]:
    for rival in wanted:
        try:
            python = python_of(rival)
        except RivalUnavailable as error:
            print(f"{rival.name}: cannot be installed: {error}")
        else:
            print(f"{rival.name}: {versions_of(rival)}")
            yield rival, python


def _machine() -> str:
    return f"{os.cpu_count()} cores, Python {sys.version.split()[0]}, load {os.getloadavg()[0]:.1f}"


def _report(visits: dict[str, list[Visit]], visit: Visit) -> None:
    visits[visit.collector].append(visit)
    print(json.dumps(_figures(visit)), flush=True)
    if not visit.is_whole:
        print(visit.cost.output[-1500:], flush=True)


def _figures(visit: Visit) -> dict[str, Any]:
    return {
        "collector": visit.collector,
        "pages_per_s": round(visit.pages / visit.cost.wall_s, 2),
        "pages_per_s_requests": round(visit.requests / max(visit.request_seconds, 0.001), 2),
        "cpu_ms_per_page": round(1000 * visit.cost.cpu_s / visit.pages, 1),
        "rss_mib": round(visit.cost.rss_mib),
        "pss_mib": round(visit.cost.pss_mib),
        "requests": visit.requests,
        "files": visit.files,
        "without_file": visit.without_file,
        "load": round(os.getloadavg()[0], 1),
    }


def _print_table(visits: dict[str, list[Visit]]) -> None:
    print(f"{'':22}{'pages/s':>9}{'of requests':>13}{'CPU ms':>8}{'RSS MiB':>9}{'PSS MiB':>9}{'files':>7}")
    for collector, each in visits.items():
        figures = [_figures(visit) for visit in each]
        best = [max(float(one[name]) for one in figures) for name in ("pages_per_s", "pages_per_s_requests")]
        least = [
            min(float(one[name]) for one in figures) for name in ("cpu_ms_per_page", "rss_mib", "pss_mib", "files")
        ]
        print(
            f"{collector:22}{best[0]:9.1f}{best[1]:13.1f}{least[0]:8.1f}{least[1]:9.0f}{least[2]:9.0f}{least[3]:7.0f}"
        )


if __name__ == "__main__":
    sys.exit(main())
