"""A site that shows under half of its baseline: suspect, nothing of it gone, until a person accepts the count."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rori_spiders.reasons import Reason
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

PATHS = [f"/{number}" for number in range(11)]
LONG_AGO = "UPDATE pages SET missing_since = '2026-01-01T00:00:00.000000Z' WHERE missing_since IS NOT NULL"


def collect(project: Project, code: int = 0) -> None:
    done = project.scrapy("collect", "--force")
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_page_count_drop_is_suspect_then_accepted_as_baseline(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    for path in PATHS:
        site.page(path, page(f"Page {path}"))
    site.page("/", page("Start", *PATHS))
    project.manifest([source("a", site.at("/"), "crawl", scrape_config={"sitemaps": []})], delay_s=0.02)
    collect(project)
    site.status("/0", 404)
    collect(project)  # missed once
    crawl_output.change(LONG_AGO)

    # Most of the site is closed to robots, as a site is that is rebuilt or walled.
    site.robots("\n".join(["User-agent: *", *(f"Disallow: {path}" for path in PATHS[4:]), ""]))
    site.status("/1", 404)
    collect(project, 1)
    run = crawl_output.last_run("a")
    assert run["state"] == "suspect"
    assert run["reason"] == Reason("below_baseline", pages=3, baseline=11.5, counts="11, 12")
    assert crawl_output.in_state("a", "gone") == set()  # on its second look, and not recorded as gone
    assert crawl_output.urls("a")["/0"][1].code == "too_few_pages"
    missing = crawl_output.rows("SELECT url FROM pages WHERE missing_since IS NOT NULL")
    assert [row["url"] for row in missing] == [site.at("/0")]  # the first look at /1 proves nothing
    items = json.loads(project.scrapy("sources", "--review", "--format", "json").stdout)
    events = {one["event"]: one for one in items}
    assert events.keys() == {"few_pages", "page_missing", "page_blocked"}
    assert sorted(events["page_blocked"]["pages"]) == sorted(map(site.at, PATHS[4:]))  # robots.txt closes them
    item = events["few_pages"]
    assert item["severity"] == "high"
    assert f"`scrapy runs accept {run['run_id']} --reason TEXT`" in item["to_do"]
    assert f"scrapy runs accept {run['run_id']} --reason TEXT" in project.scrapy("runs", "show", run["run_id"]).stdout
    assert crawl_output.rows("SELECT last_checked_at < ? AS before FROM source_state", run["started_at"])[0]["before"]

    crawl_output.change(
        "UPDATE source_state SET last_checked_at = '2026-01-01T00:00:00.000000Z'"
    )  # its interval is over
    waits = project.scrapy("due", "--explain", "a").stdout
    assert "The last run ended suspect or incomplete" in waits and "Not due yet" in waits
    site.log.clear()
    assert "No sources due" in project.scrapy("collect").stdout
    assert not site.log.hits()

    accepted = project.scrapy("runs", "accept", run["run_id"], "--reason", "the guide moved")
    assert accepted.returncode == 0, accepted.stderr
    assert "its baseline is now 3 pages" in accepted.stdout
    assert crawl_output.last_run("a")["state"] == "complete"
    assert "ended suspect" not in project.scrapy("due", "--explain", "a").stdout
    assert "few_pages" not in project.scrapy("sources", "--review").stdout
    again = project.scrapy("runs", "accept", run["run_id"], "--reason", "once more")
    assert again.returncode == 2
    crawl_output.assert_sums()
    crawl_output.assert_verified(but=frozenset({"page_differs"}))  # the test has aged what is missing

    collect(project)
    assert crawl_output.last_run("a")["state"] == "complete"
    assert crawl_output.in_state("a", "gone") == {"/0"}
    assert (
        crawl_output.rows("SELECT count(*) AS n FROM alerts WHERE cleared_at IS NULL AND event = 'few_pages'")[0]["n"]
        == 0
    )
