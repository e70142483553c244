"""What a crawl came to: did it get everything that the publisher lists? As a row, a file, and lines for a person."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.reasons import Reason
from tests.support.jobs import job
from tests.support.output_schema import find_problems
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


def summaries(project: Project) -> list[dict[str, Any]]:
    found = sorted((project.staging / "_summaries").rglob("*.json"), key=lambda path: path.stat().st_mtime_ns)
    return [json.loads(path.read_bytes()) for path in found]


def test_run_summary_has_numbers_and_names(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    site.page("/", page("Start", "/a", "/parts", "/aside"))
    site.page("/parts", page("Table of Contents", "/a", "/b", "/unlisted"))
    for path in ("/a", "/b", "/new", "/unlisted", "/aside"):
        site.page(path, page(f"Page {path}"))
    site.redirect("/old", "/new", 301)
    site.status("/lost", 404)
    site.page("/x/out", page("Out"))
    site.sitemap(["/", "/parts", "/a", "/b", "/old", "/lost", "/x/out", "https://elsewhere.example/"])
    config = {"exclude_patterns": ["/x/*"]}
    project.manifest([source("a", site.at("/"), "crawl", scrape_config=config)], delay_s=0.02)
    assert project.scrapy("collect").returncode == 0

    [summary] = summaries(project)
    run = crawl_output.last_run("a")
    assert (summary["scrape_run_id"], summary["manifest_id"], summary["state"]) == (run["run_id"], "a", "complete")
    counts = json.loads(run["counts"])
    assert summary["pages_found"] == counts["discovered"] == 11
    assert (summary["pages_scraped"], summary["pages_changed"], summary["errors"]) == (7, 7, 1)
    assert (summary["requests"], summary["credits"]) == (run["requests"], 0)
    assert 0 < summary["seconds"] == round(run["seconds"], 1) < 120

    mapped, start, contents = summary["coverage"]
    numbers = {key: value for key, value in mapped.items() if isinstance(value, int) and value}
    assert numbers == {"listed": 8, "captured": 4, "elsewhere": 1, "excluded": 2, "failed": 1, "missing_in_all": 1}
    assert mapped["listed_on"] == [site.at("/sitemap.xml")]
    assert mapped["excluded_by"] == {Reason("exclude_pattern", rule="/x/*"): 1, Reason("outside_hosts"): 1}
    assert mapped["missing"] == [
        {"url": site.at("/lost"), "state": "failed", "reason": Reason("not_found", http_status=404)}
    ]
    assert (contents["listed_by"], contents["listed_on"]) == ("contents", [site.at("/parts")])
    assert (contents["listed"], contents["captured"], contents["missing"]) == (3, 3, [])  # also what no sitemap names
    assert (start["listed_on"], start["listed"]) == ([site.at("/")], 3)
    assert (start["captured"], start["missing"]) == (3, [])  # a sitemap adds to links, and never replaces them

    shown = project.scrapy("runs", "show", run["run_id"]).stdout
    assert f"sitemap {site.at('/sitemap.xml')}: 8 pages = 4 captured + 1 found at another URL + 2 excluded" in shown
    details = json.loads(project.scrapy("runs", "show", run["run_id"], "--format", "json").stdout)
    assert (details["summary"], find_problems("runs-show", details)) == (summary, [])
    crawl_output.assert_verified()

    [file] = (project.staging / "_summaries").rglob("*.json")
    whole = file.read_bytes()
    file.write_bytes(whole.replace(b"complete", b"changed!"))
    assert "differs from the summary that was written" in project.scrapy("verify").stdout
    file.unlink()
    assert "--repair` repairs 1" in project.scrapy("verify").stdout
    assert project.scrapy("verify", "--repair").returncode == 0
    assert file.read_bytes() == whole

    # As after a kill between the row and the file.
    file.unlink()
    crawl_output.change("UPDATE run_summaries SET written = 0")
    assert project.scrapy("collect", "--force").returncode == 0
    assert file.read_bytes() == whole
    first, second = summaries(project)
    assert {first["pages_changed"], second["pages_changed"]} == {7, 0}
    crawl_output.assert_verified()


def test_run_summary_after_acceptance_is_added(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    paths = [f"/{number}" for number in range(6)]
    site.page("/", page("Start", *paths))
    for path in paths:
        site.page(path, page(f"Page {path}"))
    project.manifest([source("a", site.at("/"), "crawl", scrape_config={"sitemaps": []})], delay_s=0.02)
    assert project.scrapy("collect").returncode == 0
    site.page("/all", page("All of them"))
    for path in paths[1:]:
        site.redirect(path, "/all", 301)
    assert project.scrapy("collect", "--force").returncode == 1
    run = crawl_output.last_run("a")["run_id"]
    assert project.scrapy("runs", "accept", run, "--reason", "as it is").returncode == 0
    states = [(one["state"], len(one["accepted"])) for one in summaries(project) if one["scrape_run_id"] == run]
    assert states == [("suspect", 0), ("complete", 1)]
    crawl_output.assert_verified()


def test_run_summary_of_abandoned_run_is_written(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    site.page("/", page("Start", "/1", "/2"))
    for path in ("/1", "/2"):
        site.page(path, page(f"Page {path}"))
    site.sitemap(["/", "/1", "/2"])
    held = site.slow("/2", seconds=600)
    project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.02)
    with job(project, "collect") as running:
        site.log.wait_for("/2")
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=60)
    held.release()
    assert summaries(project) == []
    site.page("/2", page("Page /2"))

    crawl_output.change("UPDATE runs SET started_at = ?, resumed_at = NULL", "2026-01-01T00:00:00.000000Z")
    assert project.scrapy("collect").returncode == 0
    given_up, complete = summaries(project)
    assert [run["state"] for run in crawl_output.runs("a")] == ["incomplete", "complete"]
    assert [run["run_id"] for run in crawl_output.runs("a")] == [given_up["scrape_run_id"], complete["scrape_run_id"]]
    assert (given_up["state"], given_up["reason"]) == ("incomplete", Reason("not_in_time", pending=1, discovered=3))
    assert (given_up["pages_found"], given_up["pages_scraped"]) == (3, 2)
    [mapped] = [one for one in given_up["coverage"] if one["listed_by"] == "sitemap"]
    assert [(one["url"], one["state"]) for one in mapped["missing"]] == [(site.at("/2"), "pending")]
    crawl_output.assert_verified()
