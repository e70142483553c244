"""A header from the environment reaches its own host, and is seen nowhere else."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from tests.crawl.pages import page
from tests.project import source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.project import Project
    from tests.server import Site

pytestmark = pytest.mark.crawl

CANARY = "canary-7f3a9c/for the agency"


def everything(folder: Path) -> bytes:
    """All bytes of all files, objects unpacked."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return b"\n".join(
        gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes() for path in files
    )


def test_a_secret_header_is_seen_nowhere(project: Project, sites: Callable[[int], list[Site]]) -> None:
    site, other = sites(2)
    site.page("/a", page("Part 1024"))
    site.redirect("/moved", other.at("/b"))
    other.page("/b", page("Part 1026"))
    headers = {"custom_headers": {"X-Agency-Pass": {"env": "HUD_ACCESS"}}}
    project.manifest(
        [
            source("a", site.at("/a"), scrape_config=headers),
            source("b", site.at("/moved"), scrape_config=headers, allowed_hosts=[other.host]),
        ],
        delay_s=0.05,
    )
    project.env["RORI_ALLOWED_ADDRESSES"] += f",{other.netloc}"
    done = project.scrapy("crawl", "sources", "-a", "sources=a,b", "-L", "DEBUG", env={"HUD_ACCESS": CANARY})
    assert done.returncode == 0, done.stderr
    given = {hit.path: hit.headers.get("x-agency-pass") for hit in site.log.hits() if hit.path != "/robots.txt"}
    assert given == {"/a": CANARY, "/moved": CANARY}
    assert {hit.headers.get("x-agency-pass") for hit in other.log.hits()} == {None}
    assert CANARY not in done.stdout + done.stderr
    assert CANARY.encode() not in everything(project.folder)
