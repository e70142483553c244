"""What a second visit to unchanged pages costs, beside a bare Scrapy spider that downloads the same pages.

    .venv/bin/python -m benchmarks.second_visit          # 2,000 pages of some 30 KB
    .venv/bin/python -m benchmarks.second_visit 500

The pages have validators and answer 304 to those who have them; no delay. Prints CPU seconds (user and system, of the
process and all its children) of the first visit, of the second, and of the bare spider, and what the second visit left:
files, lines of the index, audit rows.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.linked_pages import serve
from tests.support.crawl_output import CrawlOutput
from tests.support.project import Project, source
from tests.support.server import Site

if TYPE_CHECKING:
    from collections.abc import Mapping

_PARAGRAPH = "The baseline conforming loan limit for a one-unit property is $832,750 in most of the United States. "
_BARE = """
import scrapy
class Bare(scrapy.Spider):
    name = "bare"
    start_urls = {urls!r}
    custom_settings = {{"LOG_LEVEL": "WARNING", "CONCURRENT_REQUESTS": 16, "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
                       "DOWNLOAD_DELAY": 0, "TELNETCONSOLE_ENABLED": False}}
    read = 0
    def parse(self, response):
        self.read += response.status == 200
    def closed(self, reason):
        print(self.read)
"""


def cpu_of(command: list[str], folder: Path, env: Mapping[str, str], says: str = "") -> float:
    """CPU seconds of *command*, which must print *says*, and of all that it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode or says not in done.stdout:
        sys.exit((done.stdout + done.stderr)[-2000:])
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _text(at: int) -> str:
    return " ".join(f"{number}. {_PARAGRAPH}" for number in range(at, at + 280))


def main() -> None:
    """Serve, visit twice, download once more without us."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", type=int, nargs="?", default=2000)
    given = parser.parse_args()
    # Scrapy looks for a scrapy.cfg in all folders above: the bare spider has one of its own.
    with Site() as site, tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as bare_folder:
        urls = serve(site, given.pages, _text)
        project = Project(Path(folder))
        project.manifest([source("all", site.at("/"), "crawl")], delay_s=0.0001)
        left, scrapy = CrawlOutput(project), [sys.executable, "-m", "scrapy"]
        collect, all_read = [*scrapy, "collect", "--force"], f": {given.pages + 1} of {given.pages + 1} URLs"
        first = cpu_of(collect, project.folder, project.env, all_read)
        files, lines, rows = len(left.files()), len(left.index()), _rows(left)
        second = cpu_of(collect, project.folder, project.env, all_read)
        apart = Path(bare_folder)
        (apart / "bare.py").write_text(_BARE.format(urls=urls), encoding="utf-8")
        bare = cpu_of([*scrapy, "runspider", "bare.py"], apart, os.environ, f"{given.pages}\n")
        print(f"first visit   {first:6.2f} s CPU, {files} files")
        new = f"{len(left.files()) - files} files, {len(left.index()) - lines} lines, {_rows(left) - rows} audit rows"
        print(f"second visit  {second:6.2f} s CPU, {new}")
        print(f"bare spider   {bare:6.2f} s CPU; the second visit costs {second / bare:.2f} of it")


def _rows(left: CrawlOutput) -> int:
    return int(left.rows("SELECT count(*) AS n FROM audit WHERE kind = 'page'")[0]["n"])


if __name__ == "__main__":
    main()
