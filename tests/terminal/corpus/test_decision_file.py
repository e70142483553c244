"""Decisions as a file: exported, filled in, taken back with a report; a wrong file changes nothing."""

from __future__ import annotations

import csv
import io
from argparse import Namespace
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.settings import BaseSettings

from rori_spiders.exceptions import UsageError
from rori_spiders.staging.store_factory import DiskStore
from rori_spiders.terminal.corpus.review import review_pages
from rori_spiders.terminal.corpus.session import CorpusSession
from tests.corpus.factories import DOMAIN, a_page, a_run, address, digest, row_of
from tests.ledger.factories import at
from tests.support.databases import open_empty_ledger

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rori_spiders.ledger.database import Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    opened = open_empty_ledger(tmp_path / "ledger.db")
    yield opened
    opened.close()


class Reviewing:
    """The pages of a run, exported to a file and taken back."""

    def __init__(self, ledger: Ledger, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
        nothing: Any = None
        settings = BaseSettings({"RORI_CORPUS_RULES": str(file.parent)})
        store = DiskStore(file.parent / "staged")
        self.session = CorpusSession(settings, ledger, store, nothing, "ann", lambda: at(1))
        self._file, self._capsys = file, capsys

    def run(self, **options: Any) -> int:
        known = dict.fromkeys(
            (
                "text",
                "write_text",
                "interactive",
                "decisions",
                "approve_publishable",
                "reason",
                "decision",
                "gate",
                "review_state",
            )
        )
        acts = dict.fromkeys(("include", "exclude", "clear_decision", "add", "approve_page", "reject", "clean_again"))
        opts = {"domain": DOMAIN, "format": "csv", **known, **acts, **options}
        return review_pages(self.session, Namespace(**opts))

    def exported(self) -> list[dict[str, str]]:
        assert self.run() == 0
        return list(csv.DictReader(io.StringIO(self._capsys.readouterr().out)))

    def taken(self, rows: list[dict[str, str]], code: int = 0, **form: Any) -> list[str]:
        with self._file.open("w", encoding="utf-8-sig", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), **form)
            writer.writeheader()
            writer.writerows(rows)
        assert self.run(decisions=str(self._file)) == code
        return self._capsys.readouterr().out.splitlines()


