"""Firecrawl, crawl4ai and ScrapingAnt: a page behind a wall by each, and what each does wrong in its own way."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.reasons import Reason
from tests.crawl.test_secrets import everything
from tests.crawl.tiers.official.publishers import ECFR, PART, Publishers
from tests.crawl.tiers.providers.walled_site import wall, walled
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import Project, source
from tests.support.server.fixtures import next_address
from tests.support.server.vendor import GOOD_KEY, Raw, Vendor, fault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.server import Site

pytestmark = pytest.mark.crawl

JSON = {"Content-Type": "application/json"}
CREDITS = {"firecrawl": 1, "crawl4ai": 0, "scrapingant": 1}
COMPANIES = tuple(CREDITS)


class Collected:
    """What one collection by *company* left."""

    def __init__(self, project: Project, site: Site, vendor: Vendor, company: str) -> None:
        self.company, self.site, self.vendor = company, site, vendor
        names = ("plain", "rubbish", "out-of-credits", "unreached", "other-page", "abroad", "gone", "document", "half")
        listed = [walled(site, vendor, name) for name in names]
        listed.append(source("odd", wall(site, "/odd?q=a%20b%26c&r=1+2")))
        site.page(
            "/thin", '<!DOCTYPE html><html><body><div id="root"></div><script src="/app.js"></script></body></html>'
        )
        vendor.page(site.at("/thin"), page("Written by a script"))
        listed.append(source("thin", site.at("/thin")))
        at = site.at
        vendor.page(at("/odd?q=a%20b%26c&r=1+2"), page("Odd"))
        vendor.always(at("/rubbish"), Raw(200, b"<html>Welcome to nginx</html>", {"Content-Type": "text/html"}))
        vendor.always(at("/half"), Raw(200, b'{"success": true, "data": {"rawHtml": "<p>', JSON))
        vendor.always(at("/unreached"), _unreached(company))
        vendor.page(at("/other-page"), page("Another page"), repeats=at("/another"))
        vendor.page(at("/abroad"), page("Another domain's"), end="http://other.example/abroad")
        vendor.page(at("/gone"), "<title>Not found</title><h1>404</h1>", status=404)
        vendor.page(at("/document"), "<embed src=about:blank>", content_type="application/pdf")
        project.manifest(listed, delay_s=0.05)
        env = {**vendor.env(company), "RORI_TIERS": f"http,{company}", "RORI_RETRY_SCALE": "0.01"}
        done = project.scrapy("collect", "--force", "-L", "DEBUG", env=env)
        self.output, self.left = done.stdout + done.stderr, CrawlOutput(project)

    def end(self, source_id: str) -> tuple[str, Reason]:
        [found] = self.left.urls(source_id).values()
        return found


def _unreached(company: str) -> Raw:
    """How each says that it could not get the page."""
    expected: dict[str, Any] = {
        "firecrawl": (500, {"success": False, "code": "SCRAPE_ALL_ENGINES_FAILED", "error": "All engines failed"}),
        "crawl4ai": (500, {"error": "Internal server error", "correlation_id": "6f1d"}),
        "scrapingant": (423, {"detail": "The anti-bot detection system has detected the request."}),
    }
    status, fields = expected[company]
    return Raw(status, json.dumps(fields).encode(), JSON)


@pytest.fixture(scope="module", params=COMPANIES)
def collected(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, new_site: Callable[[], Site]
) -> Iterator[Collected]:
    project = Project(tmp_path_factory.mktemp(request.param))
    with Vendor(next_address()) as vendor:
        yield Collected(project, new_site(), vendor, request.param)


def test_provider_page_behind_wall_is_captured_by_one_call(collected: Collected) -> None:
    assert collected.end("plain") == ("captured", "")
    [request] = collected.vendor.requests(collected.site.at("/plain"))
    assert (request.company, request.key) == (collected.company, GOOD_KEY)
    envelope = collected.left.envelope("/plain")
    assert envelope["source"]["url"] == collected.site.at("/plain")
    scrape = envelope["scrape"]
    assert (scrape["engine"], scrape["credits_consumed"]) == (collected.company, CREDITS[collected.company])
    assert "Behind plain begins here." in envelope["content"]["body"]


def test_provider_url_is_sent_unchanged(collected: Collected) -> None:
    assert collected.end("odd") == ("captured", "")


def test_provider_page_of_scripts_is_requested_rendered(collected: Collected) -> None:
    assert collected.end("thin") == ("captured", "")
    [request] = collected.vendor.requests(collected.site.at("/thin"))
    if collected.company == "scrapingant":
        assert request.fields["browser"] == "true"
        assert collected.left.envelope("/thin")["scrape"]["credits_consumed"] == 10
    if collected.company == "firecrawl":
        assert request.fields["waitFor"] > 0


def test_provider_error_page_is_never_captured(collected: Collected) -> None:
    for source_id in ("rubbish", "half"):
        assert collected.end(source_id)[1].startswith(
            Reason("provider_bad_answer", error="the response is not a JSON object")
        ), source_id
    assert collected.end("gone")[1].startswith(Reason("not_found", http_status=404))
    assert collected.end("document")[1].startswith(Reason("provider_no_document", error="a document (application/pdf)"))


def test_provider_failure_is_retried_once(collected: Collected) -> None:
    assert collected.end("unreached")[1].code == "provider_gave_up"
    assert len(collected.vendor.requests(collected.site.at("/unreached"))) == 2


def test_provider_other_page_is_refused(collected: Collected) -> None:
    if collected.company == "scrapingant":  # it does not repeat what it was asked for
        return
    assert collected.end("other-page")[1].code == "provider_wrong_page"
    assert collected.end("abroad") == (
        "excluded",
        Reason("redirected_off_site", target_url="http://other.example/abroad"),
    )


def test_provider_key_is_sent_to_provider_only(collected: Collected) -> None:
    assert GOOD_KEY not in collected.output
    assert GOOD_KEY.encode() not in everything(collected.left.project.folder)
    assert collected.left.rows("SELECT count(*) AS calls FROM costs")[0]["calls"] == len(collected.vendor.requests())
    collected.left.assert_sums()


@pytest.mark.parametrize(("company", "status"), [("firecrawl", 402), ("scrapingant", 403)])
def test_provider_out_of_credits_is_called_once_and_next_tier_is_used(
    site: Site, project: Project, crawl_output: CrawlOutput, company: str, status: int
) -> None:
    with Vendor(next_address()) as vendor:
        listed = [walled(site, vendor, name, scrape_config={"tiers": ["http", company, "zyte"]}) for name in "abc"]
        vendor.first(site.at("/a"), fault(status))
        project.manifest(listed, delay_s=0.3)
        env = {**vendor.env(company, "zyte"), "RORI_TIERS": f"http,{company},zyte", "RORI_PARALLEL_RUNS": "1"}
        done = project.scrapy("collect", "--force", env=env)
        assert done.returncode == 0, done.stderr
        assert [one.company for one in vendor.requests()] == [company, "zyte", "zyte", "zyte"]
        assert [row["engine"] for row in crawl_output.rows("SELECT engine FROM audit WHERE kind = 'page'")] == [
            "zyte"
        ] * 3
        assert f"{company}: key_01 was refused and cools down for 3600 s" in done.stderr


def test_provider_without_key_is_absent(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    site.page("/open", page("Open"))
    project.manifest([source("open", site.at("/open")), source("shut", wall(site, "/shut"))], delay_s=0.05)
    done = project.scrapy("collect", "--force", env={"RORI_TIERS": "http,zyte,firecrawl,crawl4ai,scrapingant"})
    assert crawl_output.states("open") == {"/open": "captured"}
    assert crawl_output.urls("shut")["/shut"][1].code == "challenge"
    for company in ("zyte", "firecrawl", "scrapingant"):
        assert f"a key (RORI_{company.upper()}_KEYS or {company.upper()}_API_KEY) is missing" in done.stderr
    assert "RORI_CRAWL4AI_URL" in done.stderr


def test_provider_unreachable_is_failure(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    with Vendor(next_address()) as vendor:
        env = {**vendor.env("firecrawl"), "RORI_TIERS": "http,firecrawl"}
        listed = [walled(site, vendor, "walled")]
    project.manifest(listed, delay_s=0.05)
    project.scrapy("collect", "--force", env=env)
    assert crawl_output.urls("walled")["/walled"][1].startswith(
        Reason("provider_unreachable", error="the provider's server cannot be reached")
    )
    assert {row["settled"] for row in crawl_output.rows("SELECT settled FROM costs")} == {0.0}


def test_provider_is_never_used_for_fenced_host(site: Site, project: Project, crawl_output: CrawlOutput) -> None:
    publishers = Publishers(site)
    with Vendor(next_address()) as vendor:
        project.manifest([source("part", publishers.at(ECFR, PART))], domains=publishers.domains())
        publishers.collect(project, **vendor.env("zyte"), RORI_TIERS="http,zyte")
        run = crawl_output.last_run("part")
        assert (run["state"], run["reason_code"]) == ("failed", "pages_unknown")
        assert vendor.requests() == []
