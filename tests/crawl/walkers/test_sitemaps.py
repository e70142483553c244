"""Sitemaps of every form; which pages they bring, and when links are followed; the limits of a source."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from rori_spiders.reasons import Reason
from tests.support.crawl_output import CrawlOutput, path_of
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

_XML = "application/xml"


class Mapped:
    """Sites with and without sitemaps, and what one crawl of all of them left."""

    def __init__(self, project: Project, new_site: Callable[[], Site]) -> None:
        names = (
            "index",
            "named",
            "none",
            "broken",
            "torn",
            "empty",
            "both",
            "deep",
            "few",
            "yoast",
            "docs",
            "led",
            "shut",
        )
        self.sites = {name: new_site() for name in names}
        for name, site in self.sites.items():
            site.page("/", page("Start", "/linked", "/a"))
            for path in ("/linked", "/a", "/b", "/c", "/d", "/x/out"):
                site.page(path, page(f"Page {path} of {name}", "/beyond"))
            site.page("/beyond", page("Beyond"))
        self._script()
        configs = {
            "index": {"exclude_patterns": ["/x/*"]},
            "deep": {"max_depth": 1},
            "few": {"max_pages": 2},
            "shut": {"follow_links": False},
            "docs": {"include_patterns": ["/*"]},
        }
        starts = {name: site.at("/docs/" if name == "docs" else "/") for name, site in self.sites.items()}
        project.manifest(
            [source(name, start, "crawl", scrape_config=configs.get(name, {})) for name, start in starts.items()],
            delay_s=0.02,
        )
        self.done = project.scrapy("collect")
        self.left = CrawlOutput(project)

    def _script(self) -> None:
        index, named = self.sites["index"], self.sites["named"]
        locs = "".join(
            f"<sitemap><loc>{index.at(path)}</loc></sitemap>" for path in ("/one.xml.gz", "/two.txt", "/sitemap.xml")
        )
        index.page("/sitemap.xml", f"<sitemapindex>{locs}</sitemapindex>", content_type=_XML)
        urls = "".join(
            f"<url><loc>{url}</loc></url>"
            for url in (index.at("/a"), index.at("/x/out"), "https://elsewhere.example/y", "mailto:x@example.org")
        )
        body = gzip.compress(f"<urlset>{urls}</urlset>".encode(), mtime=0)
        index.page("/one.xml.gz", body, content_type="application/x-gzip")
        index.page("/two.txt", f"{index.at('/b')}\n{index.at('/c')}\n", content_type="text/plain")
        named.robots(f"Sitemap: {named.at('/maps/pages.xml')}\n")
        named.sitemap(["/d"], at="/maps/pages.xml")
        named.sitemap(["/c"])  # robots.txt does not name this one
        self.sites["broken"].page("/sitemap.xml", page("No sitemap at all"))
        self.sites["torn"].page("/sitemap.xml", gzip.compress(b"<urlset>" * 500)[:15], content_type=_XML)
        self.sites["empty"].sitemap([])
        for name in ("both", "few"):
            self.sites[name].sitemap(["/b", "/c", "/d"])
        self.sites["yoast"].sitemap(["/b"], at="/sitemap_index.xml")
        self.sites["docs"].page("/docs/", page("Guide", "/linked"))
        self.sites["docs"].sitemap(["/b"], at="/docs/sitemap.xml")
        for name in ("led", "shut"):
            site = self.sites[name]
            head = '<head><link rel="contents" href="/toc"><link rel="next" href="/c">'
            site.page("/", page("Start", "/linked").replace("<head>", head))
            site.page("/toc", page("What is in it", "/d", "/x/out"))
            site.sitemap(["/a"])


@pytest.fixture(scope="module")
def mapped(shared: Project, new_site: Callable[[], Site]) -> Mapped:
    return Mapped(shared, new_site)


def test_sitemap_index_of_gzip_and_text_is_read(mapped: Mapped) -> None:
    assert mapped.left.in_state("index", "captured") == {"/", "/a", "/b", "/c", "/linked", "/beyond"}
    states = {path: state for path, (state, _) in mapped.left.urls("index", "sitemap").items()}
    assert states == {"/sitemap.xml": "captured", "/one.xml.gz": "captured", "/two.txt": "captured"}


def test_sitemap_entries_out_of_scope_are_counted_with_reason(mapped: Mapped) -> None:
    counted = mapped.left.listed(mapped.left.last_run("index")["run_id"])
    assert counted == {Reason("exclude_pattern", rule="/x/*"): 1, Reason("outside_hosts"): 1}
    assert not {"/x/out", "/y"} & mapped.left.urls("index").keys()
    assert not mapped.sites["index"].log.hits("/x/out")


@pytest.mark.parametrize("name", ["none", "broken", "torn", "empty"])
def test_sitemap_without_pages_links_are_followed(mapped: Mapped, name: str) -> None:
    assert mapped.left.in_state(name, "captured") == {"/", "/linked", "/a", "/beyond"}


def test_sitemap_adds_to_links(mapped: Mapped) -> None:
    assert mapped.left.in_state("both", "captured") == {"/", "/linked", "/a", "/b", "/c", "/d", "/beyond"}
    assert mapped.left.in_state("named", "captured") == {"/", "/linked", "/a", "/d", "/beyond"}


def test_sitemap_only_source_excludes_links_with_reason(mapped: Mapped) -> None:
    urls = mapped.left.urls("shut")
    assert {path for path, (state, _) in urls.items() if state == "captured"} == {"/", "/a"}
    off = ("excluded", Reason("links_not_followed"))
    assert {path for path, end in urls.items() if end == off} == {"/linked", "/beyond", "/toc", "/c"}


@pytest.mark.parametrize(("name", "start"), [("yoast", "/"), ("docs", "/docs/")])
def test_sitemap_at_conventional_path_is_found(mapped: Mapped, name: str, start: str) -> None:
    assert {start, "/b"} <= mapped.left.in_state(name, "captured")


def test_sitemap_source_still_reads_next_pages_and_contents(mapped: Mapped) -> None:
    expected = {"/", "/a", "/c", "/toc", "/d", "/x/out", "/linked", "/beyond"}
    assert mapped.left.in_state("led", "captured") == expected


def test_contents_page_unchanged_requests_failed_pages_again(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    site.page("/", page("Start", "/parts"))
    site.page("/parts", page("Table of Contents", "/1", "/2"))
    site.page("/1", page("Part 1"))
    site.status("/2", 404)
    site.sitemap(["/parts"])
    project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.02)
    assert project.scrapy("collect").returncode == 0
    assert crawl_output.in_state("a", "failed") == {"/2"}
    site.page("/2", page("Part 2"))
    assert project.scrapy("collect", "--force").returncode == 0
    assert crawl_output.states("a") == {"/": "unchanged", "/parts": "unchanged", "/1": "unchanged", "/2": "captured"}


def test_next_page_that_failed_is_requested_again_from_unchanged_page(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    """Each time, not only once."""

    def leading_on(title: str, following: str) -> str:
        return page(title).replace("</head>", f'<link rel="next" href="{following}"></head>')

    site.page("/", page("Start"), validators=True)
    site.page("/1", leading_on("Part 1", "/2"), validators=True)
    site.status("/2", 404)
    site.sitemap(["/1"])
    project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.02)
    for _ in range(3):
        assert project.scrapy("collect", "--force").returncode == 0
        assert crawl_output.states("a")["/2"] == "failed"
    site.page("/2", page("Part 2"), validators=True)
    assert project.scrapy("collect", "--force").returncode == 0
    assert crawl_output.states("a") == {"/": "unchanged", "/1": "unchanged", "/2": "captured"}
    crawl_output.assert_sums()


def test_sitemap_pages_beyond_max_depth_and_max_pages_have_reasons(mapped: Mapped) -> None:
    assert mapped.left.urls("deep")["/beyond"] == ("excluded", Reason("max_depth", limit=1))
    few = mapped.left.urls("few")
    assert len(mapped.left.in_state("few", "captured")) == 2
    capped = {reason for state, reason in few.values() if state == "excluded"}
    assert capped == {Reason("max_pages", limit=2)}


def test_sitemap_pages_are_requested_once_and_all_agrees(mapped: Mapped) -> None:
    assert mapped.done.returncode == 0, mapped.done.stdout
    for name, site in mapped.sites.items():
        assert max(site.report().hits.values()) == 1, name
        staged = [path_of(line["url"]) for line in mapped.left.index() if line["manifest_id"] == name]
        assert sorted(staged) == sorted(mapped.left.in_state(name, "captured"))
    mapped.left.assert_sums()
