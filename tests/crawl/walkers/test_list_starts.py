"""Start URLs that are lists of pages (feeds, sitemaps): their pages are collected, and they are no documents."""

from __future__ import annotations

import gzip
import json
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from rori_spiders.reasons import Reason
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

_XML = "application/xml"
_OLD, _NEW = "Mon, 02 Nov 2026 08:00:00 GMT", "Tue, 03 Nov 2026 08:00:00 GMT"


def _rss(site: Site, paths: Iterable[str], *, built: str = _OLD) -> str:
    items = "".join(f"<item><title>News</title><link>{site.at(path)}</link></item>" for path in paths)
    return (
        '<?xml version="1.0"?><!-- news --><rss version="2.0"><channel><title>News</title>'
        f"<link>{site.at('/')}</link><lastBuildDate>{built}</lastBuildDate>{items}</channel></rss>"
    )


def _atom(site: Site, paths: Iterable[str]) -> str:
    entries = "".join(f'<entry><id>{path}</id><link href="{site.at(path)}"/></entry>' for path in paths)
    return f'<feed xmlns="http://www.w3.org/2005/Atom"><link href="{site.at("/")}"/>{entries}</feed>'


def _urlset(site: Site, paths: Iterable[str]) -> str:
    urls = "".join(f"<url><loc>{site.at(path)}</loc></url>" for path in paths)
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'


def _index(site: Site, paths: Iterable[str]) -> str:
    parts = "".join(f"<sitemap><loc>{site.at(path)}</loc></sitemap>" for path in paths)
    return f"<sitemapindex>{parts}</sitemapindex>"


def _serve(name: str, site: Site) -> str:
    """Serve the list that *name* stands for; gives its path."""
    named = ["/news/1", "/news/2"]
    forms: dict[str, tuple[str, str | bytes]] = {
        "rss": ("/feeds/news.xml", _rss(site, named)),
        "rss-page": ("/feeds/news.xml", _rss(site, named)),
        "rss-patterns": ("/feeds/news.xml", _rss(site, [*named, "/press/1"])),
        "atom": ("/feed", _atom(site, named)),
        "sitemap": ("/sitemap.xml", _urlset(site, named)),
        "packed": ("/maps/all.xml.gz", gzip.compress(_urlset(site, named).encode())),
        "index": ("/sitemap.xml", _index(site, ["/part.xml"])),
        "torn": ("/feeds/news.xml", _rss(site, named)[: -len("</channel></rss>")]),
        "torn-page": ("/feeds/news.xml", _rss(site, named)[: -len("</channel></rss>")]),
        "broken": ("/feeds/news.xml", "<rss"),
        "missing-part": (
            "/sitemap.xml",
            _index(site, ["/part.xml", "/none.xml"]),
        ),
        "capped": ("/feeds/news.xml", _rss(site, named)),
    }
    path, body = forms[name]
    site.page(path, body, content_type="application/x-gzip" if name == "packed" else _XML)
    return path


NAMES = (
    *("rss", "rss-page", "rss-patterns", "atom", "sitemap", "packed", "index"),
    *("torn", "torn-page", "broken", "missing-part", "capped"),
)
PAGES = {"/news/1", "/news/2"}


class Listed:
    """Sites whose start URL is a list, and what one collection of all of them left."""

    def __init__(self, project: Project, new_site: Callable[[], Site]) -> None:
        self.project, self.left = project, CrawlOutput(project)
        self.sites = {name: new_site() for name in NAMES}
        sources = []
        for name, site in self.sites.items():
            for path in ("/news/1", "/news/2", "/about", "/news/3"):
                site.page(path, page(f"Page {path}", "/about", "/news/3"))
            site.page("/", page("Home", "/about"))
            site.page("/part.xml", _urlset(site, ["/news/1", "/news/2"]), content_type=_XML)
            patterns = ["/news/*"] if name == "rss-patterns" else []
            config = {"include_patterns": patterns, "max_pages": 2 if name == "capped" else None}
            method = "scrape" if name.endswith("-page") else "crawl"
            sources.append(source(name, site.at(_serve(name, site)), method, scrape_config=config))
        project.manifest(sources, delay_s=0.02)
        self.collect(RORI_MAX_PAGES="1000")

    def collect(self, *args: str, **env: str) -> None:
        done = self.project.scrapy("collect", *args, env=env)
        self.log = done.stdout + done.stderr

    def staged(self, name: str) -> set[str]:
        site = self.sites[name]
        urls = [one["source"]["url"] for one in self.left.envelopes() if one["source"]["manifest_id"] == name]
        return {url.removeprefix(site.at("")) for url in urls}


@pytest.fixture(scope="module")
def listed(shared: Project, new_site: Callable[[], Site]) -> Listed:
    return Listed(shared, new_site)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in {"broken", "rss-patterns"}])
def test_feed_start_pages_it_names_are_staged_and_nothing_else(listed: Listed, name: str) -> None:
    assert listed.staged(name) == PAGES, listed.left.urls(name)


@pytest.mark.parametrize("name", ["rss", "rss-page", "atom", "sitemap", "packed", "index"])
def test_feed_start_itself_is_excluded(listed: Listed, name: str) -> None:
    assert listed.left.last_run(name)["state"] == "complete"
    state, reason = listed.left.urls(name)[_serve(name, listed.sites[name])]
    assert (state, reason.code) == ("excluded", "url_list")


