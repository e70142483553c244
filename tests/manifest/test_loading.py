"""What is accepted, and what becomes of it."""

from __future__ import annotations

import hashlib
import io
import json
import sys
from pathlib import Path

import pytest
import yaml

from rori_spiders.exceptions import ManifestError
from rori_spiders.manifest.loading import load_file, load_packaged, packaged_names, parse_manifest
from rori_spiders.manifest.manifest_text import blank_comments
from tests.manifest.examples import load, manifest, source

TEXT = json.dumps(manifest(), indent=2)


def test_load_manifest_text_is_stored_with_hash(tmp_path: Path) -> None:
    path = tmp_path / "fthb.json"
    path.write_text(TEXT)
    loaded = load_file(path)
    assert (loaded.name, loaded.origin, loaded.text) == ("fthb", str(path), TEXT)
    assert loaded.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert loaded.manifest.sources[0].id == "cfpb-reg-x"


@pytest.mark.parametrize(
    "answer",
    [f"```json\n{TEXT}\n```", f"\n\n```\n{TEXT}\n```\n\n", f"```JSON\r\n{TEXT}\r\n```", f"  ```json\n{TEXT}```"],
)
def test_load_manifest_code_fence_is_removed(answer: str) -> None:
    loaded = parse_manifest(answer, name="stdin", origin="-")
    assert loaded.text == TEXT + "\n"
    assert parse_manifest(loaded.text, name="stdin", origin="ledger").sha256 == loaded.sha256


def test_load_manifest_line_numbers_survive_fence() -> None:
    with pytest.raises(ManifestError, match="line 3, column 13"):
        parse_manifest('```json\n{"version": "1",\n "sources": ,}\n```', name="a", origin="-")


def test_load_manifest_backticks_in_text_are_no_fence() -> None:
    assert load(source(description="wrap it in ```json ... ```")).manifest.sources[0].description


def test_load_manifest_specification_example_with_comments() -> None:
    path = Path(__file__).with_name("specification_example.json")
    loaded = load_file(path)
    assert [(one.id, one.scrape_config.max_depth) for one in loaded.manifest.sources] == [("cfpb-reg-x", 3)]
    assert parse_manifest(loaded.text, name="a", origin="ledger").manifest == loaded.manifest


def test_load_manifest_comments_keep_lines_columns_and_strings() -> None:
    text = '{ // one\n /* two\n three */ "version": "http://x//y",\n "sources": ,}'
    with pytest.raises(ManifestError, match="line 4, column 13"):
        parse_manifest(text, name="a", origin="a.json")
    assert blank_comments(text).startswith('{       \n       \n          "version": "http://x//y"')


def test_load_manifest_byte_order_mark_is_accepted() -> None:
    assert parse_manifest(b"\xef\xbb\xbf" + TEXT.encode(), name="a", origin="a.json").manifest.version == "1.0.0"


def test_load_manifest_yaml_equals_json(tmp_path: Path) -> None:
    content = manifest(source(scrape_config={"max_depth": 3}), created="2026-02-13", vertical="fthb")
    text = yaml.safe_dump(content).replace("'2026-02-13'", "2026-02-13")
    for name in ("a.yaml", "a.yml"):
        (tmp_path / name).write_text(text)
        assert (
            load_file(tmp_path / name).manifest
            == parse_manifest(json.dumps(content), name="a", origin="a.json").manifest
        )


def test_load_manifest_yaml_without_extension_is_recognised() -> None:
    text = "# sources\n---\n" + yaml.safe_dump(manifest())
    fenced = f"```yaml\n{yaml.safe_dump(manifest())}```"
    expected = parse_manifest(TEXT, name="a", origin="a.json").manifest
    assert parse_manifest(text, name="a", origin="ledger").manifest == expected
    assert parse_manifest(fenced, name="a", origin="-").manifest == expected


_ALONE = json.dumps(source()).replace('"id"', "id", 1)


