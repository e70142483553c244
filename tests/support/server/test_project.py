"""The project folder that crawl tests run in: nothing of the caller's own collector may leak into it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from tests.support.databases import write_empty_ledger
from tests.support.project import Project, source

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_project_ignores_settings_of_caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RORI_STAGING", "s3://production")
    monkeypatch.setenv("RORI_TIERS", "zyte")
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "elsewhere")
    kept = Project(tmp_path).env
    assert [name for name in kept if name.startswith(("RORI_", "SCRAPY_"))] == ["RORI_CONVERT_WORKERS", "RORI_TIERS"]
    assert kept["RORI_TIERS"] == "official,mediawiki,http"  # the project's own
    assert "PATH" in kept


def test_project_is_folder_with_scrapy_cfg(project: Project) -> None:
    assert "rori_spiders.settings" in (project.folder / "scrapy.cfg").read_text(encoding="utf-8")
    assert not project.ledger.exists()


def test_project_manifest_allows_its_hosts(project: Project) -> None:
    path = project.manifest(
        [source("a", "http://127.0.0.1:81/a/", "crawl"), source("b", "http://127.0.0.1:81/b/")], delay_s=0.05
    )
    written = json.loads(path.read_text(encoding="utf-8"))
    assert [one["id"] for one in written["sources"]] == ["a", "b"]
    assert written["domains"] == {"127.0.0.1": {"delay_s": 0.05}}
    assert project.env["RORI_MANIFEST"] == str(path)
    assert project.env["RORI_ALLOWED_ADDRESSES"] == "127.0.0.1:81"


def test_project_source_accepts_any_field(project: Project) -> None:
    one = source("a", "http://127.0.0.1:81/a/", scrape_config={"max_depth": 2}, status="paused")
    assert (one["domain"], one["method"], one["status"]) == ("127.0.0.1", "scrape", "paused")
    assert "domains" not in json.loads(project.manifest([one]).read_text(encoding="utf-8"))


def test_project_ledger_equals_migrations(project: Project, tmp_path: Path) -> None:
    done = project.scrapy("ledger", "upgrade")
    assert done.returncode == 0, done.stderr
    migrated = write_empty_ledger(tmp_path / "migrated" / "ledger.db")
    assert _dumped(project.ledger) == _dumped(migrated)


def _dumped(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as opened:
        return list(opened.iterdump())
