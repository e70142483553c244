"""A feed of changes: read by its address alone, validated as Atom, ended with its subscription."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lxml import etree

from rori_spiders.ledger.pages import subscriptions
from rori_spiders.ledger.pages.change_records import ChangeFilter
from tests.ledger.factories import at
from tests.monitor.changes.test_changes import changed  # noqa: F401  # a fixture

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

    from rori_spiders.monitor.state.dependencies import AppState

_ATOM = {"a": "http://www.w3.org/2005/Atom"}


@pytest.fixture
def token(changed: AppState) -> str:  # noqa: F811
    with changed.ledger.begin() as conn:
        _, token = subscriptions.add_subscription(
            conn, ChangeFilter(importance=3), schedule="feed", send_to=None, high_at_once=False, actor="ann", now=at(9)
        )
    assert token is not None
    return token


def test_feed_is_read_without_a_session(stranger: TestClient, token: str) -> None:
    answer = stranger.get(f"/feeds/{token}.atom")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/atom+xml")
    feed = etree.fromstring(answer.content)
    assert [link.get("href") for link in feed.iterfind("a:entry/a:link", _ATOM)] == ["https://a.gov/1"]
    assert feed.findtext("a:title", None, _ATOM) == "Changes of importance high or above (subscription 1)"
    assert [link.get("href") for link in feed.iterfind("a:link", _ATOM)] == [f"http://localhost/feeds/{token}.atom"]
    again = stranger.get(f"/feeds/{token}.atom", headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_feed_as_json_has_the_ids_of_the_atom_feed(stranger: TestClient, token: str) -> None:
    answer = stranger.get(f"/feeds/{token}.json")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/feed+json")
    feed = answer.json()
    assert (feed["version"], feed["feed_url"]) == (
        "https://jsonfeed.org/version/1.1",
        f"http://localhost/feeds/{token}.json",
    )
    atom = etree.fromstring(stranger.get(f"/feeds/{token}.atom").content)
    assert [item["id"] for item in feed["items"]] == [one.text for one in atom.iterfind("a:entry/a:id", _ATOM)]
    item = feed["items"][0]
    assert (item["url"], item["tags"][0], item["date_published"][-1]) == ("https://a.gov/1", "high", "Z")
    assert item["content_text"]
    again = stranger.get(f"/feeds/{token}.json", headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_feed_of_an_ended_subscription_or_another_token_is_not_found(
    served: AppState, stranger: TestClient, token: str
) -> None:
    assert stranger.get("/feeds/x.atom").status_code == 404
    assert stranger.get("/feeds/x.json").status_code == 404
    assert stranger.get(f"/feeds/{token}.rss").status_code in {404, 422}
    with served.ledger.begin() as conn:
        assert subscriptions.end_subscription(conn, 1, actor="ann", now=at(9))
    answer = stranger.get(f"/feeds/{token}.atom")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_feed")


def test_feed_lets_nothing_else_pass(stranger: TestClient, token: str) -> None:
    assert stranger.post(f"/feeds/{token}.atom").status_code == 401
    assert stranger.get(f"/feeds/../api/v1/changes?{token}").status_code == 401
