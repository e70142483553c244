"""The search over the API: words, citations, agencies, and what cannot be searched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

pytestmark = pytest.mark.crawl


def _found(client: TestClient, **query: object) -> dict[str, Any]:
    answer = client.get("/api/v1/search", params={name: str(value) for name, value in query.items()})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_search_marks_the_words_and_names_the_version(viewer: TestClient, pages: dict[str, dict[str, Any]]) -> None:
    answer = _found(viewer, q="guide", past=True)
    assert (answer["waiting"], answer["missing"], bool(answer["items"])) == (0, 0, True)
    first = answer["items"][0]
    assert first["source_id"] == "guide"
    assert {part["text"].lower() for part in first["snippet"] if part["found"]} == {"guide"}
    assert viewer.get(f"/api/v1/versions/{first['version']}").status_code == 200
    assert _found(viewer, q="guide", past=True, limit=1)["has_more"] is (len(answer["items"]) > 1)
    assert _found(viewer, q="guide", source="other")["items"] == []


@pytest.mark.parametrize(
    ("query", "status", "message"),
    [
        ({}, 409, "No word to search for."),
        ({"cites": "a rule"}, 409, "'a rule' is not one citation"),
        ({"q": "a", "agency": "FBI"}, 404, "No source of the active manifest has the agency 'FBI'"),
    ],
)
def test_search_that_cannot_be_done_says_why(
    viewer: TestClient, query: dict[str, str], status: int, message: str
) -> None:
    answer = viewer.get("/api/v1/search", params=query)
    assert answer.status_code == status
    assert answer.json()["error"]["message"].startswith(message)
    assert viewer.get("/api/v1/search/agencies").json() == []
