"""eCFR and Federal Register: by their APIs, under the URLs that people know, where pages and robots.txt are a wall."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from rori_spiders.reasons import Reason
from tests.crawl.tiers.official import publishers as p
from tests.crawl.tiers.official.publishers import ECFR, FEDERAL_REGISTER, Publishers
from tests.support.crawl_output import CrawlOutput
from tests.support.project import source
from tests.support.server.log import LATE_S, smallest_spacing

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

NOT_THERE, ABROAD = "/current/title-1/section-9.1", "/search"
OTHERS = "/documents/2014/11/03/2014-11111/another"
NO_TEXT = "/d/94-12345"


class Walled:
    """What one collection of both publishers left."""

    def __init__(self, project: Project, site: Site) -> None:
        self.publishers = Publishers(site)
        self.publishers.json("/api/v1/documents/2014-11111.json", p.rule())  # another one's
        no_text = p.rule(document_number="94-12345", full_text_xml_url=None)
        self.publishers.json("/api/v1/documents/94-12345.json", no_text)
        at = self.publishers.at
        project.manifest(
            [
                source("part", at(ECFR, p.PART)),
                source("section", at(ECFR, p.SECTION)),
                source("gone", at(ECFR, NOT_THERE)),
                source("reserved", at(ECFR, "/current/title-35/section-1.1")),
                source("titles", at(ECFR, p.TITLES)),
                source("search", at(ECFR, ABROAD)),
                source("chapter", at(ECFR, "/current/title-1/chapter-I"), "crawl", scrape_config={"sitemaps": []}),
                source("rule", at(FEDERAL_REGISTER, p.RULE)),
                source("other", at(FEDERAL_REGISTER, OTHERS)),
                source("no-text", at(FEDERAL_REGISTER, NO_TEXT)),
                source("agency", at(FEDERAL_REGISTER, p.AGENCY), "crawl", scrape_config={"include_patterns": ["/*"]}),
            ],
            domains=self.publishers.domains(),
        )
        self.log = self.publishers.collect(project)
        self.left = CrawlOutput(project)
        self.hits = site.log.hits()

    def requested_paths(self, host: str) -> list[str]:
        return [hit.path for hit in self.hits if hit.host.startswith(host)]


@pytest.fixture(scope="module")
def walled(shared: Project, new_site: Callable[[], Site]) -> Walled:
    return Walled(shared, new_site())


@pytest.mark.parametrize(
    ("host", "path", "words"),
    [
        (ECFR, f"{p.PART}/section-2.1", "# § 2.1 Scope and purpose."),
        (ECFR, p.PART, "44 U.S.C. 1506"),
        (ECFR, p.SECTION, "Code of Federal Regulations"),
        (FEDERAL_REGISTER, p.RULE, "DATES:"),
    ],
)
def test_official_texts_are_staged_under_page_urls(walled: Walled, host: str, path: str, words: str) -> None:
    found = [one for one in walled.left.envelopes() if one["source"]["url"] == walled.publishers.at(host, path)]
    assert found
    for one in found:
        assert one["scrape"]["engine"] == "official"
        assert one["scrape"]["http_status"] == 200
        assert words in one["content"]["body"]
        assert "Request Access" not in one["content"]["body"]


def test_official_stored_bytes_are_those_received(walled: Walled) -> None:
    one = walled.left.envelope(p.SECTION)
    assert one["content"]["body_html"].encode() == p.text("ecfr-title-1-section-2.5.xml")


def test_official_amendment_date_is_modified_date(walled: Walled) -> None:
    assert walled.left.envelope(p.SECTION)["page_metadata"]["modified_date"] == "2022-12-29"
    [version] = walled.left.rows(
        "SELECT v.publisher_version FROM versions v JOIN pages USING (page_id) WHERE url = ?",
        walled.publishers.at(ECFR, p.SECTION),
    )
    assert version["publisher_version"] == p.DAY


def test_official_api_metadata_of_rule_is_in_envelope(walled: Walled) -> None:
    [metadata, *_] = [one["page_metadata"] for one in walled.left.envelopes() if one["source"]["manifest_id"] == "rule"]
    assert (metadata["published_date"], metadata["author"]) == ("2014-11-03", "Consumer Financial Protection Bureau")
    assert metadata["description"] == p.rule()["abstract"]
    assert {"79 FR 65299", "Docket No. CFPB-2014-0009", "3170-AA43"} <= set(metadata["keywords"])
    rows = walled.left.rows(
        "SELECT effective, published FROM versions JOIN pages USING (page_id) WHERE source_id = 'rule'"
    )
    assert rows == [{"effective": "2015-08-01", "published": "2014-11-03"}]


def test_official_hosts_get_only_robots_and_api_requests(walled: Walled) -> None:
    paths = {urlsplit(path).path for path in walled.requested_paths("www.")}
    assert not paths & {p.PART, p.SECTION, p.RULE, p.AGENCY, NOT_THERE}
    assert all(path.startswith(("/api/", "/documents/full_text/xml/")) for path in paths - {"/robots.txt"})


def test_official_requests_are_counted_and_titles_requested_once(walled: Walled) -> None:
    paths = walled.requested_paths(ECFR)
    assert paths.count(p.TITLES) == 2  # for all pages together, and as a page of its own
    assert len([path for path in paths if path.startswith(p.FULL)]) == 4  # part twice, section, and one not there
    assert walled.requested_paths(FEDERAL_REGISTER).count(p.RULE_XML) == 1  # of two sources


def test_official_requests_respect_delay_of_group(walled: Walled) -> None:
    assert smallest_spacing(walled.hits) >= p.DELAY_S - LATE_S
    assert {hit.headers["user-agent"].split("/")[0] for hit in walled.hits} == {"RORI-Collector"}


@pytest.mark.parametrize(
    ("source_id", "path", "reason"),
    [
        ("gone", NOT_THERE, "not_found"),
        ("reserved", "/current/title-35/section-1.1", "not_found"),
        ("other", OTHERS, "bad_response"),
        ("no-text", NO_TEXT, "no_full_text"),
        ("search", ABROAD, "robots_unavailable"),
    ],
)
def test_official_missing_document_fails_with_reason(walled: Walled, source_id: str, path: str, reason: str) -> None:
    state, why = walled.left.urls(source_id)[path]
    assert (state, why.code) == ("failed", reason)


def test_official_chapter_is_collected_by_table_of_contents(walled: Walled) -> None:
    part, states = "/current/title-1/chapter-I/subchapter-A/part-2", walled.left.states("chapter")
    assert set(states.values()) == {"captured"}, walled.log
    assert {"/current/title-1/chapter-I", part, f"{part}/section-2.5"} < states.keys()
    contents = walled.left.envelope("/current/title-1/chapter-I")["content"]["body"]
    assert contents.startswith("# Chapter I - Committee")
    assert "Reserved" in contents


def test_official_agency_is_collected_by_search(walled: Walled) -> None:
    state, why = walled.left.urls("agency")[p.RULE]
    assert (state, why) == ("excluded", Reason("collected_by", source="rule"))


def test_official_titles_list_is_not_document(walled: Walled) -> None:
    assert walled.left.last_run("titles")["state"] == "complete"
    assert walled.left.states("titles") == {}
    assert not [one for one in walled.left.envelopes() if one["source"]["manifest_id"] == "titles"]


def test_official_ledger_and_staging_agree(walled: Walled) -> None:
    walled.left.assert_sums()
    walled.left.assert_verified()
    [row] = walled.left.rows("SELECT attempts FROM audit WHERE manifest_id = 'section' AND kind = 'page'")
    assert [attempt["tier"] for attempt in json.loads(row["attempts"])] == ["official"]
