"""Pages that are not there any more: missed at first, gone on a second look a day later, and never many at once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.crawl_output import CrawlOutput, path_of
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

A_DAY_AGO = "UPDATE pages SET missing_since = '2026-01-01T00:00:00.000000Z' WHERE missing_since IS NOT NULL"


@pytest.fixture
def paths(site: Site, project: Project) -> list[str]:
    """A site of eight pages that has been collected once."""
    paths = [f"/{number}" for number in range(7)]
    site.page("/", page("Start", *paths))
    for path in paths:
        site.page(path, page(f"Page {path}"))
    project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.02)
    assert project.scrapy("collect").returncode == 0
    return paths


def again(project: Project) -> None:
    after = project.scrapy("collect", "--force")
    assert "Traceback" not in after.stderr


def test_removal_page_missing_twice_a_day_apart_is_gone_and_can_return(
    site: Site, project: Project, crawl_output: CrawlOutput, paths: list[str]
) -> None:
    site.status("/3", 404, body="not here")
    again(project)
    assert crawl_output.urls("a")["/3"][0] == "failed"
    again(project)  # too early for a second look
    assert crawl_output.urls("a")["/3"][0] == "failed"

    crawl_output.change(A_DAY_AGO)
    again(project)
    assert crawl_output.urls("a")["/3"][0] == "gone"
    [deleted] = [one for one in crawl_output.envelopes() if one["integrity"]["change_type"] == "deleted"]
    [first] = [
        one
        for one in crawl_output.envelopes()
        if path_of(one["source"]["url"]) == "/3" and one["integrity"]["change_type"] == "new"
    ]
    assert path_of(deleted["source"]["url"]) == "/3"
    assert deleted["content"]["body"] == ""
    assert deleted["integrity"]["previous_content_hash"] == first["integrity"]["content_hash"]
    assert deleted["page_metadata"]["title"] == first["page_metadata"]["title"]
    crawl_output.assert_sums()
    assert project.scrapy("verify").returncode == 0

    site.page("/3", page("Page /3 once more"))
    again(project)
    back = max(
        (one for one in crawl_output.envelopes() if path_of(one["source"]["url"]) == "/3"),
        key=lambda one: one["scrape"]["timestamp"],
    )
    assert back["integrity"]["change_type"] == "modified"
    assert back["integrity"]["previous_content_hash"] == first["integrity"]["content_hash"]


def test_removal_page_that_redirects_elsewhere_is_missing_then_gone(
    site: Site, project: Project, crawl_output: CrawlOutput, paths: list[str]
) -> None:
    """Agencies remove pages by a redirect to their start page, or to another site: the text is nowhere any more."""
    more = [f"/more/{number}" for number in range(4)]  # or too few pages were left to conclude anything
    site.page("/", page("Start", *paths, *more))
    for path in more:
        site.page(path, page(f"Page {path}"))
    site.redirect("/1", "/", 301)
    site.redirect("/2", "https://elsewhere.example/2", 308)
    site.redirect("/6", "https://elsewhere.example/wall", 302)  # for now
    site.redirect("/3", "/moved", 301)  # a new address: the page moved
    site.page("/moved", page("Page /3"))
    site.redirect("/4", "/between", 301)
    site.redirect("/between", "/", 302)
    site.redirect("/5", "/moved", 301)  # where another page moved
    again(project)
    found = crawl_output.urls("a")
    assert {path: found[path][1].code for path in paths[1:]} == {
        "/1": "led_away",
        "/2": "led_away",
        "/3": "redirected",
        "/4": "redirected",  # nobody knows yet where that leads
        "/5": "redirected",
        "/6": "led_away",
    }
    [alert] = crawl_output.rows("SELECT * FROM alerts WHERE cleared_at IS NULL")
    assert alert["event"] == "page_missing"
    assert sorted(map(path_of, json.loads(alert["pages"]))) == ["/1", "/2", "/6"]

    for _ in range(2):
        crawl_output.change(A_DAY_AGO)
        again(project)
    assert crawl_output.in_state("a", "gone") == {"/4", "/5"}  # the others went a run before
    assert crawl_output.urls("a")["/6"][1].code == "led_away"
    reasons = crawl_output.rows("SELECT url, reason FROM run_urls WHERE state = 'gone' ORDER BY url")
    assert [(path_of(row["url"]), row["reason"].partition("; ")[2]) for row in reasons] == [
        ("/1", f"redirects to {site.at('/')}."),
        ("/2", "redirects to https://elsewhere.example/2."),
        ("/4", f"redirects to {site.at('/between')}."),
        ("/5", f"redirects to {site.at('/moved')}."),
    ]
    kinds = {one["kind"] for one in json.loads(project.scrapy("changes", "--format", "json").stdout)}
    assert kinds >= {"removed", "address"}
    crawl_output.assert_sums()
    crawl_output.assert_verified(but=frozenset({"page_differs"}))  # the test has aged what is missing


def test_removal_unlinked_page_is_still_requested(
    site: Site, project: Project, crawl_output: CrawlOutput, paths: list[str]
) -> None:
    site.page("/", page("Start", *paths[:-2]))  # two links are gone, and one of the two pages
    site.status("/6", 410)
    again(project)
    states = {path: state for path, (state, _) in crawl_output.urls("a").items()}
    assert states["/5"] == "unchanged"
    assert states["/6"] == "failed"
    crawl_output.change(A_DAY_AGO)
    again(project)
    assert crawl_output.urls("a")["/6"][0] == "gone"
    site.log.clear()
    again(project)
    assert "/6" not in crawl_output.urls("a")  # nothing leads to it, and it is gone: it is not asked for again
    assert "/6" not in {hit.path for hit in site.log.hits()}
    crawl_output.assert_sums()


def test_removal_of_many_pages_at_once_is_held(
    site: Site, project: Project, crawl_output: CrawlOutput, paths: list[str]
) -> None:
    for path in paths[:4]:
        site.status(path, 404)
    again(project)
    crawl_output.change(A_DAY_AGO)
    again(project)
    assert not crawl_output.in_state("a", "gone")
    assert crawl_output.in_state("a", "failed") == set(paths[:4])
    [alert, missing] = crawl_output.rows("SELECT * FROM alerts WHERE cleared_at IS NULL ORDER BY event")
    assert (alert["event"], missing["event"]) == ("mass_removal", "page_missing")
    assert "4 of 8 pages" in alert["message"]
    items = json.loads(project.scrapy("sources", "--review", "--format", "json").stdout)
    assert {(item["event"], len(item["pages"])) for item in items} == {("mass_removal", 4), ("page_missing", 4)}
    assert all(one["integrity"]["change_type"] == "new" for one in crawl_output.envelopes())

    for path in paths[:4]:
        site.page(path, page(f"Page {path}"))
    again(project)
    assert (
        crawl_output.rows("SELECT * FROM alerts WHERE cleared_at IS NULL") == []
    )  # at the end of the run that saw them


def test_removal_is_not_concluded_when_site_cannot_be_read(
    site: Site, project: Project, crawl_output: CrawlOutput, paths: list[str]
) -> None:
    site.status("/", 404)
    site.log.clear()
    again(project)
    assert {hit.path for hit in site.log.hits()} <= {"/robots.txt", "/", "/sitemap.xml", "/sitemap_index.xml"}
    assert not crawl_output.in_state("a", "gone")
