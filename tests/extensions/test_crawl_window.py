"""The hours of a site end while it is collected: the job ends its work on it, and the next night goes on."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from tests.extensions.clock_addon import FILE
from tests.support.jobs import job
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

PATHS = [f"/{number}" for number in range(30)]
ADDONS = json.dumps({"tests.extensions.clock_addon.LeapingClock": 0})


def hours() -> str:
    """Open for an hour to come, wherever the test runs and whenever."""
    now = datetime.now(ZoneInfo("UTC"))
    return f"{now - timedelta(hours=1):%H:%M}-{now + timedelta(hours=1):%H:%M} UTC"


def test_crawl_window_large_site_takes_several_nights(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    site.page("/", page("Start", *PATHS))
    for path in PATHS:
        site.page(path, page(f"Page {path}"))
    rules = {site.host: {"delay_s": 0.1, "concurrency": 1, "hours": hours()}}
    sources = [source(name, site.at("/"), "crawl", scrape_config={"sitemaps": []}) for name in ("a", "later")]
    project.manifest(sources, domains=rules)
    clock = project.folder / "clock"
    held = site.slow(PATHS[9], times=1)
    with job(
        project, "collect", "-s", f"ADDONS={ADDONS}", "-s", "RORI_PARALLEL_RUNS=1", env={FILE: str(clock)}
    ) as night:
        site.log.wait_for(PATHS[9], timeout=60)
        clock.write_text("2", encoding="utf-8")  # it is morning, and a page is still under way
        held.release()
        said, _ = night.communicate(timeout=60)
    assert night.returncode == 0, said
    run = crawl_output.last_run("a")
    assert run["state"] == "partial"
    assert run["reason_code"] == "window_closed"
    first = {hit.path for hit in site.log.hits() if hit.path in PATHS}
    assert 9 < len(first) < len(PATHS)
    assert crawl_output.in_state("a", "captured") == {"/", *first}
    assert "held     later: until " in said
    assert "Pending pages are kept" in said
    [state] = crawl_output.rows("SELECT * FROM source_state")
    assert (state["failures_in_row"], state["last_checked_at"]) == (0, None)
    crawl_output.assert_verified(but=frozenset({"clock_ahead", "clock_backwards"}))  # it has leapt

    explained = project.scrapy("due", "--explain", "a").stdout
    assert f"{len(first) + 1} of 31 known pages" in explained and "1 night" in explained
    listed = json.loads(project.scrapy("runs", "--format", "json").stdout)
    assert listed[0]["done_percent"] == 100 * (len(first) + 1) // 31

    clock.unlink()
    done = project.scrapy("collect", "--source", "a")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [one["state"] for one in crawl_output.runs("a")] == ["complete"]
    asked = [hit.path for hit in site.log.hits() if hit.path in PATHS]
    assert sorted(asked) == sorted(PATHS)  # each once, over both nights
    crawl_output.assert_sums()
    crawl_output.assert_verified(but=frozenset({"clock_ahead", "clock_backwards"}))  # it has leapt
