"""What differs between two versions: one form for the page and for `scrapy diff --format json`; bounded in time."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from rori_spiders.comparison.version_diff import VersionTexts, compare_versions
from rori_spiders.ledger.pages.page_history import VersionRow
from tests.monitor.conftest import NOW
from tests.support.project import Project

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fastapi.testclient import TestClient

    Page = Callable[[str], dict[str, Any]]


def test_difference_equals_that_of_command(viewer: TestClient, one_page: Page, guide: str, tmp_path: Path) -> None:
    told = viewer.get(f"/api/v1/pages/{one_page('/fees')['page_id']}/difference").json()
    changes = [change for section in told["sections"] for change in section["changes"]]
    assert {"changed", "moved", "moved_away"} == {change["change"] for change in changes}
    assert told["to"]["version_id"] == one_page("/fees")["history"][0]["version_id"]
    (cell,) = [cell for change in changes for cell in change["cells"]]
    assert (cell["row"], cell["column"], cell["words"]) == ("Late", "Amount", [["-", "$25"], ["+", "$30"]])
    assert {"kind": "date", "old": "March 1, 2026", "new": "June 1, 2026"} in [m for c in changes for m in c["marks"]]
    project = Project(tmp_path)
    said = project.scrapy("diff", "guide", f"{guide}/fees", "--format", "json")
    assert json.loads(said.stdout) == told, said.stderr


def test_difference_any_two_versions(viewer: TestClient, one_page: Page) -> None:
    new, old = (one["version_id"] for one in one_page("/fees")["history"])
    asked = f"/api/v1/pages/{one_page('/fees')['page_id']}/difference"
    back = viewer.get(f"{asked}?from={new}&to={old}").json()
    assert (back["from"]["version"], back["to"]["version"]) == (2, 1)
    assert viewer.get(f"{asked}?from={old}&to={old}").json()["sections"] == []
    for query in (f"to={old}", "from=999-1", f"from={one_page('/hostile')['history'][0]['version_id']}"):
        answer = viewer.get(f"{asked}?{query}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_version"), query


def test_noise_lines_of_a_change_tell_what_gets_none(operator: TestClient, one_page: Page) -> None:
    change_id = one_page("/fees")["history"][0]["version_id"]
    order = {"changes": [change_id], "decision": "not_material"}
    assert operator.post("/api/v1/changes/review", json=order).status_code == 200, order
    proposal = operator.get("/api/v1/changes/noise-lines", params={"change": change_id}).json()
    assert (proposal["source_id"], proposal["noise_lines"], proposal["effects"]) == ("guide", [], [])
    assert [line.rpartition(": ")[2] for line in proposal["left"]] == ["the line speaks of law", "it is in a table"]


def _version(seq: int, *sections: tuple[str, str]) -> VersionRow:
    return VersionRow(
        page_id=1,
        seq=seq,
        run_id="",
        captured_at=NOW,
        change_type="modified",
        content_hash="0" * 64,
        raw_object="0" * 64,
        body_object="0" * 64,
        section_hashes=sections,
        converter_version="1",
        tier="http",
    )


def test_difference_slow_texts_are_compared_by_section() -> None:
    words = [os.urandom(4).hex() for _ in range(60_000)]
    texts = VersionTexts("# A\n\n" + " ".join(words), "# A\n\n" + " ".join(reversed(words)))
    old, new = _version(1, ("A", "1"), ("B", "2")), _version(2, ("A", "3"), ("B", "2"))
    found = compare_versions(texts, old, new, longest_s=0.01)
    assert [(one.kind, one.path, one.changes) for one in found.sections] == [("changed", "A", ())]
    (note,) = texts.notes
    assert "so only the sections that differ are listed" in note


def test_difference_large_fast_texts_are_compared_whole() -> None:
    text = "# A\n\n" + "\n\n".join(f"Paragraph {number} is about one thing." * 3 for number in range(4_000))
    texts = VersionTexts(text, text.replace("Paragraph 7 ", "Paragraph 8 "))
    (section,) = compare_versions(texts, _version(1), _version(2)).sections
    assert not texts.notes and section.changes[0].marks
