"""What the frontier costs: the share of a run that goes into the rows of its URLs, found and ended.

    .venv/bin/python -m benchmarks.frontier          # 1,000 pages
    .venv/bin/python -m benchmarks.frontier 300

A site whose pages have validators is collected twice, without delay. Prints, for the first visit and the second, the
seconds of the whole process (CPU and wall), and of them those in the statements of the frontier, and those in the
transactions in which it is written, with all else that they hold (audit rows, versions, links) and their commits.
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.linked_pages import serve
from rori_spiders.crawl.runs.recorder import Recorder
from rori_spiders.ledger.runs import frontier
from tests.support.crawl_output import CrawlOutput
from tests.support.project import Project, source
from tests.support.server import Site

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

_FILE = "FRONTIER_FILE"
_ADDONS = json.dumps({"benchmarks.frontier.Timed": 0})
_TEXT = "The baseline conforming loan limit for a one-unit property is $832,750 in most of the United States. " * 40


class Timed:
    """An add-on: writes into a file, at the end of the process, what its parts took."""

    def update_settings(self, settings: BaseSettings) -> None:
        took: Counter[str] = Counter()
        for name in ("add_urls", "settle_urls"):
            _time(frontier, name, "statements", took)
        _time(Recorder, "_record", "transactions", took)
        began = time.perf_counter()

        def tell() -> None:
            took["process wall"], took["process CPU"] = time.perf_counter() - began, time.process_time()
            Path(os.environ[_FILE]).write_text(json.dumps(took), encoding="utf-8")

        atexit.register(tell)


def _time(owner: Any, name: str, what: str, took: Counter[str]) -> None:
    function = getattr(owner, name)

    def timed(*args: Any, **kwargs: Any) -> Any:
        wall, cpu = time.perf_counter(), time.thread_time()
        try:
            return function(*args, **kwargs)
        finally:
            took[f"{what} wall"] += time.perf_counter() - wall  # type: ignore[assignment]  # seconds, not numbers
            took[f"{what} CPU"] += time.thread_time() - cpu  # type: ignore[assignment]

    setattr(owner, name, timed)


def _visit(project: Project, name: str) -> None:
    file = project.folder / "took.json"
    done = project.scrapy("collect", "--force", "-s", f"ADDONS={_ADDONS}", env={_FILE: str(file)}, timeout=3600)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    took = json.loads(file.read_text(encoding="utf-8"))
    for clock in ("CPU", "wall"):
        whole = took[f"process {clock}"]
        parts = (f"{what} {took[f'{what} {clock}']:.2f} s" for what in ("statements", "transactions"))
        share = 100 * took[f"statements {clock}"] / whole
        print(f"{name}: {whole:6.2f} s {clock}, {', '.join(parts)}; the frontier is {share:.1f} %")


def main() -> None:
    """Serve, visit twice, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", type=int, nargs="?", default=1000)
    given = parser.parse_args()
    with Site() as site, tempfile.TemporaryDirectory() as folder:
        serve(site, given.pages, lambda at: f"{at}. {_TEXT}")
        project = Project(Path(folder))
        project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.0001)
        for name in ("first visit ", "second visit"):
            _visit(project, name)
        assert len(CrawlOutput(project).states("a")) == given.pages + 1


if __name__ == "__main__":
    main()
