"""A wiki's second visit where pages are missing, where answers say nothing of them, and where it was killed."""

from __future__ import annotations

import json
from threading import Event
from typing import TYPE_CHECKING

import pytest

from rori_spiders.reasons import Reason
from tests.crawl.walkers.mediawiki.wiki_server import Wiki, answer, manifest, visit
from tests.support.jobs import job
from tests.support.server import Held, Reply

if TYPE_CHECKING:
    from tests.support.crawl_output import CrawlOutput
    from tests.support.project import Project

pytestmark = pytest.mark.crawl

_NAMES = [f"Rule {number}" for number in range(4)]


def test_wiki_missing_page_is_gone_on_second_run_and_can_return(project: Project, crawl_output: CrawlOutput) -> None:
    with Wiki() as wiki:
        for name in _NAMES:
            wiki.make(name)
        manifest(project, wiki, namespaces=[0])
        visit(project, wiki)
        wiki.remove("Rule 3")
        visit(project, wiki)
        assert crawl_output.urls("a")["/wiki/Rule_3"][0] == "failed"
        crawl_output.change(
            "UPDATE pages SET missing_since = '2026-01-01T00:00:00.000000Z' WHERE missing_since IS NOT NULL"
        )
        visit(project, wiki)
        assert crawl_output.urls("a")["/wiki/Rule_3"][0] == "gone"
        visit(project, wiki)
        assert "/wiki/Rule_3" not in crawl_output.urls("a")
        wiki.make("Rule 3", "<p>" + "It is in force again. " * 40 + "</p>")
        visit(project, wiki)
        found = [one for one in crawl_output.envelopes() if one["source"]["url"].endswith("Rule_3")]
        kinds = [one["integrity"]["change_type"] for one in found]
        assert kinds == ["new", "deleted", "modified"]
        crawl_output.assert_sums()
        crawl_output.assert_verified()


def test_wiki_inconclusive_answer_leaves_pages_to_be_read(project: Project, crawl_output: CrawlOutput) -> None:
    with Wiki() as wiki:
        for name in _NAMES:
            wiki.make(name)
        manifest(project, wiki, titles=_NAMES)
        visit(project, wiki)
        never = {"continue": {"incontinue": "x", "continue": "||"}, "query": {"pages": []}}
        wiki.refuse = lambda query: answer(never) if query.get("prop") == "info" else None
        visit(project, wiki)
        assert set(crawl_output.states("a").values()) == {"unchanged"}
        assert (len(wiki.queries(prop="info")), len(wiki.queries(action="parse"))) == (1, 4)
        lagging = {"error": {"code": "maxlag", "info": "Waiting for db1: 12.5 seconds lagged."}}
        wiki.refuse = lambda query: answer(lagging, **{"Retry-After": "0"}) if query.get("prop") == "info" else None
        visit(project, wiki)
        assert set(crawl_output.urls("a").values()) == {("failed", Reason("api_lag"))}
        assert not wiki.queries(action="parse")
        rows = crawl_output.rows("SELECT attempts FROM audit WHERE kind = 'api' ORDER BY audit_id DESC LIMIT 1")
        assert len(json.loads(rows[0]["attempts"])) == 4
        crawl_output.assert_sums()


def test_wiki_killed_visit_resumes_in_batches(project: Project, crawl_output: CrawlOutput) -> None:
    with Wiki() as wiki:
        for number in range(60):
            wiki.make(f"Rule {number}")
        manifest(project, wiki, titles=[f"Rule {number}" for number in range(60)])
        visit(project, wiki)
        arrived, held = Event(), Held(60)

        def holding(query: dict[str, str]) -> Reply | None:
            if query.get("prop") != "info":
                return None
            arrived.set()
            return Reply(200, held=held)

        wiki.refuse = holding
        with job(project, "collect", "--force") as running:
            assert arrived.wait(60)
            running.kill()
            running.communicate()
        held.release()
        crawl_output.expire_claims()
        wiki.refuse = lambda _: None
        visit(project, wiki)
        assert sorted(len(one["titles"].split("|")) for one in wiki.queries(prop="info")) == [10, 50]
        assert not wiki.queries(action="parse")
        assert len(crawl_output.runs("a")) == 2
        assert set(crawl_output.states("a").values()) == {"unchanged"}
        crawl_output.assert_sums()
        crawl_output.assert_verified()
