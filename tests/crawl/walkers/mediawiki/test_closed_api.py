"""A wiki whose api.php is closed: lists and pages as people see them, as far as robots.txt allows, or the run fails."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.reasons import Reason
from tests.crawl.walkers.mediawiki import wiki_pages as shown
from tests.crawl.walkers.mediawiki.test_pages import error
from tests.support.crawl_output import CrawlOutput
from tests.support.project import source
from tests.support.server.fixtures import next_address
from tests.support.server.site import Site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.project import Project

pytestmark = pytest.mark.crawl

ALL = "/wiki/Special:AllPages?namespace=0&hideredirects=1"
ON = "/w/index.php?title=Special:AllPages&from=B+two&hideredirects=1"
BACK = "/w/index.php?title=Special:AllPages&from=A&hideredirects=1"
_CATEGORIES = {"categories": ["Law"], "category_depth": 1, "titles": ["Category:Law"]}
_NAMESPACE: dict[str, Any] = {"namespaces": [0]}
_SCOPES = {
    "categories": _CATEGORIES,
    "all": _NAMESPACE,
    "barred": _NAMESPACE,
    "round": _NAMESPACE,
    "walled": _NAMESPACE,
    "blocked": _NAMESPACE,
    "misspelt": {"categories": ["Lwa"]},
}
#: As API:Errors_and_warnings has them.
_REFUSALS = {"all": error("readapidenied"), "blocked": error("blocked")}


class Closed:
    """Wikis whose API refuses, and what one crawl of all of them left."""

    def __init__(self, project: Project, sites: dict[str, Site]) -> None:
        self.sites = sites
        for name, site in sites.items():
            site.robots("User-agent: *\nDisallow: /w/index.php\n" if name == "barred" else "User-agent: *\nAllow: /\n")
            for title in ("A", "B two", "C", "Meanings"):
                site.page(shown.path(title), shown.page(title))
            if name in _REFUSALS:
                answer = json.dumps(_REFUSALS[name])
                site.page("/w/api.php", answer, content_type="application/json")
        self._shown()
        project.manifest(
            [
                source(
                    name,
                    sites[name].at("/wiki/Start"),
                    "mediawiki",
                    scrape_config={"mediawiki": {"api_url": sites[name].at("/w/api.php"), **scope}},
                )
                for name, scope in _SCOPES.items()
            ],
            delay_s=0.02,
        )
        project.scrapy("collect", env={"RORI_RETRY_SCALE": "0.001"})
        self.left = CrawlOutput(project)

    def _shown(self) -> None:
        law = self.sites["categories"]
        more = "/w/index.php?title=Category:Law&pagefrom=Old"
        law.page("/wiki/Category:Law", shown.page("Category:Law"))  # its own text is collected as well
        law.page("/wiki/Category:Law?pagefrom=", shown.category("A", "Meanings", sub=["Rules"], more=more))
        law.page(more, shown.category("Old", "Older", "Round", sub=["Rules"]))
        law.page("/wiki/Category:Rules", shown.category("B two", sub=["Law", "Deep"]))
        law.page("/wiki/Old", shown.page("C", came_from="Old"))
        law.page("/wiki/Older", shown.stub("Old", "Old"))
        law.page("/wiki/Round", shown.stub("Round", "Round"))
        law.page("/wiki/Meanings", shown.page("Meanings", categories=["Disambiguation pages"]))
        for name in ("all", "barred"):
            self.sites[name].page(ALL, shown.all_pages("A", links=[ON]))
            self.sites[name].page(ON, shown.all_pages("B two", "C", links=[BACK]))
        self.sites["round"].page(ALL, shown.all_pages("A", links=[ON]))
        self.sites["round"].page(ON, shown.all_pages("A", links=[ON + "&x=1"]))
        self.sites["walled"].page(ALL, shown.page("Login required"))
        self.sites["blocked"].page(ALL, shown.all_pages("A"))

    def run(self, name: str) -> tuple[str, str]:
        run = self.left.last_run(name)
        return run["state"], run["reason"] or ""


@pytest.fixture(scope="module")
def closed(shared: Project) -> Iterator[Closed]:
    sites = {name: Site(next_address()) for name in _SCOPES}
    try:
        yield Closed(shared, sites)
    finally:
        for site in sites.values():
            site.close()


def test_closed_wiki_categories_are_read_with_subcategories(closed: Closed) -> None:
    captured = {"/wiki/A", "/wiki/B_two", "/wiki/C", "/wiki/Meanings", "/wiki/Category:Law"}
    assert closed.left.in_state("categories", "captured") == captured
    lists = closed.left.urls("categories", "sitemap")
    assert len(lists) == 3 and {state for state, _ in lists.values()} == {"captured"}
    assert closed.run("categories") == ("complete", "")


def test_closed_wiki_redirecting_titles_are_aliases(closed: Closed) -> None:
    urls, at = closed.left.urls("categories"), closed.sites["categories"].at
    assert urls["/wiki/Old"] == ("excluded", Reason("redirected", target_url=at("/wiki/C")))
    assert urls["/wiki/Older"] == ("excluded", Reason("redirected", target_url=at("/wiki/Old")))
    assert urls["/wiki/Round"][0] == "failed" and urls["/wiki/Round"][1].code == "redirect_loop"


def test_closed_wiki_disambiguation_page_is_marked(closed: Closed) -> None:
    marked = {
        one["source"]["url"].rpartition("/")[2]: one["page_metadata"].get("disambiguation")
        for one in closed.left.envelopes()
        if one["source"]["manifest_id"] == "categories"
    }
    assert marked["Meanings"] is True and marked["A"] is None


def test_closed_wiki_namespace_is_read_from_all_pages(closed: Closed) -> None:
    assert closed.left.states("all") == {"/wiki/A": "captured", "/wiki/B_two": "captured", "/wiki/C": "captured"}
    assert closed.run("all") == ("complete", "")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("barred", Reason("robots_disallowed")),
        ("round", "the list loops"),
        ("walled", "the page has no wiki list"),
        ("misspelt", "HTTP 404"),
    ],
)
def test_closed_wiki_unreadable_list_makes_run_incomplete(closed: Closed, name: str, words: str) -> None:
    state, reason = closed.run(name)
    assert state == ("incomplete" if closed.left.in_state(name, "captured") else "failed")
    assert words in reason and Reason("pages_unknown", error="") in reason


def test_closed_wiki_lists_respect_robots_txt(closed: Closed) -> None:
    assert closed.left.states("barred") == {"/wiki/A": "captured"}
    assert not closed.sites["barred"].log.hits(ON)


def test_closed_wiki_that_blocks_is_not_bypassed(closed: Closed) -> None:
    state, reason = closed.run("blocked")
    assert (state, Reason("api_error", rule="blocked") in reason) == ("failed", True)
    assert not closed.sites["blocked"].log.hits(ALL)


def test_closed_wiki_ledger_and_staging_agree(closed: Closed) -> None:
    closed.left.assert_sums()
    closed.left.assert_verified()
