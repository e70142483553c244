"""`provider_map`: a provider names a site's addresses, and nothing more; what becomes of them is ours to say."""

from __future__ import annotations

import csv
import json
import signal
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.reasons import Reason
from tests.support.crawl_output import path_of
from tests.support.jobs import job
from tests.support.pages import page
from tests.support.project import source
from tests.support.server.fixtures import next_address
from tests.support.server.vendor import GOOD_KEY, Raw, Vendor, fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

CONFIG: dict[str, Any] = {"provider_map": True, "exclude_patterns": ["/x/*"]}


@pytest.fixture
def vendor() -> Iterator[Vendor]:
    with Vendor(next_address()) as opened:
        yield opened


@pytest.fixture
def env(vendor: Vendor) -> dict[str, str]:
    return {**vendor.env("firecrawl"), "RORI_TIERS": "http,firecrawl", "RORI_RETRY_SCALE": "0.01"}


@pytest.fixture(autouse=True)
def _guide(site: Site, project: Project) -> None:
    """A guide whose pages 1 and 2 nothing on the site leads to."""
    site.robots("User-agent: *\nDisallow: /closed\n")
    site.page("/", page("Guide", "/linked"))
    for name in ("/linked", "/1", "/2?id=7", "/x/3", "/closed"):
        site.page(name, page(f"Page {name}"))
    project.manifest([source("guide", site.at("/"), "crawl", scrape_config=CONFIG)], delay_s=0.02)


def test_provider_map_urls_are_requested_within_scope_and_robots(
    site: Site, project: Project, crawl_output: CrawlOutput, vendor: Vendor, env: dict[str, str]
) -> None:
    named = ("/", "/1", "/2?id=7", "/x/3", "/closed", "/missing")
    vendor.map(
        site.at("/"), *map(site.at, named), "https://other.example/e", "mailto:a@b", "http://[::1", site.at("/1")
    )
    done = project.scrapy("collect", "--force", env=env)
    assert crawl_output.states("guide") == {
        "/": "captured", "/linked": "captured", "/1": "captured", "/2?id=7": "captured",
        "/closed": "excluded", "/missing": "failed",
    }  # fmt: skip
    counted = crawl_output.listed(crawl_output.last_run("guide")["run_id"])
    assert counted == {Reason("exclude_pattern", rule="/x/*"): 1, Reason("outside_hosts"): 1}
    crawl_output.assert_verified()
    found = {row["url"]: row["found_by"] for row in crawl_output.rows("SELECT url, found_by FROM run_urls")}
    assert (found[site.at("/1")], found[site.at("/linked")]) == ("map", "link")
    assert "guide: site map from firecrawl: 9 URLs" in done.stderr
    [request] = vendor.requests()
    assert (request.url, request.key, request.fields["limit"]) == (site.at("/"), GOOD_KEY, 100_000)
    crawl_output.assert_sums()


def test_provider_map_is_paid_once_a_run_and_recorded(
    site: Site, project: Project, crawl_output: CrawlOutput, vendor: Vendor, env: dict[str, str]
) -> None:
    vendor.map(site.at("/"), site.at("/1"))
    for _ in range(2):  # the second time the start page is unchanged
        project.scrapy("collect", "--force", env=env)
    assert [row["settled"] for row in crawl_output.rows("SELECT settled FROM costs")] == [1.0, 1.0]
    assert [run["credits"] for run in crawl_output.runs()] == [1, 1]
    assert crawl_output.states("guide") == {"/": "unchanged", "/linked": "unchanged", "/1": "unchanged"}
    rows = crawl_output.rows(
        "SELECT attempts, credits_consumed, engine FROM audit WHERE url = ? AND kind = 'page'", site.at("/")
    )
    for row in rows:
        assert (row["credits_consumed"], row["engine"]) == (1, "http")
        made, own = json.loads(row["attempts"])
        assert (made["tier"], made["reason"], own["tier"]) == ("firecrawl", Reason("mapped", pages=1), "http")
    assert crawl_output.envelope("/")["scrape"]["credits_consumed"] == 0  # of the page itself


