"""How deep a page lies is its shortest way from the start, whatever way it is found by first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.reasons import Reason
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


def test_depth_of_page_is_that_of_shortest_path(site: Site, project: Project) -> None:
    links = {"/": ("/short", "/long"), "/short": ("/end",), "/long": ("/long/1",), "/long/1": ("/end",), "/end": ()}
    for path, leads_to in links.items():
        site.page(path, page(f"Page {path}", *leads_to))
    project.manifest([source("a", site.at("/"), "crawl", scrape_config={"max_depth": 2})], delay_s=0.02)
    crawled = project.scrapy("crawl", "a")
    assert crawled.returncode == 0, crawled.stderr
    crawl_output = CrawlOutput(project)
    assert crawl_output.states("a") == dict.fromkeys(links, "captured")
    assert [hit.path for hit in site.log.hits() if hit.path in links] == ["/", "/short", "/long", "/end", "/long/1"]
    depths = crawl_output.rows("SELECT url, depth FROM run_urls WHERE kind = 'page' ORDER BY depth, url")
    assert [one["depth"] for one in depths] == [0, 1, 1, 2, 2]


def chain(site: Site, pages: int) -> dict[str, tuple[str, ...]]:
    """A list of `/item/N`, split over *pages* pages, each of which names the next one, and one further on."""
    paths = ["/", *(f"/page/{number}" for number in range(2, pages + 1))]
    items = {path: f"/item/{number}" for number, path in enumerate(paths, 1)}
    for number, (path, item) in enumerate(items.items(), 1):
        following = f'<a rel="next" href="/page/{number + 1}">Next</a>' if number < pages else ""
        skipped = [f"/page/{number + 2}"] if number + 2 <= pages else []
        site.page(path, page(f"List {number}", item, *skipped, text=following), validators=True)
        site.page(item, page(f"Item {number}"), validators=True)
    return dict.fromkeys([*items, *items.values()], ())


def test_depth_list_split_over_pages_is_read_whole(site: Site, project: Project) -> None:
    """Each page of it is first met too deep, by the link that skips one."""
    paths = set(chain(site, 6))
    project.manifest([source("a", site.at("/"), "crawl", scrape_config={"max_depth": 1})], delay_s=0.02)
    crawl_output = CrawlOutput(project)
    assert project.scrapy("crawl", "a").returncode == 0
    assert crawl_output.in_state("a", "captured") == paths
    assert project.scrapy("crawl", "a").returncode == 0
    assert crawl_output.in_state("a", "unchanged") == paths


def test_depth_failed_next_page_makes_run_incomplete(site: Site, project: Project) -> None:
    paths = set(chain(site, 4))
    site.page("/page/3", "")
    project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.02)
    assert project.scrapy("crawl", "a").returncode == 1
    crawl_output = CrawlOutput(project)
    assert crawl_output.in_state("a", "captured") == paths - {"/page/3", "/item/3"}
    [run] = crawl_output.rows("SELECT state, reason_code FROM runs")
    assert (run["state"], run["reason_code"]) == ("incomplete", "lists_unread")


def test_depth_page_too_deep_is_excluded_without_shorter_path(site: Site, project: Project) -> None:
    for path, leads_to in {"/": ("/a",), "/a": ("/b",), "/b": ()}.items():
        site.page(path, page(f"Page {path}", *leads_to))
    project.manifest([source("a", site.at("/"), "crawl", scrape_config={"max_depth": 1})], delay_s=0.02)
    assert project.scrapy("crawl", "a").returncode == 0
    crawl_output = CrawlOutput(project)
    assert crawl_output.urls("a")["/b"] == ("excluded", Reason("max_depth", limit=1))
    assert [row["url"] for row in crawl_output.rows("SELECT url FROM audit WHERE reason_code = 'max_depth'")] == [
        site.at("/b")
    ]
