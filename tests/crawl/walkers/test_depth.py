"""How deep a page lies is its shortest way from the start, whatever way it is found by first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


def test_a_page_that_a_long_way_leads_to_first_is_as_deep_as_the_short_one(site: Site, project: Project) -> None:
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
