"""A page that comes by another tier than the text that we hold: no change, unless the former tier shows one too."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rori_spiders.reasons import Reason
from tests.crawl.tiers.browser.marked_chromium import QUICK_CHROMIUM, MarkedChromium
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

_ADDED = "<script>document.querySelector('main').append('Written by a script, for those who run it.')</script>"


def collect(site: Site, project: Project, tiers: list[str]) -> int:
    """The number of requests that one more collection makes."""
    before = len(site.log.hits())
    project.manifest([source("a", site.at("/"), scrape_config={"tiers": tiers})], delay_s=0.05)
    project.scrapy("collect", "--force")
    return len(site.log.hits()) - before


def tried(crawl_output: CrawlOutput) -> list[tuple[str, str]]:
    [row] = crawl_output.rows("SELECT attempts FROM audit WHERE kind = 'page' ORDER BY rowid DESC LIMIT 1")
    return [(one["tier"], one["reason_code"]) for one in json.loads(row["attempts"])]


def test_previous_tier_other_tier_alone_is_no_change(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    MarkedChromium(project, QUICK_CHROMIUM)
    site.page("/", page("Rule", text="The fee is 1 percent.") + _ADDED)
    assert collect(site, project, ["browser"]) == 2  # robots.txt is one of them
    assert [one["scrape"]["engine"] for one in crawl_output.envelopes()] == ["browser"]

    assert collect(site, project, ["http", "browser"]) == 3
    assert crawl_output.urls("a") == {"/": ("unchanged", Reason("same_text_by_tier", tier="browser"))}
    assert tried(crawl_output) == [("browser", "previous_tier_checked"), ("http", "captured")]
    assert len(crawl_output.envelopes()) == 1

    assert collect(site, project, ["http", "browser"]) == 2  # these bytes are known to be of the same page
    assert crawl_output.states("a") == {"/": "unchanged"}

    site.page("/", page("Rule", text="The fee is 2 percent.") + _ADDED)
    assert collect(site, project, ["http", "browser"]) == 3
    assert crawl_output.states("a") == {"/": "captured"}
    changed = crawl_output.envelopes()[1]
    assert (changed["scrape"]["engine"], changed["integrity"]["change_type"]) == ("http", "modified")
    crawl_output.assert_verified()


def test_previous_tier_not_available_is_inconclusive(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    MarkedChromium(project, QUICK_CHROMIUM)
    site.page("/", page("Rule") + _ADDED)
    collect(site, project, ["browser"])
    assert collect(site, project, ["http"]) == 2
    assert crawl_output.states("a") == {"/": "captured"}
    assert [one["scrape"]["engine"] for one in crawl_output.envelopes()] == ["browser", "http"]
