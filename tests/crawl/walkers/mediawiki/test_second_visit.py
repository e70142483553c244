"""The second visit of a wiki: what did not change is confirmed by the lists, what did is read, no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.reasons import Reason
from tests.crawl.walkers.mediawiki.wiki_server import LATER, Wiki, manifest, visit
from tests.support.crawl_output import CrawlOutput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.project import Project

pytestmark = pytest.mark.crawl

_NAMES = [f"Rule {number}" for number in range(60)]


class Visited:
    """A wiki of 60 pages after a first visit, some changes, and a second visit."""

    def __init__(self, project: Project, wiki: Wiki) -> None:
        self.wiki, self.left = wiki, CrawlOutput(project)
        for name in _NAMES:
            wiki.make(name, categories=("Circulars",))
        wiki.make("Old name", categories=("Circulars",), redirects_to="Rule 7")
        manifest(project, wiki, categories=["Circulars"])
        visit(project, wiki)
        self.first = len(wiki.queries(action="parse"))
        wiki.edit("Rule 1", "<p>" + "The rate is 7 percent and not 6. " * 30 + "</p>")
        wiki.touch("Rule 2", "<p>" + "A template says that the rate is 8 percent. " * 30 + "</p>")
        wiki.pages["Rule 3"].touched = LATER  # touched, and the same
        wiki.remove("Rule 4")
        wiki.pages["Rule 5"].categories = ()
        wiki.move("Rule 6", "Rule 6a", leaving_redirect=True)
        wiki.move("Rule 8", "Rule 8a", leaving_redirect=False)
        visit(project, wiki)

    def end(self, title: str) -> tuple[str, Reason]:
        return self.left.urls("a")[f"/wiki/{title.replace(' ', '_')}"]


@pytest.fixture(scope="module")
def visited(shared: Project) -> Iterator[Visited]:
    with Wiki() as wiki:
        yield Visited(shared, wiki)


def test_wiki_second_visit_reads_only_changed_pages(visited: Visited) -> None:
    assert visited.first == 61
    assert {one["page"] for one in visited.wiki.queries(action="parse")} == {
        "Rule 1",
        "Rule 2",
        "Rule 3",
        "Rule 6a",
        "Rule 8a",
        "Old name",
    }
    queries = visited.wiki.queries(prop="info")
    listed, unlisted = [one for one in queries if "generator" in one], [one for one in queries if "titles" in one]
    assert len(listed) == len(unlisted) == 1  # it names 500 at a time; what it does not name any more
    assert len(unlisted[0]["titles"].split("|")) == 4
    assert {one["maxlag"] for one in queries} == {"5"}


def test_wiki_second_visit_untouched_page_is_confirmed_with_revision(visited: Visited) -> None:
    state, reason = visited.end("Rule 9")
    assert state == "unchanged"
    assert (reason.code, reason.detail["revision"]) == ("same_revision", visited.wiki.pages["Rule 9"].revision)
    first, second = visited.left.rows(
        "SELECT * FROM audit WHERE url LIKE '%/Rule_9' AND kind = 'page' ORDER BY audit_id"
    )
    assert (second["state"], second["content_hash"]) == ("unchanged", first["content_hash"])
    (evidence,) = visited.left.rows(
        "SELECT url FROM audit WHERE kind = 'api' AND raw_hash = ? ORDER BY audit_id", second["raw_hash"]
    )
    assert "generator=categorymembers" in evidence["url"] and "prop=info" in evidence["url"]


def test_wiki_second_visit_edit_and_template_are_changes_and_touch_is_not(visited: Visited) -> None:
    assert visited.end("Rule 1")[0] == visited.end("Rule 2")[0] == "captured"
    assert visited.end("Rule 3") == ("unchanged", Reason("same_text"))


def test_wiki_second_visit_missing_page_is_requested_once(visited: Visited) -> None:
    assert visited.end("Rule 4") == ("failed", Reason("missing_in_wiki"))


def test_wiki_second_visit_unlisted_page_is_not_read(visited: Visited) -> None:
    assert visited.end("Rule 5") == ("excluded", Reason("not_listed"))


def test_wiki_second_visit_moved_page_has_both_urls(visited: Visited) -> None:
    new = visited.wiki.site.at("/wiki/Rule_6a")
    assert visited.end("Rule 6") == ("excluded", Reason("redirected", target_url=new))
    aliases = visited.left.rows("SELECT a.url FROM page_aliases a JOIN pages p USING (page_id) WHERE p.url = ?", new)
    assert [row["url"] for row in aliases] == [visited.wiki.site.at("/wiki/Rule_6")]


def test_wiki_second_visit_page_moved_without_redirect_is_missing_under_both(visited: Visited) -> None:
    new = visited.wiki.site.at("/wiki/Rule_8a")
    state, reason = visited.end("Rule 8")
    assert (state, reason) == ("failed", Reason("missing_in_wiki", target_url=new))
    aliases = visited.left.rows("SELECT a.* FROM page_aliases a JOIN pages p USING (page_id) WHERE p.url = ?", new)
    assert [(row["url"], row["kind"]) for row in aliases] == [(visited.wiki.site.at("/wiki/Rule_8"), "moved")]
    assert len(visited.wiki.queries(list="logevents")) == 1


def test_wiki_second_visit_ledger_and_staging_agree(visited: Visited) -> None:
    run = visited.left.last_run("a")
    assert (run["state"], run["reason"]) == ("complete", None)
    visited.left.assert_sums()
    visited.left.assert_verified()
