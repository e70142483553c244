"""Overlays: a file of the operator's own that changes named fields of another manifest's sources."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.exceptions import ManifestError
from rori_spiders.manifest.loading import load_files
from tests.manifest.examples import source

if TYPE_CHECKING:
    from rori_spiders.manifest.catalog import Catalog


def load(tmp_path: Path, **files: list[dict[str, Any]]) -> Catalog:
    paths = [tmp_path / f"{name}.json" for name in files]
    for path, sources in zip(paths, files.values(), strict=True):
        path.write_text(json.dumps({"version": "1.0.0", "sources": sources}), encoding="utf-8")
    return load_files(paths)


def base(**more: Any) -> dict[str, Any]:
    return source(id="a", status="proposed", **more)


def test_overlay_override_changes_named_fields_only(tmp_path: Path) -> None:
    given = base(scrape_config={"max_depth": 3, "exclude_patterns": ["/old/*"]}, metadata={"agency": "CFPB"})
    changes = {"override": "a", "status": "active", "scrape_config": {"max_depth": 1}, "metadata": {"notes": "ours"}}
    catalog = load(tmp_path, base=[given, source(id="b")], mine=[changes])
    changed = catalog.source("a")
    assert (changed.status, changed.url) == ("active", given["url"])
    assert (changed.scrape_config.max_depth, changed.scrape_config.exclude_patterns) == (1, ("/old/*",))
    assert changed.metadata is not None
    assert (changed.metadata.agency, changed.metadata.notes) == ("CFPB", "ours")
    assert [one.id for one in catalog.sources] == ["a", "b"]


def test_overlay_merged_manifest_keeps_base_name(tmp_path: Path) -> None:
    (loaded,) = load(tmp_path, base=[base()], mine=[{"override": "a", "status": "active"}]).loaded
    assert loaded.name == "base"
    assert loaded.origin == f"{tmp_path / 'base.json'} + {tmp_path / 'mine.json'}"
    assert [one["status"] for one in json.loads(loaded.text)["sources"]] == ["active"]


def test_overlay_own_sources_are_a_manifest(tmp_path: Path) -> None:
    catalog = load(tmp_path, base=[base()], mine=[{"override": "a", "status": "active"}, source(id="own")])
    assert [(one.name, [each.id for each in one.manifest.sources]) for one in catalog.loaded] == [
        ("base", ["a"]),
        ("mine", ["own"]),
    ]


def test_overlay_later_one_changes_result_of_earlier(tmp_path: Path) -> None:
    catalog = load(
        tmp_path,
        base=[base()],
        one=[{"override": "a", "status": "active", "priority": "high"}],
        two=[{"override": "a", "priority": "low"}],
    )
    assert (catalog.source("a").status, catalog.source("a").priority) == ("active", "low")


def test_overlay_unknown_source_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        ManifestError, match=r"mine\.json: override 'z': no file before this one has a source of that id"
    ):
        load(tmp_path, base=[base()], mine=[{"override": "z", "status": "active"}])


def test_overlay_wrong_value_names_both_files_and_path(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match=r"base\.json \+ .*mine\.json: source 'a' .*\.status: "):
        load(tmp_path, base=[base()], mine=[{"override": "a", "status": "on"}])


def test_overlay_renaming_source_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match=r"mine\.json: override 'a': an override .* cannot rename it: remove `id`"):
        load(tmp_path, base=[base()], mine=[{"override": "a", "id": "b"}])


def test_overlay_id_must_be_text(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match=r"mine\.json: override \['a'\]: "):
        load(tmp_path, base=[base()], mine=[{"override": ["a"], "status": "active"}])


def test_overlay_two_overrides_of_one_source_both_apply(tmp_path: Path) -> None:
    catalog = load(
        tmp_path, base=[base()], mine=[{"override": "a", "status": "active"}, {"override": "a", "priority": "low"}]
    )
    assert (catalog.source("a").status, catalog.source("a").priority) == ("active", "low")


def test_overlay_duplicate_key_is_named(tmp_path: Path) -> None:
    (tmp_path / "base.json").write_text(json.dumps({"version": "1.0.0", "sources": [base()]}), encoding="utf-8")
    twice = '{"version": "1.0.0", "sources": [{"override": "a", "status": "active", "status": "paused"}]}'
    (tmp_path / "mine.json").write_text(twice, encoding="utf-8")
    with pytest.raises(ManifestError, match=r"mine\.json: .*sources\[0\].status: duplicate key"):
        load_files([tmp_path / "base.json", tmp_path / "mine.json"])


def test_overlay_problems_of_overrides_and_sources_are_listed_together(tmp_path: Path) -> None:
    with pytest.raises(ManifestError) as raised:
        load(tmp_path, base=[base()], mine=[{"override": "z"}, source(id="own", frequency="hourly")])
    assert [word for word in ("override 'z'", "frequency") if word not in str(raised.value)] == []
