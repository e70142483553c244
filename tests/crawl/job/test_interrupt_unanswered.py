"""Ctrl-C while a server does not answer: the job ends within seconds, and the next one asks again."""

from __future__ import annotations

import asyncio
import signal
import threading
from typing import TYPE_CHECKING

import pytest
from scrapy.utils.test import get_crawler

from rori_spiders.crawl.job.job import Job
from rori_spiders.exceptions import JobStopped
from tests.support.jobs import job
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

#: A request may take this long: a stop that waited for one would be noticed.
_LONG = ("-s", "DOWNLOAD_TIMEOUT=600")
#: A stop takes 10 s at most; this is what a busy machine may add to starting and ending a process.
_STOPPED_S = 60


def _start(site: Site) -> None:
    site.page("/", page("Start", "/1", "/2"))
    site.page("/1", page("Page 1"))
    site.page("/2", page("Page 2"))


@pytest.mark.parametrize("path", ["/1", "/robots.txt", "/sitemap.xml"])
def test_stop_waits_for_no_server(site: Site, project: Project, crawl_output: CrawlOutput, path: str) -> None:
    _start(site)
    held = site.slow(path, seconds=600)
    project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.05)
    with job(project, "collect", *_LONG) as running:
        site.log.wait_for(path)
        running.send_signal(signal.SIGTERM)
        said, _ = running.communicate(timeout=_STOPPED_S)
    held.release()
    assert running.returncode == 1, said
    assert "Traceback" not in said
    run = crawl_output.last_run("a")
    assert (run["state"], run["reason_code"]) == ("partial", "stopped")
    assert "failed" not in crawl_output.states("a").values()
    assert not crawl_output.rows("SELECT * FROM audit WHERE state = 'failed' AND kind = 'page'")

    site.page(path, "" if path != "/1" else page("Page 1"))
    again = project.scrapy("collect")
    assert again.returncode == 0, again.stderr
    assert crawl_output.last_run("a")["run_id"] == run["run_id"]
    assert crawl_output.in_state("a", "captured") == {"/", "/1", "/2"}
    crawl_output.assert_sums()


def test_stop_while_several_servers_do_not_answer(
    sites: Callable[[int], list[Site]], project: Project, crawl_output: CrawlOutput
) -> None:
    several = sites(4)
    held = [one.slow("/", seconds=600) for one in several]
    project.manifest([source(f"s{number}", one.at("/")) for number, one in enumerate(several)], delay_s=0.05)
    with job(project, "collect", *_LONG) as running:
        for one in several:
            one.log.wait_for("/")
        running.send_signal(signal.SIGINT)
        said, _ = running.communicate(timeout=_STOPPED_S)
    for answer in held:
        answer.release()
    assert running.returncode == 1, said
    assert {run["state"] for run in crawl_output.runs()} == {"partial"}
    assert not crawl_output.rows("SELECT * FROM leases WHERE owner IS NOT NULL")


def test_work_in_the_pool_is_cut_short() -> None:
    """A conversion may take a minute; a stop does not."""
    release = threading.Event()

    async def working() -> None:
        shared = Job(get_crawler())
        work = asyncio.ensure_future(shared.stop.unless_stopped(asyncio.to_thread(release.wait, 600)))
        await asyncio.sleep(0)
        shared.stop.cut_short()
        with pytest.raises(JobStopped):
            await work
        with pytest.raises(JobStopped):  # and what comes later does not begin
            await shared.stop.unless_stopped(asyncio.sleep(600))
        release.set()

    asyncio.run(working())
