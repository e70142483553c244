"""A page in the scopes of two sources is fetched once, and staged under the narrower one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from rori_spiders.reasons import Reason
from tests.support.crawl_output import CrawlOutput, path_of
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

#: `/rules/` and below belong to the narrow crawl, `/form` to a single page; `/rules/2` leads out of the narrow scope.
LINKS = {
    "/": ("/rules/", "/form", "/news"),
    "/rules/": ("/rules/1", "/rules/2"),
    "/rules/1": (),
    "/rules/2": ("/appendix",),
    "/form": ("/instructions",),
    "/instructions": (),
    "/news": ("/rules/1",),
    "/appendix": (),
}
SHARED = {"/rules/1", "/rules/2", "/rules/", "/form"}


def serve(site: Site, project: Project, **broad: object) -> CrawlOutput:
    for path, leads_to in LINKS.items():
        site.page(path, page(f"Page {path}", *leads_to))
    project.manifest(
        [
            source("broad", site.at("/"), "crawl", **broad),
            source("rules", site.at("/rules/"), "crawl"),
            source("form", site.at("/form")),
        ],
        delay_s=0.02,
    )
    return CrawlOutput(project)


def fetched(site: Site) -> Counter[str]:
    return Counter(hit.path for hit in site.log.hits() if hit.path in LINKS)


def test_shared_page_is_fetched_once_for_narrower_source(site: Site, project: Project) -> None:
    crawl_output = serve(site, project)
    done = project.scrapy("collect")
    assert done.returncode == 0, done.stderr
    assert fetched(site) == dict.fromkeys(LINKS, 1)
    assert crawl_output.in_state("rules", "captured") == {"/rules/", "/rules/1", "/rules/2"}
    assert crawl_output.in_state("form", "captured") == {"/form"}
    assert crawl_output.in_state("broad", "captured") == set(LINKS) - SHARED
    members = {path: Reason("collected_by", source="form" if path == "/form" else "rules") for path in SHARED}
    assert {path: crawl_output.urls("broad")[path] for path in SHARED} == {
        path: ("excluded", reason) for path, reason in members.items()
    }
    staged = Counter(path_of(one["source"]["url"]) for one in crawl_output.envelopes())
    assert staged == dict.fromkeys(LINKS, 1)
    crawl_output.assert_sums()
    crawl_output.assert_verified()


def test_shared_page_missed_by_narrower_source_is_requested_by_other(site: Site, project: Project) -> None:
    crawl_output = serve(site, project)
    site.page("/rules/", page("Page /rules/", "/rules/1"))
    site.page("/news", page("Page /news", "/rules/2"))
    done = project.scrapy("collect")
    assert done.returncode == 0, done.stderr
    assert crawl_output.in_state("rules", "captured") == {"/rules/", "/rules/1"}
    assert crawl_output.in_state("broad", "captured") == {*LINKS} - SHARED | {"/rules/2"}


def test_shared_page_is_left_to_narrower_source_by_separate_job(site: Site, project: Project) -> None:
    crawl_output = serve(site, project)
    assert project.scrapy("collect").returncode == 0
    site.log.clear()
    done = project.scrapy("collect", "--source", "broad", "--force")
    assert done.returncode == 0, done.stderr
    assert set(fetched(site)) == set(LINKS) - SHARED
    assert crawl_output.in_state("broad", "unchanged") == set(LINKS) - SHARED
    assert crawl_output.in_state("broad", "excluded") == SHARED


def test_shared_pages_count_as_found(site: Site, project: Project) -> None:
    expect = {"min_pages": len(LINKS), "why": "all of them"}
    serve(site, project, scrape_config={"include_patterns": ["/*"], "expect": expect})
    done = project.scrapy("collect", "--source", "rules", "--source", "form")
    assert done.returncode == 0, done.stderr
    assert project.scrapy("collect", "--source", "broad").returncode == 0


def test_shared_start_page_is_read_from_stored_bytes(site: Site, project: Project) -> None:
    """Its sitemap, its feed and its links are the crawl's all the same."""
    head = '<head><link rel="alternate" type="application/rss+xml" href="/feed">'
    site.page("/", page("Start", "/linked").replace("<head>", head), content_type="text/html; charset=utf-8")
    site.sitemap(["/mapped"])
    feed = f"<rss><channel><item><link>{site.at('/fed')}</link></item></channel></rss>"
    site.page("/feed", feed, content_type="application/rss+xml")
    for path in ("/linked", "/mapped", "/fed"):
        site.page(path, page(f"Page {path}"))
    expect = {"must_contain": ["Start"], "min_pages": 4, "why": "all of them"}
    project.manifest(
        [
            source("all", site.at("/"), "crawl", scrape_config={"include_patterns": ["/*"], "expect": expect}),
            source("home", site.at("/")),
            source("again", site.at("/")),
        ],
        delay_s=0.02,
    )
    left = CrawlOutput(project)
    for state in ("captured", "unchanged"):
        site.log.clear()
        done = project.scrapy("collect", "--force")
        assert done.returncode == 0, done.stderr
        hits = Counter(hit.path for hit in site.log.hits())
        assert {path: hits[path] for path in ("/", "/linked", "/mapped", "/fed")} == dict.fromkeys(
            ("/", "/linked", "/mapped", "/fed"), 1
        )
        assert left.in_state("home", state) == {"/"}
        assert left.in_state("all", state) == {"/linked", "/mapped", "/fed"}
        assert left.urls("all")["/"] == left.urls("again")["/"] == ("excluded", Reason("collected_by", source="home"))
        assert {left.last_run(one)["state"] for one in ("all", "home", "again")} == {"complete"}
    assert len(left.index()) == 4
    left.assert_sums()
    left.assert_verified()


def test_shared_start_page_without_expected_text_fails_its_source_alone(site: Site, project: Project) -> None:
    site.page("/", page("Start", "/linked"))
    site.page("/linked", page("Page"))
    expect = {"must_contain": ["Regulation X"], "why": "the heading"}
    project.manifest(
        [source("all", site.at("/"), "crawl", scrape_config={"expect": expect}), source("home", site.at("/"))],
        delay_s=0.02,
    )
    assert project.scrapy("collect").returncode == 1
    left = CrawlOutput(project)
    assert left.urls("all")["/"][1].code == "expectation"
    assert (left.last_run("all")["state"], left.last_run("home")["state"]) == ("failed", "complete")


def test_shared_start_page_missed_by_other_source_is_requested(site: Site, project: Project) -> None:
    site.page("/", page("Start", "/linked"))
    site.page("/linked", page("Page"))
    expect = {"must_contain": ["Regulation X"], "why": "the heading"}
    project.manifest(
        [source("all", site.at("/"), "crawl"), source("home", site.at("/"), scrape_config={"expect": expect})],
        delay_s=0.02,
    )
    assert project.scrapy("collect").returncode == 1
    left = CrawlOutput(project)
    assert left.in_state("all", "captured") == {"/", "/linked"}
    assert left.last_run("all")["state"] == "complete"
