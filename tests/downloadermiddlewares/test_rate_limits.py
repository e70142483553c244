"""Servers that want to be asked less: left alone when they say so, and asked half as often until all is well again."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.reasons import Reason
from tests.support.jobs import job
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

NO_SITEMAP: dict[str, Any] = {"scrape_config": {"sitemaps": []}}
ALONE = Reason("cooling_down", error="the server requested a pause of 3600 s")


def collect(project: Project, *more: str) -> subprocess.CompletedProcess[str]:
    done = project.scrapy(
        "collect", "--force", *more, env={"RORI_TIERS": "mediawiki,http", "RORI_RETRY_SCALE": "0.001"}
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def a_site(site: Site, *paths: str) -> None:
    site.page("/", page("Start", *paths))
    for path in paths:
        site.page(path, page(f"Page {path}"))


def json_output(project: Project, *args: str) -> Any:
    return json.loads(project.scrapy(*args, "--format", "json").stdout)


def its_time_has_come(crawl_output: CrawlOutput) -> None:
    """An hour later: the pause that a server asked for is over."""
    crawl_output.change("UPDATE leases SET paused_until = '2026-01-01T00:00:00.000000Z'")


@pytest.mark.parametrize("status", [429, 503])
def test_rate_limit_retry_after_of_an_hour_cools_down_group(
    sites: Callable[[int], list[Site]], project: Project, crawl_output: CrawlOutput, status: int
) -> None:
    limited, well = sites(2)
    paces = {
        limited.host: {"delay_s": 1.0},
        well.host: {"delay_s": 0.05},
    }  # a refusal is heard before more goes
    for one in (limited, well):
        a_site(one, "/1", "/2", "/3")
    for path in ("/1", "/2", "/3", "/single"):
        limited.status(path, status, retry_after="3600", body="<h1>Later</h1>")
    sources = [
        source("limited", limited.at("/"), "crawl", **NO_SITEMAP),
        source("well", well.at("/"), "crawl", **NO_SITEMAP),
        source("same", limited.at("/single")),
    ]
    project.manifest(sources, domains=paces)
    done = collect(project)
    assert done.returncode == 1

    [refused] = [hit.path for hit in limited.log.hits() if hit.status == status]
    assert limited.log.hits()[-1].path == refused
    ends = {**crawl_output.urls("limited"), **crawl_output.urls("same")}
    assert set(ends.values()) <= {("captured", ""), ("failed", ALONE)}
    assert {path for path, end in ends.items() if end[0] == "failed"} >= {refused, "/single"}
    for name in ("limited", "same"):
        run = crawl_output.last_run(name)
        assert (run["state"], run["reason"]) == ("failed", ALONE)
    answered = crawl_output.rows("SELECT * FROM audit WHERE kind = 'page' AND http_status = ?", status)
    assert [row["url"] for row in answered] == [limited.at(refused)]
    crawl_output.assert_sums()
    assert crawl_output.in_state("well", "captured") == {"/", "/1", "/2", "/3"}
    assert "requested a pause of 3600 s; its remaining URLs are not requested now" in done.stderr

    limited.log.clear()
    again = collect(project)
    assert (again.returncode, limited.log.hits()) == (1, [])
    assert "locked   limited: " in again.stdout and "is cooling down until 20" in again.stdout
    waits = json_output(project, "sources", "show", "limited")["waits_until"]
    left_s = (datetime.fromisoformat(waits) - datetime.now(UTC)).total_seconds()
    assert 3000 < left_s <= 3600
    assert f"no requests until {waits[:10]}" in project.scrapy("due", "--explain", "limited").stdout
    its_time_has_come(crawl_output)
    a_site(limited, "/1", "/2", "/3", "/single")
    project.manifest(sources, delay_s=0.05)
    assert collect(project).returncode == 0


def test_rate_limit_on_all_attempts_halves_pace_until_two_good_runs(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    a_site(site, "/1", "/2")
    site.status("/1", 429)
    project.manifest([source("a", site.at("/"), "crawl", **NO_SITEMAP)], delay_s=0.02)
    done = collect(project)
    assert len(site.log.hits("/1")) == 6
    assert crawl_output.urls("a") == {
        "/": ("captured", ""),
        "/1": ("failed", Reason("rate_limited", http_status=429)),
        "/2": ("captured", ""),
    }
    assert (
        "a: rate limited until the retries were exhausted; its interval is now weekly, extended to every 14 days"
        in done.stderr
    )
    assert json_output(project, "sources", "show", "a")["interval"].startswith("weekly, extended to every 14 days")
    [item] = json_output(project, "sources", "--review")
    assert (item["event"], item["pages"]) == ("rate_limited", [site.at("/1")])
    explained = project.scrapy("due", "--explain", "a").stdout
    assert "The interval returns to every 7 days after 2 complete runs in a row (so far: 0)." in explained

    collect(project)  # limited once more: it is doubled only once
    assert [row["interval_factor"] for row in crawl_output.rows("SELECT * FROM source_state")] == [2]
    site.page("/1", page("Page /1"))
    collect(project)
    assert "(so far: 1)" in project.scrapy("due", "--explain", "a").stdout
    done = collect(project)
    assert "a: complete runs again; its interval is back to weekly, every 7 days" in done.stderr
    assert json_output(project, "sources", "show", "a")["interval"] == "weekly, every 7 days"
    assert json_output(project, "sources", "--review") == []


def test_rate_limit_on_three_urls_in_a_row_ends_run(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    paths = [f"/{number}" for number in range(6)]
    site.page("/", page("Start", *paths))
    for path in paths:
        site.status(path, 429)
    project.manifest([source("a", site.at("/"), "crawl", **NO_SITEMAP)], delay_s=0.02)
    collect(project)
    hits = site.report().hits
    counts = sorted(hits[path] for path in paths)
    assert counts[3:] == [6, 6, 6]
    assert max(counts[:3]) < 6  # a fourth may be asked between the end of the first and that of the third
    reason = Reason("cooling_down", error="HTTP 429 on every attempt for 3 URLs in a row")
    run = crawl_output.last_run("a")
    assert (run["state"], run["reason"]) == ("failed", reason)
    ends = [crawl_output.urls("a")[path] for path in paths]
    assert ends.count(("failed", reason)) >= 3
    assert {reason.code for _, reason in ends} <= {"rate_limited", "cooling_down"}
    crawl_output.assert_sums()
    a_site(site, *paths)
    assert collect(project).returncode == 0


def test_rate_limit_on_robots_txt_cools_down_group(
    sites: Callable[[int], list[Site]], project: Project, crawl_output: CrawlOutput
) -> None:
    """To the end, or for an hour: nothing else is asked, and the source is collected half as often."""
    many = dict(zip(("spent", "hour"), sites(2), strict=True))
    for one in many.values():
        a_site(one, "/1")
    many["spent"].robots("", status=429)
    many["hour"].robots("", status=429, retry_after="3600")
    project.manifest([source(name, one.at("/"), "crawl", **NO_SITEMAP) for name, one in many.items()], delay_s=0.02)
    collect(project)
    assert {path for one in many.values() for path in one.report().hits} == {"/robots.txt"}
    assert len(many["hour"].log.hits()) == 1
    for name in many:
        assert crawl_output.urls(name)["/"][0] == crawl_output.last_run(name)["state"] == "failed"
    assert crawl_output.last_run("hour")["reason"] == ALONE
    assert {row["interval_factor"] for row in crawl_output.rows("SELECT * FROM source_state")} == {2}
    assert {one["event"] for one in json_output(project, "sources", "--review")} == {"rate_limited"}


def test_rate_limit_retry_after_date_is_obeyed(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    at = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    site.status("/", 503, retry_after=at)
    project.manifest([source("a", site.at("/"))], delay_s=0.02)
    collect(project)
    assert len(site.log.hits("/")) == 1
    assert (crawl_output.last_run("a")["reason"] or "").startswith(
        Reason("cooling_down", error="the server requested a pause of 3")
    )


def test_rate_limit_cooldown_outlives_kill(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    """The job dies right after it heard of the hour; its lease ends, and the next job has heard of it too."""
    a_site(site, "/1", "/2")
    held = site.slow("/1", seconds=600)
    site.status("/2", 429, retry_after="3600", body="<h1>Later</h1>")
    project.manifest([source("a", site.at("/"), "crawl", **NO_SITEMAP)], delay_s=0.05)
    with job(project, "collect") as running:
        assert running.stdout is not None
        assert any("its remaining URLs are not requested now" in line for line in running.stdout)
        running.kill()
    held.release()
    assert [hit.path for hit in site.log.hits()][-2:] == ["/1", "/2"]  # the first is still out: the run has not ended
    assert crawl_output.last_run("a")["state"] == "running"
    crawl_output.expire_claims()
    requests = len(site.log.hits())
    assert "is cooling down until" in project.scrapy("collect", "--force").stdout
    assert len(site.log.hits()) == requests
