"""The app as a whole: who is let in, what the page and the API's edges answer, the headers of every answer."""

from __future__ import annotations

import signal
import socket
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.monitor.application import openapi, server
from rori_spiders.monitor.control.activity import ActivityStream
from rori_spiders.monitor.rest.errors import ApiError, error_response
from rori_spiders.monitor.state.settings import MonitorSettings

if TYPE_CHECKING:
    from fastapi import FastAPI
    from fastapi.testclient import TestClient

    from tests.monitor.conftest import Clock


def test_session_names_signed_in_user(viewer: TestClient, operator: TestClient) -> None:
    told = viewer.get("/api/v1/session").json()
    assert (told["user"], told["role"], told["operator_may"]) == ("vera", "viewer", False)
    assert operator.get("/api/v1/session").json()["operator_may"] is True
    assert told["csrf"] != operator.get("/api/v1/session").json()["csrf"]


@pytest.mark.parametrize("dialect", ["sqlite"])
@pytest.mark.parametrize("path", ["/", "/sources/a", "/favicon.ico"])
def test_page_without_session_redirects_to_login(stranger: TestClient, path: str) -> None:
    answer = stranger.get(f"{path}?q=1")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/login?next={path}%3Fq%3D1")


@pytest.mark.parametrize("dialect", ["sqlite"])
@pytest.mark.parametrize(
    "path", ["/api/v1/session", "/api/v1/openapi.json", "/api/v1/nothing", "/api", "/assets/index-1a2b.js"]
)
def test_api_and_assets_without_session_are_a_401(stranger: TestClient, path: str) -> None:
    answer = stranger.get(path)
    assert answer.status_code == (303 if path == "/api" else 401)


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_page_with_session_is_served(viewer: TestClient) -> None:
    for path in ("/", "/sources/cfpb-reg-x", "/errors"):
        answer = viewer.get(path)
        assert answer.status_code == 200 and "<title>Monitor" in answer.text
        assert "script-src 'self'" in answer.headers["content-security-policy"]
        assert (answer.headers["x-content-type-options"], answer.headers["cache-control"]) == ("nosniff", "no-store")
    script = viewer.get("/assets/index-1a2b.js")
    assert script.status_code == 200 and "immutable" in script.headers["cache-control"]
    assert viewer.get("/assets/none.js").json()["error"]["code"] == "unknown_path"
    for path in ("/api/v1/none", "/api/session", "/api/v2/session"):
        assert viewer.get(path).json()["error"]["code"] == "unknown_path"


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_session_idle_expires(viewer: TestClient, clock: Clock) -> None:
    for _ in range(11):
        clock.go(minutes=59)
        assert viewer.get("/api/v1/session").status_code == 200
    clock.go(minutes=61)
    assert viewer.get("/api/v1/session").status_code == 401


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_session_never_outlives_its_maximum(viewer: TestClient, clock: Clock) -> None:
    answers = []
    for _ in range(26):
        clock.go(minutes=30)
        answers.append(viewer.get("/api/v1/session").status_code)
    assert answers == [200] * 23 + [401] * 3


def _app_without_state() -> FastAPI:
    app = openapi.create_api()
    app.state.following = ActivityStream(str)
    return app


def test_openapi_document_is_made_at_start(monkeypatch: pytest.MonkeyPatch) -> None:
    app, made = _app_without_state(), []
    monkeypatch.setattr("sys.setswitchinterval", lambda _: None)  # it is of the whole process, that of the tests

    def begun() -> None:
        made.append(app.openapi_schema is not None)
        signal.raise_signal(signal.SIGINT)

    with closing(server.open_socket(MonitorSettings(port=0))) as listening:
        server.run_server(app, listening, begun)
    assert made == [True]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_server_stopped_while_its_event_loop_is_made_ends_in_order(
    monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    make_pair, began, handlers = socket.socketpair, [], [signal.getsignal(one) for one in (signal.SIGINT, number)]

    def stopped_here(*args: Any) -> tuple[socket.socket, socket.socket]:
        signal.raise_signal(number)
        return make_pair(*args)

    monkeypatch.setattr("sys.setswitchinterval", lambda _: None)
    monkeypatch.setattr(socket, "socketpair", stopped_here)  # asyncio's event loops wake themselves by one
    app = _app_without_state()
    app.openapi_schema = {"openapi": "made already: it takes a second"}
    with closing(server.open_socket(MonitorSettings(port=0))) as listening:
        server.run_server(app, listening, lambda: began.append(True))
    assert began == []
    assert [signal.getsignal(one) for one in (signal.SIGINT, number)] == handlers


def test_error_names_commands_of_the_program_that_serves_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["/usr/bin/rori", "monitor"])
    body = error_response(ApiError(503, "ledger_unavailable", "No tables. Run: scrapy ledger upgrade")).body
    assert b"Run: rori ledger upgrade" in bytes(body)
