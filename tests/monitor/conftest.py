"""Fixtures for tests of the monitor: an app over a real ledger, and clients that are signed in.

`viewer` and `operator` get paths without the host: `operator.post("/api/v1/jobs", json={...})`.
They send the CSRF token.
"""

from __future__ import annotations

import secrets
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from argon2 import PasswordHasher
from fastapi.testclient import TestClient

from rori_spiders import settings
from rori_spiders.configuration.locations import Locations
from rori_spiders.ledger.operations import accounts
from rori_spiders.monitor.application.app import create_app
from rori_spiders.monitor.security import passwords
from rori_spiders.monitor.state.dependencies import AppState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fastapi import FastAPI

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.operations.accounts import Role

NOW = datetime(2026, 11, 20, 15, 0, tzinfo=UTC)


class Clock:
    """The monitor's time: it stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now

    def go(self, **by: float) -> None:
        self.now += timedelta(**by)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def quick_passwords(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Argon2 at its lowest costs: tests that sign in dozens of times would take a minute."""
    monkeypatch.setattr(passwords, "_HASHER", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    passwords._dummy_hash.cache_clear()
    yield
    passwords._dummy_hash.cache_clear()


@pytest.fixture
def overrides() -> dict[str, object]:
    """Settings that a test of the monitor changes: parametrize it."""
    return {}


@pytest.fixture
def served(
    ledger: Ledger, database_url: str, tmp_path: Path, clock: Clock, overrides: dict[str, object]
) -> Iterator[AppState]:
    """A project over the test's ledger, with the packaged manifest in force."""
    values = {name: value for name, value in vars(settings).items() if name.isupper()} | overrides
    places = Locations(manifests=(), staging=str(tmp_path / "staged"), database_url=database_url)
    with closing(AppState(places, values, tmp_path, now=clock, patience_s=1.0)) as opened:
        yield opened


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A page as `vite build` leaves it."""
    built = tmp_path / "page"
    (built / "assets").mkdir(parents=True)
    (built / "index.html").write_text("<!doctype html><title>Monitor</title>", encoding="utf-8")
    (built / "assets" / "index-1a2b.js").write_text("1\n", encoding="utf-8")
    return built


@pytest.fixture
def app(served: AppState, page: Path) -> FastAPI:
    return create_app(served, page=page)


@pytest.fixture
def stranger(app: FastAPI) -> TestClient:
    """Nobody is signed in."""
    return TestClient(app, base_url="http://localhost", follow_redirects=False)


@pytest.fixture
def sign_in(app: FastAPI, served: AppState) -> Callable[[str, Role], TestClient]:
    """A client for a user of this name and role, who is made where there is none."""

    def client(name: str, role: Role) -> TestClient:
        token = secrets.token_urlsafe(32)
        with served.ledger.begin() as conn:
            accounts.add_user(conn, name, role=role, password_hash=None, now=served.now())
            accounts.begin_session(conn, token, name, now=served.now(), lasting=served.terms.lasting)
        made = TestClient(app, base_url="http://localhost", follow_redirects=False, cookies={"rori-session": token})
        made.headers["X-CSRF-Token"] = made.get("/api/v1/session").json()["csrf"]
        return made

    return client


@pytest.fixture
def viewer(sign_in: Callable[[str, Role], TestClient]) -> TestClient:
    return sign_in("vera", "viewer")


@pytest.fixture
def operator(sign_in: Callable[[str, Role], TestClient]) -> TestClient:
    return sign_in("olga", "operator")
