"""What a pass over one host costs whose sitemap names URLs that are outside of every source's scope.

    .venv/bin/python -m benchmarks.small_ledger          # 20,000 such URLs, 3 sources, 3 passes
    .venv/bin/python -m benchmarks.small_ledger 2000

Each pass is a `scrapy collect --force` against a server of our own; nothing changes between two of them. Prints of each
pass the bytes by which the ledger and the staging area grew, the rows that each table gained, the requests for
robots.txt and the sitemap, and the seconds.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.pages import page
from tests.support.project import Project, source
from tests.support.server import Site

if TYPE_CHECKING:
    from collections.abc import Mapping

_PASSES = 3
_SOURCES = ("rules", "guidance", "forms")
_PAGES = 5
_XMLNS = "http://www.sitemaps.org/schemas/sitemap/0.9"
_TEXT = "The baseline conforming loan limit for a one-unit property is $832,750 in most of the United States. " * 10


def _serve(site: Site, foreign: int) -> None:
    """A folder of pages for each source, and one sitemap of the host that names them beside *foreign* others."""
    rules = f"User-agent: *\nAllow: /\nSitemap: {site.at('/sitemap.xml')}\n"
    site.page("/robots.txt", rules, validators=True, content_type="text/plain")
    own = []
    for name in _SOURCES:
        paths = [f"/{name}/page-{at}" for at in range(_PAGES)]
        for path in (f"/{name}/", *paths):
            site.page(path, page(path, text=_TEXT), validators=True)
        own += paths
    others = (f"/news/{at % 12 + 1:02}/press-release-{at:05}-on-the-housing-market" for at in range(foreign))
    urls = "".join(f"<url><loc>{site.at(path)}</loc></url>" for path in (*own, *others))
    site.page("/sitemap.xml", f'<urlset xmlns="{_XMLNS}">{urls}</urlset>', validators=True, content_type="text/xml")


def _rows(ledger: Path) -> Counter[str]:
    with closing(sqlite3.connect(ledger)) as conn:
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        tables = [name for (name,) in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return Counter({name: conn.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables})  # noqa: S608


def _stored_bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _print_pass(
    number: int, seconds: float, grown: Mapping[str, int], rows: Counter[str], asked: Mapping[str, int]
) -> None:
    gained = ", ".join(f"{name} {count}" for name, count in rows.most_common(6))
    sizes = ", ".join(f"{what} {size / 1e6:.3f} MB" for what, size in grown.items())
    requests = ", ".join(f"{path} {count}" for path, count in asked.items())
    print(f"pass {number}: {seconds:6.1f} s; {sizes}; rows: {gained}; requests: {requests}")


def main() -> None:
    """Serve, collect some times, print each time."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("foreign", type=int, nargs="?", default=20_000)
    given = parser.parse_args()
    with Site() as site, tempfile.TemporaryDirectory() as folder:
        _serve(site, given.foreign)
        project = Project(Path(folder))
        project.manifest([source(name, site.at(f"/{name}/"), "crawl") for name in _SOURCES], delay_s=0.0001)
        rows, stored, kept, asked = Counter[str](), 0, 0, Counter[str]()
        for number in range(1, _PASSES + 1):
            began = time.perf_counter()
            done = project.scrapy("collect", "--force", timeout=3600)
            seconds = time.perf_counter() - began
            if done.returncode:
                sys.exit(done.stdout + done.stderr)
            rows_now = _rows(project.ledger)
            size, objects = project.ledger.stat().st_size, _stored_bytes(project.staging)
            asked_now = Counter(hit.path for hit in site.log.hits())
            grown = {"ledger": size - stored, "staging": objects - kept}
            watched = {path: asked_now[path] - asked[path] for path in ("/robots.txt", "/sitemap.xml")}
            _print_pass(number, seconds, grown, rows_now - rows, watched)
            rows, stored, kept, asked = rows_now, size, objects, asked_now
        print(project.scrapy("verify").stdout)


if __name__ == "__main__":
    main()
