"""A kill at any moment: the next job takes the lease over at once, and loses and repeats nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.crawl_output import CrawlOutput, path_of
from tests.support.jobs import job
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

PATHS = {"/", *(f"/{number}" for number in range(8))}


@pytest.mark.parametrize(("path", "begin"), [("/robots.txt", None), ("/", None), ("/2", ()), ("/7", None)])
def test_job_killed_then_resumed_fetches_only_pending_pages(
    site: Site, project: Project, crawl_output: CrawlOutput, path: str, begin: tuple[()] | None
) -> None:
    site.page("/", page("Start", *sorted(PATHS - {"/"})), validators=True)
    for one in PATHS - {"/"}:
        site.page(one, page(f"Page {one}"))
    held = site.slow(path, times=1)
    project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.02)
    with job(project, "collect", begin=begin) as running:
        site.log.wait_for(path)
        running.kill()
        running.communicate()
    held.release()
    captured = crawl_output.in_state("a", "captured") if crawl_output.runs() else set()
    written = {
        path_of(json.loads((project.staging / file).read_bytes())["source"]["url"]) for file in crawl_output.files()
    }
    site.log.clear()

    after = project.scrapy("collect")
    assert after.returncode == 0, after.stderr
    assert "Released the leases of a killed process: " in after.stderr
    assert crawl_output.in_state("a", "captured") == PATHS
    assert sorted(path_of(line["url"]) for line in crawl_output.index()) == sorted(PATHS)
    requested = {hit.path for hit in site.log.hits()}
    assert not captured & requested
    assert requested >= PATHS - captured - written  # a file that was written and not yet recorded is adopted
    assert len(crawl_output.files()) == len(PATHS)
    crawl_output.assert_sums()
    [run] = crawl_output.runs("a")
    assert run["requests"] >= len(PATHS)  # those of the killed job too, but for what it had not recorded
    crawl_output.assert_verified()
