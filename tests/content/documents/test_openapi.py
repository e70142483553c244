"""OpenAPI and Swagger files: pages by fixture, no string lost, and nothing that a hostile file can do."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from rori_spiders.content.documents import read
from rori_spiders.content.documents.openapi import description, values
from tests.support.cases import cases

URL = "https://api.example.gov/docs/openapi.yaml"
FIXTURES = Path(__file__).parent / "fixtures"
CASES = [*FIXTURES.glob("openapi-*/input.*"), *FIXTURES.glob("swagger-*/input.*")]


def page(body: str) -> str:
    return read("json" if body.startswith("{") else "text", body.encode(), url=URL).markdown


def words(text: str) -> str:
    """Text without what tables and headings do to it."""
    text = re.sub(r"^\s*#{1,6}\s|<br>", " ", text, flags=re.MULTILINE).replace("\\|", "|").replace("\\<", "<")
    return " ".join(text.split())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.parent.name)
def test_openapi_fixture_gives_expected_markdown(case: Path) -> None:
    assert page(case.read_text(encoding="utf-8")) == (case.parent / "expected.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.parent.name)
def test_openapi_every_string_of_file_is_in_page(case: Path) -> None:
    text = case.read_text(encoding="utf-8")
    value = values.from_json(text) if case.suffix == ".json" else values.from_yaml(text)
    shown = words(page(text))
    found = [(key, string) for key, string in values.strings(value) if string.strip()]
    assert found
    for key, string in found:
        wanted = string.rpartition("/")[2] if key == "$ref" else string
        assert words(wanted) in shown, (key, string)


def test_openapi_title_and_metadata_come_from_info() -> None:
    document = read("text", (FIXTURES / "openapi-3.0" / "input.yaml").read_bytes(), url=URL)
    assert (document.title, document.format) == ("Lender Registry API", "markdown")
    assert document.metadata["kind"] == "openapi"
    assert document.metadata["description"].startswith("Looks up lenders. # Limits")
    assert "https://api.example.gov/guide" in document.links
    assert "https://api.example.gov/docs/sign-up/" in document.links
    assert "https://www.example.gov/lenders" in document.links


def test_openapi_json_and_yaml_give_same_value() -> None:
    text = (FIXTURES / "swagger-2.0" / "input.json").read_text(encoding="utf-8")
    assert values.from_yaml(text) == values.from_json(text)


def test_openapi_values_written_as_code_read_back() -> None:
    value: dict[str, values.Value] = {
        "texts": ["no", "1.50", "a: b", "- x", "", " lead", "two\nlines\n", "\n first", "tab\tand §", "'q'", "# no"],
        "figures": [values.Written("1.50"), values.Written("1e400"), True, None],
        "nested": [[], {}, [["deep", {"k": {"m": ["n"]}}]], {"a": "x\n  y", "b": [values.Written("1")]}],
    }
    assert values.from_yaml(values.as_written(value)) == value
    assert yaml.safe_load(values.as_written(value))["texts"] == value["texts"]


@pytest.mark.parametrize(
    "body",
    [
        '{"openapi": "yes please", "info": {}}',
        '{"swagger": "2.0"}',
        '{"title": "swagger: 2.0"}',
        "swagger is a word\ninfo: too\n",
    ],
)
def test_openapi_lookalike_stays_code(body: str) -> None:
    assert read("json" if body.startswith("{") else "text", body.encode(), url=URL).format == "raw"


def test_openapi_circular_and_external_references_survive() -> None:
    parameter = {"$ref": "#/paths/~1a/get/parameters/0"}
    foreign = {"$ref": "file:///etc/passwd#/root"}
    value = {"openapi": "3.0.0", "info": {"title": "T"}, "paths": {"/a": {"get": {"parameters": [parameter, foreign]}}}}
    shown = page(json.dumps(value))
    assert "| `#/paths/~1a/get/parameters/0` |" in shown
    assert "| `file:///etc/passwd#/root` |" in shown


def test_openapi_duplicate_key_stays_code_with_both_values() -> None:
    shown = page('{"openapi":"3.0.0","info":{"title":"T","title":"U"},"paths":{}}')
    assert shown.startswith("```json") and '"T"' in shown and '"U"' in shown


LAUGHS = "x-0: &a0 [lol, lol]\n" + "".join(f"x-{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12))


@cases(
    "more",
    [
        LAUGHS,
        "\n".join(LAUGHS.splitlines()[:5]),
        "x: &a [*a]\n",
        "x: *nothing\n",
        "x: !!python/object:os.system {}\n",
        "x: " + "[" * 5000,
        "x: {a: 1",
    ],
    ids=["billion laughs", "ten thousand laughs", "circle", "unknown alias", "tag", "deep", "cut off"],
)
def test_openapi_yaml_beyond_json_stays_code(more: str) -> None:
    body = f"openapi: 3.0.0\ninfo: {{title: T}}\npaths: {{}}\n{more}"
    assert page(body) == f"```yaml\n{body.strip()}\n```\n"


def test_openapi_endless_repetition_stays_code() -> None:
    parameters = {"$ref": "#/components/parameters/p"}
    body = json.dumps(
        {
            "openapi": "3.0.0",
            "info": {"title": "T"},
            "paths": {f"/{number}": {"get": {"parameters": [parameters]}} for number in range(500)},
            "components": {"parameters": {"p": {"name": "p", "in": "query", "description": "word " * 4000}}},
        }
    )
    assert page(body).startswith("```json")


def test_openapi_file_too_large_stays_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(description, "MAX_TEXT", 10)
    assert page('{"openapi":"3.0.0","info":{"title":"T"},"paths":{}}').startswith("```json")
