"""This collector beside others, over pages that nginx serves on loopback: speed, CPU, memory, and where the CPU goes.

    make bench                                            # all of it, with 500 pages made of the repository's own
    .venv/bin/python -m benchmarks.crawl --folder PAGES   # your own HTML files (.html, .html.gz)
    .venv/bin/python -m benchmarks.crawl --parts visits --only ours --pages 10000 --rounds 1

`visits`: each collector fetches every page, finds its main content, converts that to markdown and writes a JSON file a
page, without delay. They take turns, round after round; of each figure the best round counts, because other work on the
machine only ever slows. A rival has an environment of its own below `build/benchmarks`; one that cannot be installed or
run is reported with its error. CPU and memory are of all processes of a collector, nginx left out. `steps`: the share
of each package of ours in the CPU of a first visit. `polite` and `rendered`: what `benchmarks.polite_throughput` and
`benchmarks.rendered_pages` measure, with their defaults.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.crawl_steps import sample_steps
from benchmarks.page_server import PageServer
from benchmarks.process_cost import ProcessCost, measure_process
from benchmarks.rivals.environments import EnvironmentFailed, Rival, list_rivals, make_environment
from tests.support.crawl_output import CrawlOutput
from tests.support.project import Project, source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_REPOSITORY = Path(__file__).parents[1]
_OWN_PAGES = (
    _REPOSITORY / "rori_spiders" / "terminal" / "demo" / "site",
    _REPOSITORY / "tests" / "content" / "fixtures",
)
#: Bytes of a page made of the repository's own: the mean of 673 saved pages of courts, agencies and legislatures.
_PAGE_SIZE = 98_000
_PARTS = ("visits", "steps", "polite", "rendered")
_COLLECT = [sys.executable, "-m", "scrapy", "collect", "--force"]


@dataclass(frozen=True, slots=True)
class Visit:
    """One collection of all pages by one collector."""

    collector: str
    pages: int
    files: int  # non-empty files written
    without_file: dict[str, int]  # pages that ours reported instead, by reason code; the others write whatever comes
    requests: int  # of pages, as nginx logged them
    request_s: float  # from the first request of a page to the end of the last
    cost: ProcessCost

    @property
    def is_whole(self) -> bool:
        """Whether every page was asked for and is accounted for."""
        return self.requests >= self.pages == self.files + sum(self.without_file.values())

    def figures(self) -> dict[str, Any]:
        """What is printed and compared."""
        return {
            "collector": self.collector,
            "pages_per_s": round(self.pages / self.cost.wall_s, 2),
            "requests_per_s": round(self.requests / max(self.request_s, 0.001), 2),
            "cpu_ms_per_page": round(1000 * self.cost.cpu_s / self.pages, 1),
            "rss_mib": round(self.cost.rss_mib),
            "pss_mib": round(self.cost.pss_mib),
            "requests": self.requests,
            "files": self.files,
            "without_file": self.without_file,
            "is_whole": self.is_whole,
            "load": round(os.getloadavg()[0], 1),
        }


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve, measure the parts, print the tables. Returns 1 when a collector did not do the whole work."""
    given = _parse(arguments)
    compileall.compile_dir(_REPOSITORY / "rori_spiders", quiet=2)  # as `make setup` does, and pip for the rivals
    visits: list[Visit] = []
    with tempfile.TemporaryDirectory(prefix="rori-bench-") as kept:
        size = 0 if given.folder else _PAGE_SIZE
        with PageServer(Path(kept) / "nginx", given.folder or _OWN_PAGES, given.pages, size) as server:
            print(f"{given.pages} pages of {server.page_bytes / given.pages / 1000:.0f} kB; {_machine()}")
            if "visits" in given.parts:
                visits = list(_visit_in_turn(Path(kept), server, given.rounds, tuple(given.only or [""])))
            if "steps" in given.parts:
                _print_steps(Path(kept), server, visits)
            rendered_from = server.page_folder
        for part, module, words in (
            ("polite", "benchmarks.polite_throughput", ()),
            ("rendered", "benchmarks.rendered_pages", (str(rendered_from),)),
        ):
            if part in given.parts:
                print(f"\n{module}", flush=True)
                subprocess.run([sys.executable, "-m", module, *words], cwd=_REPOSITORY, check=False)
    if given.json:
        given.json.write_text(json.dumps([visit.figures() for visit in visits], indent=1), encoding="utf-8")
    return 0 if all(visit.is_whole for visit in visits) else 1


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--folder", type=Path, action="append", help="HTML files to serve; may be given again")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--parts", nargs="+", choices=_PARTS, default=_PARTS)
    parser.add_argument("--only", action="append", help="collectors whose name begins so; may be given again")
    parser.add_argument("--json", type=Path, help="write the figures of every visit to this file")
    return parser.parse_args(arguments)


def _machine() -> str:
    return f"{os.cpu_count()} cores, Python {sys.version.split()[0]}, load {os.getloadavg()[0]:.1f}"


