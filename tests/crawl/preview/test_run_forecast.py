"""What a run may request: its bound, its estimate, and the warning above 2,000 pages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.crawl.preview.run_forecast import CrawlEstimate, estimate_crawl
from rori_spiders.manifest.loading import load_files
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

_URL = "https://law.example.org/guide/start.html"


def _estimate(project: Project, url: str = _URL, method: str = "crawl", **more: Any) -> CrawlEstimate:
    config = {name: more.pop(name) for name in ("include_patterns", "max_depth", "max_pages") if name in more}
    path = project.manifest([source("guide", url, method, scrape_config=config)], delay_s=2.0)
    catalog = load_files([str(path)])
    return estimate_crawl(catalog.sources[0], catalog, max_pages=20_000, **more)


@pytest.mark.parametrize(
    ("config", "bound", "most"),
    [
        ({}, "below /guide/, no max_pages", 20_000),
        ({"max_depth": 2, "max_pages": 1}, "below /guide/, max_depth 2, at most 1 page", 1),
        ({"include_patterns": ["/law/*"]}, "/law/*, no max_pages", 20_000),
        ({"include_patterns": ["/a/*", "/b/*", "/c/*"], "max_pages": 500}, "/a/* and 2 more, at most 500 pages", 500),
    ],
)
def test_run_forecast_bound_names_scope_depth_and_pages(
    project: Project, config: dict[str, Any], bound: str, most: int
) -> None:
    found = _estimate(project, **config)
    assert (found.bound, found.max_pages, found.pages) == (bound, most, None)


def test_run_forecast_of_unknown_pages_uses_bound(project: Project) -> None:
    found = _estimate(project)
    assert (found.duration.requests, found.expected_time) == (20_001, "up to 11.4 h")
    assert found.warning == (
        "up to 20,000 pages (below /guide/, no max_pages): 20,001 requests, one in 2.05 s: about 11.4 h; "
        "narrow include_patterns, or set max_pages"
    )


@pytest.mark.parametrize(("pages", "is_large"), [(2_000, False), (2_001, True), (None, True)])
def test_run_forecast_of_more_than_2000_pages_warns(project: Project, pages: int | None, is_large: bool) -> None:
    assert (_estimate(project, pages=pages).warning is not None) is is_large


def test_run_forecast_expects_no_more_pages_than_bound(project: Project) -> None:
    found = _estimate(project, pages=900, max_pages=30)
    assert (found.pages, found.warning) == (30, None)


def test_run_forecast_uses_slower_delay_of_robots_txt(project: Project) -> None:
    assert _estimate(project, pages=99, every_s=36.0).expected_time == "60 min"
    assert _estimate(project, pages=59, every_s=2.05).expected_time == "2 min"
    assert _estimate(project, pages=9, every_s=2.05).expected_time == "under a minute"


def test_run_forecast_of_gov_site_is_in_nights(project: Project) -> None:
    sentence = str(_estimate(project, "https://www.hud.gov/", pages=20_000))
    assert sentence == (
        "about 20,000 pages (below /, no max_pages): 20,001 requests, one in 2.05 s: about 11.4 h; "
        "3 nights of 02:00-06:00 New York time, 7,024 requests a night"
    )


def test_run_forecast_of_single_page_is_one(project: Project) -> None:
    found = _estimate(project, method="scrape")
    assert (found.bound, found.max_pages, found.pages, found.warning) == ("1 page", 1, 1, None)


@pytest.mark.crawl
def test_run_forecast_is_printed_by_dry_run_map_and_validation(project: Project, site: Site) -> None:
    site.page("/guide/", page("Guide", "/guide/1", "/elsewhere"))
    site.page("/guide/1", page("One"))
    long = site.at(f"/{'very-' * 40}long/")
    file = project.manifest([source("guide", site.at("/guide/"), "crawl"), source("long", long, "crawl")], delay_s=0.02)

    checked = project.scrapy("manifest", "validate", str(file))
    assert "warning: guide: up to 20,000 pages (below /guide/, no max_pages): 20,001 requests" in checked.stderr
    mapped = project.scrapy("map", "guide")
    assert "\nBound            below /guide/, no max_pages\n" in mapped.stdout
    table = project.scrapy("collect", "--dry-run", "--force").stdout
    assert max(map(len, table.partition("\n\n")[0].splitlines())) < 230
    assert "warning: guide: up to 20,000 pages" in table

    project.scrapy("collect", "--source", "guide")
    rows = json.loads(project.scrapy("collect", "--dry-run", "--force", "--format", "json").stdout)
    guide = next(row for row in rows if row["id"] == "guide")
    assert (guide["pages"], guide["max_pages"], guide["warning"]) == (2, 20_000, None)
    assert next(row["url"] for row in rows if row["id"] == "long") == long
    checked = project.scrapy("manifest", "validate", str(file))
    assert "  guide: about 2 pages (below /guide/, no max_pages): 3 requests" in checked.stdout
    assert "guide: up to" not in checked.stderr
