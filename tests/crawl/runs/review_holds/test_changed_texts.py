"""A changed text that may be another page's, or half of a page, is held; a person accepts it."""

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

PATHS = [f"/{number}" for number in range(6)]
SAME_TEXT_PATHS = ["/one", "/two"]
NOTICE = page("Our new site", text="We have moved our services to a place that is easier to use.")


@pytest.fixture
def collected(site: Site, project: Project) -> Project:
    """A site of pages with texts of their own, but for two with one text, that has been collected once."""
    site.page("/", page("Start", *PATHS, *SAME_TEXT_PATHS))
    for path in PATHS:
        site.page(path, page(f"Rule {path}", "/"))
    for path in SAME_TEXT_PATHS:
        site.page(path, page("One rule"))
    project.manifest([source("a", site.at("/"), "crawl", scrape_config={"sitemaps": []})], delay_s=0.02)
    again(project)
    return project


def again(project: Project) -> None:
    assert "Traceback" not in project.scrapy("collect", "--force").stderr


def held(crawl_output: CrawlOutput, code: str) -> set[str]:
    ends = crawl_output.urls("a").items()
    return {path for path, (state, reason, *_) in ends if (state, reason.code) == ("failed", code)}


def test_changed_pages_with_text_of_another_page_are_held_but_for_the_first(
    site: Site, collected: Project, crawl_output: CrawlOutput
) -> None:
    site.page("/1", page("Rule /0", "/"))
    site.page("/2", page("Rule /0", "/"))
    again(collected)
    [path] = held(crawl_output, "copy_of_page")
    [first] = {"/1", "/2"} - {path}
    assert f"the page and another, {site.at(first)}, had texts of their own" in str(crawl_output.urls("a")[path][1])
    [alert] = crawl_output.rows("SELECT * FROM alerts WHERE cleared_at IS NULL")
    assert alert["event"] == "suspect"

    run = str(crawl_output.last_run("a")["run_id"])
    done = collected.scrapy("runs", "accept", run, "--url", site.at(path), "--reason", "they are one rule now")
    assert done.returncode == 0, done.stdout + done.stderr
    again(collected)
    assert crawl_output.states("a")[first] == crawl_output.states("a")[path] == "unchanged"
    assert crawl_output.rows("SELECT * FROM alerts WHERE cleared_at IS NULL") == []
    crawl_output.assert_verified()


def test_changed_pages_with_one_notice_are_held_but_for_the_first(
    site: Site, collected: Project, crawl_output: CrawlOutput
) -> None:
    for path in PATHS[2:]:
        site.page(path, NOTICE)
    again(collected)
    assert len(held(crawl_output, "copy_of_page")) == 3  # of four
    assert held(crawl_output, "copy_of_page") < set(PATHS[2:])


def test_changed_page_that_shows_the_latest_of_others_is_not_held(
    site: Site, collected: Project, crawl_output: CrawlOutput
) -> None:
    issue = page("Issue of March", "/")
    site.page("/", page("Start", *PATHS, *SAME_TEXT_PATHS, "/issues/3"))
    site.page("/issues/3", issue)
    site.page("/0", issue)
    again(collected)
    assert crawl_output.in_state("a", "captured") >= {"/0", "/issues/3"}
    site.page("/0", page("Rule /1", "/"))
    again(collected)
    assert crawl_output.states("a")["/0"] == "captured"
    assert crawl_output.rows("SELECT * FROM alerts WHERE cleared_at IS NULL") == []


def test_changed_page_is_not_held_where_both_had_one_text_or_it_returns(
    site: Site, collected: Project, crawl_output: CrawlOutput
) -> None:
    for path in SAME_TEXT_PATHS:
        site.page(path, page("One rule", text="It was amended."))
    site.page("/0", page("Rule /0", "/", text="It was amended."))
    again(collected)
    assert crawl_output.in_state("a", "captured") == {*SAME_TEXT_PATHS, "/0"}
    site.page("/one", page("One rule"))  # from a cache
    again(collected)
    site.page("/one", page("One rule", text="It was amended."))
    again(collected)
    assert crawl_output.states("a")["/one"] == "captured"
    crawl_output.assert_verified()


def test_changed_page_that_returns_while_another_comes_to_its_text_is_not_held(
    site: Site, collected: Project, crawl_output: CrawlOutput
) -> None:
    site.page("/1", page("Rule /1", "/", text="It was amended."))
    again(collected)
    site.page("/0", page("Rule /1", "/"))
    site.slow("/1", page("Rule /1", "/"), seconds=1)  # after the other
    again(collected)
    assert crawl_output.in_state("a", "captured") == {"/0", "/1"}


def test_changed_page_without_its_end_is_held_and_one_that_never_had_one_is_not(
    site: Site, collected: Project, crawl_output: CrawlOutput
) -> None:
    whole, minified = page("Rule /0", "/"), page("Rule /1", "/").replace("</body></html>", "")
    site.page("/0", whole[: whole.index("</main>") - 400])
    site.page("/1", minified)  # as much text as before
    again(collected)
    assert held(crawl_output, "cut_short") == {"/0"}
    assert crawl_output.states("a")["/1"] == "unchanged"
    site.page("/0", whole)
    site.page("/1", minified.replace("begins here", "begins"))
    again(collected)
    assert crawl_output.states("a")["/0"] == "unchanged"
    assert crawl_output.rows("SELECT * FROM alerts WHERE cleared_at IS NULL") == []