@pytest.mark.parametrize(
    ("answers", "word"),
    [
        ([fault(402)], "provider_out_of_credits: firecrawl answered key_01 with HTTP 402"),
        ([fault(500), fault(500)], "provider_error: firecrawl answered key_01 with HTTP 500"),
        (
            [Raw(200, b"<html>nginx</html>", {"Content-Type": "text/html"})],
            "provider_bad_answer: the response is not a JSON object",
        ),
        ([Raw(200, b'{"success": true, "links": "none"}')], "provider_bad_answer: undocumented response"),
        ([Raw(way="drop"), Raw(way="drop")], "provider_unreachable: the connection broke"),
    ],
)
def test_provider_map_failure_leaves_walk_of_site(
    site: Site,
    project: Project,
    crawl_output: CrawlOutput,
    vendor: Vendor,
    env: dict[str, str],
    answers: list[Raw],
    word: str,
) -> None:
    vendor.first(site.at("/"), *answers)
    vendor.map(site.at("/"), site.at("/1"))
    done = project.scrapy("collect", "--force", env=env)
    assert crawl_output.states("guide") == {"/": "captured", "/linked": "captured"}
    assert f"guide: no site map from firecrawl: {word}" in done.stderr
    (run,) = crawl_output.runs()
    lacks = Reason("pages_unknown", error="no site map from a provider: firecrawl: ")
    assert (run["state"], (run["reason"] or "")[: len(lacks)]) == ("incomplete", lacks)
    assert done.returncode == 1
    assert len(vendor.requests()) == len(answers)
    assert GOOD_KEY not in done.stderr


def test_provider_map_transient_failure_is_retried_once(
    site: Site, project: Project, crawl_output: CrawlOutput, vendor: Vendor, env: dict[str, str]
) -> None:
    vendor.first(site.at("/"), fault(502))
    vendor.map(site.at("/"), site.at("/1"))
    project.scrapy("collect", "--force", env=env)
    assert crawl_output.states("guide")["/1"] == "captured"
    assert [row["settled"] for row in crawl_output.rows("SELECT settled FROM costs ORDER BY cost_id")] == [0.0, 1.0]


def test_provider_map_is_used_only_if_source_fence_and_limit_allow(
    site: Site, project: Project, crawl_output: CrawlOutput, vendor: Vendor, env: dict[str, str]
) -> None:
    vendor.map(site.at("/"), site.at("/1"))
    spent = project.scrapy("collect", "--force", env=env | {"RORI_FIRECRAWL_MONTHLY_CREDITS": "0"})
    assert "no site map from firecrawl: cost_limit: 0 of 0 credits" in spent.stderr
    host = site.at("/").split("/")[2].split(":")[0]
    project.manifest(
        [source("guide", site.at("/"), "crawl", scrape_config=CONFIG)],
        domains={host: {"delay_s": 0.02, "tiers": ["http"]}},
    )
    fenced = project.scrapy("collect", "--force", env=env)
    assert "guide: no available provider makes site maps" in fenced.stderr
    assert [run["state"] for run in crawl_output.runs()] == ["incomplete", "incomplete"]
    validation = project.scrapy("manifest", "validate", env=env)
    assert (
        "source 'guide': provider_map: no configured provider makes site maps" in validation.stdout + validation.stderr
    )
    project.manifest([source("guide", site.at("/"), "crawl")], delay_s=0.02)
    project.scrapy("collect", "--force", env=env)
    assert vendor.requests() == []
    assert crawl_output.runs()[-1]["state"] == "complete"


def test_provider_map_is_skipped_when_start_page_is_refused(
    site: Site, project: Project, crawl_output: CrawlOutput, vendor: Vendor, env: dict[str, str]
) -> None:
    site.robots("User-agent: *\nDisallow: /\n")
    project.scrapy("collect", "--force", env=env)
    assert crawl_output.states("guide") == {"/": "excluded"}
    assert vendor.requests() == []


def test_provider_map_failure_is_remembered_on_resume(
    site: Site, project: Project, crawl_output: CrawlOutput, vendor: Vendor, env: dict[str, str]
) -> None:
    vendor.first(site.at("/"), fault(402))
    held = site.slow("/linked")
    with job(project, "collect", "--force", env=env) as running:
        site.log.wait_for("/linked")
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
    held.release()
    assert crawl_output.runs()[-1]["state"] == "partial"
    site.page("/linked", page("Page /linked"))
    project.scrapy("collect", "--force", env=env)
    (run,) = crawl_output.runs()
    assert (run["state"], run["reason_code"], "firecrawl: " in run["reason_detail"]) == (
        "incomplete",
        "pages_unknown",
        True,
    )
    assert crawl_output.states("guide") == {"/": "captured", "/linked": "captured"}


def test_provider_map_is_used_by_map_command(
    site: Site, project: Project, crawl_output: CrawlOutput, vendor: Vendor, env: dict[str, str]
) -> None:
    vendor.map(site.at("/"), *map(site.at, ("/1", "/x/3", "/closed")))
    done = project.scrapy("map", "guide", "--format", "csv", env=env)
    found = {path_of(row["url"]): (row["state"], row["found_by"]) for row in csv.DictReader(done.stdout.splitlines())}
    assert found["/1"] == ("collect", "provider's map")
    assert (found["/x/3"][0], found["/closed"][0]) == ("excluded", "excluded")
    assert [row["settled"] for row in crawl_output.rows("SELECT settled FROM costs")] == [1.0]
