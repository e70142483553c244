"""What nobody should send: no route is open without a login, none acts without its token, none answers 500."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from sqlalchemy import update

from rori_spiders.ledger.tables import corpus_runs
from rori_spiders.monitor.application import openapi
from rori_spiders.monitor.security import access_control
from tests.corpus.factories import DOMAIN, page_id
from tests.monitor.corpus_runs import reviewed

if TYPE_CHECKING:
    from pathlib import Path

    from fastapi import FastAPI
    from schemathesis import Case

    from rori_spiders.monitor.state.dependencies import AppState

pytestmark = pytest.mark.parametrize("dialect", ["sqlite"])
#: It never ends by itself; tests/monitor follow it as a page does.
ENDLESS = "/api/v1/activity/events"
OWN = ("/api/v1/session/", "/logout", "/login")
SIGNED_IN_PATHS = {"/api/v1/session/password", "/logout", "/login"}
WRITTEN = ("../../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%00", "<script>alert(1)</script>", "'; DROP TABLE runs")
#: Of the packaged manifest.
SOURCE_ID = "cfpb-reg-1003"
ANSWERS = {200, 204, 400, 404, 405, 409, 413, 422, 429, 503}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return openapi.openapi_document()


@pytest.fixture
def routes(app: FastAPI, document: dict[str, Any]) -> list[tuple[str, str]]:
    """Each method and path of the app: of the API as its document has it, and all that stands beside it."""
    asked = [(method.upper(), path) for path, methods in document["paths"].items() for method in methods]
    beside = [(method, path) for path in ("/", "/assets/index-1a2b.js", "/{rest}") for method in ("GET", "HEAD")]
    assert {path for _, path in asked} <= set(app.openapi()["paths"]), "the document is that of the app"
    return [*asked, *beside, ("GET", openapi.OPENAPI_PATH), ("POST", "/logout"), ("GET", "/docs"), ("GET", "/redoc")]


def filled(path: str) -> str:
    return path.replace("{", "").replace("}", "")


def test_api_without_login_offers_login_page_only(routes: list[tuple[str, str]], stranger: TestClient) -> None:
    for method, path in routes:
        answer = stranger.request(method, filled(path))
        looks = method in {"GET", "HEAD"} and not path.startswith(("/api/v1/", "/assets/"))
        assert answer.status_code == (303 if looks else 401), (method, path)
        if not looks and method != "HEAD":
            assert answer.json()["error"]["code"] == "not_signed_in"
    assert stranger.get("/login").status_code == 200


def test_api_forged_cookie_is_no_session(stranger: TestClient) -> None:
    for token in ("x", "' OR 1=1 --", "ü", "a" * 3000):
        headers = {"Cookie": f"rori-session={token}".encode()}
        assert stranger.get("/api/v1/session", headers=headers).status_code == 401  # type: ignore[arg-type]


def test_api_action_needs_token_and_role(
    routes: list[tuple[str, str]], viewer: TestClient, operator: TestClient
) -> None:
    acts = [(method, path) for method, path in routes if method not in {"GET", "HEAD"}]
    assert len(acts) > 8
    for method, path in acts:
        answer = operator.request(method, filled(path), headers={"X-CSRF-Token": "x"})
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "csrf"), (method, path)
        foreign = operator.request(method, filled(path), headers={"Origin": "http://localhost.evil.example"})
        assert (foreign.status_code, foreign.json()["error"]["code"]) == (403, "csrf"), (method, path)
        if not path.startswith(OWN):
            answer = viewer.request(method, filled(path))
            assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_allowed"), (method, path)


def test_api_undeclared_method_is_a_405_that_names_the_declared_ones(
    document: dict[str, Any], viewer: TestClient, operator: TestClient
) -> None:
    for path, methods in document["paths"].items():
        declared = {method.upper() for method in methods}
        for method in {"TRACE", "OPTIONS", "PUT", "DELETE", "GET", "POST"} - declared:
            answer = viewer.request(method, filled(path))
            allowed = set(answer.headers.get("allow", "").split(", "))
            assert (answer.status_code, allowed) == (405, declared), (method, path)
    assert operator.post("/api/v1/nothing").status_code == 404


def test_api_path_parameter_is_no_path(routes: list[tuple[str, str]], operator: TestClient) -> None:
    with_one = [path for method, path in routes if method == "GET" and path.startswith("/api/v1/") and "{" in path]
    for path in with_one:
        head, _, tail = path.partition("{")
        for written in WRITTEN:
            answer = operator.get(head + quote(written, safe="%") + tail.partition("}")[2])
            assert answer.status_code in {404, 422}, (path, answer.status_code)
            assert answer.headers["content-type"] == "application/json" and "root:" not in answer.text


def test_api_locked_ledger_is_a_503(served: AppState, operator: TestClient, tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        assert operator.get("/api/v1/schedule").status_code == 200, "who reads is not kept waiting"
        answer = operator.post("/api/v1/schedule/pause", json={"reason": "x"})
    finally:
        other.rollback()
        other.close()
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "ledger_unavailable")
    assert "in use by another" in answer.json()["error"]["message"] or "locked" in answer.json()["error"]["message"]
    assert operator.post("/api/v1/schedule/pause", json={"reason": "x"}).status_code == 200


def test_api_missing_ledger_is_a_503(operator: TestClient, stranger: TestClient, tmp_path: Path) -> None:
    (tmp_path / "ledger.db").rename(tmp_path / "away.db")
    for answer in (operator.get("/api/v1/schedule"), operator.post("/api/v1/jobs", json={"all_due": True})):
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "ledger_unavailable")
    told = stranger.post("/login", data={"name": "a", "password": "b"})
    assert told.status_code == 503 and "Traceback" not in told.text
    (tmp_path / "away.db").rename(tmp_path / "ledger.db")
    assert operator.get("/api/v1/schedule").status_code == 200, "it goes on by itself"


@pytest.mark.slow
@pytest.mark.usefixtures("quick_passwords")
def test_api_random_input_always_gets_an_answer(document: dict[str, Any], operator: TestClient) -> None:
    import schemathesis  # here: a third of a second that each process of the tests would wait for

    schema = schemathesis.openapi.from_dict(document)
    for operation in [one.ok() for one in schema.get_all_operations()]:  # type: ignore[union-attr]
        if operation.path != ENDLESS:
            _ask_anything(operation, operator, {})


@pytest.mark.slow
@pytest.mark.usefixtures("quick_passwords")
def test_api_random_action_on_what_exists_gets_an_answer(
    document: dict[str, Any], operator: TestClient, served: AppState
) -> None:
    """A run of the corpus that waits for a person, its page, a source, a manifest: actions get past "not found"."""
    import schemathesis

    schema = schemathesis.openapi.from_dict(document)
    for operation in [one.ok() for one in schema.get_all_operations()]:  # type: ignore[union-attr]
        if operation.method.upper() == "POST" and not operation.path.startswith(
            ("/logout", "/login", "/api/v1/session/password")
        ):
            run = reviewed(served.ledger, served.store) if "/corpus/" in operation.path else None
            known = {"run_id": run.run_id, "page_id": page_id("fees")} if run else {}
            _ask_anything(operation, operator, {"domain": DOMAIN, "source_id": SOURCE_ID, **known})
            with served.ledger.begin() as conn:
                conn.execute(update(corpus_runs).values(ended_at=served.now()))


@pytest.mark.slow
@pytest.mark.usefixtures("quick_passwords")
def test_api_token_of_scope_read_writes_nothing_whatever_it_sends(
    app: FastAPI, document: dict[str, Any], operator: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    import schemathesis

    monkeypatch.setattr(access_control, "MOST_REQUESTS", 1_000_000)
    made = operator.post("/api/v1/session/tokens", json={"label": "dashboard", "scope": "read"}).json()
    reader = TestClient(app, base_url="http://localhost", headers={"Authorization": f"Bearer {made['token']}"})
    schema = schemathesis.openapi.from_dict(document)
    operations = [one.ok() for one in schema.get_all_operations()]  # type: ignore[union-attr]
    writes = [one for one in operations if one.method.upper() != "GET" and one.path not in SIGNED_IN_PATHS]
    assert len(writes) > 30
    for operation in writes:
        _ask_anything(operation, reader, {}, answers={403})


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "x"])
@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[" * 50_000, b'{"reason": "x"}', b"null", b"1e999", b"NaN"])
def test_api_action_of_another_type_is_refused(operator: TestClient, kind: str, body: bytes) -> None:
    for path in ("/api/v1/schedule/pause", "/api/v1/jobs", "/api/v1/manifests/check", "/api/v1/corpus/runs"):
        answer = operator.post(path, content=body, headers={"Content-Type": kind})
        assert answer.status_code in {400, 415, 422}, (path, answer.status_code, answer.text)
        assert set(answer.json()["error"]) == {"code", "message", "details"}


def _ask_anything(operation: Any, operator: TestClient, known: dict[str, str], *, answers: set[int] = ANSWERS) -> None:
    @given(operation.as_strategy())
    @settings(max_examples=8, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    def ask(case: Case[Any]) -> None:
        body = case.body if isinstance(case.body, dict | list | str | int | float | bool | None) else None
        case.path_parameters = {**(case.path_parameters or {}), **known}
        path = quote(case.formatted_path, safe="/%")
        answer = operator.request(case.method, path, params=_written(case.query), json=body)
        assert answer.status_code in answers, (case.formatted_path, case.query, case.body, answer.text)
        if answer.status_code >= 400:
            assert set(answer.json()["error"]) == {"code", "message", "details"}

    ask()


def _written(query: dict[str, Any] | None) -> dict[str, Any]:
    """As a URL can hold it: no lone surrogates."""
    return {name: value for name, value in (query or {}).items() if _fits(str(name) + str(value))}


def _fits(text: str) -> bool:
    return not any("\ud800" <= one <= "\udfff" for one in text)
