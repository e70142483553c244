"""A person's own subscriptions: made, listed, ended; a feed's address is shown once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.ledger.factories import RUN, SOURCE, a_run

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

    from rori_spiders.monitor.state.dependencies import AppState

pytestmark = pytest.mark.parametrize("dialect", ["sqlite"])
_PATH = "/api/v1/session/subscriptions"


def test_own_feed_is_read_by_its_address_until_it_ends(
    served: AppState, viewer: TestClient, operator: TestClient, stranger: TestClient
) -> None:
    with served.ledger.begin() as conn:
        a_run(conn, RUN)
    order = {"schedule": "feed", "importance": "high", "sources": [SOURCE], "words": "escrow"}
    made = viewer.post(_PATH, json=order).json()
    assert stranger.get(made["feed_path"]).status_code == 200
    [listed] = viewer.get(_PATH).json()
    assert listed["changes"] == f"changes of importance high or above, of {SOURCE}, with 'escrow' in URL or title"
    assert "feed_path" not in listed
    assert operator.get(_PATH).json() == []
    end = f"{_PATH}/{made['subscription_id']}/end"
    assert operator.post(end).status_code == 404
    assert viewer.post(end).status_code == 204
    assert viewer.post(end).status_code == 404
    assert stranger.get(made["feed_path"]).status_code == 404


@pytest.mark.parametrize("overrides", [{"RORI_SMTP_URL": "smtp://127.0.0.1:1"}])
def test_own_digest_is_made_by_operators_alone(viewer: TestClient, operator: TestClient) -> None:
    order = {"schedule": "weekly", "send_to": "ann@example.org", "high_at_once": True}
    assert viewer.post(_PATH, json=order).status_code == 403
    assert operator.post(_PATH, json=order).json()["feed_path"] is None
    [listed] = operator.get(_PATH).json()
    assert (listed["schedule"], listed["send_to"], listed["high_at_once"]) == ("weekly", "ann@example.org", True)


@pytest.mark.parametrize(
    ("order", "status"),
    [
        ({"schedule": "hourly"}, 422),
        ({"schedule": "daily"}, 409),
        ({"schedule": "daily", "send_to": "nobody"}, 409),
        ({"schedule": "watch", "kinds": ["numbre"]}, 422),
        ({"schedule": "watch", "sources": ["nix"]}, 404),
    ],
)
def test_own_subscription_that_could_never_hold_is_refused(
    operator: TestClient, order: dict[str, Any], status: int
) -> None:
    assert operator.post(_PATH, json=order).status_code == status
    assert operator.get(_PATH).json() == []