def _visit_in_turn(kept: Path, server: PageServer, rounds: int, chosen: tuple[str, ...]) -> Iterator[Visit]:
    wanted = [rival for rival in list_rivals(os.cpu_count() or 1) if rival.name.startswith(chosen)]
    available = list(_install(wanted))
    best: dict[str, list[Visit]] = {}
    for number in range(rounds):
        in_turn: list[Iterable[Visit]] = []
        if "ours".startswith(chosen):
            in_turn.append(collect_with_ours(kept / f"ours-{number}", server))
        in_turn += [
            collect_with_rival(rival, python, kept / f"{rival.environment}-{at}-{number}", server)
            for at, (rival, python) in enumerate(available)
        ]
        for each in in_turn:
            for visit in each:
                print(json.dumps(visit.figures()), flush=True)
                if not visit.is_whole:
                    print(f"{visit.collector} did not do the whole work: {visit.cost.output[-1500:]}", flush=True)
                best.setdefault(visit.collector, []).append(visit)
                yield visit
    _print_visits(best)


def _install(wanted: Iterable[Rival]) -> Iterator[tuple[Rival, Path]]:
    for rival in wanted:
        try:
            python, versions = make_environment(rival.environment, rival.packages)
        except EnvironmentFailed as error:
            print(f"{rival.name} cannot be installed: {error}")
        else:
            print(f"{rival.name}: {versions}")
            yield rival, python


def _make_project(folder: Path, server: PageServer) -> Project:
    """A project with one source: all pages, named by a sitemap; the links of saved pages lead elsewhere."""
    folder.mkdir()
    project = Project(folder)
    config = {"sitemaps": [server.sitemap], "follow_links": False, "max_pages": len(server.urls) + 1}
    project.manifest([source("bench", server.urls[0], "crawl", scrape_config=config)], delay_s=0.0001)
    for name in ("PYTHONDONTWRITEBYTECODE", "RORI_CONVERT_WORKERS"):  # a collection starts as many as it likes
        project.env.pop(name, None)
    project.env["RORI_PROGRESS"] = "never"
    return project


def collect_with_ours(folder: Path, server: PageServer) -> Iterator[Visit]:
    """A first visit with a fresh ledger and staging area, and a second, when nothing has changed."""
    project = _make_project(folder, server)
    left, served = CrawlOutput(project), set(server.urls)
    before: set[str] = set()
    for name in ("ours", "ours, second visit"):
        server.take_log()
        cost = measure_process(_COLLECT, folder, project.env)
        log, rows = server.take_log(), list[dict[str, Any]]()
        if cost.exit_code in {0, 1}:  # else there may be no ledger
            run = left.last_run("bench")["run_id"]
            rows = left.rows("SELECT url, state, reason_code FROM run_urls WHERE run_id = ?", run)
        ended = Counter(row["reason_code"] or row["state"] for row in rows if row["url"] in served)
        del ended["captured"]  # those with a file
        files = {path for path in left.files() if (project.staging / path).stat().st_size}
        yield Visit(name, len(served), len(files - before), dict(ended), log.requests, log.seconds, cost)
        before = files


def collect_with_rival(rival: Rival, python: Path, folder: Path, server: PageServer) -> Iterator[Visit]:
    """All pages once; the rival gets the list of URLs."""
    written, urls = folder / "written", folder / "urls.txt"
    written.mkdir(parents=True)
    urls.write_text("\n".join(server.urls), encoding="ascii")
    script = Path(__file__).parent / "rivals" / rival.script
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    env |= {
        "HOME": str(folder),
        "CRAWLEE_STORAGE_DIR": str(folder / "storage"),
        "CRAWL4_AI_BASE_DIRECTORY": str(folder),
    }
    server.take_log()
    cost = measure_process([str(python), str(script), str(urls), str(written), *rival.arguments], folder, env)
    log = server.take_log()
    files = sum(path.stat().st_size > 0 for path in written.iterdir())
    yield Visit(rival.name, len(server.urls), files, {}, log.requests, log.seconds, cost)


def _print_visits(visits: dict[str, list[Visit]]) -> None:
    """A table for docs/explanation/performance.md."""
    print("\n| collector | pages/s | requests/s | CPU ms a page | RSS MiB | PSS MiB | files |\n" + "|---" * 7 + "|")
    for collector, each in visits.items():
        whole = [visit.figures() for visit in each if visit.is_whole]
        if not whole:
            print(
                f"| {collector} | did not do the whole work: {each[-1].files} files of {each[-1].pages} pages |||||| "
            )
            continue
        most = [max(figures[name] for figures in whole) for name in ("pages_per_s", "requests_per_s")]
        least = [min(figures[name] for figures in whole) for name in ("cpu_ms_per_page", "rss_mib", "pss_mib", "files")]
        print("| " + " | ".join(str(cell) for cell in (collector, *most, *least)) + " |")


def _print_steps(kept: Path, server: PageServer, visits: Sequence[Visit]) -> None:
    project = _make_project(kept / "steps", server)
    try:
        shares = sample_steps(_COLLECT, project.folder, project.env)
    except (EnvironmentFailed, subprocess.CalledProcessError) as error:
        print(f"\nThe steps cannot be sampled: {error}")
        return
    cpu_ms = min((visit.figures()["cpu_ms_per_page"] for visit in visits if visit.collector == "ours"), default=None)
    print("\n| step of a first visit | share of CPU | CPU ms a page |\n|---|---|---|")
    for step, share in shares.items():
        if share >= 0.005:
            print(f"| {step} | {share:.1%} | {'' if cpu_ms is None else f'{share * cpu_ms:.1f}'} |")


if __name__ == "__main__":
    sys.exit(main())
