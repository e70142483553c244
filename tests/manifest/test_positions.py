"""Where in its text a problem is: in JSON and YAML, at the value, or at what there is of the way to it."""

from __future__ import annotations

import json

import pytest

from rori_spiders.manifest.manifest_text import find_positions

JSON = """{
  "version": "1.0.0",
\t"sources": [
    {"id": "äöü-€😀", "url": "https://a.gov/",
     "scrape_config": {"max_depth": "two", "a\\"b": [1, [2, {"c": null}]]}}, true]
}
"""
YAML = """# a comment
version: 1.0.0
sources:
  - id: äöü-€😀
    url: https://a.gov/
    scrape_config: {max_depth: two, 'a"b': [1, [2, {c: null}]]}
  - true
"""


def found_at(text: str, place: tuple[int, int] | None) -> str:
    """The text from that place on, to the end of its line."""
    assert place is not None
    line, column = place
    return text.splitlines()[line - 1][column - 1 :]


@pytest.mark.parametrize(("text", "name"), [(JSON, "a.json"), (YAML, "a.yaml"), (JSON, "a"), (YAML, "a")])
def test_position_of_value(text: str, name: str) -> None:
    at = find_positions(text, name)
    config = ("sources", 0, "scrape_config")
    assert "two" in found_at(text, at((*config, "max_depth")))[:5]
    assert found_at(text, at((*config, 'a"b', 1, 1, "c"))).startswith("null")
    assert found_at(text, at(("sources", 1))).startswith("true")
    assert found_at(text, at(("sources", 0, "url"))).strip('"').startswith("https://a.gov/")
    assert at(("sources", 0, "nothing", "below")) == at(("sources", 0))
    assert at(("sources", 9)) == at(("sources",))
    assert at(("version", "below")) == at(("version",))


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_position_inside_code_fence_counts_lines_of_text(newline: str) -> None:
    text = f"```json\n{JSON}```\n".replace("\n", newline)
    assert found_at(text, find_positions(text, "a")(("sources", 1))).startswith("true")


def test_position_of_unreadable_text_is_none() -> None:
    for text, name in (("{", "a.json"), ("a: [", "a.yaml"), ("[" * 100_000, "a.json"), ("", "a.json")):
        assert find_positions(text, name)(("sources",)) is None


def test_position_duplicate_key_last_one_counts() -> None:
    text = '{"a": 1,\n "a": 2}'
    assert find_positions(text, "a.json")(("a",)) == find_positions(text, "a.yaml")(("a",)) == (2, 7)


def test_position_in_large_text() -> None:
    text = json.dumps({"sources": [{"id": f"s-{number}"} for number in range(5_000)]}, indent=1)
    assert found_at(text, find_positions(text, "a.json")(("sources", 4_999, "id"))).startswith('"s-4999"')
