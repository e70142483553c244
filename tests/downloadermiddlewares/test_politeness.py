"""Politeness by the server's own log: the distance between requests, how many at once, and who asks for more."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.pages import page
from tests.support.project import source
from tests.support.server.log import LATE_S, smallest_spacing

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


def test_politeness_delay_separates_all_requests_to_host(site: Site, project: Project) -> None:
    site.robots("User-agent: *\nDisallow:\n")
    site.page("/a/", page("One source", "/a/1", "/a/2"))
    site.redirect("/a/1", "/a/3")
    for path in ("/a/2", "/a/3", "/b"):
        site.page(path, page(f"Page {path}"))
    project.manifest([source("walked", site.at("/a/"), "crawl"), source("single", site.at("/b"))])
    collected = project.scrapy("collect")
    assert collected.returncode == 0, collected.stderr
    figures = site.report()
    maps = {"/sitemap.xml", "/a/sitemap.xml", "/sitemap_index.xml"}
    assert set(figures.hits) == {"/robots.txt", *maps, "/a/", "/a/1", "/a/2", "/a/3", "/b"}
    assert max(figures.hits.values()) == 1
    assert figures.smallest_gap is not None and figures.smallest_gap >= 2.0
    assert figures.most_at_once <= 3
    assert set(figures.user_agents) == {"RORI-Collector/1.0 (+https://rori.dev/collector; research-purposes)"}


def test_politeness_delay_of_robots_and_retry_after_is_obeyed(
    sites: Callable[[int], list[Site]], project: Project, crawl_output: CrawlOutput
) -> None:
    """Crawl-delay, Request-rate, and a Retry-After; each of another site, all in one crawl."""
    delayed, rated, limited = sites(3)
    delayed.robots("User-agent: *\nCrawl-delay: 0.6\n")
    rated.robots("User-agent: *\nRequest-rate: 2/1\n")
    limited.status("/2", 429, times=1, retry_after="1")
    names = {"delayed": delayed, "rated": rated, "limited": limited}
    for one in names.values():
        one.page("/", page("Start", "/1", "/2", "/3"))
        for path in ("/1", "/2", "/3"):
            one.page(path, page(f"Page {path}"))
    no_sitemap: dict[str, Any] = {"scrape_config": {"sitemaps": []}}
    project.manifest([source(name, one.at("/"), "crawl", **no_sitemap) for name, one in names.items()], delay_s=0.05)
    collected = project.scrapy("collect", env={"RORI_RETRY_SCALE": "0.001"})
    assert collected.returncode == 0, collected.stderr
    for one, least in ((delayed, 0.6), (rated, 0.5)):
        assert smallest_spacing(one.log.hits()) >= least - LATE_S
    refused, again = limited.log.hits("/2")
    between = [hit for hit in limited.log.hits() if refused.at < hit.at < again.at]
    assert again.at - refused.at >= 1.0
    assert not between  # the whole group waits, not only the URL
    assert crawl_output.in_state("limited", "captured") == {"/", "/1", "/2", "/3"}


def test_politeness_slow_site_gets_three_requests_at_most(sites: Callable[[int], list[Site]], project: Project) -> None:
    """Five sites whose answers take their time: few at once to each, ten at most to all."""
    slow = sites(5)
    for one in slow:
        one.page("/", page("Start", *(f"/{number}" for number in range(6))))
        for number in range(6):
            one.slow(f"/{number}", page(f"Page {number}"), seconds=0.4)
    project.manifest([source(f"s{n}", one.at("/"), "crawl") for n, one in enumerate(slow)], delay_s=0.02)
    assert project.scrapy("collect").returncode == 0
    hits = [hit for one in slow for hit in one.log.hits()]
    assert max(one.report().most_at_once for one in slow) <= 3
    assert most_at_once([(hit.at, hit.path) for hit in hits if hit.path[1:].isdigit()], 0.4) <= 10
    assert sum(hit.path[1:].isdigit() for hit in hits) == 30


def most_at_once(sent: list[tuple[float, str]], seconds: float) -> int:
    """How many were being answered at once, when each answer took *seconds*."""
    return max(sum(at - seconds < other <= at for other, _ in sent) for at, _ in sent)


def test_politeness_more_sites_than_concurrent_requests_are_served(
    sites: Callable[[int], list[Site]], project: Project
) -> None:
    """Eight sources of two hosts each: none is locked out by the others of its own job."""
    many = sites(16)
    for one in many:
        one.page("/", page("Start", *(other.at("/more") for other in many)))
        one.page("/more", page("More"))
    pairs = zip(many[::2], many[1::2], strict=True)
    project.manifest(
        [
            source(f"s{number}", one.at("/"), "crawl", allowed_hosts=[other.host])
            for number, (one, other) in enumerate(pairs)
        ],
        delay_s=0.02,
        domains={one.host: {"delay_s": 0.02} for one in many},
    )
    project.env["RORI_ALLOWED_ADDRESSES"] = ",".join(one.netloc for one in many)
    collected = project.scrapy("collect")
    assert (collected.returncode, "8 of 8 sources complete" in collected.stdout) == (0, True), collected.stdout
    assert all(len(one.log.hits("/more")) == 1 for one in many)


def test_politeness_throttle_outlives_job(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    """AutoThrottle's delay is kept with the group, shown, and holds for the next job from its first page on."""
    site.robots("User-agent: *\nCrawl-delay: 0.3\n")
    site.slow("/", page("Slow"), seconds=1.5)
    project.manifest([source("a", site.at("/"))], delay_s=0.05)
    assert project.scrapy("collect").returncode == 0
    (lease,) = crawl_output.rows("SELECT delay_s, throttle_s FROM leases")
    assert lease["delay_s"] == pytest.approx(0.3)
    assert 1.5 <= lease["throttle_s"] < 60
    shown = json.loads(project.scrapy("sources", "show", "a", "--format", "json").stdout)
    assert (shown["delay_asked_in_s"], shown["delay_throttled_in_s"]) == (0.3, lease["throttle_s"])

    before = len(site.log.hits())
    assert project.scrapy("collect", "--force").returncode == 0
    robots, again = site.log.hits()[before:]
    assert (robots.path, again.path) == ("/robots.txt", "/")
    assert again.at - robots.at >= 0.7  # half of it at least: one quick answer lies between


