"""`scrapy manifest add URL`: the site is looked at politely, a source is proposed, and written after a yes."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
import yaml

from rori_spiders.crawl.preview.source_proposal import (
    domain_for,
    guess_jurisdiction,
    guess_source_type,
    phrase_to_expect,
    source_id_for,
)
from rori_spiders.crawl.tiers.official.federal_register import parse_search
from rori_spiders.manifest.loading import load_file
from tests.crawl.tiers.official.publishers import ECFR, FEDERAL_REGISTER, Publishers
from tests.crawl.tiers.official.stand_ins import CfrPart, FederalRegister
from tests.crawl.walkers.mediawiki.scripted_wiki import API, lists, namespace, pages, titles
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    import subprocess

    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl


class Adding:
    """A project with a manifest of one other source of the site, to which sources are added."""

    def __init__(self, project: Project, site: Site) -> None:
        self.project, self.site = project, site
        site.robots("User-agent: *\nDisallow: /secret/\n")
        site.page("/other", page("Other"))
        self.path = project.manifest([source("other", site.at("/other"))], delay_s=0.02)

    def add(self, path: str, *options: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = self.project.scrapy("manifest", "add", self.site.at(path), *options)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    def added(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.path.read_text(encoding="utf-8"))["sources"][-1]
        return found


@pytest.fixture
def adding(project: Project, site: Site) -> Adding:
    return Adding(project, site)


def guide(site: Site, sections: int = 12) -> None:
    """A guide whose sitemap names all but one of its sections, which the start page links."""
    paths = [f"/guide/{number}" for number in range(1, sections + 1)]
    site.page("/guide/", page("The Lender's Guide", paths[-1], "/elsewhere"))
    site.sitemap([*paths[:-1], "/elsewhere"])
    for path in (*paths, "/elsewhere"):
        site.page(path, page(f"Section {path}"))


def test_source_proposal_guide_is_crawl_of_all_its_pages(adding: Adding, crawl_output: CrawlOutput) -> None:
    guide(adding.site)
    before = adding.path.read_bytes()
    assert "stdin is not a terminal: add --yes" in adding.add("/guide/", code=2).stderr
    assert adding.path.read_bytes() == before, "nothing is written without a yes"
    done = adding.add("/guide/", "--yes")
    entry = adding.added()
    assert (entry["method"], entry["name"], entry["status"]) == ("crawl", "The Lender's Guide", "active")
    assert entry["url"] == adding.site.at("/guide/")
    config = entry["scrape_config"]
    assert (config["include_patterns"], config["max_pages"]) == (["/guide/*"], 50)
    assert (config["expect"]["min_pages"], config["expect"]["must_contain"]) == (10, ["The Lender's Guide"])
    assert re.fullmatch(
        r"13 pages on \d{4}-\d\d-\d\d, of which a quarter may go; the heading of the start page",
        config["expect"]["why"],
    )
    requested = {hit.path for hit in adding.site.log.hits()}
    assert requested == {"/robots.txt", "/guide/", "/sitemap.xml"}, "lists and the start page alone"
    for phrase in ("about 13 pages (/guide/*, at most 50 pages): 14 requests", "robots.txt", f"added {entry['id']}"):
        assert phrase in done.stdout
    assert adding.project.scrapy("collect").returncode == 0
    assert crawl_output.last_run(entry["id"])["state"] == "complete"
    assert len(crawl_output.in_state(entry["id"], "captured")) == 13
    assert f"it is in the scope of {entry['id']} too" in adding.add("/guide/3", "--yes").stdout


def test_source_proposal_sitemap_at_a_refused_address_is_left_out(adding: Adding, crawl_output: CrawlOutput) -> None:
    guide(adding.site)
    adding.site.page("/guide/", page("The Lender's Guide", *(f"/guide/{number}" for number in range(1, 13))))
    address = urlsplit(adding.site.at("/"))
    other = f"http://{address.hostname}:{(address.port or 80) + 1}/sitemap.xml"
    own = adding.site.at("/sitemap.xml")
    adding.site.robots(f"User-agent: *\nSitemap: {other}\nSitemap: {own}\n")
    adding.project.env["RORI_ALLOWED_ADDRESSES"] = address.netloc
    done = adding.add("/guide/", "--yes")
    entry = adding.added()
    assert entry["scrape_config"]["sitemaps"] == [own]
    assert f"Left out, since it cannot be read: {other} (Address refused" in entry["metadata"]["notes"]
    assert "1 sitemap at an address that is refused left out of `sitemaps`" in done.stdout
    assert adding.project.scrapy("collect").returncode == 0
    assert crawl_output.last_run(entry["id"])["state"] == "complete"


def test_source_proposal_page_with_sections_below_its_url_is_crawl(adding: Adding) -> None:
    adding.site.page("/rules/1024", page("Regulation X", "/rules/1024/1", "/rules/1024/2", "/rules/1026"))
    adding.add("/rules/1024", "--yes")
    config = adding.added()["scrape_config"]
    assert config["include_patterns"] == ["/rules/1024", "/rules/1024/*"]
    assert config["expect"]["min_pages"] == 3
    assert adding.added()["source_type"] == "regulation"


def test_source_proposal_page_without_links_is_single_page(adding: Adding) -> None:
    adding.site.page("/notice/1", page("One Notice"))
    target = adding.project.folder / "mine.yaml"
    options = ("--id", "notice-1", "--jurisdiction", "state:CA", "--source-type", "guidance", "--to", str(target))
    assert f"Add {target} to RORI_MANIFEST." in adding.add("/notice/1", "--yes", *options).stdout
    loaded = load_file(target, allowed_addresses=[urlsplit(adding.site.at("/")).netloc])
    assert [one.url for one in loaded.manifest.sources] == [adding.site.at("/notice/1")]
    entry = yaml.safe_load(target.read_text(encoding="utf-8"))["sources"][0]
    assert (entry["id"], entry["method"], entry["jurisdiction"]) == ("notice-1", "scrape", "state:CA")
    assert set(entry["scrape_config"]) == {"expect"}


def test_source_proposal_feed_is_list_of_pages(adding: Adding, crawl_output: CrawlOutput) -> None:
    items = "".join(f"<item><link>{adding.site.at(f'/news/{n}')}</link></item>" for n in range(3))
    adding.site.page("/news.xml", f'<rss version="2.0"><channel>{items}</channel></rss>', content_type="text/xml")
    for number in range(3):
        adding.site.page(f"/news/{number}", page(f"News {number}"))
    adding.add("/news.xml", "--yes")
    entry = adding.added()
    assert (entry["method"], "include_patterns" in entry["scrape_config"]) == ("crawl", False)
    assert entry["scrape_config"]["expect"]["min_pages"] == 3
    assert adding.project.scrapy("collect").returncode == 0
    assert crawl_output.in_state(entry["id"], "captured") == {f"/news/{number}" for number in range(3)}


def test_source_proposal_wiki_uses_its_api(adding: Adding) -> None:
    rsd = f'<link rel="EditURI" type="application/rsd+xml" href="{adding.site.at(API)}?action=rsd">'
    adding.site.page("/wiki/Main_Page", page("Main Page", "/wiki/A").replace("<title>", f"{rsd}<title>"))
    refused = adding.add("/wiki/Main_Page", "--yes", code=2)
    assert "no page to collect was found" in refused.stderr
    assert "not read: " in refused.stdout
    pages(adding.site, "A")  # and says how its addresses look
    lists(adding.site, namespace(), titles("A", "B", "Main Page", "C"))
    adding.add("/wiki/Main_Page", "--yes")
    entry = adding.added()
    assert entry["method"] == "mediawiki"
    assert entry["scrape_config"]["mediawiki"] == {"api_url": adding.site.at(API), "namespaces": [0]}
    assert entry["scrape_config"]["expect"]["min_pages"] == 3
    load_file(adding.path, allowed_addresses=[urlsplit(adding.site.at("/")).netloc])


def test_source_proposal_cfr_part_uses_official_api(project: Project, site: Site) -> None:
    publishers, part = Publishers(site), CfrPart(site, within=(("chapter", "X"),))
    other = source("other", publishers.at(ECFR, "/current/title-12/section-1024.5"))
    path = project.manifest([other], domains=publishers.domains())
    resolver = "TWISTED_DNS_RESOLVER=tests.crawl.transport.scripted_resolver.ToldResolver"
    url = publishers.at(ECFR, part.path)
    done = project.scrapy("manifest", "add", url, "--yes", "-s", resolver, env=publishers.env())
    assert done.returncode == 0, done.stdout + done.stderr
    entry = json.loads(path.read_text(encoding="utf-8"))["sources"][-1]
    assert (entry["name"], entry["source_type"], entry["jurisdiction"]) == ("12 CFR Part 1024", "regulation", "federal")
    assert (entry["method"], entry["scrape_config"]["max_pages"]) == ("scrape", 50)
    assert entry["scrape_config"]["expect"]["min_pages"] == 4  # of the part, three sections and an appendix
    assert re.search(r"^Tier +official$", done.stdout, re.MULTILINE)


def test_source_proposal_federal_register_search_is_list_of_documents(
    project: Project, site: Site, crawl_output: CrawlOutput
) -> None:
    publishers, register = Publishers(site), FederalRegister(site)
    for number in range(1, 6):
        register.add(f"2026-1000{number}", f"2026-10-0{number}")
    register.publish()
    other = source("other", publishers.at(ECFR, "/current/title-12/section-1024.5"))
    path = project.manifest([other], domains=publishers.domains())
    conditions = "conditions[agencies][]=consumer-financial-protection-bureau&conditions[type][]=RULE"
    url = publishers.at(FEDERAL_REGISTER, f"/api/v1/documents.json?{conditions}")
    resolver = "TWISTED_DNS_RESOLVER=tests.crawl.transport.scripted_resolver.ToldResolver"
    done = project.scrapy("manifest", "add", url, "--yes", "-s", resolver, env=publishers.env())
    assert done.returncode == 0, done.stdout + done.stderr
    entry = json.loads(path.read_text(encoding="utf-8"))["sources"][-1]
    assert entry["name"] == "Federal Register: consumer-financial-protection-bureau, RULE"
    assert (entry["source_type"], entry["jurisdiction"]) == ("regulation", "federal")
    assert parse_search(entry["url"]) == parse_search(url)
    assert (entry["method"], entry["scrape_config"].keys()) == ("scrape", {"expect"})
    assert entry["scrape_config"]["expect"]["min_pages"] == 4
    assert "about 5 pages (what the list of the official API names, no max_pages)" in done.stdout
    assert set(register.requested_paths()) == {"list"}, "the documents are not read"
    log = publishers.collect(project)
    assert crawl_output.last_run(entry["id"])["state"] == "complete", log
    assert len(crawl_output.in_state(entry["id"], "captured")) == 5


def test_source_proposal_reuses_values_of_same_site_and_file_defaults(adding: Adding) -> None:
    others = [
        source("other", adding.site.at("/other"), jurisdiction="state:CA", source_type="educational"),
        source("more", adding.site.at("/more"), jurisdiction="state:CA", source_type="educational"),
    ]
    adding.project.manifest(others, delay_s=0.02, defaults={"exclude_patterns": ["/guide/11"], "max_depth": 3})
    guide(adding.site)
    done = adding.add("/guide/", "--yes")
    entry = adding.added()
    assert (entry["jurisdiction"], entry["source_type"]) == ("state:CA", "educational")
    assert "about 12 pages" in done.stdout, "without the page that the defaults exclude"
    assert "max_depth 3" in done.stdout
    assert not {"exclude_patterns", "max_depth"} & entry["scrape_config"].keys(), "the file says them"


def test_source_proposal_redirect_on_site_is_followed(adding: Adding) -> None:
    guide(adding.site)
    adding.site.redirect("/guide/old", "/guide/")
    adding.add("/guide/old", "--yes")
    assert adding.added()["url"] == adding.site.at("/guide/")


def test_source_proposal_unusable_url_is_refused(adding: Adding) -> None:
    adding.site.page("/secret/law", page("Secret"))
    adding.site.redirect("/away", "https://www.example.org/law")
    before = adding.path.read_bytes()
    for path, message in {
        "/secret/law": "it cannot be a source: Disallowed by robots.txt",
        "/missing": "it cannot be a source: Not found",
        "/away": "Add that address instead: scrapy manifest add https://www.example.org/law",
        "/other": "the source other already starts there (status active)",
    }.items():
        assert message in adding.add(path, "--yes", code=2).stderr
    assert adding.path.read_bytes() == before
    assert "/secret/law" not in {hit.path for hit in adding.site.log.hits()}


def test_source_proposal_leaves_packaged_manifest_unchanged(adding: Adding) -> None:
    done = adding.add("/notice/1", "--to", "fthb.json", code=2)
    assert "is a packaged manifest and cannot be changed" in done.stderr
    assert adding.site.log.hits() == []


# --- steps ------------------------------------------------------------------------------------------------------------


def test_source_proposal_id_is_made_of_publisher_and_path() -> None:
    url = "https://www.consumerfinance.gov/rules-policy/regulations/1024/"
    assert source_id_for(url, ()) == "consumerfinance-regulations-1024"
    assert source_id_for(url, {"consumerfinance-regulations-1024"}) == "consumerfinance-regulations-1024-2"
    assert source_id_for("https://page/", ()) == "page-2"
    assert len(source_id_for(f"https://hud.gov/{'x' * 200}", ())) <= 80


@pytest.mark.parametrize(
    ("url", "jurisdiction", "domain"),
    [
        ("https://www.hud.gov/x", "federal", "hud.gov"),
        ("https://www.va.gov/x", "federal", "va.gov"),
        ("https://www.hcd.ca.gov/x", "state:CA", "www.hcd.ca.gov"),
        ("https://dhcd.dc.gov/", "state:DC", "dhcd.dc.gov"),
        ("https://www.ncsha.org/", "national", "ncsha.org"),
        ("https://selling-guide.fanniemae.com/", "national", "selling-guide.fanniemae.com"),
    ],
)
def test_source_proposal_jurisdiction_and_domain_follow_host(url: str, jurisdiction: str, domain: str) -> None:
    assert (guess_jurisdiction(url), domain_for(url)) == (jurisdiction, domain)


def test_source_proposal_source_type_follows_words_of_url() -> None:
    assert guess_source_type("https://www.hud.gov/hudclips/handbooks/") == "guide"
    assert guess_source_type("https://www.consumerfinance.gov/enforcement/") == "enforcement"
    assert guess_source_type("https://www.hud.gov/fha") == "guidance"


def test_source_proposal_expected_phrase_is_plain_text() -> None:
    assert phrase_to_expect("text\n\n## Part 1024 *Real Estate Settlement* (X)\n") == "Real Estate Settlement"
    assert phrase_to_expect("no heading") is None
    assert phrase_to_expect("# [x](y)") is None
