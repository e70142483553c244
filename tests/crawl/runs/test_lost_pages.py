"""Pages that we hold and that now show a wall, an empty application or nothing: one alert a source says so.

A page that says with status 200 that it is not there is missing; only a person has it recorded as gone.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.crawl_output import CrawlOutput, path_of
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

WALLS = {
    "/login": (
        "<html><title>Sign in</title><h1>Sign in</h1><form><input name='user'><input type='password' name='p'>"
        "<button>Sign in</button></form></html>"
    ),
    "/denied": (
        "<html><title>Access Denied</title><h1>Access Denied</h1><p>You do not have permission to view this page. "
        "Contact the administrator.</p></html>"
    ),
    "/shell": "<html><title>App</title><div id='root'></div><script src='/a.js'></script></html>",
    "/nothing": "<html><body></body></html>",
}
NOT_THERE = (
    "<html><title>Page not found</title><h1>Page not found</h1><p>Sorry, the page that you requested could not be "
    "found. It may have been moved or deleted.</p></html>"
)
OTHERS = [f"/{number}" for number in range(6)]
A_DAY_AGO = "UPDATE pages SET missing_since = '2026-01-01T00:00:00.000000Z' WHERE missing_since IS NOT NULL"


@pytest.fixture
def collected(site: Site, project: Project) -> Project:
    """A site that has been collected once, when all of its pages had a text."""
    paths = [*WALLS, *OTHERS]
    site.page("/", page("Start", *paths))
    for path in paths:
        site.page(path, page(f"Page {path}"))
    config = {"sitemaps": [], "render": "never"}
    project.manifest([source("a", site.at("/"), "crawl", scrape_config=config)], delay_s=0.02)
    assert project.scrapy("collect").returncode == 0
    return project


def again(project: Project) -> None:
    assert "Traceback" not in project.scrapy("collect", "--force", env={"RORI_RETRY_SCALE": "0.001"}).stderr


def open_alerts(crawl_output: CrawlOutput) -> dict[str, list[str]]:
    rows = crawl_output.rows("SELECT * FROM alerts WHERE cleared_at IS NULL")
    return {row["event"]: sorted(map(path_of, json.loads(row["pages"] or "[]"))) for row in rows}


def review_items(project: Project) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = json.loads(project.scrapy("sources", "--review", "--format", "json").stdout)
    return items


def test_lost_pages_behind_walls_open_one_alert_until_they_return(
    site: Site, collected: Project, crawl_output: CrawlOutput
) -> None:
    for path, wall in WALLS.items():
        site.page(path, wall)
    site.page("/", page("Start", *WALLS, *OTHERS, "/new-wall"))
    site.page("/new-wall", WALLS["/login"])  # it never had a text: nothing is lost
    again(collected)
    assert open_alerts(crawl_output) == {"page_blocked": sorted(WALLS)}
    [item] = review_items(collected)
    assert (item["event"], item["severity"], len(item["pages"])) == ("page_blocked", "high", 4)
    [alert] = crawl_output.rows("SELECT message FROM alerts WHERE cleared_at IS NULL")
    assert alert["message"].startswith("4 pages captured before, which now show")

    site.page("/login", page("Page /login"))
    site.status("/shell", 503)  # says nothing of the page
    again(collected)
    assert open_alerts(crawl_output) == {"page_blocked": ["/denied", "/nothing", "/shell"]}
    assert len(crawl_output.rows("SELECT * FROM alerts WHERE event = 'page_blocked'")) == 1
    for path in WALLS:
        site.page(path, page(f"Page {path}"))
    again(collected)
    assert open_alerts(crawl_output) == {}
    crawl_output.assert_sums()


def test_lost_pages_that_robots_txt_closes_open_alert(
    site: Site, collected: Project, crawl_output: CrawlOutput
) -> None:
    site.redirect("/1", "/closed/1", 302)
    site.page("/new", page("Never held", "/closed/2"))
    site.page("/", page("Start", *WALLS, *OTHERS, "/new"))
    site.robots("User-agent: *\nDisallow: /0\nDisallow: /closed/\n")
    again(collected)
    assert open_alerts(crawl_output) == {"page_blocked": ["/0", "/1"]}
    again(collected)
    assert len(crawl_output.rows("SELECT * FROM alerts WHERE event = 'page_blocked'")) == 1  # and not one a run

    site.robots("User-agent: *\nDisallow:\n")
    site.page("/closed/1", page("Page /1"))
    again(collected)
    assert open_alerts(crawl_output) == {}


def test_lost_start_page_is_told_of_once(site: Site, collected: Project, crawl_output: CrawlOutput) -> None:
    site.page("/", WALLS["/login"])
    again(collected)
    assert "page_blocked" not in open_alerts(crawl_output)
    assert open_alerts(crawl_output)["source_blocked"] == ["/"]

    site.page("/", WALLS["/nothing"])  # no event of start URLs tells of that
    again(collected)
    assert open_alerts(crawl_output)["page_blocked"] == ["/"]


def test_soft_404_of_held_page_is_missing_and_never_gone_without_a_person(
    site: Site, collected: Project, crawl_output: CrawlOutput
) -> None:
    site.page("/0", NOT_THERE)
    again(collected)
    assert crawl_output.urls("a")["/0"][1].code == "soft_404"
    assert open_alerts(crawl_output) == {"page_missing": ["/0"]}

    for _ in range(2):
        crawl_output.change(A_DAY_AGO)
        again(collected)
        assert (crawl_output.urls("a")["/0"][0], crawl_output.urls("a")["/0"][1].code) == ("failed", "soft_removal")
        assert open_alerts(crawl_output) == {"page_missing": ["/0"]}
    run = str(crawl_output.last_run("a")["run_id"])
    [item] = review_items(collected)
    assert f"scrapy runs accept {run}" in item["to_do"]

    done = collected.scrapy("runs", "accept", run, "--url", site.at("/0"), "--reason", "repealed")
    assert done.returncode == 0, done.stdout + done.stderr
    assert crawl_output.in_state("a", "gone") == {"/0"}
    [deleted] = [one for one in crawl_output.envelopes() if one["integrity"]["change_type"] == "deleted"]
    assert (path_of(deleted["source"]["url"]), deleted["scrape"]["http_status"]) == ("/0", 200)
    assert open_alerts(crawl_output) == {}
    crawl_output.assert_verified()


def test_soft_404_that_ends_as_404_is_gone_only_on_the_second_404(
    site: Site, collected: Project, crawl_output: CrawlOutput
) -> None:
    site.page("/0", NOT_THERE)
    again(collected)
    site.status("/0", 404, body="not here")
    crawl_output.change(A_DAY_AGO)
    again(collected)  # the server's word for the first time
    assert (crawl_output.urls("a")["/0"][0], crawl_output.urls("a")["/0"][1].code) == ("failed", "not_found")
    again(collected)  # and again, minutes later
    assert crawl_output.urls("a")["/0"][0] == "failed"

    crawl_output.change("DROP TRIGGER audit_refuses_update")
    crawl_output.change("UPDATE audit SET timestamp = '2026-01-02T00:00:00.000000Z' WHERE verdict = 'not_found'")
    again(collected)
    assert crawl_output.urls("a")["/0"][0] == "gone"


def test_soft_404s_of_many_pages_are_held_as_a_mass_removal(
    site: Site, collected: Project, crawl_output: CrawlOutput
) -> None:
    for path in OTHERS[:4]:
        site.page(path, NOT_THERE)
    again(collected)
    crawl_output.change(A_DAY_AGO)
    again(collected)
    assert open_alerts(crawl_output) == {"mass_removal": OTHERS[:4], "page_missing": OTHERS[:4]}
    assert {crawl_output.urls("a")[path][1].code for path in OTHERS[:4]} == {"mass_removal"}

    for path in OTHERS[:4]:
        site.page(path, page(f"Page {path}"))
    again(collected)
    assert open_alerts(crawl_output) == {}


def test_lost_page_that_fails_for_a_week_opens_alert_until_it_is_read(
    site: Site, collected: Project, crawl_output: CrawlOutput
) -> None:
    for path in ("/0", "/1"):
        site.status(path, 500)
    again(collected)
    assert open_alerts(crawl_output) == {}  # an outage passes
    crawl_output.change(
        "UPDATE pages SET last_seen_at = '2026-01-02T00:00:00.000000Z' WHERE url LIKE '%/0' OR url LIKE '%/2'"
    )
    again(collected)
    assert open_alerts(crawl_output) == {"pages_failing": ["/0"]}
    [alert] = crawl_output.rows("SELECT message FROM alerts WHERE cleared_at IS NULL")
    assert alert["message"].startswith("1 page captured before, which could not be read: last read 2026-01-02 UTC: ")

    site.page("/0", page("Page /0"))
    again(collected)
    assert open_alerts(crawl_output) == {}