def test_politeness_not_modified_responses_count_as_responses(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    """A server that was slow once, and answers 304 quickly ever since, is as quick as it may be again."""
    paths = [f"/{number}" for number in range(8)]
    site.page("/", page("Start", *paths), validators=True)
    for path in paths:
        site.page(path, page(f"Page {path}"), validators=True)
    project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.02)
    assert project.scrapy("collect").returncode == 0
    crawl_output.change("UPDATE leases SET throttle_s = 1.0")
    assert project.scrapy("collect", "--force").returncode == 0
    assert {hit.status for hit in site.log.hits()[-len(paths) :]} == {304}
    (lease,) = crawl_output.rows("SELECT throttle_s FROM leases")
    assert lease["throttle_s"] is None or lease["throttle_s"] < 0.5


def test_politeness_delay_removed_from_robots_is_forgotten(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    site.robots("User-agent: *\nCrawl-delay: 0.4\n")
    site.page("/", page("Start"))
    project.manifest([source("a", site.at("/"))], delay_s=0.05)
    assert project.scrapy("collect").returncode == 0
    assert crawl_output.rows("SELECT delay_s FROM leases") == [{"delay_s": pytest.approx(0.4)}]
    site.robots("User-agent: *\nDisallow:\n")
    assert project.scrapy("collect", "--force").returncode == 0
    assert crawl_output.rows("SELECT delay_s FROM leases") == [{"delay_s": None}]
