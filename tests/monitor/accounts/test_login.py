"""Signing in and out: the form, the session behind the cookie, the lock-out, where a login leads."""

from __future__ import annotations

import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from argon2 import PasswordHasher
from fastapi.testclient import TestClient

from rori_spiders.ledger.operations import accounts, activity_log
from rori_spiders.monitor.accounts.login_page import _safe_redirect
from rori_spiders.monitor.application.app import create_app
from rori_spiders.monitor.security import passwords
from rori_spiders.monitor.state.dependencies import AppState

if TYPE_CHECKING:
    from fastapi import FastAPI
    from httpx2 import Response

    from tests.monitor.conftest import Clock

PASSWORD = "correct horse battery"

pytestmark = [pytest.mark.parametrize("dialect", ["sqlite"]), pytest.mark.usefixtures("quick_passwords", "anna")]


@pytest.fixture
def anna(quick_passwords: None, served: AppState) -> None:
    with served.ledger.begin() as conn:
        kept = passwords.hash_password(PASSWORD)
        accounts.add_user(conn, "anna", role="operator", password_hash=kept, now=served.now())
        accounts.add_user(conn, "proxied", role="operator", password_hash=None, now=served.now())


def sign_in(client: TestClient, name: str = "anna", password: str = PASSWORD, **more: str) -> Response:
    return client.post("/login", data={"name": name, "password": password, **more})


def test_sign_in_right_password_opens_session(
    stranger: TestClient, served: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = sign_in(stranger, next="/sources/a?tab=runs")
    assert (answer.status_code, answer.headers["location"]) == (303, "/sources/a?tab=runs")
    cookie = answer.headers["set-cookie"]
    assert all(word in cookie for word in ("HttpOnly", "SameSite=strict", "Path=/")) and "Secure" not in cookie
    session = stranger.get("/api/v1/session").json()
    assert (session["user"], session["program"]) == ("anna", "scrapy")
    monkeypatch.setattr(sys, "argv", ["/srv/rori/.venv/bin/rori", "monitor"])
    assert stranger.get("/api/v1/session").json()["program"] == "rori", "which the page's commands begin with"
    assert stranger.get("/login?next=/errors").headers["location"] == "/errors", "who is signed in is led on"
    token = stranger.cookies["rori-session"]
    with served.ledger.connect() as conn:
        kept = [tuple(row) for row in conn.exec_driver_sql("SELECT * FROM sessions")]
    assert len(kept) == 1 and token not in str(kept), "whoever reads the ledger cannot sign in"


def test_sign_in_again_ends_session_of_that_browser(stranger: TestClient, app: FastAPI) -> None:
    """Its cookie is replaced: nobody could sign out of it, and whoever copied it had it for hours."""
    sign_in(stranger)
    former = stranger.cookies["rori-session"]
    with closing(TestClient(app, base_url="http://localhost", follow_redirects=False)) as elsewhere:
        sign_in(elsewhere)
        sign_in(stranger)
        assert stranger.cookies["rori-session"] != former
        assert elsewhere.get("/api/v1/session").status_code == 200, "another browser's session goes on"
        elsewhere.cookies.clear()
        assert elsewhere.get("/api/v1/session", headers={"Cookie": f"rori-session={former}"}).status_code == 401


def test_sign_out_ends_session(stranger: TestClient) -> None:
    sign_in(stranger)
    token, csrf = stranger.cookies["rori-session"], stranger.get("/api/v1/session").json()["csrf"]
    assert stranger.post("/logout").status_code == 403, "another page could sign people out"
    answer = stranger.post("/logout", headers={"X-CSRF-Token": csrf})
    assert answer.status_code == 204 and 'rori-session=""' in answer.headers["set-cookie"]
    stranger.cookies.set("rori-session", token)
    assert stranger.get("/api/v1/session").status_code == 401


@pytest.mark.parametrize("name", ["anna", "nobody", "proxied", "", "a" * 5000, "<script>alert(1)</script>", "\x00"])
def test_sign_in_failures_get_the_same_answer(stranger: TestClient, name: str) -> None:
    answer = sign_in(stranger, name=name, password="not the password" * 40)
    assert answer.status_code == 401 and "Wrong name or password." in answer.text
    assert "<script" not in answer.text and "set-cookie" not in answer.headers


@pytest.mark.parametrize("name", ["anna", "nobody"])
def test_sign_in_five_failures_lock_name_for_address(stranger: TestClient, name: str, clock: Clock) -> None:
    answers = [sign_in(stranger, name=name, password="wrong").status_code for _ in range(6)]
    assert answers == [401] * 5 + [429]
    locked = sign_in(stranger, name=name)
    assert locked.status_code == 429 and locked.headers["retry-after"] == "900"
    assert "Too many failed attempts" in locked.text
    clock.go(minutes=15)
    assert sign_in(stranger, name=name).status_code == (303 if name == "anna" else 401)


def test_sign_in_twenty_failures_lock_address(stranger: TestClient) -> None:
    answers = [sign_in(stranger, name=f"n{number}", password="").status_code for number in range(21)]
    assert answers == [401] * 20 + [429]
    assert sign_in(stranger).status_code == 429


def from_address(app: FastAPI, address: str) -> TestClient:
    return TestClient(app, base_url="http://localhost", follow_redirects=False, client=(address, 50_000))


def test_sign_in_failures_from_elsewhere_lock_nobody_out(app: FastAPI) -> None:
    attacker, anna = from_address(app, "192.0.2.66"), from_address(app, "192.0.2.1")
    assert [sign_in(attacker, password="").status_code for _ in range(7)] == [401] * 5 + [429] * 2
    assert sign_in(anna).status_code == 303


@pytest.mark.slow
def test_sign_in_hundred_failures_from_many_addresses_lock_name(app: FastAPI) -> None:
    for number in range(20):
        client = from_address(app, f"192.0.2.{number}")
        assert {sign_in(client, password="").status_code for _ in range(5)} == {401}
    assert sign_in(from_address(app, "198.51.100.1")).status_code == 429


def test_sign_in_ipv6_addresses_of_one_network_are_one(app: FastAPI) -> None:
    answers = [
        sign_in(from_address(app, f"2001:db8:0:1::{number:x}"), password="").status_code for number in range(1, 7)
    ]
    assert answers == [401] * 5 + [429]
    assert sign_in(from_address(app, "2001:db8:0:2::1")).status_code == 303


def test_sign_in_ipv4_addresses_on_an_ipv6_socket_are_apart(app: FastAPI) -> None:
    attacker = from_address(app, "::ffff:192.0.2.66")
    assert [sign_in(attacker, password="").status_code for _ in range(6)] == [401] * 5 + [429]
    assert sign_in(from_address(app, "192.0.2.66")).status_code == 429, "it is the same address"
    assert sign_in(from_address(app, "::ffff:192.0.2.1")).status_code == 303


def test_sign_in_lockout_is_shared_and_outlives_monitor(app: FastAPI, served: AppState, clock: Clock) -> None:
    first = from_address(app, "192.0.2.7")
    assert [sign_in(first, password="").status_code for _ in range(3)] == [401] * 3
    with closing(AppState(served.places, served.settings, served.root, now=clock)) as again:
        other = from_address(create_app(again), "192.0.2.7")
        assert [sign_in(other, password="").status_code for _ in range(3)] == [401, 401, 429]
    assert sign_in(first).status_code == 429
    with served.ledger.connect() as conn:
        rows = str(conn.exec_driver_sql("SELECT * FROM sign_in_failures").all())
    assert "anna" not in rows and "192.0.2.7" not in rows, "a name may be a mistyped password"


def test_sign_in_success_is_not_counted(stranger: TestClient) -> None:
    for _ in range(3):
        for _ in range(4):
            assert sign_in(stranger, password="").status_code == 401
        assert sign_in(stranger).status_code == 303


@pytest.mark.parametrize(
    "wanted",
    [
        "//evil.example",
        "https://evil.example",
        "/\\evil.example",
        "/\t/a",
        "/a\r\nSet-Cookie: a=b",
        "",
        "a",
        "/api/v1/x",
    ],
)
def test_sign_in_redirect_stays_on_site(stranger: TestClient, wanted: str) -> None:
    assert _safe_redirect(wanted) == "/"
    assert sign_in(stranger, next=wanted).headers["location"] == "/"


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}]
)
def test_sign_in_from_other_site_is_refused(stranger: TestClient, headers: dict[str, str]) -> None:
    answer = stranger.post("/login", data={"name": "anna", "password": PASSWORD}, headers=headers)
    assert answer.status_code == 403 and answer.json()["error"]["code"] == "csrf"


