"""Where pages are named: by which lists and links, each on a site of its own; all sites in one crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

START = "/rules/"


class Case(NamedTuple):
    """Pages beside the start page, and how the run ends; *build* puts what names them on the site."""

    build: Callable[[Site, Site], None]
    pages: tuple[str, ...] = ("/rules/1", "/rules/2")
    state: str = "complete"
    config: dict[str, Any] | None = None


def start(site: Site, *links: str, head: str = "") -> None:
    site.page(START, page("Rules", *links).replace("<head>", f"<head>{head}"))


def foreign_sitemap_in_robots(site: Site, other: Site) -> None:
    start(site)
    site.robots(f"User-agent: *\nAllow: /\nSitemap: {other.at('/sitemap.xml')}\n")
    site.sitemap(["/rules/1", "/rules/2"])


def sitemap_in_the_head(site: Site, _: Site) -> None:
    start(site, head='<link rel="sitemap" type="application/xml" href="/map-0.xml">')
    site.sitemap(["/rules/1", "/rules/2"], at="/map-0.xml")


def sitemap_that_redirects_to_another_site(site: Site, other: Site) -> None:
    start(site, "/rules/1", "/rules/2")
    site.robots(f"Sitemap: {site.at('/map.xml')}\n")
    site.redirect("/map.xml", other.at("/login"))


def sitemap_without_a_url(site: Site, _: Site) -> None:
    start(site, "/rules/1", "/rules/2")
    site.robots(f"Sitemap: {site.at('/map.xml')}\n")
    site.page("/map.xml", "Service unavailable", content_type="text/plain")


def sitemap_that_nobody_names_is_cut_off(site: Site, _: Site) -> None:
    start(site, "/rules/1", "/rules/2")
    site.truncated("/sitemap.xml", "<urlset>" + "<url><loc>/rules/3</loc></url>" * 100)


def addresses_in_cdata(site: Site, _: Site) -> None:
    start(site)
    site.page("/sitemap.xml", "<urlset><url><loc><![CDATA[/rules/?a=1&b=2]]></loc></url></urlset>")


def next_page_by_text(site: Site, _: Site) -> None:
    start(site, "/rules/1")
    site.page(START, page("Rules", "/rules/1").replace("</ul>", '<a href="?page=2">Next ›</a></ul>'))
    site.page("/rules/?page=2", page("More rules", "/rules/2"))


def next_page_by_header(site: Site, _: Site) -> None:
    site.page(START, page("Rules", "/rules/1"), link='</rules/?page=2>; rel="next"')
    site.page("/rules/?page=2", page("More rules", "/rules/2"))


def next_page_outside_of_the_patterns(site: Site, _: Site) -> None:
    start(site, "/rules/1", "/rules/2", head='<link rel="next" href="?page=2">')


def pages_before_the_start(site: Site, _: Site) -> None:
    start(site, head='<link rel="prev" href="/rules/1"><link rel="appendix" href="/rules/2">')


CASES = {
    "foreign-sitemap": Case(foreign_sitemap_in_robots),
    "head-sitemap": Case(sitemap_in_the_head),
    "sitemap-elsewhere": Case(sitemap_that_redirects_to_another_site, state="incomplete"),
    "sitemap-words": Case(sitemap_without_a_url, state="incomplete"),
    "sitemap-cut": Case(sitemap_that_nobody_names_is_cut_off, state="incomplete"),
    "cdata": Case(addresses_in_cdata, ("/rules/?a=1&b=2",)),
    "next-text": Case(next_page_by_text, ("/rules/1", "/rules/?page=2", "/rules/2"), config={"max_depth": 1}),
    "next-header": Case(next_page_by_header, ("/rules/1", "/rules/?page=2", "/rules/2")),
    "next-outside": Case(next_page_outside_of_the_patterns, config={"exclude_patterns": ["*?*"]}),
    "before": Case(pages_before_the_start),
}


class Crawled(NamedTuple):
    output: CrawlOutput
    sites: dict[str, Site]


@pytest.fixture(scope="module")
def crawled(shared: Project, new_site: Callable[[], Site]) -> Crawled:
    other, sites = new_site(), {name: new_site() for name in CASES}
    for name, case in CASES.items():
        for path in case.pages:
            sites[name].page(path, page(f"Rule at {path}"))
        case.build(sites[name], other)
    crawls = [
        source(name, sites[name].at(START), "crawl", scrape_config=case.config or {}) for name, case in CASES.items()
    ]
    shared.manifest(crawls, delay_s=0.02)
    shared.env["RORI_RETRY_SCALE"] = "0"
    shared.scrapy("collect", timeout=200)
    return Crawled(CrawlOutput(shared), sites)


@pytest.mark.parametrize("name", CASES)
def test_discovery_named_pages_are_collected(crawled: Crawled, name: str) -> None:
    assert crawled.output.in_state(name, "captured") == {START, *CASES[name].pages}
    assert crawled.output.last_run(name)["state"] == CASES[name].state


def test_discovery_next_page_outside_patterns_is_recorded_with_pattern(crawled: Crawled) -> None:
    state, reason = crawled.output.urls("next-outside")["/rules/?page=2"]
    assert (state, reason.code) == ("excluded", "exclude_pattern")


def test_discovery_start_url_redirecting_to_other_host_reads_its_sitemaps(
    site: Site, project: Project, new_site: Callable[[], Site]
) -> None:
    there = new_site()
    site.redirect(START, there.at(START))
    start(there)
    there.robots(f"Sitemap: {there.at('/map.xml')}\n")
    there.sitemap(["/rules/1"], at="/map.xml")
    there.page("/rules/1", page("Rule 1"))
    project.manifest([source("rules", site.at(START), "crawl", allowed_hosts=[there.host])], delay_s=0.02)
    project.env["RORI_ALLOWED_ADDRESSES"] = f"{site.netloc},{there.netloc}"
    project.scrapy("collect")
    assert "/rules/1" in CrawlOutput(project).in_state("rules", "captured")
