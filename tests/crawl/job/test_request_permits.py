"""How many requests are under way over all jobs of a ledger, as the servers see it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.support.jobs import job
from tests.support.pages import page
from tests.support.project import is_soon, source
from tests.support.server.log import most_under_way

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site
    from tests.support.server.log import Hit

pytestmark = pytest.mark.crawl

_PATHS = ("/", "/1", "/2")


def _serve(sites: Sequence[Site], project: Project, *, seconds: float, delay_s: float | None) -> None:
    """Sites of three pages, each of which takes *seconds*; no sitemap is asked for."""
    for one in sites:
        one.page("/", page("Start", *_PATHS[1:]))
        one.page("/1", page("Page 1"))
        one.page("/2", page("Page 2"))
        for path in _PATHS:
            one.slow(path, seconds=seconds)
    named = [
        source(f"s{number}", one.at("/"), "crawl", scrape_config={"sitemaps": []}) for number, one in enumerate(sites)
    ]
    project.manifest(named, delay_s=delay_s)


def _hits(sites: Sequence[Site]) -> list[Hit]:
    return [hit for one in sites for hit in one.log.hits()]


def test_one_job_has_as_many_requests_under_way_as_the_setting_allows(
    sites: Callable[[int], list[Site]], project: Project, crawl_output: CrawlOutput
) -> None:
    many = sites(8)
    _serve(many, project, seconds=1.0, delay_s=0.02)
    collected = project.scrapy("collect", env={"RORI_MAX_CONCURRENT_REQUESTS": "4", "RORI_PARALLEL_RUNS": "8"})
    assert collected.returncode == 0, collected.stdout
    assert most_under_way(_hits(many)) == 4
    assert crawl_output.rows("SELECT * FROM permits") == []


@pytest.mark.timeout(300)  # two processes begin, which takes a busy machine a minute
def test_two_jobs_together_keep_the_limit_and_each_host_its_gap(
    sites: Callable[[int], list[Site]], project: Project, database_url: str
) -> None:
    """At the default rates: six hosts, of which each could have half a request under way, and two in all."""
    many = sites(6)
    _serve(many, project, seconds=1.2, delay_s=None)
    env = {"RORI_MAX_CONCURRENT_REQUESTS": "2", "RORI_PARALLEL_RUNS": "3", "RORI_DATABASE_URL": database_url}
    assert project.scrapy("ledger", "upgrade", env=env).returncode == 0
    with (
        job(project, "crawl", "sources", "-a", "sources=s0,s1,s2", env=env) as first,
        job(project, "crawl", "sources", "-a", "sources=s3,s4,s5", env=env) as second,
    ):
        said = [one.communicate(timeout=240)[0] for one in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0), said
    assert most_under_way(_hits(many)) == 2
    for one in many:
        asked = [hit.at for hit in one.log.hits()]
        assert min(later - earlier for earlier, later in pairwise(asked)) >= 2.0


def test_second_job_gets_permits_while_first_could_use_all(
    sites: Callable[[int], list[Site]], project: Project
) -> None:
    *busy, late = sites(5)
    _serve([*busy, late], project, seconds=0.3, delay_s=0.02)
    for one in busy:
        one.page("/", page("Start", *(f"/more/{number}" for number in range(200))))
        for number in range(200):
            one.slow(f"/more/{number}", page(f"More {number}"), seconds=0.3)
    env = {"RORI_MAX_CONCURRENT_REQUESTS": "2", "RORI_PARALLEL_RUNS": "4"}
    with job(project, "crawl", "sources", "-a", "sources=s0,s1,s2,s3", env=env) as first:
        assert is_soon(lambda: len(_hits(busy)) > 20)
        collected = project.scrapy("crawl", "s4", env=env)
        assert first.poll() is None
    assert collected.returncode == 0, collected.stdout
    assert most_under_way(hit for hit in _hits([*busy, late]) if hit.status) == 2


def test_permits_of_killed_job_come_back(sites: Callable[[int], list[Site]], project: Project) -> None:
    one, other = sites(2)
    _serve([one, other], project, seconds=600, delay_s=0.02)
    env = {"RORI_MAX_CONCURRENT_REQUESTS": "1"}
    with job(project, "crawl", "s0", env=env) as killed:
        one.log.wait_for("/")
        assert (
            "all 1 requests at once of this machine are in use by other jobs"
            in project.scrapy("crawl", "s1", env=env).stdout
        )
        killed.kill()
        killed.communicate()
    for path in _PATHS:
        other.page(path, page(f"Page {path}"))
    assert project.scrapy("crawl", "s1", env=env).returncode == 0
