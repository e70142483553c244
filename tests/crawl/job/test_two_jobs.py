"""Two processes and one host: one asks, the other says who does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.crawl_output import path_of
from tests.support.jobs import job
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


def test_second_job_is_locked_out_and_requests_nothing(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    for path in ("/a", "/b"):
        site.page(path, page(f"Page {path}"))
    held = site.slow("/a", times=1)
    project.manifest([source("a", site.at("/a")), source("b", site.at("/b"))], delay_s=0.05)
    with job(project, "crawl", "a") as first:
        site.log.wait_for("/a")
        second = project.scrapy("crawl", "b")
        assert second.returncode == 1, second.stderr
        assert "locked   b: " in second.stdout and f"pid {first.pid}" in second.stdout.replace(":", " pid ")
        assert not crawl_output.runs("b")
        assert [hit.path for hit in site.log.hits()] == ["/robots.txt", "/a"]
        held.release()
        said, _ = first.communicate(timeout=60)
    assert first.returncode == 0, said
    after = project.scrapy("crawl", "b")
    assert (after.returncode, crawl_output.states("b")) == (0, {"/b": "captured"}), after.stderr


def test_job_that_lost_its_lease_writes_nothing_more(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    site.page("/", page("Start", "/1", "/2"))
    site.page("/1", page("Page 1"))
    site.page("/2", page("Page 2"))
    held = site.slow("/1", page("Page 1"))
    project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.02)
    with job(project, "collect") as running:
        site.log.wait_for("/1")
        crawl_output.change("UPDATE leases SET owner = 'elsewhere:1:another', epoch = epoch + 1")
        held.release()
        said, _ = running.communicate(timeout=60)
    assert running.returncode == 1
    assert "went to another job" in said
    # What led to it may have waited to be recorded with it: then both are still to come.
    assert crawl_output.states("a").get("/1", crawl_output.states("a")["/"]) == "pending"
    [run] = crawl_output.runs("a")
    assert run["state"] == "partial"
    assert {path_of(line["url"]) for line in crawl_output.index()} <= {"/", "/2"}
