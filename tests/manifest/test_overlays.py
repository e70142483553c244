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


def test_an_override_changes_the_named_fields_alone(tmp_path: Path) -> None:
    given = base(scrape_config={"max_depth": 3, "exclude_patterns": ["/old/*"]}, metadata={"agency": "CFPB"})
    changes = {"override": "a", "status": "active", "scrape_config": {"max_depth": 1}, "metadata": {"notes": "ours"}}
    catalog = load(tmp_path, base=[given, source(id="b")], mine=[changes])
    changed = catalog.source("a")
    assert (changed.status, changed.url) == ("active", given["url"])
    assert (changed.scrape_config.max_depth, changed.scrape_config.exclude_patterns) == (1, ("/old/*",))
    assert changed.metadata is not None
    assert (changed.metadata.agency, changed.metadata.notes) == ("CFPB", "ours")
    assert [one.id for one in catalog.sources] == ["a", "b"]


def test_the_merged_manifest_is_one_text_under_the_name_of_its_base(tmp_path: Path) -> None:
    (loaded,) = load(tmp_path, base=[base()], mine=[{"override": "a", "status": "active"}]).loaded
    assert loaded.name == "base"
    assert loaded.origin == f"{tmp_path / 'base.json'} + {tmp_path / 'mine.json'}"
    assert [one["status"] for one in json.loads(loaded.text)["sources"]] == ["active"]


def test_sources_beside_overrides_are_a_manifest_of_their_own(tmp_path: Path) -> None:
    catalog = load(tmp_path, base=[base()], mine=[{"override": "a", "status": "active"}, source(id="own")])
    assert [(one.name, [each.id for each in one.manifest.sources]) for one in catalog.loaded] == [
        ("base", ["a"]),
        ("mine", ["own"]),
    ]


def test_a_later_overlay_changes_what_an_earlier_one_made(tmp_path: Path) -> None:
    catalog = load(
        tmp_path,
        base=[base()],
        one=[{"override": "a", "status": "active", "priority": "high"}],
        two=[{"override": "a", "priority": "low"}],
    )
    assert (catalog.source("a").status, catalog.source("a").priority) == ("active", "low")


def test_an_override_of_an_unknown_source_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        ManifestError, match=r"mine\.json: override 'z': no file before this one has a source of that id"
    ):
        load(tmp_path, base=[base()], mine=[{"override": "z", "status": "active"}])


def test_a_wrong_value_names_both_files_and_the_path(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match=r"base\.json \+ .*mine\.json: source 'a' .*\.status: "):
        load(tmp_path, base=[base()], mine=[{"override": "a", "status": "on"}])


def test_an_override_that_renames_a_source_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match=r"mine\.json: override 'a': an override .* cannot rename it: remove `id`"):
        load(tmp_path, base=[base()], mine=[{"override": "a", "id": "b"}])


def test_an_id_that_is_not_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match=r"mine\.json: override \['a'\]: "):
        load(tmp_path, base=[base()], mine=[{"override": ["a"], "status": "active"}])


def test_two_overrides_of_one_source_both_hold(tmp_path: Path) -> None:
    catalog = load(
        tmp_path, base=[base()], mine=[{"override": "a", "status": "active"}, {"override": "a", "priority": "low"}]
    )
    assert (catalog.source("a").status, catalog.source("a").priority) == ("active", "low")


def test_a_key_that_stands_twice_in_an_overlay_is_named(tmp_path: Path) -> None:
    (tmp_path / "base.json").write_text(json.dumps({"version": "1.0.0", "sources": [base()]}), encoding="utf-8")
    twice = '{"version": "1.0.0", "sources": [{"override": "a", "status": "active", "status": "paused"}]}'
    (tmp_path / "mine.json").write_text(twice, encoding="utf-8")
    with pytest.raises(ManifestError, match=r"mine\.json: .*sources\[0\].status: duplicate key"):
        load_files([tmp_path / "base.json", tmp_path / "mine.json"])


def test_problems_of_overrides_and_of_own_sources_are_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(ManifestError) as raised:
        load(tmp_path, base=[base()], mine=[{"override": "z"}, source(id="own", frequency="hourly")])
    assert [word for word in ("override 'z'", "frequency") if word not in str(raised.value)] == []
