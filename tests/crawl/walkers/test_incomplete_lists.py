"""A crawl whose publisher's lists could not be read in full is incomplete, says which, and is complete again later."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

_XML = "application/xml"
_URLSET = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
_INDEX = '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'


@dataclass
class Lists:
    sites: dict[str, Site]
    left: CrawlOutput
    project: Project


def _torn(site: Site) -> None:
    entries = f"<url><loc>{site.at('/a')}</loc></url><url><loc>{site.at('/b')}"
    site.page("/sitemap.xml", _URLSET + entries, content_type=_XML)


def _cut_gzip(site: Site) -> None:
    many = "\n".join(f"https://elsewhere.example/{number}" for number in range(2000))
    site.page("/sitemap.txt", gzip.compress(f"{site.at('/a')}\n{many}".encode())[:-2000], content_type="text/plain")
    site.page("/robots.txt", f"Sitemap: {site.at('/sitemap.txt')}", content_type="text/plain")


def _index_with_a_dead_sitemap(site: Site) -> None:
    site.page("/part.xml", f"{_URLSET}<url><loc>{site.at('/a')}</loc></url></urlset>", content_type=_XML)
    parts = "".join(f"<sitemap><loc>{site.at(path)}</loc></sitemap>" for path in ("/part.xml", "/dead.xml"))
    site.page("/sitemap.xml", f"{_INDEX}{parts}</sitemapindex>", content_type=_XML)


def _named_by_robots_and_broken(site: Site) -> None:
    site.page("/robots.txt", f"Sitemap: {site.at('/list.xml')}", content_type="text/plain")
    site.page("/list.xml", "<html><p>Maintenance", content_type="text/html")


def _named_by_robots_and_gone(site: Site) -> None:
    site.page("/robots.txt", f"Sitemap: {site.at('/list.xml')}", content_type="text/plain")


def _whole(site: Site) -> None:
    site.sitemap(["/a"])


CASES: dict[str, tuple[Callable[[Site], None], str, str]] = {
    "torn": (_torn, "incomplete", "/sitemap.xml"),
    "cut": (_cut_gzip, "incomplete", "/sitemap.txt"),
    "dead": (_index_with_a_dead_sitemap, "incomplete", "/dead.xml"),
    "broken": (_named_by_robots_and_broken, "incomplete", "/list.xml"),
    "gone": (_named_by_robots_and_gone, "complete", ""),
    "whole": (_whole, "complete", ""),
}


@pytest.fixture(scope="module")
def lists(shared: Project, new_site: Callable[[], Site]) -> Lists:
    sites = {name: new_site() for name in CASES}
    for name, site in sites.items():
        site.page("/", page("Home", "/a"))
        site.page("/a", page("A"))
        CASES[name][0](site)
    shared.manifest([source(name, site.at("/"), "crawl") for name, site in sites.items()], delay_s=0.02)
    done = shared.scrapy("collect")
    assert done.returncode == 1, done.stderr
    return Lists(sites, CrawlOutput(shared), shared)


@pytest.mark.parametrize("name", CASES)
def test_incomplete_list_makes_run_incomplete(lists: Lists, name: str) -> None:
    _, state, path = CASES[name]
    run = lists.left.last_run(name)
    assert run["state"] == state, run["reason"]
    assert lists.left.in_state(name, "captured") >= {"/", "/a"}
    if path:
        assert lists.sites[name].at(path) in run["reason"]


def test_incomplete_list_opens_alert(lists: Lists) -> None:
    alerts = json.loads(lists.project.scrapy("alerts", "list", "--format", "json").stdout)
    found = {alert["source_id"]: alert["message"] for alert in alerts if alert["event"] == "incomplete"}
    assert found.keys() == {name for name, (_, state, _) in CASES.items() if state == "incomplete"}
    assert lists.sites["torn"].at("/sitemap.xml") in found["torn"]


def test_incomplete_list_alert_clears_when_list_is_complete(lists: Lists) -> None:
    _whole(lists.sites["torn"])
    lists.project.scrapy("collect", "--source", "torn")
    assert lists.left.last_run("torn")["state"] == "complete"
    alerts = json.loads(lists.project.scrapy("alerts", "list", "--format", "json").stdout)
    assert not [alert for alert in alerts if (alert["event"], alert["source_id"]) == ("incomplete", "torn")]
