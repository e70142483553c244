"""A search of the Federal Register: the full text of each document that it names, each read once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.reasons import Reason
from tests.crawl.tiers.official import publishers as p
from tests.crawl.tiers.official.publishers import FEDERAL_REGISTER, Publishers
from tests.crawl.tiers.official.stand_ins import FederalRegister
from tests.support.crawl_output import CrawlOutput
from tests.support.project import source

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

SEARCH = (
    "/api/v1/documents.json?conditions[agencies][]=consumer-financial-protection-bureau&conditions[type][]=RULE"
    "&conditions[cfr][title]=12&conditions[cfr][part]=1026&conditions[publication_date][gte]=2024-01-01"
)


class Searched:
    """A search that one project collects again and again."""

    source_id = "rules"

    def __init__(self, project: Project, site: Site, method: str = "scrape", **config: Any) -> None:
        self.publishers, self.project, self.left = Publishers(site), project, CrawlOutput(project)
        self.register = FederalRegister(site)
        self.rules = [
            self.register.add(
                "2026-10001", "2026-10-01", cfr_references=[{"title": 12, "part": 1026, "chapter": None}]
            ),
            self.register.add("2026-10002", "2026-10-02"),
            self.register.add("C1-2026-10001", "2026-10-05", type="Rule", correction_of=self._api("2026-10001")),
        ]
        self.register.publish()
        url = self.publishers.at(FEDERAL_REGISTER, SEARCH)
        project.manifest(
            [source("rules", url, method, scrape_config={"max_depth": 0, **config})],
            domains=self.publishers.domains(delay_s=0.05),
        )

    @staticmethod
    def _api(number: str) -> str:
        return f"https://{FEDERAL_REGISTER}/api/v1/documents/{number}"

    def collect(self, **env: str) -> list[str]:
        """Collect once; gives what was asked."""
        before = len(self.register.requested_paths())
        self.log = self.publishers.collect(self.project, **env)
        return self.register.requested_paths()[before:]

    def run(self) -> dict[str, Any]:
        return self.left.last_run("rules")


@pytest.mark.parametrize("method", ["scrape", "crawl"])
def test_federal_register_search_each_document_is_page(project: Project, site: Site, method: str) -> None:
    searched = Searched(project, site, method)
    assert sorted(searched.collect()) == ["2026-10001", "2026-10002", "C1-2026-10001", "list", "list"]
    assert searched.run()["state"] == "complete", searched.log
    assert searched.left.states("rules") == dict.fromkeys(searched.rules, "captured")
    metadata = searched.left.envelope(searched.rules[0])["page_metadata"]
    assert (metadata["document_number"], metadata["document_type"]) == ("2026-10001", "Rule")
    assert (metadata["published_date"], metadata["effective_date"]) == ("2026-10-01", "2015-08-01")
    assert (metadata["cfr_references"], metadata["docket_ids"]) == (["12 CFR 1026"], ["Docket No. CFPB-2014-0009"])
    assert metadata["agencies"] == ["Consumer Financial Protection Bureau"]
    assert "corrects" not in metadata
    assert searched.left.envelope(searched.rules[2])["page_metadata"]["corrects"] == "2026-10001"
    assert "DATES:" in searched.left.envelope(searched.rules[0])["content"]["body"]
    searched.left.assert_sums()
    searched.left.assert_verified()


def test_federal_register_held_documents_are_final_and_new_ones_read(project: Project, site: Site) -> None:
    searched = Searched(project, site)
    searched.collect()
    assert searched.collect() == ["list", "list"]
    assert set(searched.left.states("rules").values()) == {"unchanged"}
    assert searched.left.urls("rules")[searched.rules[0]][1].code == "final_document"
    new = searched.register.add("2026-10003", "2026-10-06")
    searched.register.publish()
    assert searched.collect() == ["list", "list", "2026-10003"]
    assert searched.left.in_state("rules", "captured") == {new}
    assert len(searched.left.index()) == 4
    # Another slug is no other document.
    searched.register.documents[0]["html_url"] += "-renamed"
    searched.register.publish()
    assert searched.collect() == ["list", "list"]
    searched.left.assert_sums()


def test_federal_register_search_with_missing_documents_is_incomplete(project: Project, site: Site) -> None:
    searched = Searched(project, site)
    searched.register.publish(count=7)
    searched.collect()
    assert (searched.run()["state"], searched.run()["reason_code"]) == ("incomplete", "pages_unknown")
    assert "7 documents, and its pages name 3" in searched.run()["reason"]
    assert len(searched.left.index()) == 3
    searched.register.publish()
    searched.collect()
    assert searched.run()["state"] == "complete"


def test_federal_register_truncated_result_page_is_incomplete(project: Project, site: Site) -> None:
    searched = Searched(project, site)
    site.page("/api/v1/documents.json?format=json&page=2", '{"count": 3, "results": [{"docu', content_type=p.JSON)
    searched.collect()
    assert searched.run()["state"] == "incomplete"
    assert searched.left.in_state("rules", "captured") == set(searched.rules[1:])


def test_federal_register_blocked_search_fails_run(project: Project, site: Site) -> None:
    searched = Searched(project, site)
    site.page("/api/v1/documents.json", p.WALL)
    searched.collect()
    assert searched.run()["state"] == "failed"
    assert not searched.left.index()


def test_federal_register_truncated_text_is_not_document(project: Project, site: Site) -> None:
    searched = Searched(project, site)
    xml = p.text("fr-2014-25503.xml").decode()
    site.truncated("/documents/full_text/xml/2026/10/01/2026-10001.xml", xml)
    searched.collect()
    state, reason = searched.left.urls("rules")[searched.rules[0]]
    assert (state, reason.code) == ("failed", "truncated")
    assert len(searched.left.index()) == 2


def test_federal_register_old_documents_use_plain_text(project: Project, site: Site) -> None:
    searched = Searched(project, site)
    raw = "/documents/full_text/text/1994/01/05/94-12345.txt"
    words = "The Bureau publishes this rule as it stood in print. " * 20
    site.page(raw, f"<html><head><title>Rule</title></head><body><pre>{words}</pre></body></html>")
    old = searched.register.add(
        "94-12345", "1994-01-05", full_text_xml_url=None, raw_text_url=f"https://{FEDERAL_REGISTER}{raw}"
    )
    searched.register.publish()
    searched.collect()
    assert "as it stood in print" in searched.left.envelope(old)["content"]["body"], searched.log


def test_federal_register_document_without_details_is_requested_first(project: Project, site: Site) -> None:
    searched = Searched(project, site)
    for one in searched.register.documents:
        for name in ("full_text_xml_url", "body_html_url", "raw_text_url"):
            one.pop(name, None)
    searched.register.publish()
    assert searched.collect().count("json") == 3
    assert len(searched.left.index()) == 3


def test_federal_register_expected_words_may_be_in_list(project: Project, site: Site) -> None:
    searched = Searched(project, site, expect={"must_contain": ["Truth in Lending Act"], "why": "what it is about"})
    searched.collect()
    assert searched.run()["state"] == "complete"
    for one in searched.register.documents:
        one["title"] = "Another rule"
    searched.register.publish()
    searched.collect()
    assert (searched.run()["state"], searched.run()["reason_code"]) == ("incomplete", "expectation")


def test_federal_register_long_search_continues_by_days(project: Project, site: Site) -> None:
    searched = Searched(project, site)
    # The API gives two documents of a search, and no further page.
    listed = searched.register.documents
    answer = {"count": 3, "results": listed[:2]}
    site.page("/api/v1/documents.json", json.dumps(answer), content_type=p.JSON)
    first = next(iter(searched.collect()))
    assert first == "list"
    paths = [hit.path for hit in site.log.hits() if "publication_date%5D%5Blte%5D=2026-10-02" in hit.path]
    assert paths
    site.page(paths[0], json.dumps({"count": 2, "results": listed[1:]}), content_type=p.JSON)
    searched.collect()
    assert searched.run()["state"] == "complete"
    assert len(searched.left.index()) == 3


def test_federal_register_document_of_two_searches_is_staged_once(project: Project, site: Site) -> None:
    searched = Searched(project, site)
    other = SEARCH.replace("[type][]=RULE", "[type][]=PRORULE")
    project.manifest(
        [
            source("rules", searched.publishers.at(FEDERAL_REGISTER, SEARCH)),
            source("others", searched.publishers.at(FEDERAL_REGISTER, other)),
        ],
        domains=searched.publishers.domains(delay_s=0.05),
    )
    paths = searched.collect()
    assert sorted(one for one in paths if one != "list") == ["2026-10001", "2026-10002", "C1-2026-10001"], searched.log
    assert len(searched.left.index()) == 3
    ends = [searched.left.urls(one) for one in ("rules", "others")]
    for url in searched.rules:
        assert sorted(urls[url][0] for urls in ends) == ["captured", "excluded"]
        owner = "rules" if ends[0][url][0] == "captured" else "others"
        other_urls = ends[1] if owner == "rules" else ends[0]
        assert other_urls[url][1] == Reason("collected_by", source=owner)
    assert {searched.left.last_run(one)["state"] for one in ("rules", "others")} == {"complete"}

    # The next visits ask for nothing twice either, whichever of them comes first.
    searched.register.add("2026-10003", "2026-10-06")
    searched.register.publish()
    paths = searched.collect(RORI_PARALLEL_RUNS="1")
    assert [one for one in paths if one != "list"] == ["2026-10003"]
    assert len(searched.left.index()) == 4
    searched.left.assert_sums()
    searched.left.assert_verified()
