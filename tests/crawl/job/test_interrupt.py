"""Ctrl-C: the job ends soon and cleanly, says what remains, and the next one goes on with it."""

from __future__ import annotations

import signal
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.support.jobs import job
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

PATHS = {"/", *(f"/{number}" for number in range(12))}


def serve(site: Site) -> None:
    site.page("/", page("Start", *sorted(PATHS - {"/"})))
    for path in PATHS - {"/"}:
        site.page(path, page(f"Page {path}"))


def test_interrupted_run_is_continued(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    serve(site)
    held = site.slow("/6", times=1)
    project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.05)
    with job(project, "collect") as running:
        site.log.wait_for("/6")
        running.send_signal(signal.SIGINT)
        held.release()
        said, _ = running.communicate(timeout=60)
    assert running.returncode == 1, said
    assert "URLs pending: " in said
    assert "scrapy collect` resumes them" in said  # named as it was started: python -m scrapy

    run = crawl_output.last_run("a")
    before = Counter(hit.path for hit in site.log.hits())
    pending = crawl_output.in_state("a", "pending")
    assert (run["state"], bool(pending)) == ("partial", True)
    assert run["reason_code"] == "stopped"
    captured = crawl_output.in_state("a", "captured")
    assert captured | pending == PATHS

    again = project.scrapy("collect")
    assert again.returncode == 0, again.stderr
    assert (crawl_output.last_run("a")["run_id"], crawl_output.last_run("a")["state"]) == (run["run_id"], "complete")
    after = Counter(hit.path for hit in site.log.hits()) - before
    assert not captured & set(after)  # what was captured is not asked again
    assert pending <= set(after)
    assert crawl_output.in_state("a", "captured") == PATHS
    assert len(crawl_output.files()) == len(crawl_output.index()) == len(PATHS)
    crawl_output.assert_sums()
    crawl_output.assert_verified()


def test_interrupt_while_run_waits_for_its_turn(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    """A stop takes seconds however long the group must wait."""
    serve(site)
    project.manifest([source("a", site.at("/"), "crawl")], delay_s=600)
    with job(project, "collect") as running:
        site.log.wait_for("/robots.txt")
        running.send_signal(signal.SIGINT)
        said, _ = running.communicate(timeout=30)
    assert running.returncode == 1, said
    assert crawl_output.last_run("a")["state"] == "partial"
    assert crawl_output.states("a") == {"/": "pending"}
    assert not site.log.hits("/")
