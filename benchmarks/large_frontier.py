"""A frontier of very many URLs: what it costs to plan it, and to go on with it, by memory and CPU.

    .venv/bin/python -m benchmarks.large_frontier                # 100,000 URLs
    .venv/bin/python -m benchmarks.large_frontier 1000000

A site names its pages in sitemaps of 50,000 URLs each. The first job reads all of them, which plans the run, fetches
some pages, and stops; the second one goes on with the run, fetches as many, and stops. Prints for each job the seconds,
CPU seconds and MiB at its heaviest moment of its processes, the URLs that its run knows and those that are pending, and
MiB of the ledger. Where the first job has fetched all pages, the second one is another visit.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Self

from benchmarks.process_cost import measure_process
from tests.support.crawl_output import CrawlOutput
from tests.support.memory import MIB
from tests.support.pages import page
from tests.support.project import Project, source

if TYPE_CHECKING:
    from collections.abc import Sequence

_OF_A_SITEMAP = 50_000
_TEXT = "The baseline conforming loan limit for a one-unit property is $832,750 in most of the United States. " * 20


class LargeSite:
    """A site on loopback whose sitemaps name *pages* pages, each made when it is asked for. ``asked``: pages so far."""

    def __init__(self, pages: int) -> None:
        self.asked: list[int] = []
        self.url = ""
        self.sitemaps = -(-pages // _OF_A_SITEMAP)
        self._pages = pages
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
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                kind, body = self._answer(head.split(b" ", 2)[1].decode())
                status = "200 OK" if body else "404 Not Found"
                length = f"Content-Type: {kind}; charset=utf-8\r\nContent-Length: {len(body)}"
                writer.write(f"HTTP/1.1 {status}\r\n{length}\r\n\r\n".encode() + body)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def _answer(self, path: str) -> tuple[str, bytes]:
        if path == "/":
            return "text/html", page("Start", text=_TEXT).encode()
        if path == "/robots.txt":
            return "text/plain", f"User-agent: *\nAllow: /\nSitemap: {self.url}/sitemap.xml\n".encode()
        if path == "/sitemap.xml":
            named = (f"<sitemap><loc>{self.url}/sitemap/{at}.xml</loc></sitemap>" for at in range(self.sitemaps))
            return "text/xml", f"<sitemapindex>{''.join(named)}</sitemapindex>".encode()
        if part := re.fullmatch(r"/sitemap/(\d+)\.xml", path):
            first = int(part[1]) * _OF_A_SITEMAP
            numbers = range(first, min(first + _OF_A_SITEMAP, self._pages))
            named = (f"<url><loc>{self.url}/guide/section-{at}.html</loc></url>" for at in numbers)
            return "text/xml", f"<urlset>{''.join(named)}</urlset>".encode()
        if part := re.fullmatch(r"/guide/section-(\d+)\.html", path):
            self.asked.append(int(part[1]))
            return "text/html", page(f"Section {part[1]}", text=f"Section {part[1]}. {_TEXT}").encode()
        return "text/plain", b""


def _collect(project: Project, site: LargeSite, name: str, answers: int, more: Sequence[str]) -> None:
    """Collect until so many *answers* have come, and print what that cost."""
    stop = ["-s", f"CLOSESPIDER_PAGECOUNT={answers}"]
    asked = len(site.asked)
    command = [sys.executable, "-m", "scrapy", "collect", "--force", *stop, *more]
    cost = measure_process(command, project.folder, project.env)
    [run] = CrawlOutput(project).rows(
        "SELECT runs.state, count(*) AS known, sum(run_urls.state = 'pending') AS pending"
        " FROM runs JOIN run_urls USING (run_id)"
    )
    row = {
        "job": name,
        "exit_code": cost.exit_code,
        "pages": len(site.asked) - asked,
        "wall_s": round(cost.wall_s, 1),
        "cpu_s": round(cost.cpu_s, 1),
        "rss_mib": round(cost.rss_mib),
        "pss_mib": round(cost.pss_mib),
        **dict(run),
        "ledger_mib": round(project.ledger.stat().st_size / MIB),
    }
    print(json.dumps(row), flush=True)
    if cost.exit_code not in {0, 1}:
        print(cost.output[-1500:], flush=True)
    if len(set(site.asked)) != len(site.asked):
        sys.exit("a page was asked for twice")
    if run["state"] == "complete":
        site.asked.clear()


def main() -> None:
    """Serve, plan, go on, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("urls", type=int, nargs="?", default=100_000)
    parser.add_argument("--pages", type=int, default=300, help="that each job fetches before it stops")
    given, more = parser.parse_known_args()
    with LargeSite(given.urls) as site, tempfile.TemporaryDirectory() as folder:
        project = Project(Path(folder))
        config = {"max_pages": min(given.urls + 1, 1_000_000)}  # the most that a manifest may say
        project.manifest([source("large", f"{site.url}/", "crawl", scrape_config=config)], delay_s=0.0001)
        lists = site.sitemaps + 3  # the start page, robots.txt and the index
        _collect(project, site, "plan", given.pages + lists, more)
        _collect(project, site, "go on", given.pages + 1, more)


if __name__ == "__main__":
    main()
