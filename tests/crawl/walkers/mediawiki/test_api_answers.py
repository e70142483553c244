"""What a wiki's API answers beside pages: redirects, walls, limits, nothing; and which tier has the page in the end."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rori_spiders.crawl.tiers.mediawiki import api_queries
from rori_spiders.reasons import Reason
from tests.crawl.tiers.providers.walled_site import CHALLENGE
from tests.crawl.walkers.mediawiki.test_pages import api, error, parsed, serve
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

_ENV = {"RORI_RETRY_SCALE": "0.001", "RORI_TIERS": "official,mediawiki,http"}


def redirected(title: str, *via: str) -> dict[str, object]:
    hops = [{"from": one, "to": to} for one, to in zip(via, [*via[1:], title], strict=True)]
    answer = parsed(title)
    assert isinstance(answer["parse"], dict)
    return {"parse": answer["parse"] | {"redirects": hops}}


CIRCLE = '<div class="mw-parser-output"><div class="redirectMsg"><p>Redirect to:</p><ul><li>Round</li></ul></div></div>'
TITLES = ["Act", "Short", "Old", "Round", "Lost", "Slow", "Special:Log", "Side door", "Odd"]


class Answers:
    """One crawl of a wiki with an answer of every kind, and of three whose API is none."""

    def __init__(self, project: Project, new_site: Callable[[], Site]) -> None:
        self.wiki, self.gone, self.walled, self.html = (new_site() for _ in range(4))
        self._answers()
        self.gone.status("/w/api.php", 404, body="<h1>Not Found</h1>")
        self.walled.page("/w/api.php", CHALLENGE, server="cloudflare", cf_mitigated="challenge")
        self.html.page("/w/api.php", page("Welcome to the wiki"))
        sites = {"wiki": self.wiki, "gone": self.gone, "walled": self.walled, "html": self.html}
        for site in (self.gone, self.walled, self.html):
            for path in ("/wiki/Act", "/wiki/Short"):
                site.page(path, page(f"Page {path}"))
        titles = {"wiki": TITLES}
        project.manifest(
            [
                source(
                    name,
                    site.at("/wiki/Act"),
                    "mediawiki",
                    scrape_config={
                        "mediawiki": {"titles": titles.get(name, ["Act", "Short"]), "api_url": site.at("/w/api.php")}
                    },
                )
                for name, site in sites.items()
            ],
            delay_s=0.02,
        )
        self.done = project.scrapy("collect", env=_ENV)
        self.left = CrawlOutput(project)

    def _answers(self) -> None:
        self.wiki.robots("User-agent: *\nDisallow: /wiki/Secret\n")
        serve(self.wiki, "Act", parsed("Act"))
        serve(self.wiki, "Short", redirected("Act", "Short"))
        serve(self.wiki, "Old", redirected("New name", "Old", "Older"))
        serve(self.wiki, "Side door", redirected("Secret", "Side door"))
        serve(self.wiki, "Round", parsed("Round", CIRCLE))
        serve(self.wiki, "Lost", error("missingtitle"))
        serve(self.wiki, "Slow", parsed("Slow"))
        self.wiki.status(api("Slow"), 429, times=1, body="<h1>Too many</h1>", content_type="text/html", retry_after="0")
        serve(self.wiki, "Odd", parsed("Odd"))
        self.wiki.status(api("Odd"), 200, times=1, body=json.dumps(error("ratelimited")), retry_after="0")


@pytest.fixture(scope="module")
def answers(shared: Project, new_site: Callable[[], Site]) -> Answers:
    return Answers(shared, new_site)


def test_wiki_redirect_to_page_of_run_is_alias(answers: Answers) -> None:
    state, reason = answers.left.urls("wiki")["/wiki/Short"]
    assert (state, reason) == ("excluded", Reason("redirected", target_url=answers.wiki.at("/wiki/Act")))


def test_wiki_redirect_to_other_page_is_reported(answers: Answers) -> None:
    staged = answers.left.envelope("/wiki/Old")
    assert staged["source"]["canonical_url"] == answers.wiki.at("/wiki/New_name")
    assert staged["page_metadata"]["title"] == "New name"
    (row,) = answers.left.rows("SELECT final_url, redirects FROM audit WHERE url = ?", answers.wiki.at("/wiki/Old"))
    assert row["final_url"] == answers.wiki.at("/wiki/New_name")
    assert json.loads(row["redirects"]) == [[200, answers.wiki.at("/wiki/New_name")]]


def test_wiki_revision_and_categories_are_in_envelope(answers: Answers) -> None:
    (staged,) = [one for one in answers.left.envelopes() if one["source"]["url"] == answers.wiki.at("/wiki/Act")]
    assert staged["page_metadata"]["revision_id"] == 11
    assert staged["page_metadata"]["categories"] == staged["page_metadata"]["keywords"] == ["Lending law"]
    versions = answers.left.rows(
        "SELECT publisher_version FROM versions JOIN pages USING (page_id) WHERE tier = 'mediawiki'"
    )
    assert {row["publisher_version"] for row in versions} == {"11"}


def test_wiki_invalid_page_is_not_captured(answers: Answers) -> None:
    urls = answers.left.urls("wiki")
    assert urls["/wiki/Round"][0] == "failed"
    assert urls["/wiki/Round"][1].code == "redirect_loop"
    assert urls["/wiki/Lost"] == ("failed", Reason("not_found", http_status=404))
    assert urls["/wiki/Special:Log"][0] == "excluded"
    assert urls["/wiki/Side_door"][0] == "excluded"
    assert urls["/wiki/Side_door"][1].code == "robots_disallowed_target"
    assert urls["/wiki/Special:Log"][1].code == "not_an_article"


def test_wiki_rate_limit_is_waited_for(answers: Answers) -> None:
    assert answers.left.states("wiki")["/wiki/Slow"] == answers.left.states("wiki")["/wiki/Odd"] == "captured"
    assert [len(answers.wiki.log.hits(api(title))) for title in ("Slow", "Odd", "Act", "Old")] == [2, 2, 1, 1]
    assert not answers.wiki.log.hits("/wiki/Slow")


@pytest.mark.parametrize("name", ["gone", "walled", "html"])
def test_wiki_missing_api_falls_back_at_once(answers: Answers, name: str) -> None:
    site: Site = getattr(answers, name)
    assert answers.left.states(name) == {"/wiki/Act": "captured", "/wiki/Short": "captured"}
    rows = answers.left.rows("SELECT attempts FROM audit WHERE manifest_id = ? AND kind = 'page'", name)
    assert [[one["tier"] for one in json.loads(row["attempts"])] for row in rows] == [["mediawiki", "http"]] * 2
    assert len([hit for hit in site.log.hits() if hit.path.startswith("/w/api.php")]) == 1
    assert len(site.log.hits()) == 4  # robots.txt, api.php, two pages


def test_wiki_ledger_and_staging_agree(answers: Answers) -> None:
    assert answers.done.returncode == 0, answers.done.stdout
    answers.left.assert_sums()
    answers.left.assert_verified()


def test_wiki_lagging_api_is_not_bypassed(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    site.status(api("Act"), 200, body=json.dumps(error("maxlag")), content_type="application/json", retry_after="0")
    site.page("/wiki/Act", page("Act"))
    about = json.dumps({"query": {"general": {"articlepath": "/wiki/$1"}}})
    site.page(api_queries.site_info_url("/w/api.php"), about, content_type="application/json")
    config = {"mediawiki": {"titles": ["Act"], "api_url": site.at("/w/api.php")}}
    project.manifest([source("a", site.at("/wiki/Act"), "mediawiki", scrape_config=config)], delay_s=0.02)
    project.scrapy("collect", env=_ENV)
    assert crawl_output.urls("a")["/wiki/Act"] == ("failed", Reason("api_lag"))
    assert len(site.log.hits(api("Act"))) == 4
    assert not site.log.hits("/wiki/Act")


def test_wiki_pages_of_site_that_is_wiki_use_api(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    links = '<p><a href="/wiki/Part">Part</a> <a href="/wiki/Alias">Alias</a> <a href="/about.html">About</a></p>'
    prose = "<p>" + "Lending is a matter of law. " * 30 + "</p>"
    serve(site, "Act", parsed("Act", links + prose))
    serve(site, "Part", parsed("Part", prose))
    serve(site, "Alias", redirected("Part", "Alias"))
    site.page("/about.html", page("About"))
    project.manifest(
        [source("a", site.at("/wiki/Act"), "crawl", scrape_config={"sitemaps": [], "include_patterns": ["/*"]})],
        delay_s=0.02,
        mediawiki_sites={site.host: site.at("/w/api.php")},
    )
    assert project.scrapy("collect", env=_ENV).returncode == 0
    assert crawl_output.states("a") == {
        "/wiki/Act": "captured",
        "/wiki/Part": "captured",
        "/wiki/Alias": "excluded",
        "/about.html": "captured",
    }
    engines = {one["source"]["url"]: one["scrape"]["engine"] for one in crawl_output.envelopes()}
    assert set(engines.values()) == {"mediawiki", "http"}
    assert engines[site.at("/about.html")] == "http"
