"""Which sources are in force: explicit manifests, the ledger's active versions, the packaged default."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from rori_spiders.configuration.active_manifest import (
    PACKAGED_DEFAULT,
    activate_and_load_catalog,
    load_active_catalog_or_warning,
    load_catalog,
)
from rori_spiders.configuration.locations import Locations
from rori_spiders.exceptions import LedgerError, ManifestError
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.operations import activity_log
from rori_spiders.manifest.loading import load_packaged
from tests.support.databases import open_empty_ledger
from tests.support.project import source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.manifest.catalog import Catalog

NOW = datetime(2026, 2, 13, 12, 0, tzinfo=UTC)


def manifest(folder: Path, name: str, *ids: str, host: str = "www.example.org", **top: object) -> Path:
    path = folder / f"{name}.json"
    sources = [source(one, f"https://{host}/{one}") for one in ids]
    path.write_text(json.dumps({"version": "1.0.0", "sources": sources, **top}), encoding="utf-8")
    return path


def ids(catalog: Catalog) -> list[str]:
    return [one.id for one in catalog.sources]


def places(folder: Path, *manifests: Path) -> Locations:
    return Locations(manifests, str(folder / "staged"), f"sqlite:///{folder / 'ledger.db'}")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    opened = open_empty_ledger(tmp_path / "ledger.db")
    yield opened
    opened.close()


def test_active_manifest_defaults_to_packaged(ledger: Ledger) -> None:
    default = [one.id for one in load_packaged(PACKAGED_DEFAULT).manifest.sources]
    assert ids(load_catalog()) == default
    assert ids(load_catalog((), ledger)) == default


def test_active_manifest_explicit_file_activates_nothing_on_read(tmp_path: Path, ledger: Ledger) -> None:
    assert ids(load_catalog([manifest(tmp_path, "mine", "a")], ledger)) == ["a"]
    assert "a" not in ids(load_catalog((), ledger))


def test_active_manifest_collected_explicit_file_stays_active(tmp_path: Path, ledger: Ledger) -> None:
    both = [manifest(tmp_path, "mine", "a"), manifest(tmp_path, "more", "b")]
    assert ids(activate_and_load_catalog(both, ledger, actor="system", now=NOW)) == ["a", "b"]
    assert ids(activate_and_load_catalog((), ledger, actor="system", now=NOW)) == ["a", "b"]


def test_active_manifest_renamed_file_does_not_collide(tmp_path: Path, ledger: Ledger) -> None:
    activate_and_load_catalog([manifest(tmp_path, "mine", "a")], ledger, actor="system", now=NOW)
    activate_and_load_catalog([manifest(tmp_path, "mine-2", "a", "b")], ledger, actor="system", now=NOW)
    assert ids(load_catalog((), ledger)) == ["a", "b"]
    with ledger.connect() as connection:
        done = [(row["action"], row["target"]) for row in activity_log.recent_actions(connection)]
    assert done == [("deactivate", "mine"), ("activate", "mine-2"), ("activate", "mine")]


def test_active_manifest_same_text_again_is_no_action(tmp_path: Path, ledger: Ledger) -> None:
    for _ in range(3):
        activate_and_load_catalog([manifest(tmp_path, "mine", "a")], ledger, actor="system", now=NOW)
    with ledger.connect() as connection:
        assert len(activity_log.recent_actions(connection)) == 1


def test_active_manifest_broken_explicit_file_changes_nothing(tmp_path: Path, ledger: Ledger) -> None:
    activate_and_load_catalog([manifest(tmp_path, "mine", "a")], ledger, actor="system", now=NOW)
    bad = tmp_path / "bad.json"
    bad.write_text("{", encoding="utf-8")
    with pytest.raises(ManifestError):
        activate_and_load_catalog([bad], ledger, actor="system", now=NOW)
    assert ids(load_catalog((), ledger)) == ["a"]


def test_active_manifest_valid_file_replaces_invalid_active_version(tmp_path: Path, ledger: Ledger) -> None:
    """It was activated for a server of ours, with a delay that only RORI_ALLOWED_ADDRESSES permits."""
    quick = manifest(tmp_path, "quick", "a", host="site.test", domains={"site.test": {"delay_s": 0.1}})
    allowed = ["site.test:8000"]
    assert ids(activate_and_load_catalog([quick], ledger, actor="system", now=NOW, allowed_addresses=allowed)) == ["a"]
    assert ids(load_catalog((), ledger, allowed_addresses=allowed)) == ["a"]
    with pytest.raises(ManifestError):
        load_catalog((), ledger)
    assert ids(activate_and_load_catalog([manifest(tmp_path, "mine", "b")], ledger, actor="system", now=NOW)) == ["b"]
    assert ids(load_catalog((), ledger)) == ["b"]


def test_spider_loader_without_ledger_creates_none(tmp_path: Path) -> None:
    found = load_active_catalog_or_warning(places(tmp_path))
    assert found.warning is None
    assert found.catalog.sources
    assert list(tmp_path.iterdir()) == []


def test_spider_loader_lists_active_versions(tmp_path: Path, ledger: Ledger) -> None:
    activate_and_load_catalog([manifest(tmp_path, "mine", "a")], ledger, actor="system", now=NOW)
    found = load_active_catalog_or_warning(places(tmp_path))
    assert (ids(found.catalog), found.warning) == (["a"], None)


def test_spider_loader_broken_manifest_gives_no_sources_with_reason(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("[]", encoding="utf-8")
    found = load_active_catalog_or_warning(places(tmp_path, bad))
    assert ids(found.catalog) == []
    assert "bad.json" in (found.warning or "")


def test_spider_loader_broken_ledger_gives_default_with_reason(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").write_text("no database" * 100, encoding="utf-8")
    found = load_active_catalog_or_warning(places(tmp_path))
    assert found.catalog.sources
    assert "ledger.db" in (found.warning or "")
    assert "packaged manifest" in (found.warning or "")
    with pytest.raises(LedgerError):
        open_ledger(f"sqlite:///{tmp_path / 'ledger.db'}", migrate=False)


def test_spider_loader_explicit_file_needs_no_ledger(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").write_text("no database" * 100, encoding="utf-8")
    found = load_active_catalog_or_warning(places(tmp_path, manifest(tmp_path, "mine", "a")))
    assert (ids(found.catalog), found.warning) == (["a"], None)
