"""A source is written into a file that people keep: comments and layout stay, or nothing is written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rori_spiders.exceptions import ManifestError
from rori_spiders.manifest.loading import add_source, load_file, read_source_ids
from tests.manifest.examples import manifest, source

if TYPE_CHECKING:
    from pathlib import Path

NEW = source(id="new", name="New: # no comment", scrape_config={"include_patterns": ["/a/*", "/b/*"]})
OLD = source(id="old")

JSONC = """{
  // whose it is
  "version": "1.0.0", // by hand
  "sources": [
    {
      "id": "old", "name": "A \\"sources\\": [", /* inside ] */
      "url": "https://www.hud.gov/", "domain": "hud.gov",
      "jurisdiction": "federal", "source_type": "guide", "method": "scrape", "status": "active"
    } // the old one
    /* the end ] } */
  ],
  "domains": {}
}
"""
YAML = """# whose it is
version: "1.0.0"
sources:
  # the old one
  - id: old # a remark
    name: Old
    url: https://www.hud.gov/
    domain: hud.gov
    jurisdiction: federal
    source_type: guide
    method: scrape
    status: active
    description: |
      Two lines
      of text
# the end
domains: {}
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", json.dumps(manifest(OLD))),
        ("a.json", json.dumps(manifest(OLD), indent=4)),
        ("a.json", JSONC),
        ("a.yaml", YAML),
        ("a.yml", YAML.replace("    description: |\n      Two lines\n      of text\n# the end\ndomains: {}\n", "")),
        ("a.yaml", YAML.replace("\n  ", "\n")),
    ],
)
def test_add_source_keeps_everything_else(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    path.chmod(0o640)
    add_source(path, NEW)
    assert [one.id for one in load_file(path).manifest.sources] == ["old", "new"]
    assert read_source_ids(path) == ["old", "new"]
    added = path.read_text(encoding="utf-8")
    rest = iter(added)
    assert all(char in rest for char in text if not char.isspace()), "something was lost"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [one.name for one in tmp_path.iterdir()] == [name]


def test_add_source_layout_is_that_of_packaged_manifests(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(JSONC, encoding="utf-8")
    add_source(path, {"id": "new", "fields": [{"name": "x"}], "scrape_config": {"include_patterns": ["/a b/*", "/b"]}})
    assert """    }, // the old one
    /* the end ] } */
    {
      "id": "new",
      "fields": [
        {
          "name": "x"
        }
      ],
      "scrape_config": {
        "include_patterns": ["/a b/*", "/b"]
      }
    }
  ],
  "domains": {}
""" in path.read_text(encoding="utf-8")


def test_add_source_first_of_overlay_or_new_file(tmp_path: Path) -> None:
    overlay, new, other = tmp_path / "overlay.json", tmp_path / "new.json", tmp_path / "new.yaml"
    overlay.write_text('{"version": "1.0.0", "sources": [{"override": "a", "status": "active"}]}', encoding="utf-8")
    for path in (overlay, new, other):
        assert read_source_ids(path) == (["a"] if path is overlay else [])
        add_source(path, NEW)
    assert read_source_ids(overlay) == ["a", "new"]
    for path in (new, other):
        assert [one.id for one in load_file(path).manifest.sources] == ["new"]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.yaml", "sources: [{id: old}]\n", "not a list of lines with dashes: add the source by hand"),
        ("a.json", '```json\n{"sources": []}\n```\n', "holds a code fence"),
        ("a.json", '{"version": "1.0.0"}', "has no list of sources"),
        ("a.json", '{"sources": [}', "JSON"),
    ],
)
def test_add_source_unsuitable_file_is_unchanged(tmp_path: Path, name: str, text: str, said: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ManifestError, match=said):
        add_source(path, NEW)
    assert path.read_text(encoding="utf-8") == text
    assert [one.name for one in tmp_path.iterdir()] == [name]
