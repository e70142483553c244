"""How a map ends when it does not go as it should: stopped, locked, refused; and maps of wikis and single pages."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.crawl.tiers.mediawiki import api_queries as wiki_lists
from rori_spiders.reasons import Reason
from tests.crawl.walkers.mediawiki import scripted_wiki
from tests.support.crawl_output import path_of
from tests.support.jobs import job
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


def mapped(project: Project, *args: str, code: int = 0) -> dict[str, Any]:
    done = project.scrapy("map", *args, "--format", "json", env={"RORI_RETRY_SCALE": "0.001"})
    assert done.returncode == code, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_map_interrupted_shows_partial_result(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    site.page("/", page("Start"))
    site.robots(f"Sitemap: {site.at('/a.xml')}\nSitemap: {site.at('/slow.xml')}\n")
    site.sitemap(["/1", "/2"], at="/a.xml")
    held = site.slow("/slow.xml", "<urlset/>", seconds=600)
    project.manifest([source("guide", site.at("/"), "crawl")], delay_s=0.02)
    with job(project, "map", "guide") as running:
        site.log.wait_for("/slow.xml")
        site.log.wait_for("/a.xml")
        running.send_signal(signal.SIGINT)
        output, _ = running.communicate(timeout=60)
    held.release()
    assert running.returncode == 1, output
    assert f"! stopped early ({Reason('stopped', error='shutdown requested')}): the map is incomplete" in output
    assert f"! sitemap not read: {site.at('/slow.xml')} (not requested)" in output
    assert crawl_output.rows("SELECT owner FROM leases WHERE owner IS NOT NULL") == []
    assert len(crawl_output.rows("SELECT 1 FROM actions WHERE action = 'map'")) == 1


def test_map_of_leased_group_requests_nothing(site: Site, project: Project) -> None:
    site.page("/", page("Start"))
    site.page("/slow", page("Slow"))
    held = site.slow("/slow", seconds=600)
    project.manifest([source("one", site.at("/slow")), source("guide", site.at("/"), "crawl")], delay_s=0.02)
    with job(project, "crawl", "one"):
        site.log.wait_for("/slow")
        done = project.scrapy("map", "guide")
        held.release()
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Cannot map guide: 127.")
    assert not site.log.hits("/")


def test_map_reports_start_url_without_page(site: Site, project: Project) -> None:
    site.robots("User-agent: *\nDisallow: /closed/\n")
    site.status("/", 403, body="<h1>Forbidden</h1>")
    sources = [source("walled", site.at("/"), "crawl"), source("closed", site.at("/closed/"), "crawl")]
    project.manifest([*sources, source("off", site.at("/off"), "crawl", status="paused")], delay_s=0.02)
    walled = mapped(project, "walled", code=1)
    assert f"no page at the start URL ({Reason('denied', http_status=403)}): a collection would fail" in walled["notes"]
    closed = mapped(project, "closed", code=1)
    assert [one["reason"] for one in closed["urls"]] == [Reason("robots_disallowed", target_url=site.at("/closed/"))]
    off = project.scrapy("map", "off")
    assert (off.returncode, off.stdout) == (2, "")
    assert "cannot map off: the manifest sets its status to paused" in off.stderr


def test_map_of_wiki_lists_pages_by_their_lists(site: Site, project: Project) -> None:
    about = {"query": {"general": {"articlepath": "/wiki/$1"}}}
    scripted_wiki.lists(site, wiki_lists.site_info_url(scripted_wiki.API), about)
    scripted_wiki.lists(
        site, scripted_wiki.category("Law", depth=1), scripted_wiki.members("A", "File:B.png", sub=["Form"])
    )
    scripted_wiki.lists(site, scripted_wiki.category("Form", level=1, depth=1), scripted_wiki.members("C"))
    wiki = {"titles": ["By name"], "categories": ["Law"], "category_depth": 1, "api_url": site.at(scripted_wiki.API)}
    sources = [source("wiki", site.at("/wiki/Start"), "mediawiki", scrape_config={"mediawiki": wiki})]
    project.manifest([*sources, source("single", site.at("/page"))], delay_s=0.02)
    found = mapped(project, "wiki")
    pages = {path_of(one["url"]): (one["state"], one["section"]) for one in found["urls"]}
    assert pages == {
        "/wiki/By_name": ("collect", "named by the manifest/"),
        "/wiki/A": ("collect", "the members of Category:Law/"),
        "/wiki/C": ("collect", "the members of Category:Form/"),
        "/wiki/File:B.png": ("excluded", "the members of Category:Law/"),
    }
    assert not [hit for hit in site.log.hits() if hit.path.startswith("/wiki/")]
    requests = len(site.log.hits())
    assert [one["url"] for one in mapped(project, "single")["urls"]] == [site.at("/page")]
    assert len(site.log.hits()) == requests  # of a single page nothing is asked
