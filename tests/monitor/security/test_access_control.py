"""The gate: names of the host, proxies that are believed, tokens of the page, roles, sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.operations import accounts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapi.testclient import TestClient

    from rori_spiders.monitor.state.dependencies import AppState

pytestmark = pytest.mark.parametrize("dialect", ["sqlite"])
OURS = {"RORI_MONITOR_ALLOWED_HOSTS": "monitor.example.org"}
PROXIED = {**OURS, "RORI_MONITOR_TRUSTED_PROXIES": "127.0.0.0/8, 10.0.0.7", "RORI_MONITOR_USER_HEADER": "X-Remote-User"}


@pytest.mark.parametrize("overrides", [OURS])
@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8650", 401),
        ("127.0.0.1", 401),
        ("[::1]:8650", 401),
        ("MONITOR.example.org", 401),
        ("evil.example", 400),
        ("monitor.example.org.evil.example", 400),
        ("", 400),
        ("[", 400),
        ("user@evil.example", 400),
        ("evil.example@localhost", 400),
        ("localhost:80:80", 400),
        ("localhost/evil.example", 400),
        ("localhost#evil.example", 400),
        ("localhost?evil.example", 400),
    ],
)
def test_access_other_host_name_is_refused(stranger: TestClient, host: str, status: int) -> None:
    assert stranger.get("/api/v1/session", headers={"Host": host}).status_code == status
    assert status == 401 or stranger.get("/login", headers={"Host": host}).status_code == 400


@pytest.fixture
def remote(served: AppState, stranger: TestClient) -> TestClient:
    with served.ledger.begin() as conn:
        accounts.add_user(conn, "anna", role="operator", password_hash=None, now=served.now())
    return stranger


def from_address(client: TestClient, address: str) -> TestClient:
    client._transport.client = (address, 40000)  # type: ignore[attr-defined]  # where Starlette's client keeps it
    return client


@pytest.mark.parametrize("overrides", [PROXIED])
def test_access_trusted_proxy_names_user(remote: TestClient) -> None:
    told = from_address(remote, "127.0.0.1").get("/api/v1/session", headers={"X-Remote-User": "anna"}).json()
    assert (told["user"], told["role"], told["has_password"]) == ("anna", "operator", False)
    unknown = remote.get("/api/v1/session", headers={"X-Remote-User": "nobody"})
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (403, "not_allowed")
    twice = remote.get("/api/v1/session", headers=[("X-Remote-User", "anna"), ("X-Remote-User", "root")])
    assert twice.status_code == 401, "one of them may be the browser's own"
    assert remote.get("/api/v1/session").status_code == 401


@pytest.mark.parametrize("overrides", [PROXIED])
def test_access_proxied_user_needs_token(remote: TestClient) -> None:
    client = from_address(remote, "127.0.0.1")
    client.headers["X-Remote-User"] = "anna"
    csrf = client.get("/api/v1/session").json()["csrf"]
    body = {"old": "x", "new": "y"}
    assert client.post("/api/v1/session/password", json=body).json()["error"]["code"] == "csrf"
    told = client.post("/api/v1/session/password", json=body, headers={"X-CSRF-Token": csrf})
    assert told.status_code == 409 and "reverse proxy" in told.json()["error"]["message"]


@pytest.mark.parametrize("overrides", [PROXIED, OURS])
@pytest.mark.parametrize("address", ["10.0.0.8", "192.168.1.5", "::1", "unix"])
def test_access_user_header_of_others_is_ignored(remote: TestClient, address: str) -> None:
    answer = from_address(remote, address).get("/api/v1/session", headers={"X-Remote-User": "anna"})
    assert answer.status_code == 401


@pytest.mark.parametrize("overrides", [PROXIED])
@pytest.mark.parametrize(("address", "secure"), [("10.0.0.7", True), ("10.0.0.8", False)])
def test_access_cookie_behind_https_is_secure(remote: TestClient, address: str, secure: bool) -> None:
    headers = {"X-Forwarded-Proto": "https", "Host": "monitor.example.org"}
    answer = from_address(remote, address).get("/login", headers=headers)
    assert ("strict-transport-security" in answer.headers) is secure
    ended = remote.get("/api/v1/session", headers={**headers, "X-Remote-User": "anna"})
    assert (ended.status_code == 200) is secure


@pytest.mark.usefixtures("quick_passwords")
@pytest.mark.parametrize("overrides", [PROXIED])
def test_access_browsers_behind_proxy_are_counted_apart(remote: TestClient) -> None:
    client = from_address(remote, "10.0.0.7")

    def tries(chain: str, names: Iterator[int]) -> list[int]:
        forwarded = {"X-Forwarded-For": chain}
        return [client.post("/login", data={"name": f"n{n}"}, headers=forwarded).status_code for n in names]

    assert tries("6.6.6.6, 203.0.113.5", iter(range(20))) == [401] * 20
    assert tries("7.7.7.7, 203.0.113.5, 127.0.0.1", iter([99])) == [429], "what a browser writes counts for nothing"
    assert tries("6.6.6.6", iter([100])) == [401]


@pytest.mark.usefixtures("quick_passwords")
@pytest.mark.parametrize("overrides", [PROXIED])
@pytest.mark.parametrize("form", ["203.0.113.5:{}", "[2001:db8::5]:{}", "::ffff:203.0.113.5", "fe80::1%eth{}"])
def test_access_port_that_a_proxy_adds_is_no_part_of_the_address(remote: TestClient, form: str) -> None:
    client = from_address(remote, "::ffff:10.0.0.7")
    chains = ({"X-Forwarded-For": form.format(40_000 + number)} for number in range(21))
    codes = [
        client.post("/login", data={"name": f"n{number}"}, headers=chain).status_code
        for number, chain in enumerate(chains)
    ]
    assert codes == [401] * 20 + [429]
    assert client.post("/login", data={"name": "n"}, headers={"X-Forwarded-For": "203.0.113.9"}).status_code == 401


def test_access_action_needs_token(viewer: TestClient) -> None:
    for token in ({"X-CSRF-Token": ""}, {"X-CSRF-Token": "0" * 64}, {"X-CSRF-Token": "ü".encode()}):
        answer = viewer.post("/api/v1/session/password", headers=token)  # type: ignore[arg-type]
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "csrf")


@pytest.mark.parametrize("path", ["/api/v1/jobs", "/api/v1/anything/at/all", "/", "/assets/index-1a2b.js"])
def test_access_viewer_may_not_act(viewer: TestClient, operator: TestClient, path: str) -> None:
    answer = viewer.post(path)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "not_allowed")
    assert operator.post(path).status_code in {404, 405, 422}


@pytest.mark.parametrize("path", ["/login", "/api/v1/session/password"])
@pytest.mark.parametrize("announced", [True, False])
def test_access_body_of_fifty_megabytes_is_refused(viewer: TestClient, path: str, *, announced: bool) -> None:
    body = b" " * (50 << 20)
    pieces = (body[at : at + (1 << 18)] for at in range(0, len(body), 1 << 18))
    answer = viewer.post(path, content=body if announced else pieces, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
    assert answer.json()["error"]["details"]["limit_bytes"] == 1 << 20


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b"[" * 100_000, b"null", b'{"old": 1, "new": []}', b""])
def test_access_invalid_body_is_reported(viewer: TestClient, body: bytes) -> None:
    answer = viewer.post("/api/v1/session/password", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"]) in {(422, "invalid_input"), (400, "invalid_input")}


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../../settings.py",
        "/assets/%2e%2e/%2e%2e/settings.py",
        "/assets//etc/passwd",
        "/assets/..%2fa",
    ],
)
def test_access_path_traversal_is_refused(viewer: TestClient, path: str) -> None:
    answer = viewer.get(path)
    assert "RORI" not in answer.text and "root:" not in answer.text
    assert answer.status_code == 404 or "<title>Monitor" in answer.text
