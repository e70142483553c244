"""Sites without end: sitemaps that lead to themselves or ever deeper, calendars, session ids, paths that grow.

Each run ends by itself, asks only so often, and what it leaves out is excluded with the reason.
"""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from rori_spiders.reasons import Reason
from rori_spiders.urls.sitemap_reader import MAX_BYTES, MAX_LEVELS
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

_XML = "application/xml"
_SESSION = "0123456789abcdef01234567"


def index(*urls: str) -> str:
    return f"<sitemapindex>{''.join(f'<sitemap><loc>{url}</loc></sitemap>' for url in urls)}</sitemapindex>"


def urlset(*urls: str) -> str:
    return f"<urlset>{''.join(f'<url><loc>{url}</loc></url>' for url in urls)}</urlset>"


class Endless:
    """Sites with one trap each, and what one job left of all of them."""

    def __init__(self, project: Project, new_site: Callable[[], Site]) -> None:
        names = ("loop", "nested", "away", "many", "bomb", "calendar", "sessions", "growing")
        self.sites = {name: new_site() for name in names}
        for name, site in self.sites.items():
            site.page("/", page(f"Start of {name}"))
            site.page("/a", page(f"Page of {name}"))
            getattr(self, f"_{name}")(site)
        configs = {"calendar": {"max_pages": 8}}
        project.manifest(
            [source(name, self.sites[name].at("/"), "crawl", scrape_config=configs.get(name, {})) for name in names],
            delay_s=0.02,
        )
        self.done = project.scrapy("collect", env={"RORI_MAX_PAGES": "30"})
        self.left = CrawlOutput(project)

    def _loop(self, site: Site) -> None:
        site.page("/sitemap.xml", index(site.at("/b.xml"), site.at("/sitemap.xml")), content_type=_XML)
        site.page("/b.xml", index(site.at("/sitemap.xml"), site.at("/b.xml"), site.at("/c.xml")), content_type=_XML)
        site.sitemap(["/a"], at="/c.xml")

    def _nested(self, site: Site) -> None:
        site.page("/sitemap.xml", index(site.at("/0.xml"), site.at("/good.xml")), content_type=_XML)
        site.sitemap(["/a"], at="/good.xml")
        for level in range(60):
            site.page(f"/{level}.xml", index(site.at(f"/{level + 1}.xml")), content_type=_XML)

    def _away(self, site: Site) -> None:
        site.page("/sitemap.xml", index("https://elsewhere.example/s.xml", site.at("/near.xml")), content_type=_XML)
        urls = (site.at("/a"), "https://elsewhere.example/x", "file:///etc/passwd", "javascript:alert(1)", "http://[")
        site.page("/near.xml", urlset(*urls), content_type=_XML)

    def _many(self, site: Site) -> None:
        site.sitemap(["/a", *(f"/p/{n}" for n in range(3000))])
        for number in range(40):
            site.page(f"/p/{number}", page(f"Page {number}"))

    def _bomb(self, site: Site) -> None:
        packed = gzip.compress(urlset(site.at("/a")).encode() + b" " * MAX_BYTES, mtime=0)
        site.page("/sitemap.xml", packed, content_type="application/gzip")
        site.page("/", page("Start of bomb", "/a"))

    def _calendar(self, site: Site) -> None:
        site.page("/", page("Start of calendar", "/calendar/0"))
        for month in range(60):
            site.page(f"/calendar/{month}", page(f"Month {month}", f"/calendar/{month + 1}"))

    def _sessions(self, site: Site) -> None:
        site.page("/", page("Start of sessions", f"/law?sid={_SESSION}", f"/law;jsessionid={_SESSION}", "/law?sid=12"))
        site.page("/law", page("The law", f"/law?sid={_SESSION[::-1]}", f"/rule?phpsessid={_SESSION}&id=1"))
        site.page("/law?sid=12", page("Section 12"))
        site.page("/rule?id=1", page("The rule"))

    def _growing(self, site: Site) -> None:
        site.page("/", page("Start of growing", "/more"))
        for depth in range(1, 12):
            site.page("/more" * depth, page(f"More {depth}", "/more" * (depth + 1)))


