"""What a wiki lists: categories and those below them, namespaces, prefixes; to the end, or the run says so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.crawl.tiers.mediawiki import api_queries as wiki_lists
from rori_spiders.reasons import Reason
from tests.crawl.walkers.mediawiki import scripted_wiki
from tests.crawl.walkers.mediawiki.test_api_answers import redirected
from tests.crawl.walkers.mediawiki.test_pages import api, error, serve
from tests.support.crawl_output import CrawlOutput
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

MORE = {"gcmcontinue": "page|43 41|7", "continue": "gcmcontinue||"}
ON = {"gapcontinue": "Node.js", "continue": "gapcontinue||"}
_ENV = {"RORI_RETRY_SCALE": "0.001"}
_CONFIGS: dict[str, dict[str, Any]] = {
    "categories": {"mediawiki": {"categories": ["Law", "Category:Form"], "category_depth": 2, "titles": ["By name"]}},
    "namespace": {"mediawiki": {"namespaces": [0, 12]}, "exclude_patterns": ["/wiki/Private*"]},
    "prefix": {"mediawiki": {"prefix": "Patch "}},
    "capped": {"mediawiki": {"namespaces": [0]}, "max_pages": 2},
    "round": {"mediawiki": {"namespaces": [0]}},
    "again": {"mediawiki": {"namespaces": [0]}},
    "endless": {"mediawiki": {"namespaces": [0]}},
    "cut": {"mediawiki": {"namespaces": [0]}},
    "half": {"mediawiki": {"namespaces": [0]}},
    "warned": {"mediawiki": {"namespaces": [0]}},
    "closed": {"mediawiki": {"titles": ["By name"], "categories": ["Law"]}},
    "refused": {"mediawiki": {"namespaces": [0]}},
    "misspelt": {"mediawiki": {"categories": ["Lwa"]}},
    "busy": {"mediawiki": {"namespaces": [0]}},
    "moved": {"mediawiki": {"categories": ["Law"]}},
    "barred": {"mediawiki": {"categories": ["Law"]}},
}


class Listed:
    """Wikis with lists of every kind, and what one crawl of all of them left."""

    def __init__(self, project: Project, new_site: Callable[[], Site]) -> None:
        self.sites = {name: new_site() for name in _CONFIGS}
        for site in self.sites.values():
            scripted_wiki.pages(site, "By name", "A", "B", "C", "Node.js", "Help:Top", "Patch 1.2")
        self._categories()
        self._namespaces()
        self._liars()
        self._troubles()
        project.manifest(
            [
                source(
                    name,
                    self.sites[name].at("/wiki/Start"),
                    "mediawiki",
                    scrape_config=config
                    | {"mediawiki": config["mediawiki"] | {"api_url": self.sites[name].at(scripted_wiki.API)}},
                )
                for name, config in _CONFIGS.items()
            ],
            delay_s=0.02,
        )
        self.done = project.scrapy("collect", env=_ENV)
        self.left, self.project = CrawlOutput(project), project

    def _categories(self) -> None:
        wiki = self.sites["categories"]
        law, below, form = (
            scripted_wiki.category(name, level=at, depth=2) for name, at in (("Law", 0), ("Rules", 1), ("Form", 0))
        )
        scripted_wiki.lists(wiki, law, scripted_wiki.members("A", "Old", more=MORE))
        scripted_wiki.lists(
            wiki,
            scripted_wiki.further(law, MORE),
            scripted_wiki.members("B", "File:Seal.png", "Special:Log", sub=["Rules"]),
        )
        scripted_wiki.lists(wiki, below, scripted_wiki.members("A", "C", sub=["Law", "Deep"]))
        scripted_wiki.lists(wiki, scripted_wiki.category("Deep", level=2, depth=2), scripted_wiki.members("Node.js"))
        scripted_wiki.lists(wiki, form, scripted_wiki.members("B"))
        serve(wiki, "Old", redirected("Help:Top", "Old"))

    def _namespaces(self) -> None:
        wiki = self.sites["namespace"]
        scripted_wiki.lists(wiki, scripted_wiki.namespace(), scripted_wiki.titles("A", "Private", more=ON))
        scripted_wiki.lists(wiki, scripted_wiki.further(scripted_wiki.namespace(), ON), scripted_wiki.titles("Node.js"))
        scripted_wiki.lists(wiki, scripted_wiki.namespace(12), scripted_wiki.titles("Help:Top"))
        scripted_wiki.lists(
            self.sites["prefix"], scripted_wiki.namespace(0, "Patch "), scripted_wiki.titles("Patch 1.2")
        )
        scripted_wiki.lists(
            self.sites["capped"], scripted_wiki.namespace(), scripted_wiki.titles("A", "B", "C", more=ON)
        )

    def _liars(self) -> None:
        wiki = self.sites["round"]
        scripted_wiki.lists(wiki, scripted_wiki.namespace(), scripted_wiki.titles("A", more=ON))
        scripted_wiki.lists(
            wiki, scripted_wiki.further(scripted_wiki.namespace(), ON), scripted_wiki.titles("B", more=ON)
        )
        wiki, path = self.sites["again"], scripted_wiki.namespace()
        scripted_wiki.lists(wiki, path, scripted_wiki.titles("A", "B", more=ON))
        scripted_wiki.lists(
            wiki,
            scripted_wiki.further(path, ON),
            scripted_wiki.titles("A", "B", more={"gapcontinue": "Z", "continue": "gapcontinue||"}),
        )

        wiki, at = self.sites["endless"], scripted_wiki.namespace()
        for number in range(40):
            on = {"gapcontinue": f"A{number}", "continue": "gapcontinue||"}
            scripted_wiki.lists(wiki, at, scripted_wiki.titles(*(["A"] if number == 0 else []), more=on))
            at = scripted_wiki.further(scripted_wiki.namespace(), on)

    def _troubles(self) -> None:
        cut = "This result was truncated because it would otherwise be larger than the limit of 8388608 bytes."
        for name, text in (("cut", cut), ("warned", "Unrecognized parameter: utf9.")):
            warning = {"warnings": {"query": {"warnings": text}}}
            scripted_wiki.lists(self.sites[name], scripted_wiki.namespace(), scripted_wiki.titles("A") | warning)
        half = json.dumps(scripted_wiki.titles("A", "B"))[:60]
        self.sites["half"].page(scripted_wiki.namespace(), half, content_type="application/json")
        self.sites["closed"].status(scripted_wiki.category("Law"), 403, body="<h1>Forbidden</h1>")
        scripted_wiki.lists(self.sites["refused"], scripted_wiki.namespace(), error("readapidenied"))
        scripted_wiki.lists(self.sites["misspelt"], scripted_wiki.category("Lwa"), {"batchcomplete": True})
        exists_url = wiki_lists.category_exists_url(scripted_wiki.API, "Category:Lwa")
        scripted_wiki.lists(self.sites["misspelt"], exists_url, scripted_wiki.unknown())
        busy = self.sites["busy"]
        scripted_wiki.lists(busy, scripted_wiki.namespace(), scripted_wiki.titles("A"))
        busy.status(scripted_wiki.namespace(), 429, times=1, body="<h1>Too many</h1>", retry_after="0")
        busy.status(scripted_wiki.namespace(), 200, times=1, body=json.dumps(error("maxlag")), retry_after="0")
        moved = self.sites["moved"]
        short = {"query": {"general": {"articlepath": "/w/index.php?title=$1"}}}
        scripted_wiki.lists(moved, wiki_lists.site_info_url(scripted_wiki.API), short)
        scripted_wiki.lists(moved, scripted_wiki.category("Law"), scripted_wiki.members("A", "Help:Top"))
        barred = self.sites["barred"]
        barred.robots("User-agent: *\nDisallow: /wiki/B\nDisallow: /w/\n")
        scripted_wiki.lists(barred, scripted_wiki.category("Law"), scripted_wiki.members("A", "B"))

    def run(self, name: str) -> tuple[str, str]:
        run = self.left.last_run(name)
        return run["state"], run["reason"] or ""


@pytest.fixture(scope="module")
def listed(shared: Project, new_site: Callable[[], Site]) -> Listed:
    return Listed(shared, new_site)


def test_wiki_categories_list_pages_and_subcategories(listed: Listed) -> None:
    urls = listed.left.urls("categories")
    expected = {"/wiki/By_name", "/wiki/A", "/wiki/B", "/wiki/C", "/wiki/Node.js", "/wiki/Help:Top"}
    assert listed.left.in_state("categories", "captured") == expected
    assert not {"/wiki/File:Seal.png", "/wiki/Special:Log"} & urls.keys()
    assert listed.left.listed(listed.left.last_run("categories")["run_id"]) == {Reason("not_text"): 2}
    assert listed.run("categories") == ("complete", "")


def test_wiki_list_redirect_is_alias(listed: Listed) -> None:
    to = listed.sites["categories"].at("/wiki/Help:Top")
    assert listed.left.urls("categories")["/wiki/Old"] == ("excluded", Reason("redirected", target_url=to))


def test_wiki_circular_categories_are_listed_once(listed: Listed) -> None:
    hits = listed.sites["categories"].report().hits
    assert max(hits.values()) == 1
    assert sum("categorymembers" in path for path in hits) == 5  # Law in two answers, Rules, Deep, Form
    lists = listed.left.urls("categories", "api")
    assert {state for state, _ in lists.values()} == {"captured"} and len(lists) == 6


def test_wiki_list_answers_are_audited(listed: Listed) -> None:
    rows = listed.left.rows(
        "SELECT state, engine, raw_hash FROM audit WHERE manifest_id = 'categories' AND kind = 'api'"
    )
    assert [(row["state"], row["engine"]) for row in rows] == [("fetched", "mediawiki")] * 6
    assert all(row["raw_hash"] for row in rows)


def test_wiki_namespaces_are_listed_whole_within_patterns(listed: Listed) -> None:
    assert listed.left.in_state("namespace", "captured") == {"/wiki/A", "/wiki/Node.js", "/wiki/Help:Top"}
    counted = listed.left.listed(listed.left.last_run("namespace")["run_id"])
    assert counted == {Reason("exclude_pattern", rule="/wiki/Private*"): 1}
    assert "/wiki/Private" not in listed.left.urls("namespace")
    url = listed.sites["namespace"].at("/wiki/Private")
    found = json.loads(listed.project.scrapy("audit", "--url", url, "--format", "json").stdout)
    assert [(one["state"], one["reason_code"]) for one in found] == [("excluded", "exclude_pattern")]
    listed.left.assert_sums()
    listed.left.assert_verified()
    assert listed.left.states("prefix") == {"/wiki/Patch_1.2": "captured"}


def test_wiki_list_ends_at_max_pages(listed: Listed) -> None:
    assert listed.left.states("capped") == {"/wiki/A": "captured", "/wiki/B": "captured", "/wiki/C": "excluded"}
    _, (state, reason) = listed.left.urls("capped", "api").popitem()
    assert state == "excluded" and reason.code == "list_page_cap"
    ended, why = listed.run("capped")
    assert ended == "complete" and why.startswith("Pages in scope not requested, beyond max_pages 2: 1, such as ")
    assert "; lists of pages not read to their end: 1. Raise max_pages" in why


def test_wiki_list_beyond_limit_of_all_runs_leaves_run_incomplete(
    project: Project, new_site: Callable[[], Site], crawl_output: CrawlOutput
) -> None:
    wiki = new_site()
    scripted_wiki.lists(wiki, scripted_wiki.namespace(), scripted_wiki.titles("A", "B", more=ON))
    scripted_wiki.pages(wiki, "A", "B")
    config = {"mediawiki": {"namespaces": [0], "api_url": wiki.at(scripted_wiki.API)}}
    project.manifest([source("a", wiki.at("/wiki/Start"), "mediawiki", scrape_config=config)], delay_s=0.02)
    project.scrapy("collect", env={"RORI_MAX_PAGES": "2"})
    run = crawl_output.last_run("a")
    assert (run["state"], crawl_output.states("a")) == ("incomplete", {"/wiki/A": "captured", "/wiki/B": "captured"})


@pytest.mark.parametrize("name", ["round", "again"])
def test_wiki_circular_list_makes_run_incomplete(listed: Listed, name: str) -> None:
    state, reason = listed.run(name)
    assert state == "incomplete"
    assert "the list loops" in reason and "namespace 0" in reason
    assert listed.left.in_state(name, "captured") == ({"/wiki/A"} if name == "round" else {"/wiki/A", "/wiki/B"})


@pytest.mark.parametrize(
    ("name", "state", "words"),
    [
        ("endless", "incomplete", "20 responses in a row listed no page"),
        ("cut", "failed", "truncated its response"),
        ("half", "failed", "is not a MediaWiki API"),
        ("closed", "incomplete", "HTTP 403"),
        ("refused", "failed", Reason("api_error", rule="readapidenied")),
        ("misspelt", "failed", Reason("list_unknown")),
    ],
)
def test_wiki_missing_list_makes_run_incomplete_or_failed(listed: Listed, name: str, state: str, words: str) -> None:
    ended, reason = listed.run(name)
    assert ended == state
    assert words in reason and "list the pages in `titles`" in reason
    (stretched,) = listed.left.rows("SELECT interval_factor FROM source_state WHERE source_id = ?", name)
    assert stretched["interval_factor"] == 1  # nobody was rate limited


def test_wiki_endless_list_is_abandoned(listed: Listed) -> None:
    assert sum("allpages" in hit.path for hit in listed.sites["endless"].log.hits()) == 21


def test_wiki_api_warning_is_reported(listed: Listed) -> None:
    assert listed.run("warned") == ("complete", "")
    (reason,) = [reason for _, reason in listed.left.urls("warned", "api").values() if reason]
    assert reason == Reason("api_warning", error="Unrecognized parameter: utf9.")


def test_wiki_named_titles_are_collected_with_lists(listed: Listed) -> None:
    assert listed.left.states("closed") == {"/wiki/By_name": "captured"}


def test_wiki_busy_server_is_waited_for(listed: Listed) -> None:
    assert listed.run("busy") == ("complete", "")
    assert len(listed.sites["busy"].log.hits(scripted_wiki.namespace())) == 3


def test_wiki_urls_use_article_path_of_wiki(listed: Listed) -> None:
    captured = listed.left.in_state("moved", "captured")
    assert captured == {"/w/index.php?title=A", "/w/index.php?title=Help:Top"}
    assert listed.sites["moved"].log.hits(api("Help:Top"))


def test_wiki_robots_txt_applies_to_pages_not_lists(listed: Listed) -> None:
    assert listed.left.states("barred") == {"/wiki/A": "captured", "/wiki/B": "excluded"}


def test_wiki_lists_ledger_and_staging_agree(listed: Listed) -> None:
    listed.left.assert_sums()
    listed.left.assert_verified()