def test_feed_start_with_include_patterns_follows_links_inside(listed: Listed) -> None:
    assert listed.staged("rss-patterns") == {*PAGES, "/news/3"}
    counted = listed.left.listed(listed.left.last_run("rss-patterns")["run_id"])
    assert counted[Reason("outside_include_patterns")] == 1
    listed.left.assert_sums()
    listed.left.assert_verified()


@pytest.mark.parametrize(("name", "lacks"), [("torn", "/feeds/news.xml"), ("missing-part", "/none.xml")])
def test_feed_start_truncated_makes_run_incomplete(listed: Listed, name: str, lacks: str) -> None:
    run = listed.left.last_run(name)
    assert (run["state"], run["reason_code"]) == ("incomplete", "lists_unread")
    assert listed.sites[name].at(lacks) in run["reason"]


def test_feed_start_truncated_single_page_source_is_incomplete(listed: Listed) -> None:
    assert listed.left.last_run("torn-page")["state"] == "incomplete"


def test_feed_start_unparseable_fails_run(listed: Listed) -> None:
    assert listed.left.last_run("broken")["state"] == "failed"
    assert listed.left.urls("broken")["/feeds/news.xml"][1].code == "sitemap_torn"


def test_feed_start_coverage_counts_items(listed: Listed) -> None:
    run = listed.left.last_run("rss")["run_id"]
    [made] = listed.left.rows("SELECT text FROM run_summaries WHERE run_id = ?", run)
    [feed] = [one for one in json.loads(made["text"])["coverage"] if one["listed_by"] == "feed"]
    assert (feed["listed"], feed["captured"]) == (2, 2)
    assert feed["listed_on"] == [listed.sites["rss"].at("/feeds/news.xml")]


def test_feed_start_new_build_date_is_no_change_and_new_item_is_collected(listed: Listed) -> None:
    site, before = listed.sites["rss"], len(listed.left.index())
    site.page("/feeds/news.xml", _rss(site, PAGES, built=_NEW), content_type=_XML)
    listed.collect("--source", "rss", "--force")
    assert len(listed.left.index()) == before
    assert listed.left.last_run("rss")["state"] == "complete"
    site.page("/feeds/news.xml", _rss(site, ["/news/2", "/news/3"], built=_NEW), content_type=_XML)
    listed.collect("--source", "rss", "--force")
    assert listed.staged("rss") == {*PAGES, "/news/3"}
    states = listed.left.states("rss")
    assert (states["/news/1"], states["/news/3"]) == ("unchanged", "captured")  # also what the feed has dropped
    listed.left.assert_sums()
    listed.left.assert_verified()


# --- feeds that a page names, and lists that were pages once ---------------------------------------------------------


def _with_feed(site: Site, feed: str, *links: str) -> str:
    link = f'<link rel="alternate" type="application/rss+xml; charset=utf-8" href="{site.at(feed)}">'
    return page("Guide", *links).replace("<head>", f"<head>{link}")


def test_feed_named_by_start_page_is_read(project: Project, site: Site) -> None:
    left = CrawlOutput(project)
    site.page("/guide/", _with_feed(site, "/feeds/all.xml", "/guide/a"), validators=True)
    for path in ("/guide/a", "/guide/b", "/guide/c", "/other"):
        site.page(path, page(f"Page {path}"))
    site.page("/feeds/all.xml", _rss(site, ["/guide/b", "/other"]), content_type=_XML)
    project.manifest([source("guide", site.at("/guide/"), "crawl")], delay_s=0.02)
    project.scrapy("collect")
    assert left.in_state("guide", "captured") == {"/guide/", "/guide/a", "/guide/b"}
    assert left.last_run("guide")["state"] == "complete"
    site.page("/feeds/all.xml", _rss(site, ["/guide/c"]), content_type=_XML)
    project.scrapy("collect", "--force")
    assert left.in_state("guide", "captured") == {"/guide/c"}  # also where the start page is not modified
    site.page("/feeds/all.xml", _rss(site, ["/guide/c"])[:-30], content_type=_XML)
    project.scrapy("collect", "--force")
    assert left.last_run("guide")["state"] == "incomplete"
    site.status("/feeds/all.xml", 404)
    project.scrapy("collect", "--force")
    assert left.last_run("guide")["state"] == "complete"
    left.assert_sums()


@pytest.mark.parametrize("method", ["scrape", "crawl"])
def test_feed_once_staged_as_page_is_list_also_when_not_modified(project: Project, site: Site, method: str) -> None:
    left = CrawlOutput(project)
    site.page("/feed", page("A page until now"), validators=True)
    site.page("/a", page("A"))
    project.manifest([source("news", site.at("/feed"), method)], delay_s=0.02)
    project.scrapy("collect")
    # As an older version left it: the page that is held is the feed, with its validators.
    feed = _rss(site, ["/a"]).encode()
    site.page("/feed", feed, content_type=_XML, etag='"one"')
    site.status("/feed", 304, times=1)
    digest = sha256(feed).hexdigest()
    folder = project.staging / "_objects" / digest[:2]
    folder.mkdir(exist_ok=True)
    (folder / f"{digest}.gz").write_bytes(gzip.compress(feed))
    left.change("UPDATE versions SET raw_object = ?", digest)
    project.scrapy("collect", "--force")
    assert left.states("news") == {"/feed": "excluded", "/a": "captured"}
