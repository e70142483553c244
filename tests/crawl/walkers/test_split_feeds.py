"""Feeds that are split over pages (RFC 5005): each page is read, and where one cannot be, the run says so."""

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

#: Levels of an index are counted, pages of a feed are not: more than sitemap_reader.MAX_LEVELS.
PAGES = 6
ITEMS = {f"/rules/{number}" for number in range(1, PAGES + 1)}


def split_feed(site: Site, *, last: str = "") -> None:
    """A feed of six pages with an item each; the last leads to *last*."""
    for number in range(1, PAGES + 1):
        following = f"/rules/feed?page={number + 1}" if number < PAGES else last
        link = f'<link rel="next" href="{following}"/>' if following else ""
        site.page(
            "/rules/feed" if number == 1 else f"/rules/feed?page={number}",
            f'<feed xmlns="http://www.w3.org/2005/Atom">{link}<entry><link href="/rules/{number}"/></entry></feed>',
            content_type="application/atom+xml",
        )
        site.page(f"/rules/{number}", page(f"Rule {number}"))


@pytest.mark.parametrize("method", ["crawl", "scrape"])
def test_split_feed_as_start_url_all_items_are_collected(site: Site, project: Project, method: str) -> None:
    split_feed(site, last="/rules/feed?page=2")  # which was read already
    project.manifest([source("rules", site.at("/rules/feed"), method)], delay_s=0.02)
    assert project.scrapy("collect").returncode == 0
    left = CrawlOutput(project)
    assert left.in_state("rules", "captured") >= ITEMS
    assert left.last_run("rules")["state"] == "complete"
    hits = site.report().hits
    assert max(hits.values()) == 1
    assert not any("sitemap" in path for path in hits)


@pytest.mark.parametrize("method", ["crawl", "scrape"])
def test_split_feed_page_that_fails_run_is_incomplete(site: Site, project: Project, method: str) -> None:
    split_feed(site)
    site.status("/rules/feed?page=3", 403)
    project.manifest([source("rules", site.at("/rules/feed"), method)], delay_s=0.02)
    assert project.scrapy("collect").returncode == 1
    run = CrawlOutput(project).last_run("rules")
    assert (run["state"], run["reason_code"]) == ("incomplete", "lists_unread")
    assert "/rules/feed?page=3" in run["reason"]


def test_split_feed_of_the_start_page_all_items_are_collected(site: Site, project: Project) -> None:
    split_feed(site)
    head = '<link rel="alternate" type="application/atom+xml" href="/rules/feed">'
    site.page("/rules/", page("Rules").replace("<head>", f"<head>{head}"))
    project.manifest([source("rules", site.at("/rules/"), "crawl")], delay_s=0.02)
    assert project.scrapy("collect").returncode == 0
    assert CrawlOutput(project).in_state("rules", "captured") >= ITEMS


def test_split_feed_that_never_names_anything_more_ends(site: Site, project: Project) -> None:
    split_feed(site, last="/rules/feed?page=7")
    for number in (7, 8):
        site.page(
            f"/rules/feed?page={number}",
            f'<feed xmlns="http://www.w3.org/2005/Atom"><link rel="next" href="/rules/feed?page={number + 1}"/></feed>',
            content_type="application/atom+xml",
        )
    project.manifest([source("rules", site.at("/rules/feed"), "crawl")], delay_s=0.02)
    assert project.scrapy("collect").returncode == 0
    assert site.report().hits["/rules/feed?page=8"] == 0


def test_json_feed_as_start_url_its_items_are_collected(site: Site, project: Project) -> None:
    site.page(
        "/rules/feed.json",
        '{"version": "https://jsonfeed.org/version/1.1", "title": "Rules", "items": [{"id": "1", "url": "/rules/1"}]}',
        content_type="application/feed+json",
    )
    site.page("/rules/1", page("Rule 1"))
    project.manifest([source("rules", site.at("/rules/feed.json"), "crawl")], delay_s=0.02)
    assert project.scrapy("collect").returncode == 0
    left = CrawlOutput(project)
    assert left.in_state("rules", "captured") == {"/rules/1"}
    assert left.urls("rules")["/rules/feed.json"][0] == "excluded"