@pytest.mark.parametrize(
    "text",
    [
        f"{{version: 1.0.0, sources: [{_ALONE}]}}",
        f"%YAML 1.1\n---\nversion: 1.0.0\nsources: [{_ALONE}]\n",
        f"'version': 1.0.0\n'sources': [{_ALONE}]\n",
    ],
    ids=["in braces", "with a directive", "quoted keys"],
)
def test_load_manifest_accepted_yaml_is_readable_from_ledger(text: str) -> None:
    taken = parse_manifest(text, name="a", origin="a.yaml")
    assert parse_manifest(taken.text, name="a", origin="ledger").manifest == taken.manifest
    fenced = parse_manifest(f"```yaml\n{text}\n```", name="a", origin="-")
    assert parse_manifest(fenced.text, name="a", origin="ledger").manifest == taken.manifest


def test_load_manifest_unreadable_yaml_is_refused() -> None:
    text = f'{{"version": "1.0.0", # the first\n "sources": [{_ALONE}]}}'
    for origin, taken in (("a.yaml", text), ("-", f"```yaml\n{text}\n```")):
        with pytest.raises(ManifestError, match="begin it with `version:`"):
            parse_manifest(taken, name="a", origin=origin)


def test_load_manifest_bare_yaml_list_is_refused() -> None:
    with pytest.raises(ManifestError, match="expected an object with version and sources, got a list of 1"):
        parse_manifest("- id: a\n  url: https://x.gov/\n", name="a", origin="a.yaml")


def test_load_manifest_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    loaded = load_file("-")
    assert (loaded.name, loaded.origin) == ("stdin", "-")


def test_load_manifest_missing_values_come_from_defaults() -> None:
    loaded = load(
        source(),
        source(id="null-says-nothing", scrape_config={"max_depth": None, "render": None}),
        source(id="own", scrape_config={"max_depth": 1, "exclude_patterns": [], "custom_headers": {}}),
        source(id="nothing", scrape_config=None),
        defaults={"max_depth": 3, "exclude_patterns": ["*?*"], "custom_headers": {"Accept": "text/html"}},
    )
    configs = {one.id: one.scrape_config for one in loaded.manifest.sources}
    for same in ("cfpb-reg-x", "null-says-nothing", "nothing"):
        assert configs[same].max_depth == 3
        assert configs[same].exclude_patterns == ("*?*",)
        assert configs[same].render == "auto"
    assert configs["own"].max_depth == 1
    assert configs["own"].exclude_patterns == ()
    assert configs["own"].custom_headers == {}


def test_load_manifest_rendering_budget_from_defaults() -> None:
    loaded = load(source(scrape_config={"render": "always"}), defaults={"browser_budget": 0})
    assert loaded.manifest.sources[0].scrape_config.browser_budget == 0


def test_load_manifest_twice_is_equal() -> None:
    assert load(source(metadata={"agency": "CFPB"})) == load(source(metadata={"agency": "CFPB"}))


def test_load_manifest_packaged_by_name() -> None:
    assert {"fthb", "wikis"} <= set(packaged_names())
    assert load_packaged("fthb").origin == "packaged"
    with pytest.raises(ManifestError, match=r"available: .*fthb"):
        load_packaged("../pyproject")


def test_load_manifest_fence_inside_yaml_text_is_text() -> None:
    block = "name: CFPB Regulation X\n  description: |\n    before\n    ```\n    code\n    ```"
    text = yaml.safe_dump(manifest()).replace("name: CFPB Regulation X", block)
    for origin in ("a.yaml", "ledger"):
        described = parse_manifest(text, name="a", origin=origin).manifest.sources[0].description
        assert described is not None and "```" in described


@pytest.mark.parametrize("filler", [" " * 2_000_000, "\n" * 2_000_000, "```" + " " * 2_000_000, "```\n" * 500_000])
def test_load_manifest_text_without_content_is_refused(filler: str) -> None:
    # Backtracking over these would take hours; the suite's own limit would tell.
    with pytest.raises(ManifestError) as refused:
        parse_manifest(filler + "x", name="a", origin="-")
    assert len(refused.value.problems) == 1


def test_load_manifest_long_name_is_refused() -> None:
    assert parse_manifest(TEXT, name="x" * 200, origin="-").name == "x" * 200
    with pytest.raises(ManifestError, match="may have 200 characters, this one has 201; give the file a shorter name"):
        parse_manifest(TEXT, name="x" * 201, origin="-")
