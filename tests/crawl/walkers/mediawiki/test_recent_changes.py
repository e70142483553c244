"""A wiki visited by its list of recent changes: what stands there is asked for, the rest is as it was, for a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.walkers.mediawiki.wiki_server import Wiki, answer, manifest, visit
from tests.support.crawl_output import CrawlOutput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.reasons import Reason
    from tests.support.project import Project

pytestmark = pytest.mark.crawl

_NAMES = [f"Rule {number}" for number in range(20)]


class Followed:
    """A wiki of 20 pages after a whole visit, some changes, and a visit by the list of changes."""

    def __init__(self, project: Project, wiki: Wiki) -> None:
        self.project, self.wiki, self.left = project, wiki, CrawlOutput(project)
        for name in _NAMES:
            wiki.make(name)
        manifest(project, wiki, namespaces=[0], recent_changes=True)
        visit(project, wiki)
        self.first = [one.get("generator") for one in wiki.queries(action="query")]
        wiki.edit("Rule 1", "<p>" + "The rate is 7 percent and not 6. " * 30 + "</p>")
        wiki.touch("Rule 2", "<p>" + "A template says that the rate is 8 percent. " * 30 + "</p>")
        wiki.note("edit", "Template:Rate")
        wiki.uses["Template:Rate"] = ["Rule 2", "Talk:Rule 2"]
        wiki.remove("Rule 4")
        wiki.move("Rule 6", "Rule 6a", leaving_redirect=False)
        wiki.add("Rule 20")
        wiki.add("Help:Top")
        visit(project, wiki)

    def end(self, title: str) -> tuple[str, Reason]:
        return self.left.urls("a")[f"/wiki/{title.replace(' ', '_')}"]


@pytest.fixture(scope="module")
def followed(shared: Project) -> Iterator[Followed]:
    with Wiki() as wiki:
        yield Followed(shared, wiki)


def test_wiki_changes_first_visit_is_full(followed: Followed) -> None:
    assert followed.first == [None, "allpages"]


def test_wiki_changes_only_changed_pages_are_requested(followed: Followed) -> None:
    assert {one["page"] for one in followed.wiki.queries(action="parse")} == {"Rule 1", "Rule 2", "Rule 6a", "Rule 20"}
    lists = [one.get("list", one.get("generator", one.get("prop"))) for one in followed.wiki.queries(action="query")]
    assert lists == [None, "recentchanges", "embeddedin", "info", "logevents"]
    (changes,) = followed.wiki.queries(list="recentchanges")
    assert (changes["rcdir"], changes["rctype"], changes["maxlag"]) == ("newer", "edit|new|log|external", "5")
    (info,) = followed.wiki.queries(prop="info")
    assert set(info["titles"].split("|")) == {"Rule 1", "Rule 2", "Rule 4", "Rule 6"}


def test_wiki_changes_edits_templates_new_pages_moves_and_deletions_are_found(followed: Followed) -> None:
    assert {followed.end(title)[0] for title in ("Rule 1", "Rule 2", "Rule 6a", "Rule 20")} == {"captured"}
    assert followed.end("Rule 4")[1].code == "missing_in_wiki"
    assert followed.end("Rule 6")[1].detail["target_url"] == followed.wiki.site.at("/wiki/Rule_6a")
    assert "/wiki/Help:Top" not in followed.left.urls("a")


def test_wiki_changes_other_pages_are_confirmed_by_list(followed: Followed) -> None:
    state, reason = followed.end("Rule 9")
    assert state == "unchanged"
    assert reason.code == "not_among_changes"
    rows = followed.left.rows("SELECT raw_hash FROM audit WHERE url LIKE '%/Rule_9' ORDER BY audit_id DESC LIMIT 1")
    (evidence,) = followed.left.rows("SELECT url FROM audit WHERE kind = 'api' AND raw_hash = ?", rows[0]["raw_hash"])
    assert "embeddedin" in evidence["url"] or "recentchanges" in evidence["url"]


def test_wiki_changes_ledger_and_staging_agree(followed: Followed) -> None:
    assert followed.left.last_run("a")["state"] == "complete"
    followed.left.assert_sums()
    followed.left.assert_verified()


def test_wiki_changes_missing_page_is_requested_again_and_hidden_change_distrusted(followed: Followed) -> None:
    wiki = followed.wiki
    wiki.log = []
    visit(followed.project, wiki)
    assert set(wiki.queries(prop="info")[0]["titles"].split("|")) == {"Rule 4", "Rule 6"}
    assert not wiki.queries(action="parse")
    hidden = {"query": {"recentchanges": [{"type": "log", "actionhidden": True}]}}
    wiki.refuse = lambda query: answer(hidden) if query.get("list") == "recentchanges" else None
    visit(followed.project, wiki)
    assert [one.get("list", one.get("generator", one.get("prop"))) for one in wiki.queries(action="query")][:4] == [
        None,
        "recentchanges",
        "allpages",
        "info",
    ]
    assert followed.left.last_run("a")["state"] == "complete"


def test_wiki_changes_full_visit_is_repeated_after_interval(followed: Followed) -> None:
    followed.wiki.refuse = lambda _: None
    followed.left.change("UPDATE runs SET started_at = '2026-01-01T00:00:00.000000Z'")
    visit(followed.project, followed.wiki)
    assert not followed.wiki.queries(list="recentchanges")
    assert len(followed.wiki.queries(generator="allpages")) == 1
    followed.left.assert_sums()
