"""APIs that refuse, fail or answer rubbish, and robots.txt files that are no wall: what the tier may not do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from tests.crawl.tiers.official import publishers as p
from tests.crawl.tiers.official.publishers import ECFR, Publishers
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source
from tests.support.server import Site
from tests.support.server.log import LATE_S, smallest_spacing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.project import Project

pytestmark = pytest.mark.crawl

ON = f"/on/{p.DAY}/title-1/part-2/subpart-A"
NOW = "/current/title-1/part-2/subpart-A"


def part(number: int) -> str:
    return f"/current/title-1/part-{number}/subpart-A"


def versions(number: int) -> str:
    return f"{p.VERSIONS}?{urlencode({'issue_date[lte]': p.DAY, 'part': number, 'subpart': 'A'})}"


def full(number: int) -> str:
    return f"{p.FULL}?part={number}&subpart=A"


class Trouble:
    """One collection: the APIs in trouble; and two further sites, whose pages the same APIs have."""

    def __init__(self, project: Project, site: Site, lawful: Site, ill: Site) -> None:
        self.site, self.lawful, self.ill = site, lawful, ill
        self.publishers = Publishers(site)
        self._script()
        lawful.robots("User-agent: *\nDisallow: /on/\n")
        ill.robots("busy", status=503)
        at = self.publishers.at
        sources = [
            *(source(f"part-{number}", at(ECFR, part(number))) for number in (2, 3, 4, 5, 6, 7, 8, 777)),
            source("forbidden", f"http://{ECFR}:{lawful.port}{ON}"),
            source("lawful", f"http://{ECFR}:{lawful.port}{NOW}"),
            source("ill", f"http://{ECFR}:{ill.port}{NOW}"),
        ]
        project.manifest(sources, domains=self.publishers.domains())
        self.log = self.publishers.collect(project)
        self.left = CrawlOutput(project)

    def _script(self) -> None:
        xml = p.text("ecfr-title-1-part-2.xml")
        for number in (2, 3, 4):
            self.site.page(full(number), xml.replace(b'N="2"', f'N="{number}"'.encode()), content_type="text/xml")
        self.site.status(p.TITLES, 429, times=1, retry_after="0")
        self.site.status(versions(3), 500)
        self.site.status(full(4), 503, times=1, retry_after="0", body='{"message": "Title 1 currently unavailable"}')
        self.site.page(full(5), p.WALL)
        self.site.page(full(6), page("Part 6"))
        self.site.redirect(full(7), "https://unblock.federalregister.gov/")
        self.site.status(full(8), 400, body='{"error": "Bad parameter"}', content_type="application/json")
        self.site.page(full(777), xml, content_type="text/xml")

    def requested_paths(self, target: str) -> int:
        return len(self.site.log.hits(target))


@pytest.fixture(scope="module")
def trouble(shared: Project, new_site: Callable[[], Site]) -> Iterator[Trouble]:
    site = new_site()
    with Site(site.host) as lawful, Site(site.host) as ill:
        yield Trouble(shared, site, lawful, ill)


@pytest.mark.parametrize(
    ("number", "state", "reason"),
    [
        (2, "captured", "captured"),
        (3, "captured", "captured"),
        (4, "captured", "captured"),
        (5, "failed", "denied"),
        (6, "failed", "bad_response"),
        (7, "failed", "api_redirects"),
        (8, "failed", "server_error"),
        (777, "failed", "bad_response"),
    ],
)
def test_official_page_ends_with_expected_state(trouble: Trouble, number: int, state: str, reason: str) -> None:
    ended, why = trouble.left.urls(f"part-{number}")[part(number)]
    assert (ended, why.code) == (state, reason)


def test_official_429_and_503_are_retried(trouble: Trouble) -> None:
    assert trouble.requested_paths(p.TITLES) == 2
    assert trouble.requested_paths(full(4)) == 2
    assert trouble.requested_paths(versions(4)) == 1  # what was learnt is not asked again


def test_official_page_without_amendment_dates_is_captured(trouble: Trouble) -> None:
    assert trouble.requested_paths(versions(3)) == 1
    assert trouble.left.envelope(part(3))["page_metadata"]["modified_date"] is None
    assert trouble.left.envelope(part(4))["page_metadata"]["modified_date"] == "2022-12-29"


def test_official_blocked_api_is_requested_once(trouble: Trouble) -> None:
    assert trouble.requested_paths(full(5)) == 1
    assert trouble.requested_paths(full(7)) == 1


def test_official_page_is_not_requested_after_api_failed(trouble: Trouble) -> None:
    assert trouble.requested_paths("/robots.txt") == 1
    [row] = trouble.left.rows("SELECT attempts FROM audit WHERE manifest_id = 'part-8' AND kind = 'page'")
    tries = [(attempt["tier"], attempt["verdict"]) for attempt in json.loads(row["attempts"])]
    assert tries == [("official", "server_error")]


def test_official_pages_respect_robots_txt_of_page(trouble: Trouble) -> None:
    state, why = trouble.left.urls("forbidden")[ON]
    assert (state, why.code) == ("excluded", "robots_disallowed")
    assert trouble.left.states("lawful") == {NOW: "captured"}
    assert {hit.path for hit in trouble.lawful.log.hits()} == {"/robots.txt"}


def test_official_server_error_stops_all_tiers(trouble: Trouble) -> None:
    state, why = trouble.left.urls("ill")[NOW]
    assert (state, why.code) == ("failed", "robots_unavailable")
    assert {hit.path for hit in trouble.ill.log.hits()} == {"/robots.txt"}


def test_official_delay_holds_for_all_requests(trouble: Trouble) -> None:
    sites = (trouble.site, trouble.lawful, trouble.ill)
    assert smallest_spacing(hit for site in sites for hit in site.log.hits()) >= p.DELAY_S - LATE_S


def test_official_urls_are_accounted_for(trouble: Trouble) -> None:
    trouble.left.assert_sums()
    trouble.left.assert_verified()


def test_official_second_run_finds_text_unchanged(trouble: Trouble) -> None:
    trouble.publishers.collect(trouble.left.project, "--source", "part-2")
    assert trouble.left.states("part-2") == {NOW: "unchanged"}


def test_official_api_of_other_group_needs_operator_setting(trouble: Trouble) -> None:
    foreign = {"RORI_ECFR_API": "https://mirror.example.org/api/versioner/v1"}
    trouble.publishers.collect(trouble.left.project, "--source", "part-2", **foreign)
    state, why = trouble.left.urls("part-2")[NOW]
    assert (state, why.code) == ("failed", "no_tier")


def test_official_online_validation_requests_apis_not_pages(trouble: Trouble) -> None:
    project = trouble.left.project
    resolver = "TWISTED_DNS_RESOLVER=tests.crawl.transport.scripted_resolver.ToldResolver"
    before = len(trouble.site.log.hits())
    validation = project.scrapy(
        "manifest", "validate", "--online", "--source", "part-2", "-s", resolver, env=trouble.publishers.env()
    )
    assert "content" in validation.stdout, validation.stdout + validation.stderr
    assert NOW not in {hit.path for hit in trouble.site.log.hits()[before:]}
