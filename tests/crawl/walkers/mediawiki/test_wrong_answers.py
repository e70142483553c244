"""A wiki whose caches are wrong: the page of another title, and a revision from before the one that we hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.walkers.mediawiki.wiki_server import LATER, Wiki, answer, manifest, visit
from tests.support.crawl_output import CrawlOutput

if TYPE_CHECKING:
    from rori_spiders.reasons import Reason
    from tests.support.project import Project
    from tests.support.server import Reply

pytestmark = pytest.mark.crawl

_OLD_TEXT, _NEW_TEXT = ("<p>" + f"The fee is {fee} dollars and not more. " * 30 + "</p>" for fee in (20, 25))


def _end(project: Project, path: str) -> tuple[str, Reason]:
    return CrawlOutput(project).urls("a")[path]


def test_wiki_answer_with_another_title_fails(project: Project) -> None:
    with Wiki() as wiki:
        for name in ("Rule 1", "Rule 2", "Old rule"):
            wiki.make(name, categories=("Circulars",))

        def cached(query: dict[str, str]) -> Reply | None:
            is_other = query.get("page") in {"Rule 2", "Old rule"}
            return answer(wiki._parse(query | {"page": "Rule 1"})) if is_other else None

        wiki.refuse = cached
        manifest(project, wiki, categories=["Circulars"])
        visit(project, wiki)
    assert _end(project, "/wiki/Rule_1")[0] == "captured"
    for path in ("/wiki/Rule_2", "/wiki/Old_rule"):
        state, reason = _end(project, path)
        assert (state, reason.code) == ("failed", "bad_answer")
        assert "it returned Rule 1" in str(reason)


def test_wiki_older_revision_than_stored_is_held(project: Project) -> None:
    with Wiki() as wiki:
        wiki.make("Rule 1", _OLD_TEXT, categories=("Circulars",))
        manifest(project, wiki, categories=["Circulars"])
        visit(project, wiki)
        first = wiki.pages["Rule 1"].revision
        wiki.edit("Rule 1", _NEW_TEXT)
        visit(project, wiki)
        assert _end(project, "/wiki/Rule_1")[0] == "captured"
        newest = wiki.pages["Rule 1"].revision
        wiki.pages["Rule 1"].revision, wiki.pages["Rule 1"].text = first, _OLD_TEXT
        wiki.pages["Rule 1"].touched = LATER
        visit(project, wiki)
    state, reason = _end(project, "/wiki/Rule_1")
    assert (state, reason.code) == ("failed", "older_edition")
    assert reason.detail == {"as_of": f"revision {first}", "since": f"revision {newest}"}
