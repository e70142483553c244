"""Wikis: by their API, under the URLs that people know, and by plain HTTP where the API is closed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from rori_spiders.crawl.tiers.mediawiki import api_queries as wiki_lists
from rori_spiders.crawl.tiers.mediawiki.tier import build_parse_query
from rori_spiders.reasons import Reason
from tests.support.crawl_output import CrawlOutput, path_of
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

_PROSE = "<p>" + "Truth in lending is a matter of federal law and of its regulations. " * 12 + "</p>"


def serve(wiki: Site, title: str, answer: dict[str, object]) -> None:
    """Have the wiki's API answer the request for *title*, and say how its addresses look."""
    general = {"query": {"general": {"articlepath": "/wiki/$1", "server": wiki.url}}}
    wiki.page(wiki_lists.site_info_url("/w/api.php"), json.dumps(general), content_type="application/json")
    wiki.page(api(title), json.dumps(answer), content_type="application/json")


def api(title: str) -> str:
    return f"/w/api.php?{build_parse_query(title)}"


def parsed(title: str, text: str = _PROSE) -> dict[str, object]:
    categories = [{"category": "Lending_law", "hidden": False}]
    return {"parse": {"title": title, "pageid": 7, "revid": 11, "text": text, "categories": categories, "links": []}}


def error(code: str) -> dict[str, object]:
    return {"error": {"code": code, "info": f"The API says {code}."}}


class Wikis:
    """A wiki with an API, one whose API is closed, and what one crawl of both left."""

    def __init__(self, project: Project, new_site: Callable[[], Site]) -> None:
        self.open, self.closed = new_site(), new_site()
        self.open.robots("User-agent: *\nDisallow: /w/\nDisallow: /wiki/Private\n")
        for title in ("Truth in Lending Act", "Café/“Terms”", "Busy", "Private"):
            serve(self.open, title, parsed(title))
        serve(self.open, "Nowhere", error("missingtitle"))
        self.open.status(api("Busy"), 200, times=1, body=json.dumps(error("maxlag")), retry_after="0")
        self.closed.status("/w/api.php", 403, body="<h1>Forbidden</h1>")
        self.closed.page("/wiki/Truth_in_Lending_Act", page("Truth in Lending Act"))
        titles = {"open": ["Truth in Lending Act", "Café/“Terms”", "Busy", "Nowhere", "Private"]}
        titles["closed"] = ["Truth in Lending Act"]
        project.manifest(
            [
                source(name, wiki.at("/wiki/Truth_in_Lending_Act"), "mediawiki", scrape_config=config)
                for name, wiki in (("open", self.open), ("closed", self.closed))
                for config in [{"mediawiki": {"titles": titles[name]}}]
            ],
            delay_s=0.05,
            mediawiki_sites={wiki.host: wiki.at("/w/api.php") for wiki in (self.open, self.closed)},
        )
        self.done = project.scrapy("collect", env={"RORI_RETRY_SCALE": "0.01"})
        self.left = CrawlOutput(project)


@pytest.fixture(scope="module")
def wikis(shared: Project, new_site: Callable[[], Site]) -> Wikis:
    return Wikis(shared, new_site)


def test_wiki_pages_are_staged_under_page_urls(wikis: Wikis) -> None:
    staged = {path_of(one["source"]["url"]): one for one in wikis.left.envelopes()}
    paths = {f"/wiki/{quote(title)}" for title in ("Truth_in_Lending_Act", "Busy")} & staged.keys()
    assert paths == {"/wiki/Truth_in_Lending_Act", "/wiki/Busy"}
    assert wikis.left.in_state("open", "captured") >= paths
    (named,) = [one for path, one in staged.items() if path.startswith("/wiki/Caf")]
    assert named["page_metadata"]["title"] == "Café/“Terms”"
    own = [one for one in staged.values() if wikis.open.netloc in one["source"]["url"]]
    assert {(one["scrape"]["engine"], one["scrape"]["method"]) for one in own} == {("mediawiki", "crawl")}


def test_wiki_pages_are_requested_from_api(wikis: Wikis) -> None:
    paths = [hit.path for hit in wikis.open.log.hits()]
    assert paths[0] == "/robots.txt"
    assert {urlsplit(path).path for path in paths[1:]} == {"/w/api.php"}
    site, first = (parse_qs(urlsplit(path).query) for path in paths[1:3])
    assert (site["meta"], site["maxlag"]) == (["siteinfo"], ["5"])
    assert (first["action"], first["maxlag"]) == (["parse"], ["5"])


def test_wiki_api_errors_with_status_200_are_recognised(wikis: Wikis) -> None:
    state, reason = wikis.left.urls("open")["/wiki/Nowhere"]
    assert (state, reason.code) == ("failed", "not_found")
    assert len(wikis.open.log.hits(api("Busy"))) == 2  # maxlag: asked again


def test_wiki_robots_txt_applies_to_page_not_api(wikis: Wikis) -> None:
    assert wikis.left.urls("open")["/wiki/Private"][0] == "excluded"
    assert not wikis.open.log.hits(api("Private"))


def test_wiki_closed_api_falls_back_to_http(wikis: Wikis) -> None:
    assert wikis.left.urls("closed") == {"/wiki/Truth_in_Lending_Act": ("captured", "")}
    (one,) = [one for one in wikis.left.envelopes() if wikis.closed.netloc in one["source"]["url"]]
    assert one["scrape"]["engine"] == "http"
    (row,) = wikis.left.rows("SELECT attempts FROM audit WHERE manifest_id = 'closed' AND kind = 'page'")
    assert [attempt["tier"] for attempt in json.loads(row["attempts"])] == ["mediawiki", "http"]


def test_wiki_pages_ledger_and_staging_agree(wikis: Wikis) -> None:
    assert wikis.done.returncode == 0, wikis.done.stdout
    wikis.left.assert_sums()
    wikis.left.assert_verified()


def test_wiki_title_beyond_cap_has_final_state_and_audit_row(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    serve(site, "First", parsed("First"))
    config = {"max_pages": 1, "mediawiki": {"titles": ["First", "Second"], "api_url": site.at("/w/api.php")}}
    project.manifest([source("a", site.at("/wiki/First"), "mediawiki", scrape_config=config)], delay_s=0.02)
    assert project.scrapy("collect").returncode == 0
    assert crawl_output.urls("a")["/wiki/Second"] == ("excluded", Reason("max_pages", limit=1))
    crawl_output.assert_sums()
