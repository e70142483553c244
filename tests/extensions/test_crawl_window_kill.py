"""A job is killed when the hours of its site have just ended, with a page under way: the next hours go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.extensions.clock_addon import FILE
from tests.extensions.test_crawl_window import ADDONS, hours
from tests.support.jobs import job
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

PATHS = [f"/{number}" for number in range(12)]


def test_crawl_window_kill_at_closing_recovers(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    site.page("/", page("Start", *PATHS))
    for path in PATHS:
        site.page(path, page(f"Page {path}"))
    rules = {site.host: {"delay_s": 0.1, "concurrency": 1, "hours": hours()}}
    project.manifest([source("a", site.at("/"), "crawl", scrape_config={"sitemaps": []})], domains=rules)
    clock, held = project.folder / "clock", site.slow(PATHS[5], times=1)
    with job(project, "collect", "-s", f"ADDONS={ADDONS}", env={FILE: str(clock)}) as night:
        site.log.wait_for(PATHS[5], timeout=60)
        while not crawl_output.in_state("a", "captured"):
            assert night.poll() is None
        clock.write_text("2", encoding="utf-8")
        assert night.stdout is not None
        while "the crawl window has closed" not in (line := night.stdout.readline()):
            assert line, "it ended"
    held.release()
    clock.unlink()
    assert crawl_output.last_run("a")["state"] == "running"
    captured, asked = crawl_output.in_state("a", "captured"), len(site.log.hits())
    crawl_output.expire_claims()
    done = project.scrapy("collect")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [run["state"] for run in crawl_output.runs("a")] == ["complete"]
    assert captured and not captured & {hit.path for hit in site.log.hits()[asked:]}
    assert crawl_output.in_state("a", "captured") == {"/", *PATHS}
    assert len(crawl_output.files()) == len(crawl_output.index()) == 1 + len(PATHS)
    crawl_output.assert_sums()
    crawl_output.assert_verified()