@pytest.fixture(scope="module")
def endless(shared: Project, new_site: Callable[[], Site]) -> Endless:
    return Endless(shared, new_site)


def test_trap_runs_end_and_urls_have_final_state(endless: Endless) -> None:
    states = dict.fromkeys(endless.sites, "complete") | {"many": "incomplete", "nested": "incomplete"}
    assert {run["source_id"]: run["state"] for run in endless.left.runs()} == states
    endless.left.assert_sums()
    for site in endless.sites.values():
        assert max(site.report().hits.values()) == 1


@pytest.mark.parametrize("name", ["loop", "nested", "away"])
def test_trap_pages_of_sound_sitemaps_are_read(endless: Endless, name: str) -> None:
    assert endless.left.in_state(name, "captured") == {"/", "/a"}


def test_trap_nested_indexes_are_read_to_depth_limit(endless: Endless) -> None:
    states = endless.left.urls("nested", "sitemap")
    requested = {f"/{level}.xml" for level in range(MAX_LEVELS - 1)} | {"/sitemap.xml", "/good.xml"}
    assert {path for path, (state, _) in states.items() if state == "captured"} == requested
    assert states[f"/{MAX_LEVELS - 1}.xml"] == ("excluded", Reason("sitemap_too_deep", limit=MAX_LEVELS))
    assert len(states) == len(requested) + 1


def test_trap_sitemap_entries_elsewhere_are_excluded_with_reason(endless: Endless) -> None:
    run_id = endless.left.last_run("away")["run_id"]
    assert endless.left.listed(run_id) == {Reason("outside_hosts"): 1}
    assert endless.left.listed(run_id, "sitemap") == {Reason("outside_hosts"): 1}
    assert "/s.xml" not in endless.left.urls("away", "sitemap")
    assert set(endless.left.urls("away")) == {"/", "/a"}  # the rest are no addresses of pages


def test_trap_source_without_max_pages_has_cap(endless: Endless) -> None:
    urls = endless.left.urls("many")
    capped = {path for path, (_, reason) in urls.items() if reason == Reason("page_cap", limit=30)}
    assert len(urls) == 3002 and len(capped) == 3002 - 30


def test_trap_sitemap_bomb_is_failure(endless: Endless) -> None:
    state, reason = endless.left.urls("bomb", "sitemap")["/sitemap.xml"]
    assert state == "failed" and "maximum" in reason
    assert endless.left.in_state("bomb", "captured") == {"/", "/a"}


def test_trap_calendar_ends_at_cap(endless: Endless) -> None:
    assert len(endless.left.in_state("calendar", "captured")) == 8
    assert set(endless.left.urls("calendar").values()) >= {("excluded", Reason("max_pages", limit=8))}


def test_trap_session_id_is_removed_from_url(endless: Endless) -> None:
    urls = endless.left.urls("sessions")
    assert endless.left.in_state("sessions", "captured") == {"/", "/law", "/law?sid=12", "/rule?id=1"}
    state, reason = urls[f"/law?sid={_SESSION}"]
    assert (state, reason) == (
        "excluded",
        Reason("address_simplified", rule="session ID removed", target_url=endless.sites["sessions"].at("/law")),
    )
    assert not [hit for hit in endless.sites["sessions"].log.hits() if _SESSION in hit.path]


def test_trap_repeating_path_is_excluded(endless: Endless) -> None:
    assert endless.left.in_state("growing", "captured") == {"/", "/more", "/more/more"}
    assert endless.left.urls("growing")["/more/more/more"] == (
        "excluded",
        Reason("crawler_trap", rule="repeating path: /more"),
    )
