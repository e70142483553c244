"""How the page is built: once for its sources, by a Node that is new enough, and with a sentence when it cannot be."""

from __future__ import annotations

import gzip
import shutil
from typing import TYPE_CHECKING

import pytest

from rori_spiders.monitor.web import building

if TYPE_CHECKING:
    from pathlib import Path

#: What was agreed for the monitor, all screens together.
MOST_BYTES = 300_000


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the page's sources, without what npm brought; `building` works there."""
    web = tmp_path / "web"
    shutil.copytree(building.WEB, web, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
    monkeypatch.setattr(building, "WEB", web)
    monkeypatch.setattr(building, "STAMP", tmp_path / "page" / "sources.sha256")
    monkeypatch.setattr(building, "_INSTALLED", web / "node_modules" / ".installed")
    return web


def test_web_build_runs_only_after_source_change(sources: Path) -> None:
    assert not building.is_current()
    building.STAMP.parent.mkdir()
    building.STAMP.write_text(building._digest(), encoding="ascii")
    assert building.is_current() and building.page() is False
    (sources / "src" / "lib" / "plain.test.ts").write_text("", encoding="utf-8")
    assert building.is_current(), "tests are no part of the page"
    (sources / "src" / "style.css").write_text("body { color: red }", encoding="utf-8")
    assert not building.is_current()


def test_web_build_page_stays_small() -> None:
    """All that a browser may ever ask for, as a server that compresses sends it."""
    building.page()
    sent = [path for path in building.STAMP.parent.rglob("*") if path.suffix in {".css", ".html", ".js", ".svg"}]
    size = sum(len(gzip.compress(path.read_bytes(), 9)) for path in sent)
    assert 0 < size <= MOST_BYTES, f"the page has {size:,} bytes, compressed: load less, or split what few screens need"


def test_web_build_unreachable_registry_is_reported(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:1/")
    monkeypatch.setenv("npm_config_cache", str(sources / "empty"))
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    with pytest.raises(building.PageNotBuilt, match=r"registry cannot be reached.* npm_config_registry") as raised:
        building.page()
    assert "127.0.0.1:1" in str(raised.value)
    assert not building.STAMP.exists()


def test_web_build_without_node_names_what_to_install(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "npm", lambda: None)
    with pytest.raises(building.PageNotBuilt, match=rf"pip install '{building.NODE_FROM_PYPI}'"):
        building.page()
    assert sources.exists()


@pytest.mark.parametrize(
    ("version", "enough"),
    [
        ("v18.20.8\n", False),
        ("v20.18.1\n", False),
        ("v20.19.0\n", True),
        ("v21.7.3\n", False),
        ("v22.11.0\n", False),
        ("v22.12.0\n", True),
        ("v24.19.0\n", True),
        ("nonsense", False),
        ("", False),
    ],
)
def test_web_build_node_version_is_checked(version: str, enough: bool) -> None:
    assert building._new_enough(version) is enough
