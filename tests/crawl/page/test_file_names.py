"""Names of staged files: whatever a URL holds, its envelope lies in its folder, under a name that every disk takes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from rori_spiders.urls.canonical import normalise_url
from tests.support.crawl_output import CrawlOutput, path_of
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

PATHS = [
    "/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "/a/..%2f..%2f..%2f..%2fetc%2fcron.d",
    "/" + "%2f" * 1300,  # nearly 4 KB
    "/con",
    "/aux.html/NUL",
    "/" + "long-" * 400,
    "/%00%0a%0d",
    "/§%20–%20日本語",
    "/-rf%20%7e",
    "/page?file=../../secret",
    "/page?file=../../secret2",
]


def test_page_url_that_leads_out_of_area_gets_safe_file_name(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    site.page("/", page("Start", *PATHS))
    wanted = {path_of(normalise_url(path, site.at("/"))) for path in PATHS}
    for path in wanted:
        site.page(path, page(f"Page {path[:40]} {len(path)}"))
    project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.02)
    collected = project.scrapy("collect")
    assert collected.returncode == 0, collected.stdout
    assert {path_of(line["url"]) for line in crawl_output.index()} == wanted | {"/"}
    assert len(crawl_output.files()) == len(wanted) + 1
    for file in crawl_output.files():
        assert re.fullmatch(r"[0-9.]+/\d{4}-\d\d-\d\d/a__[a-z0-9-]{1,97}__[0-9a-f]{8}\.json", file), file
        assert file.split("__")[1] not in {"con", "nul", "aux"}
    assert {path.name for path in project.folder.iterdir()} == {"scrapy.cfg", "manifest.json", "collect"}
    crawl_output.assert_sums()
    crawl_output.assert_verified()
