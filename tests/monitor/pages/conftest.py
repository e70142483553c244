"""The monitor over a site that was really collected, once a session; each test gets a copy of what is left of it."""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from rori_spiders import settings
from rori_spiders.configuration.locations import Locations
from rori_spiders.monitor.state.dependencies import AppState
from tests.monitor.collected_site import collect_site
from tests.support.made_once import copy_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fastapi.testclient import TestClient


@pytest.fixture(scope="session")
def guide_of_session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_of("guide", tmp_path_factory.mktemp("guide"), collect_site)


@pytest.fixture
def guide(guide_of_session: Path, tmp_path: Path) -> str:
    """The address of the site that was collected; what is left of it lies in `tmp_path`."""
    shutil.copytree(guide_of_session, tmp_path, dirs_exist_ok=True)
    [source] = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))["sources"]
    return str(source["url"]).removesuffix("/")


@pytest.fixture
def served(guide: str, tmp_path: Path, overrides: dict[str, object]) -> Iterator[AppState]:
    values = {name: value for name, value in vars(settings).items() if name.isupper()} | overrides
    places = Locations(
        manifests=(tmp_path / "manifest.json",),
        staging=str(tmp_path / "collect" / "staged"),
        database_url=f"sqlite:///{tmp_path / 'collect' / 'ledger.db'}",
        allowed_addresses=(urlsplit(guide).netloc,),
    )
    with closing(AppState(places, values, tmp_path, now=lambda: datetime.now(UTC), patience_s=1.0)) as opened:
        yield opened


@pytest.fixture
def pages(viewer: TestClient, guide: str) -> dict[str, dict[str, Any]]:
    """The pages of the source, by their paths."""
    found = viewer.get("/api/v1/sources/guide/pages").json()["items"]
    return {one["url"].removeprefix(guide): one for one in found}


@pytest.fixture
def one_page(viewer: TestClient, pages: dict[str, dict[str, Any]]) -> Callable[[str], dict[str, Any]]:
    """One page, by its path."""

    def detail(path: str) -> dict[str, Any]:
        found: dict[str, Any] = viewer.get(f"/api/v1/pages/{pages[path]['page_id']}").json()
        return found

    return detail