@pytest.fixture
def reviewing(ledger: Ledger, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Reviewing:
    run = a_run(ledger, state="ready_for_review")
    for name in "abcd":
        a_page(ledger, run, name, gate="needs_review" if name == "c" else "publishable")
    return Reviewing(ledger, tmp_path / "pages.csv", capsys)


def test_decisions_are_applied_and_refusals_reported(reviewing: Reviewing, ledger: Ledger) -> None:
    rows = {row["url"]: row for row in reviewing.exported()}
    assert [row["action"] for row in rows.values()] == [""] * 4
    rows[address("a")] |= {"action": "approve-page"}
    rows[address("b")] |= {"action": "Exclude", "action_reason": "a form without a text"}
    rows[address("c")] |= {"action": "approve_page"}
    said = reviewing.taken(list(rows.values()), code=1)
    assert said[:2] == [f"approve page: {address('a')}", f"exclude: {address('b')}"]
    assert said[2].startswith(f"refused, line 4: approve page: {address('c')}: ")
    assert said[3] == "2 decisions applied, 1 refused"
    run = reviewing.session.run_of(DOMAIN)
    assert [row_of(ledger, run, name).review for name in "abcd"] == ["approved", None, None, None]
    assert row_of(ledger, run, "b").decision == "exclude"


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_decisions_of_a_spreadsheet_with_other_delimiters_and_columns(
    reviewing: Reviewing, ledger: Ledger, delimiter: str
) -> None:
    rows = [dict(reversed(row.items())) for row in reviewing.exported()]
    rows[0] |= {"action": "approve_page", "action_reason": "read; it is right, all of it"}
    said = reviewing.taken(rows, delimiter=delimiter, lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    assert said[0] == f"approve page: {address('a')}"
    assert row_of(ledger, reviewing.session.run_of(DOMAIN), "a").review_reason == "read; it is right, all of it"


def test_decisions_from_standard_input_may_begin_with_a_mark(
    reviewing: Reviewing, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"\ufeffurl,action\n{address('a')},approve\n"))
    assert reviewing.run(decisions="-") == 0
    assert row_of(ledger, reviewing.session.run_of(DOMAIN), "a").review == "approved"


def test_decisions_approve_is_approve_page_and_near_misses_are_named(reviewing: Reviewing, ledger: Ledger) -> None:
    rows = reviewing.exported()
    rows[0] |= {"action": "Approve"}
    assert reviewing.taken(rows)[0] == f"approve page: {address('a')}"
    assert row_of(ledger, reviewing.session.run_of(DOMAIN), "a").review == "approved"
    rows[1] |= {"action": "excluded"}
    with pytest.raises(UsageError, match=r"line 3: 'excluded' is not one of .*\(did you mean exclude\?\)"):
        reviewing.taken(rows)


def test_decisions_pages_to_clean_again_are_cleaned_together(reviewing: Reviewing, ledger: Ledger) -> None:
    rows = reviewing.exported()
    for row, action in zip(rows, ("clean_again", "clean again", "approve_page", "clean_again"), strict=True):
        row |= {"action": action, "action_reason": "a table is better read so"}
    rows[3]["url"] = address("unknown")
    said = reviewing.taken(rows, code=1)
    assert said[3] == f"refused, line 5: clean again: {address('unknown')}: the run has no text of it to clean"
    run = reviewing.session.run_of(DOMAIN)
    assert run.state == "deterministic_preflight"
    assert [row_of(ledger, run, name).cleaned_by for name in "abcd"] == ["again", "again", "draft", "draft"]
    assert row_of(ledger, run, "c").review == "approved"


@pytest.mark.parametrize(
    ("wanted", "cleaned"), [(["/"], "abcd"), (["/b", address("c")], "bc"), ([address("a"), address("d")], "ad")]
)
def test_clean_again_takes_urls_paths_or_all(
    reviewing: Reviewing, ledger: Ledger, wanted: list[str], cleaned: str
) -> None:
    assert reviewing.run(clean_again=wanted) == 0
    run = reviewing.session.run_of(DOMAIN)
    assert [name for name in "abcd" if row_of(ledger, run, name).cleaned_by == "again"] == list(cleaned)


def test_clean_again_of_no_page_is_refused(reviewing: Reviewing) -> None:
    with pytest.raises(UsageError, match="no included page with a text matches /none/"):
        reviewing.run(clean_again=["/none/"])


def test_decisions_approval_of_a_changed_page_is_refused(reviewing: Reviewing, ledger: Ledger) -> None:
    rows = reviewing.exported()
    rows[0] |= {"action": "approve_page", "document_object": digest("z9")}
    assert "review it again" in reviewing.taken(rows, code=1)[0]
    assert row_of(ledger, reviewing.session.run_of(DOMAIN), "a").review is None


def test_decisions_of_a_wrong_file_change_nothing(reviewing: Reviewing, ledger: Ledger, tmp_path: Path) -> None:
    rows = reviewing.exported()
    rows[0] |= {"action": "approve_page"}
    rows[1] |= {"action": "approve_everything"}
    with pytest.raises(UsageError, match=r"line 3: 'approve_everything' is not one of include, exclude"):
        reviewing.taken(rows)
    with pytest.raises(UsageError, match="is there twice"):
        reviewing.taken([rows[0], rows[0]])
    with pytest.raises(UsageError, match="has no column action and url"):
        reviewing.taken([{"page": address("a")}])
    with pytest.raises(UsageError, match="cannot read"):
        reviewing.run(decisions=str(tmp_path / "none.csv"))
    assert row_of(ledger, reviewing.session.run_of(DOMAIN), "a").review is None
