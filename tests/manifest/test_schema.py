"""The exported JSON Schema agrees with the models, and the prompt carries it."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from rori_spiders.manifest.base import StrictModel
from rori_spiders.manifest.loading import parse_manifest
from rori_spiders.manifest.models import (
    DomainRules,
    Expectation,
    FieldDefinition,
    Manifest,
    MediaWikiScope,
    ScrapeConfig,
    Source,
    SourceMetadata,
    Subject,
)
from rori_spiders.manifest.schema import SCHEMA_URL, build_prompt, json_schema
from rori_spiders.manifest.vocabulary import MEANINGS
from tests.manifest.examples import load, manifest, source
from tests.support.cases import cases

if TYPE_CHECKING:
    from collections.abc import Iterator

MANIFESTS = Path(__file__).parents[2] / "manifests"
FIXTURES = Path(__file__).parent / "fixtures"
# Only code can tell these: two places compared, a clock of the world, a parser of selectors, the operator's addresses.
BEYOND_A_SCHEMA = {
    "bad-url", "dates", "domain-mismatch", "duplicate-id", "headers", "render-without-budget", "repeated-key",
    "selectors", "short-delay", "tier-twice", "wiki-pages", "wiki-without-api", "bad-id", "control-characters",
    "domain-rules", "field-rules", "interaction-without-target", "interactions-without-rendering",
}  # fmt: skip


def complaints(content: Any) -> list[str]:
    return [error.message for error in Draft202012Validator(json_schema()).iter_errors(content)]


def test_manifest_schema_is_valid_json_schema() -> None:
    schema = json_schema()
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == SCHEMA_URL == "https://rori.dev/schemas/scrape-manifest-v1.json"
    assert schema["required"] == ["sources"]


@pytest.mark.parametrize("path", sorted(MANIFESTS.glob("*.json")), ids=lambda path: path.stem)
def test_manifest_schema_accepts_packaged_manifests(path: Path) -> None:
    assert complaints(json.loads(path.read_text())) == []


def test_manifest_schema_accepts_nulls() -> None:
    assert complaints(manifest(source(scrape_config=None, frequency=None, auth_config=None), defaults=None)) == []


def _refused() -> Iterator[Any]:
    """The fixtures that a schema can judge: JSON, and wrong in one place at a time."""
    for case in sorted(FIXTURES.glob("*/input.json")):
        if case.parent.name not in BEYOND_A_SCHEMA:
            with contextlib.suppress(ValueError, RecursionError):
                yield pytest.param(json.loads(case.read_text(encoding="utf-8")), id=case.parent.name)


@cases("content", list(_refused()))
def test_manifest_schema_refuses_what_models_refuse(content: Any) -> None:
    assert complaints(content)


def exemplified(part: type[StrictModel], **inside: Any) -> dict[str, Any]:
    """A part in which every field has its documented example."""
    given = {field.alias or name: field.examples[0] for name, field in part.model_fields.items() if field.examples}
    return given | inside


#: What an object has, and what only texts have.
_OF_AN_OBJECT: dict[str, Any] = {"type": "object", "enum": None, "pattern": None}


def test_manifest_schema_each_field_has_description_and_valid_example() -> None:
    for part in StrictModel.__subclasses__():
        for name, field in part.model_fields.items():
            assert field.description, f"{part.__name__}.{name} has no description"
    config = exemplified(ScrapeConfig, expect=exemplified(Expectation), mediawiki=exemplified(MediaWikiScope))
    fields = [exemplified(FieldDefinition, fields=None), exemplified(FieldDefinition, name="b", **_OF_AN_OBJECT)]
    one = exemplified(
        Source, method="mediawiki", scrape_config=config, metadata=exemplified(SourceMetadata), fields=fields
    )
    whole = exemplified(
        Manifest, sources=[one], domains={"ecfr.gov": exemplified(DomainRules)}, subjects=[exemplified(Subject)]
    )
    assert complaints(whole) == []
    assert parse_manifest(json.dumps(whole), name="a", origin="a.json").manifest.sources[0].id == "cfpb-reg-x"


def test_manifest_prompt_has_schema_and_each_word() -> None:
    text = build_prompt("Regulation X lives at https://www.consumerfinance.gov/")
    schema = next(line for line in text.splitlines() if line.startswith('{"$schema"'))
    assert json.loads(schema) == json_schema(overlays=False)
    for words in MEANINGS.values():
        for word, what in words.items():
            assert f"- {word}: {what}." in text
    assert "Regulation X lives at" in text
    assert "{{" not in text
    assert "[paste the seed data here]" in build_prompt()


def test_manifest_words_each_have_a_meaning() -> None:
    definitions = json_schema()["$defs"]
    fields = {**definitions["Source"]["properties"], **definitions["ScrapeConfig"]["properties"]}
    for key in ("method", "status", "frequency", "priority", "source_type", "content_type", "category", "render"):
        (words,) = [branch["enum"] for branch in fields[key].get("anyOf", [fields[key]]) if "enum" in branch]
        assert words == list(MEANINGS[key])
    assert load().manifest.sources[0].method in MEANINGS["method"]


def test_manifest_schema_accepts_overlay() -> None:
    overlay = {"override": "cfpb-reg-x", "status": "active", "scrape_config": {"max_depth": 2}, "metadata": None}
    assert complaints(manifest(overlay)) == []
    assert complaints(manifest(overlay, source(id="own"))) == []


@cases(
    ("overlay", "said"),
    [
        ({"override": "cfpb-reg-x", "statos": "active"}, "'statos' was unexpected"),
        ({"override": "cfpb-reg-x", "id": "other"}, "'id' was unexpected"),
        ({"override": "CFPB", "status": "active"}, "'CFPB' does not match"),
        ({"override": "cfpb-reg-x", "status": "on"}, "'on' is not one of"),
        ({"status": "active"}, "'id' is a required property"),
    ],
)
def test_manifest_schema_refuses_invalid_override(overlay: dict[str, Any], said: str) -> None:
    assert any(said in one for one in complaints(manifest(overlay)))
    assert json_schema(overlays=False)["properties"]["sources"]["items"] == {"$ref": "#/$defs/Source"}
