"""What a source expects and does not get is said with the reason for which it is expected; and finding nothing is."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.reasons import Reason
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

WHY = "52 sections on 2026-02-13"


def test_expectation_failure_names_its_reason(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    site.page("/", page("Start", "/a"))
    site.page("/a", page("Page /a"))
    expected: dict[str, dict[str, Any]] = {
        "pages": {"min_pages": 5, "why": WHY},
        "text": {"must_contain": ["Regulation Q"], "why": WHY},
        "chars": {"min_chars": 100_000, "why": WHY},
        "unexplained": {"min_chars": 100_000},
    }
    sources = [
        source(name, site.at("/"), "crawl", scrape_config={"sitemaps": [], "expect": expect})
        for name, expect in expected.items()
    ]
    met = {"must_contain": ["START begins  here", "finance charge"], "min_pages": 2, "min_chars": 100}
    sources.append(source("met", site.at("/"), "crawl", scrape_config={"sitemaps": [], "expect": met}))
    lost = {"sitemaps": [], "include_patterns": ["/none/*"]}
    project.manifest([*sources, source("nothing", site.at("/"), "crawl", scrape_config=lost)], delay_s=0.02)
    done = project.scrapy("collect")
    assert done.returncode == 1
    runs = {name: crawl_output.last_run(name) for name in (*expected, "met", "nothing")}
    assert {name: run["state"] for name, run in runs.items()} == {
        **dict.fromkeys(expected, "failed"),
        "met": "complete",
        "nothing": "complete",
    }
    assert runs["pages"]["reason"] == Reason("below_min_pages", pages=2, limit=5, note=WHY)
    assert f"'Regulation Q' is missing ({WHY})" in runs["text"]["reason"]
    assert f"fewer than min_chars 100000 ({WHY})" in runs["chars"]["reason"]
    assert runs["unexplained"]["reason"].endswith("fewer than min_chars 100000")

    note = "nothing was found beside the start page: include_patterns (/none/*) match no page that it leads to"
    assert f"nothing: {note}" in done.stderr
    assert f"Note: {note}" in project.scrapy("runs", "show", runs["nothing"]["run_id"]).stdout
    shown = json.loads(project.scrapy("runs", "show", runs["nothing"]["run_id"], "--format", "json").stdout)
    assert shown["summary"]["notes"] == [note]


def test_run_that_reached_max_pages_names_what_it_left_out(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    site.page("/", page("Start", "/a", "/b", "/b/print", "/c"))
    for path in ("/a", "/b", "/c"):
        site.page(path, page(f"Page {path}"))
    limited = {"sitemaps": [], "max_pages": 2}
    project.manifest([source("few", site.at("/"), "crawl", scrape_config=limited)], delay_s=0.02)
    assert project.scrapy("collect").returncode == 0
    left_out = Reason("complete_to_limit", limit=2, count=2, examples=site.at("/c"))
    run = crawl_output.last_run("few")
    assert (run["state"], run["reason_code"], run["reason"]) == ("complete", left_out.code, left_out)
    assert crawl_output.states("few")["/b/print"] == "excluded"  # as a copy: no limit brings it
    [alert] = crawl_output.rows("SELECT * FROM alerts WHERE cleared_at IS NULL AND event = 'page_limit'")
    assert (alert["severity"], alert["message"]) == ("warning", left_out)
    assert left_out in project.scrapy("sources", "show", "few").stdout

    site.page("/", page("Start", "/b", "/c", "/a"))  # new pages do not take the place of what is held
    assert project.scrapy("collect", "--force").returncode == 0
    assert crawl_output.in_state("few", "excluded") == {"/b", "/c"}
    assert len(crawl_output.rows("SELECT * FROM alerts WHERE event = 'page_limit'")) == 1

    raised = {"sitemaps": [], "max_pages": 9}
    project.manifest([source("few", site.at("/"), "crawl", scrape_config=raised)], delay_s=0.02)
    assert project.scrapy("collect", "--force").returncode == 0
    assert crawl_output.last_run("few")["reason_code"] == "complete"
    assert crawl_output.rows("SELECT * FROM alerts WHERE cleared_at IS NULL AND event = 'page_limit'") == []