def test_login_page_needs_and_allows_no_script(stranger: TestClient) -> None:
    answer = stranger.get('/login?next=/"><script>alert(1)</script>')
    assert answer.status_code == 200 and "<script" not in answer.text
    assert "script-src" not in answer.headers["content-security-policy"]
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_password_change_replaces_hash(stranger: TestClient, served: AppState) -> None:
    sign_in(stranger)
    other = stranger.cookies["rori-session"]
    sign_in(stranger)
    csrf = {"X-CSRF-Token": stranger.get("/api/v1/session").json()["csrf"]}
    change = "/api/v1/session/password"
    wrong = stranger.post(change, json={"old": "x", "new": "another long password"}, headers=csrf)
    assert wrong.status_code == 422 and wrong.json()["error"]["details"]["problems"][0]["where"] == "old"
    for bad in ("short", "aaaaaaaaaaaaaaaaaaaa", "anna anna anna and anna", "x" * 257):
        told = stranger.post(change, json={"old": PASSWORD, "new": bad}, headers=csrf)
        assert told.json()["error"]["details"]["problems"][0]["where"] == "new"
    right = {"old": PASSWORD, "new": "another long password"}
    assert stranger.post(change, json=right, headers=csrf).status_code == 204
    assert stranger.get("/api/v1/session").status_code == 200
    stranger.cookies.clear()
    stranger.cookies.set("rori-session", other)
    assert stranger.get("/api/v1/session").status_code == 401, "the other sessions have ended"
    stranger.cookies.clear()
    assert sign_in(stranger).status_code == 401
    with served.ledger.connect() as conn:
        assert [row["action"] for row in activity_log.recent_actions(conn, target="user:anna")] == ["set_password"]


def test_sign_in_outdated_hash_is_renewed(stranger: TestClient, served: AppState) -> None:
    dated = PasswordHasher(time_cost=2, memory_cost=8, parallelism=1).hash(PASSWORD)
    with served.ledger.begin() as conn:
        accounts.set_password(conn, "anna", dated, now=served.now())
    assert sign_in(stranger).status_code == 303
    with served.ledger.connect() as conn:
        found = accounts.find_user(conn, "anna")
    assert found is not None and found.password_hash is not None and not passwords.needs_rehash(found.password_hash)


def test_login_page_has_help_below_form(stranger: TestClient, served: AppState) -> None:
    assert "Already signed in?" in stranger.get("/login?next=/errors").text
    with served.ledger.begin() as conn:
        accounts.remove_user(conn, "anna")
        accounts.remove_user(conn, "proxied")
    assert "scrapy monitor users add NAME --role operator" in stranger.get("/login").text
