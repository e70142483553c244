"""Tokens for the API: what each scope may, when they end, how often they may ask."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from rori_spiders.ledger.operations import accounts, activity_log
from rori_spiders.ledger.tables import api_tokens
from rori_spiders.monitor.accounts.user_management import UserManager
from rori_spiders.monitor.security.access_control import MOST_REQUESTS

if TYPE_CHECKING:
    from fastapi import FastAPI

    from rori_spiders.monitor.state.dependencies import AppState
    from tests.monitor.conftest import Clock

pytestmark = pytest.mark.parametrize("dialect", ["sqlite"])


def _make_token(client: TestClient, **order: Any) -> dict[str, Any]:
    answer = client.post("/api/v1/session/tokens", json={"label": "dashboard", "scope": "read", **order})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def _program(app: FastAPI, token: str) -> TestClient:
    return TestClient(app, base_url="http://localhost", headers={"Authorization": f"Bearer {token}"})


@pytest.mark.parametrize(
    ("scope", "path", "body", "status"),
    [
        ("read", "/api/v1/changes/review", {"changes": ["1-1"], "decision": "material"}, 403),
        ("read", "/api/v1/jobs", {"due": True}, 403),
        ("review", "/api/v1/changes/review", {"changes": ["1-1"], "decision": "material"}, 404),
        ("review", "/api/v1/changes/comment", {"changes": ["1-1"], "text": "a"}, 404),
        ("review", "/api/v1/sources/x/pause", {"reason": "a"}, 403),
        ("operate", "/api/v1/changes/review", {"changes": ["1-1"], "decision": "material"}, 404),
        ("operate", "/api/v1/sources/x/pause", {"reason": "a"}, 404),
        ("operate", "/api/v1/session/tokens", {"label": "a", "scope": "read"}, 403),
        ("operate", "/api/v1/session/subscriptions", {"schedule": "feed"}, 403),
        ("operate", "/api/v1/session/password", {"old": "a", "new": "b"}, 403),
    ],
)
def test_token_may_what_its_scope_names(
    app: FastAPI, operator: TestClient, scope: str, path: str, body: dict[str, Any], status: int
) -> None:
    program = _program(app, _make_token(operator, scope=scope)["token"])
    assert program.get("/api/v1/changes").status_code == 200
    assert program.get("/api/v1/session").json()["user"] == "olga"
    answer = program.post(path, json=body)
    assert answer.status_code == status, answer.text


def test_token_is_stored_as_a_hash_and_recorded(served: AppState, operator: TestClient) -> None:
    made = _make_token(operator)
    assert made["token"].startswith("rori_")
    with served.ledger.connect() as conn:
        row = conn.execute(select(api_tokens)).mappings().one()
        done = activity_log.recent_actions(conn, target="user:olga")
    assert made["token"] not in str(dict(row)) + str(done)
    assert [(one["action"], one["details"]["scope"]) for one in done] == [("add_token", "read")]
    [listed] = operator.get("/api/v1/session/tokens").json()
    assert (listed["label"], listed["scope"], "token" in listed) == ("dashboard", "read", False)


def test_token_ends_by_revocation_age_and_removal_of_its_user(
    app: FastAPI, served: AppState, operator: TestClient, clock: Clock
) -> None:
    first, second, third = (_make_token(operator, days=2) for _ in range(3))
    assert operator.post(f"/api/v1/session/tokens/{first['token_id']}/revoke").status_code == 204
    assert operator.post(f"/api/v1/session/tokens/{first['token_id']}/revoke").status_code == 404
    assert _program(app, first["token"]).get("/api/v1/changes").json()["error"]["code"] == "invalid_token"
    assert _program(app, "rori_guess").get("/api/v1/changes").status_code == 401
    clock.now += timedelta(days=2)
    assert _program(app, second["token"]).get("/api/v1/changes").status_code == 401
    clock.now -= timedelta(days=1)
    assert _program(app, third["token"]).get("/api/v1/changes").status_code == 200
    manager = UserManager(served.ledger, "root", clock.now)
    manager.remove("olga")
    manager.add("olga", "operator", None)
    assert _program(app, third["token"]).get("/api/v1/changes").status_code == 401


def test_token_has_at_most_the_role_that_its_user_has_now(
    app: FastAPI, served: AppState, operator: TestClient, viewer: TestClient
) -> None:
    program = _program(app, _make_token(operator, scope="operate")["token"])
    with served.ledger.begin() as conn:
        accounts.set_role(conn, "olga", "viewer")
    assert program.post("/api/v1/sources/x/pause", json={"reason": "a"}).status_code == 403
    order = {"label": "a", "scope": "review"}
    assert viewer.post("/api/v1/session/tokens", json=order).status_code == 403
    assert viewer.post(f"/api/v1/session/tokens/{1}/revoke").status_code == 404


def test_token_that_asks_too_often_is_told_when_to_go_on(app: FastAPI, operator: TestClient, clock: Clock) -> None:
    program = _program(app, _make_token(operator)["token"])
    answers = {program.get("/api/v1/session").status_code for _ in range(MOST_REQUESTS)}
    refused = program.get("/api/v1/session")
    assert (answers, refused.status_code, refused.headers["retry-after"]) == ({200}, 429, "60")
    clock.go(minutes=1)
    assert program.get("/api/v1/session").status_code == 200
