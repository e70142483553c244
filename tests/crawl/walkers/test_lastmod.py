"""A sitemap's `lastmod` decides what is asked first, also of a run that goes on; it never spares a look."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

PATHS = [f"/{number}" for number in range(8)]


def sitemap(site: Site, lastmods: dict[str, str]) -> None:
    rows = "".join(f"<url><loc>{site.at(path)}</loc><lastmod>{at}</lastmod></url>" for path, at in lastmods.items())
    site.page("/sitemap.xml", f"<urlset>{rows}</urlset>", content_type="application/xml")


def requested_paths(site: Site) -> list[str]:
    return [hit.path for hit in site.log.hits() if hit.path in {*PATHS, "/new"}]


def test_lastmod_changed_pages_are_first_and_all_are_requested(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    site.page("/", page("Start"))
    for path in PATHS:
        site.page(path, page(f"Page {path}"), validators=True)
    sitemap(site, dict.fromkeys(PATHS, "2020-01-01"))
    project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.02)
    assert project.scrapy("collect").returncode == 0

    site.page("/new", page("New"))
    site.set("/6", page("Page /6, amended"))
    sitemap(site, {**dict.fromkeys(PATHS, "2020-01-01"), "/6": "2999-01-01", "/new": "2020-01-01"})
    site.log.clear()
    assert project.scrapy("collect", "--force").returncode == 0
    assert set(requested_paths(site)[:2]) == {"/6", "/new"}
    assert sorted(requested_paths(site)) == sorted([*PATHS, "/new"])  # an old lastmod is no look
    assert crawl_output.states("a") == {
        "/": "unchanged",
        "/new": "captured",
        **dict.fromkeys(PATHS, "unchanged"),
        "/6": "captured",
    }
    crawl_output.assert_sums()
    [row] = crawl_output.rows("SELECT lastmod FROM run_urls WHERE url = ? AND lastmod LIKE '2999%'", site.at("/6"))
    assert row["lastmod"] == "2999-01-01"  # kept: the job that goes on after a crash asks in the same order
