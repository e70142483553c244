"""A run reviewed page by page at the terminal: what is shown, and what each key does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.settings import BaseSettings

from rori_spiders.corpus.documents.document import build_document, format_document
from rori_spiders.staging.disk.store import DiskStore
from rori_spiders.terminal.corpus.interactive_review import Keyboard, review_interactively
from rori_spiders.terminal.corpus.listings import run_lines
from rori_spiders.terminal.corpus.session import CorpusSession
from tests.corpus.factories import a_page, a_run, address, row_of
from tests.ledger.factories import at
from tests.support.databases import open_empty_ledger

if TYPE_CHECKING:
    from pathlib import Path

    from rori_spiders.ledger.corpus.run_states import CorpusRun
    from rori_spiders.ledger.database import Ledger


class Reviewer:
    """A run of four pages, and a person who types."""

    def __init__(self, ledger: Ledger, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.ledger, self._capsys = ledger, capsys
        self.store = DiskStore(folder)
        nothing: Any = None
        self.session = CorpusSession(BaseSettings(), ledger, self.store, nothing, "ann", lambda: at(1))
        self.run: CorpusRun = a_run(ledger, state="ready_for_review")
        for name in "abcd":
            self._page(name)

    def _page(self, name: str) -> None:
        source = f"# Page {name}\n\nThe fee is $5.\n\nShare this page\n"
        body = f"# Page {name}\n\nThe fee is $5.\n"
        document = build_document(
            body, title=f"Page {name}", description=None, language="en", source_url=address(name),
            source_subtype="web_page", doc_id=f"web_{name * 8}_x".replace("d", "e"), run_id="r",
        )  # fmt: skip
        finding = {"code": "thin", "severity": "review", "where": "", "says": "few words"}
        removed = '{"removals": [{"operation": "remove_boilerplate", "text": "Share this page"}]}'
        is_held = name == "b"
        file = format_document(document)
        a_page(
            self.ledger, self.run, name, raw_object=self.put(source), document_object=self.put(file),
            removals_object=self.put(removed), gate="needs_review" if is_held else "publishable",
            findings=[finding] if is_held else [], **({"decision": "needs_review"} if name == "d" else {}),
        )  # fmt: skip

    def put(self, text: str) -> str:
        return self.store.put_object(text.encode())

    def types(self, *typed: str) -> str:
        keys: Iterator[str] = iter(typed)
        keyboard = Keyboard(lambda _: next(keys, "q"), lambda _: next(keys))
        assert review_interactively(self.session, self.run, keyboard) == 0
        return self._capsys.readouterr().out

    def reviews(self) -> list[tuple[str | None, str | None]]:
        rows = [row_of(self.ledger, self.run, name) for name in "abcd"]
        return [(row.decision, row.review) for row in rows]


@pytest.fixture
def reviewer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Reviewer]:
    ledger = open_empty_ledger(tmp_path / "ledger.db")
    yield Reviewer(ledger, tmp_path / "staged", capsys)
    ledger.close()


def test_interactive_review_keys_decide_page_by_page(reviewer: Reviewer) -> None:
    said = reviewer.types("a", "a", "it is short, and whole", "r", "a table is lost", "x", "a form")
    assert reviewer.reviews() == [
        ("include", "approved"), ("include", "approved"), ("include", "rejected"), ("exclude", None),
    ]  # fmt: skip
    assert row_of(reviewer.ledger, reviewer.run, "b").review_reason == "it is short, and whole"
    assert f"[1/4] {address('a')}" in said and "The fee is $5." in said and "- Share this page" in said
    assert "review: few words" in said and "4 decisions made." in said


def test_interactive_review_refused_decision_leaves_page_open(reviewer: Reviewer) -> None:
    said = reviewer.types("n", "a", "", "n", "b", "q")
    assert "refused: a reason is required" in said and "0 decisions made." in said
    assert reviewer.reviews() == [("include", None)] * 3 + [("needs_review", None)]
    assert said.count(f"[2/4] {address('b')}") == 2, "one page back from the third"


def test_interactive_review_shows_what_cleaning_changed(reviewer: Reviewer) -> None:
    said = reviewer.types("d", "p", "q")
    _, _, difference = said.partition("From the source text to the document:")
    assert "Share this page" in difference and "The fee is $5." not in difference.partition("[a]pprove")[0]
    assert "The latest version does not have this page." in said


def test_interactive_review_ends_when_the_run_has_work_to_do(reviewer: Reviewer) -> None:
    said = reviewer.types("n", "n", "n", "i", "it is the law")
    assert reviewer.reviews()[3] == ("include", None) and "1 decision made." in said


def test_run_lines_excluded_pages_are_neither_failures_nor_counted_by_gate(reviewer: Reviewer) -> None:
    failed = {"got": "failed", "got_reason": "denied", "document_object": None, "gate": None}
    a_page(reviewer.ledger, reviewer.run, "e", **failed)
    a_page(reviewer.ledger, reviewer.run, "f", **failed, decision="exclude")
    a_page(reviewer.ledger, reviewer.run, "g", gate="needs_review", decision="exclude")
    lines = list(run_lines(reviewer.session, reviewer.run))
    assert "  gate: 2 publishable, 1 needs_review" in lines
    assert [line for line in lines if "no text:" in line] == [f"  no text: {address('e')}: denied"]
