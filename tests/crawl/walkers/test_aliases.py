"""One page with several addresses is one page: each address is asked once, and kept as an alias with what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.crawl_output import CrawlOutput, path_of
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from rori_spiders.reasons import Reason
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


def named(canonical: str, html: str) -> str:
    return html.replace("<head>", f'<head><link rel="canonical" href="{canonical}">')


class Aliases:
    """A site with every kind of second address, collected twice."""

    def __init__(self, project: Project, site: Site) -> None:
        self.site = site
        port = site.netloc.partition(":")[2]
        links = ("/law", f"HTTP://{site.host}:{port}/law#part-2", "/./x/../law", "/law?utm_source=news&utm_medium=mail")
        more = (
            "/law;jsessionid=0A1B2C",
            "/old",
            "/folder/",
            "/folder/index.html",
            "/en/index.en.html",
            "/en/",
            "/law/view?skin=1",
            "/front",
            "/away",
        )
        views = ("/unlinked?view=1", "/lost?view=1")
        site.page("/", page("Start", *links, *more, *views))
        law = named("/law", page("The law"))
        site.page("/law", law)
        site.page("/law/view?skin=1", law.replace("Contact us", "Print"))  # other boilerplate, the same text
        site.redirect("/old", "/law", 301)
        for path in ("/folder/", "/folder/index.html"):
            site.page(path, named("/folder/", page("Folder")))
        for path in ("/en/", "/en/index.en.html"):
            site.page(path, page("A folder whose page has a language"))
        site.page("/unlinked?view=1", named("/unlinked", page("Only its view is linked")))
        site.page("/unlinked", named("/unlinked", page("Only its view is linked")))
        site.page("/lost?view=1", named("/lost", page("It names what is not there")))
        site.page("/front", named("/", page("A page of its own that names the front page")))
        site.page("/away", named("https://elsewhere.example/law", page("Elsewhere, as it says")))
        project.manifest([source("aliases", site.at("/"), "crawl")], delay_s=0.02)
        self.left = CrawlOutput(project)
        self.runs = [self._collected(project) for _ in range(2)]

    def _collected(self, project: Project) -> dict[str, tuple[str, Reason]]:
        done = project.scrapy("collect", "--force")
        assert done.returncode == 0, done.stdout
        return self.left.urls("aliases")


@pytest.fixture(scope="module")
def aliases(shared: Project, new_site: Callable[[], Site]) -> Aliases:
    return Aliases(shared, new_site())


PAGES = {"/", "/law", "/folder/", "/en/index.en.html", "/front", "/away", "/unlinked", "/lost?view=1"}


def test_aliases_each_page_is_collected_once(aliases: Aliases) -> None:
    first, second = aliases.runs
    assert {path for path, (state, _) in first.items() if state == "captured"} == PAGES
    assert {path for path, (state, _) in second.items() if state == "unchanged"} == PAGES
    assert sorted(path_of(line["url"]) for line in aliases.left.index()) == sorted(PAGES)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/old", ("redirected", "{site}/law")),
        ("/folder/index.html", ("same_bytes", "{site}/folder/")),
        ("/en/", ("same_bytes", "{site}/en/index.en.html")),
        ("/law/view?skin=1", ("canonical_link", "{site}/law")),
        ("/unlinked?view=1", ("canonical_link same_bytes", "{site}/unlinked")),  # at first by its link
        ("/law?utm_source=news&utm_medium=mail", ("address_simplified", "{site}/law")),
        ("/law;jsessionid=0A1B2C", ("address_simplified", "{site}/law")),
    ],
)
def test_aliases_name_their_page(aliases: Aliases, path: str, why: tuple[str, str]) -> None:
    for urls in aliases.runs:
        state, reason = urls[path]
        codes, target = why
        assert state == "excluded" and reason.code in codes.split()
        assert reason.detail["target_url"] == target.format(site=aliases.site.url)


def test_aliases_by_spelling_and_tracking_are_not_requested(aliases: Aliases) -> None:
    requested = {hit.path for hit in aliases.site.log.hits()}
    others = {
        "/robots.txt",
        "/sitemap.xml",
        "/sitemap_index.xml",
        "/old",
        "/folder/index.html",
        "/en/",
        "/law/view?skin=1",
        "/unlinked?view=1",
        "/lost",
    }
    assert requested == {*PAGES, *others}
    assert aliases.site.report().hits["/law"] == 2  # once a run
    assert aliases.site.report().hits["/law/view?skin=1"] <= 3  # once more where the law came after it


def test_aliases_are_recorded_with_their_kind(aliases: Aliases) -> None:
    rows = aliases.left.rows("SELECT a.url, a.kind, p.url AS page FROM page_aliases a JOIN pages p USING (page_id)")
    assert {path_of(row["url"]): (row["kind"], path_of(row["page"])) for row in rows} == {
        "/old": ("redirect", "/law"),
        "/folder/index.html": ("canonical", "/folder/"),
        "/en/": ("canonical", "/en/index.en.html"),
        "/law/view?skin=1": ("canonical", "/law"),
        "/unlinked?view=1": ("canonical", "/unlinked"),
    }
    aliases.left.assert_sums()
    aliases.left.assert_verified()


def test_aliases_canonical_page_is_awaited_and_mutual_ones_keep_one(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    site.page("/", page("Start", "/view", "/a", "/b"))
    law = named("/law", page("The law"))
    site.page("/view", law)
    site.slow("/law", law, seconds=2)
    site.page("/a", named("/b", page("Either")))
    site.page("/b", named("/a", page("Either")))
    project.manifest([source("a", site.at("/"), "crawl", scrape_config={"sitemaps": []})], delay_s=0.02)
    assert project.scrapy("collect", timeout=60).returncode == 0
    ends = crawl_output.urls("a")
    assert (ends["/law"][0], ends["/view"][0]) == ("captured", "excluded")
    assert sorted(ends[path][0] for path in ("/a", "/b")) == ["captured", "excluded"]
    crawl_output.assert_sums()


def test_aliases_page_held_on_its_own_stays_one(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    for path in ("/x", "/x/"):
        site.page(path, page(f"First text of {path}"))
    site.page("/", page("Start", "/x", "/x/"))
    project.manifest([source("a", site.at("/"), "crawl", scrape_config={"sitemaps": []})], delay_s=0.02)
    assert project.scrapy("collect").returncode == 0
    for path in ("/x", "/x/"):
        site.set(path, page("The same text from now on"))
    assert project.scrapy("collect", "--force").returncode == 0
    assert crawl_output.states("a") == {"/": "unchanged", "/x": "captured", "/x/": "captured"}
