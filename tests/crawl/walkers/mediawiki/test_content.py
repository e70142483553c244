"""A wiki of which the source names no pages: its content namespaces are collected, or it says what to name."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING

import pytest

from rori_spiders.crawl.tiers.mediawiki.api_queries import WikiContent, parse_wiki_content
from rori_spiders.reasons import Reason
from tests.crawl.walkers.mediawiki.wiki_server import Wiki, answer, manifest, visit
from tests.support.cases import cases
from tests.support.crawl_output import CrawlOutput
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.project import Project

_RULES = {f"/wiki/Rule_{number}" for number in range(4)}


@pytest.fixture
def wiki() -> Iterator[Wiki]:
    with Wiki() as made:
        for number in range(4):
            made.make(f"Rule {number}")
        for title in ("Help:Contents", "Talk:Rule 1", "Template:Box"):
            made.make(title)
        yield made


@pytest.mark.crawl
def test_wiki_content_namespaces_are_collected_whole(project: Project, wiki: Wiki) -> None:
    wiki.content = (0, 12)
    manifest(project, wiki)
    visit(project, wiki)
    left = CrawlOutput(project)
    assert left.in_state("a", "captured") == _RULES | {"/wiki/Help:Contents"}
    assert left.last_run("a")["state"] == "complete"
    visit(project, wiki)
    assert left.in_state("a", "unchanged") == _RULES | {"/wiki/Help:Contents"}
    assert [one["page"] for one in wiki.queries(action="parse")] == ["Rule 0"]  # the start page, before the lists


@pytest.mark.crawl
def test_wiki_content_recognised_by_mediawiki_sites_is_collected(project: Project, wiki: Wiki) -> None:
    sites = {wiki.site.host: wiki.site.at("/w/api.php")}
    project.manifest([source("a", wiki.site.at("/wiki/Rule_0"), "mediawiki")], delay_s=0.02, mediawiki_sites=sites)
    visit(project, wiki)
    assert CrawlOutput(project).in_state("a", "captured") == _RULES


@pytest.mark.crawl
def test_wiki_content_beyond_limit_is_incomplete(project: Project, wiki: Wiki) -> None:
    wiki.articles = 4
    manifest(project, wiki)
    project.env["RORI_MAX_PAGES"] = "3"
    for state in ("captured", "unchanged"):
        visit(project, wiki)
        left = CrawlOutput(project)
        run = left.last_run("a")
        assert (run["state"], run["reason"]) == ("incomplete", Reason("wiki_too_large", pages=4, limit=3))
        assert left.in_state("a", state) == {"/wiki/Rule_0", "/wiki/Rule_1", "/wiki/Rule_2"}
    mapped = project.scrapy("map", "a")
    assert "the wiki has 4 articles, more than the 3 of one run. Name pages in scrape_config.mediawiki" in mapped.stdout


@pytest.mark.crawl
def test_wiki_content_max_pages_bounds_run(project: Project, wiki: Wiki) -> None:
    wiki.articles = 4
    manifest(project, wiki)
    path = project.folder / "manifest.json"
    whole = json.loads(path.read_text(encoding="utf-8"))
    whole["sources"][0]["scrape_config"] |= {"max_pages": 2}
    path.write_text(json.dumps(whole), encoding="utf-8")
    visit(project, wiki)
    left = CrawlOutput(project)
    assert left.last_run("a")["state"] == "complete"
    assert left.in_state("a", "captured") == {"/wiki/Rule_0", "/wiki/Rule_1"}


@pytest.mark.crawl
def test_wiki_content_limit_is_remembered_after_stop(project: Project, wiki: Wiki) -> None:
    wiki.articles = 40_000
    manifest(project, wiki)
    wiki.refuse = lambda query: answer({"error": {"code": "maxlag"}}, Retry_After="30") if "page" in query else None
    with project.start("collect", "--force") as job:
        assert wiki.site.log.wait_for_hits(3, unless=lambda: job.poll() is not None)
        job.send_signal(signal.SIGINT)
        job.communicate(timeout=60)
    left = CrawlOutput(project)
    assert left.last_run("a")["state"] == "partial"
    wiki.refuse = lambda _: None
    visit(project, wiki)
    assert len(left.runs("a")) == 1
    assert left.last_run("a")["reason_code"] == "wiki_too_large"


@cases(
    ("query", "content"),
    [
        ({"namespaces": {"0": {"id": 0, "content": True}, "4": {"id": 4, "content": False}}}, WikiContent((0,), None)),
        ({"namespaces": {"0": {"id": 0, "content": ""}, "2": {"id": 2}}, "statistics": {"articles": 7}}, ((0,), 7)),
        ({"namespaces": {"6": {"id": 6, "content": True}, "-1": {"id": -1, "content": True}}}, ((0,), None)),
        ({"namespaces": [], "statistics": {"articles": "many"}}, ((0,), None)),
        ({}, ((0,), None)),
    ],
)
def test_wiki_content_namespaces_are_parsed(query: dict[str, object], content: WikiContent) -> None:
    assert parse_wiki_content(json.dumps({"query": query}).encode()) == content


@cases("body", [None, b"", b"<html>", b"[]", b'{"query": []}'])
def test_wiki_content_without_namespaces_is_articles(body: bytes | None) -> None:
    assert parse_wiki_content(body) == ((0,), None)
