"""What a publisher asks of those who use its pages: collected all the same, and said in the envelope."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from rori_spiders.corpus.publishing.usage_rights import add_rights
from rori_spiders.corpus.publishing.version_plan import Entry
from rori_spiders.ledger.database import open_ledger
from rori_spiders.manifest.models import Source
from rori_spiders.staging.store_factory import DiskStore
from tests.content.documents.pdfs import pdf
from tests.support.crawl_output import CrawlOutput
from tests.support.pages import page
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.project import Project
    from tests.support.server import Site

pytestmark = pytest.mark.crawl

_SCHEMA = json.loads((Path(__file__).parents[3] / "docs" / "reference" / "envelope.schema.json").read_bytes())
_ROBOTS = "User-agent: *\nContent-Signal: search=yes, ai-train=no\nCrawl-delay: 0\nAllow: /\n"
_OF_SITE = ("content-signal", "search=yes, ai-train=no", "robots.txt")
_PDF = pdf(["A creditor shall disclose the finance charge clearly and conspicuously in writing. " * 8])
_METAS = (
    '<meta name="robots" content="noai, noimageai">'
    '<meta name="rori-collector" content="noarchive">'
    '<meta name="googlebot" content="noindex">'
    '<meta name="tdm-reservation" content="1">'
)


def asking(html: str) -> str:
    return html.replace("<head>", f"<head>{_METAS}")


class Collected:
    """A site that asks for much, visited three times: as it was, asking for more, and with a text edited."""

    def __init__(self, project: Project, site: Site) -> None:
        site.robots(_ROBOTS)
        site.page("/", page("Start", "/asks", "/quiet", "/other", "/paper.pdf"))
        site.page("/asks", asking(page("Asks")), x_robots_tag="noindex, noarchive", content_signal="ai-input=no")
        site.page("/quiet", page("Quiet"))
        site.page("/other", page("Other"), x_robots_tag="googlebot: noindex, noai")
        site.page("/paper.pdf", _PDF, content_type="application/pdf", x_robots_tag="noai", tdm_reservation="1")
        project.manifest([source("a", site.at("/"), "crawl")], delay_s=0.02)
        self.left = CrawlOutput(project)
        self._visit(project)
        self.first = {path: self.left.envelope(path) for path in ("/", "/asks", "/quiet", "/other", "/paper.pdf")}
        site.page("/quiet", asking(page("Quiet")), x_robots_tag="noai")
        self._visit(project)
        self.second = self.left.states("a")
        self.staged_twice = len(self.left.envelopes())
        site.page("/quiet", asking(page("Quiet", text="A sentence more.")), x_robots_tag="noai")
        self._visit(project)

    @staticmethod
    def _visit(project: Project) -> None:
        visit = project.scrapy("crawl", "a")
        assert visit.returncode == 0, visit.stderr


@pytest.fixture(scope="module")
def collected(shared: Project, new_site: Callable[[], Site]) -> Collected:
    return Collected(shared, new_site())


def signals(envelope: dict[str, Any]) -> list[tuple[str, str | None, str]]:
    jsonschema.validate(envelope, _SCHEMA)
    return [(one["signal"], one["value"], one["source"]) for one in envelope["page_metadata"]["usage_signals"]]


def test_usage_signals_noindex_page_is_collected_and_marked(collected: Collected) -> None:
    envelope = collected.first["/asks"]
    assert "A creditor shall disclose" in envelope["content"]["body"]
    assert envelope["page_metadata"]["robots"] == "noai, noimageai"
    assert envelope["page_metadata"]["x_robots_tag"] == "noindex, noarchive"
    assert signals(envelope) == [
        _OF_SITE,
        ("noindex", None, "header"),
        ("noarchive", None, "header"),
        ("content-signal", "ai-input=no", "header"),
        ("noai", None, "meta"),
        ("noimageai", None, "meta"),
        ("noarchive", None, "meta"),
        ("tdm-reservation", "1", "meta"),
    ]


def test_usage_signals_pdf_has_those_of_headers_and_site(collected: Collected) -> None:
    envelope = collected.first["/paper.pdf"]
    assert envelope["content"]["format"] == "pdf_text"
    assert envelope["page_metadata"]["x_robots_tag"] == "noai"
    assert signals(envelope) == [_OF_SITE, ("noai", None, "header"), ("tdm-reservation", "1", "header")]


def test_usage_signals_decide_rights_of_corpus(collected: Collected) -> None:
    """By what the ledger and the objects keep: headers, robots.txt and HTML of the last visit."""
    project = collected.left.project
    manifest = json.loads((project.folder / "manifest.json").read_text())["sources"][0]
    sources = {"a": Source.model_validate(manifest)}
    paths = ("", "asks", "quiet", "other", "paper.pdf", "never-seen")
    entries = [Entry(path, f"{manifest['url']}{path}", None, "", "", None, None) for path in paths]
    with closing(open_ledger(str(project.ledger))) as ledger:
        known = add_rights(ledger, DiskStore(project.staging), sources, entries, now=datetime.now(UTC))
    rights = {one.doc_id: one.rights for one in known}
    forbidden = {path: len(one.reasons) for path, one in rights.items() if one.verdict == "forbidden"}
    assert forbidden == {"asks": 3, "quiet": 3, "paper.pdf": 2}
    assert rights["other"].conditions == rights[""].conditions
    assert "ai-train=no" in rights[""].conditions[0]
    assert rights[""].unknown == ["the manifest has no `rights` for it"]
    assert "its robots.txt was not stored" in rights["never-seen"].unknown


def test_usage_signals_for_other_robot_are_stored_without_effect(collected: Collected) -> None:
    envelope = collected.first["/other"]
    assert envelope["page_metadata"]["x_robots_tag"] == "googlebot: noindex, noai"
    assert signals(envelope) == [_OF_SITE]


def test_usage_signals_of_site_apply_to_page_without_own(collected: Collected) -> None:
    assert "x_robots_tag" not in collected.first["/quiet"]["page_metadata"]
    assert signals(collected.first["/quiet"]) == [_OF_SITE]


def test_usage_signals_do_not_change_text_hash(collected: Collected) -> None:
    assert set(collected.second.values()) == {"unchanged"}
    assert collected.staged_twice == len(collected.first)


def test_usage_signals_of_next_version_are_those_of_its_day(collected: Collected) -> None:
    *_, newest = (e for e in collected.left.envelopes() if e["source"]["url"].endswith("/quiet"))
    assert newest["integrity"]["change_type"] == "modified"
    assert newest["page_metadata"]["x_robots_tag"] == "noai"
    assert ("noai", None, "header") in signals(newest)


def test_usage_signals_of_unchanged_visit_are_in_audit(collected: Collected) -> None:
    rows = collected.left.rows(
        "SELECT state, response_headers FROM audit WHERE kind = 'page' AND url LIKE '%/quiet' ORDER BY audit_id"
    )
    has_tag = ["x-robots-tag" in row["response_headers"].lower() for row in rows]
    assert [(row["state"], found) for row, found in zip(rows, has_tag, strict=True)] == [
        ("captured", False),
        ("unchanged", True),
        ("captured", True),
    ]
