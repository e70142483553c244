"""Activated manifests: one text a name at a time, every text kept."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rori_spiders.exceptions import ManifestError
from rori_spiders.ledger.operations import manifest_history
from rori_spiders.manifest.loading import parse_manifest
from tests.ledger.factories import at

if TYPE_CHECKING:
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.manifest.catalog import LoadedManifest


def _loaded(name: str, version: str = "1.0.0", **source: object) -> LoadedManifest:
    one = {
        "id": f"{name}-reg-x",
        "name": "CFPB Regulation X",
        "url": "https://www.consumerfinance.gov/rules-policy/regulations/1024/",
        "domain": "consumerfinance.gov",
        "jurisdiction": "federal",
        "source_type": "regulation",
        "method": "crawl",
        "status": "active",
    }
    text = json.dumps({"version": version, "sources": [one | source]})
    return parse_manifest(text, name=name, origin=f"{name}.json")


def test_manifest_activated_is_loaded_unchanged(ledger: Ledger) -> None:
    loaded = _loaded("fthb")
    with ledger.begin() as conn:
        assert manifest_history.load_active_manifests(conn) == []
        assert manifest_history.activate_manifests(conn, [loaded], actor="candi", now=at()) == ["fthb"]
        (found,) = manifest_history.load_active_manifests(conn)
    assert (found.name, found.text, found.sha256, found.manifest) == (
        "fthb",
        loaded.text,
        loaded.sha256,
        loaded.manifest,
    )
    assert found.origin == "the ledger"


def test_manifest_same_text_again_changes_nothing(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        manifest_history.activate_manifests(conn, [_loaded("fthb")], actor="candi", now=at())
        assert manifest_history.activate_manifests(conn, [_loaded("fthb")], actor="frank", now=at(1)) == []
        (version,), _ = manifest_history.list_activations(conn, "fthb")
    assert (version.activated_by, version.activated_at, version.active) == ("candi", at(), True)


def test_manifest_other_text_replaces_it_and_old_one_stays_listed(ledger: Ledger) -> None:
    old, new = _loaded("fthb"), _loaded("fthb", "1.1.0", priority="high")
    with ledger.begin() as conn:
        for minute, loaded in enumerate((old, new, old)):
            assert manifest_history.activate_manifests(conn, [loaded], actor="candi", now=at(minute)) == ["fthb"]
        activations, _ = manifest_history.list_activations(conn, "fthb")
        assert [one.sha256 for one in manifest_history.load_active_manifests(conn)] == [old.sha256]
    assert [(one.version, one.active) for one in activations] == [("1.0.0", True), ("1.1.0", False), ("1.0.0", False)]


def test_manifests_of_other_names_stay_active_until_ended(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        manifest_history.activate_manifests(conn, [_loaded("wikis"), _loaded("fthb")], actor="candi", now=at())
        manifest_history.activate_manifests(conn, [_loaded("fthb", "1.1.0")], actor="candi", now=at(1))
        assert [one.name for one in manifest_history.load_active_manifests(conn)] == ["fthb", "wikis"]
        assert manifest_history.deactivate_manifest(conn, "wikis")
        assert not manifest_history.deactivate_manifest(conn, "wikis")
        assert [one.name for one in manifest_history.load_active_manifests(conn)] == ["fthb"]
        assert manifest_history.list_activations(conn, "wikis")[1] == 1


def test_manifest_unreadable_by_this_version_is_reported(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        manifest_history.activate_manifests(conn, [_loaded("fthb")], actor="candi", now=at())
        conn.exec_driver_sql("UPDATE manifest_versions SET text = '{}'")
    with pytest.raises(ManifestError, match="the ledger"), ledger.connect() as conn:
        manifest_history.load_active_manifests(conn)
