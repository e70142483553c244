"""A wiki's lists after a kill: read again where they were not read, never twice, and what was wrong stays known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.crawl.tiers.mediawiki import api_queries as wiki_lists
from tests.crawl.walkers.mediawiki import scripted_wiki
from tests.crawl.walkers.mediawiki.test_pages import api
from tests.support.jobs import job
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

MORE = {"cmcontinue": "page|43 41|7", "continue": "-||"}
_LAW, _RULES = scripted_wiki.category("Law", depth=1), scripted_wiki.category("Rules", level=1, depth=1)
_SITE = wiki_lists.site_info_url(scripted_wiki.API)
PAGES = {f"/w/index.php?title={title}" for title in "ABCD"}


def _wiki(site: Site, project: Project, *categories: str) -> None:
    scripted_wiki.pages(site, *"ABCD")
    scripted_wiki.lists(site, _SITE, {"query": {"general": {"articlepath": "/w/index.php?title=$1"}}})
    scripted_wiki.lists(site, _LAW, scripted_wiki.members("A", "B", sub=["Rules"], more=MORE))
    scripted_wiki.lists(site, scripted_wiki.further(_LAW, MORE), scripted_wiki.members("C"))
    scripted_wiki.lists(site, _RULES, scripted_wiki.members("D", "A"))
    config = {
        "mediawiki": {"api_url": site.at(scripted_wiki.API), "categories": ["Law", *categories], "category_depth": 1}
    }
    project.manifest([source("a", site.at("/wiki/Start"), "mediawiki", scrape_config=config)], delay_s=0.02)


def _killed_at(path: str, site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    held = site.slow(path, times=1)
    with job(project, "collect") as running:
        site.log.wait_for(path)
        running.kill()
        running.communicate()
    held.release()
    site.log.clear()
    crawl_output.expire_claims()


@pytest.mark.parametrize("path", [_SITE, _LAW, scripted_wiki.further(_LAW, MORE), _RULES, api("A"), api("D")])
def test_wiki_killed_run_resumes_its_lists(site: Site, project: Project, crawl_output: CrawlOutput, path: str) -> None:
    _wiki(site, project)
    _killed_at(path, site, project, crawl_output)
    read = {one for one, (state, _) in crawl_output.urls("a", "api").items() if state == "captured"}
    assert project.scrapy("collect").returncode == 0
    assert crawl_output.in_state("a", "captured") == PAGES
    assert {state for state, _ in crawl_output.urls("a", "api").values()} == {"captured"}
    assert not read & {hit.path for hit in site.log.hits()}
    assert len(crawl_output.files()) == len(PAGES)
    crawl_output.assert_sums()
    crawl_output.assert_verified()


def test_wiki_killed_run_stays_incomplete_after_failed_list(
    site: Site, project: Project, crawl_output: CrawlOutput
) -> None:
    _wiki(site, project, "Lwa")
    scripted_wiki.lists(site, scripted_wiki.category("Lwa", depth=1), scripted_wiki.unknown())
    _killed_at(api("C"), site, project, crawl_output)
    project.scrapy("collect")
    run = crawl_output.last_run("a")
    assert run["state"] == "incomplete" and "Category:Lwa" in run["reason"]
    assert crawl_output.in_state("a", "captured") == PAGES


def test_wiki_resumed_run_uses_stored_article_path(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    _wiki(site, project)
    assert project.scrapy("collect").returncode == 0
    site.status(_SITE, 200, body='{"error": {"code": "readapidenied"}}', content_type="application/json")
    assert project.scrapy("collect", "--force").returncode == 0
    assert crawl_output.in_state("a", "unchanged") == PAGES
    assert len(crawl_output.files()) == len(PAGES)
