"""The manifest's JSON Schema, its rules in words for error messages, and the prompt by which a language model
writes a manifest (S0 §4.5). All come from the models and the vocabulary.
"""

import json
from collections.abc import Sequence
from copy import deepcopy
from functools import lru_cache
from importlib.resources import files
from typing import Any

from rori_spiders.manifest.models import Manifest
from rori_spiders.manifest.vocabulary import MEANINGS

Rule = dict[str, Any]


@lru_cache(maxsize=1)
def model_schema() -> Rule:
    """The models' own JSON Schema, with the keys that stand in the file."""
    return Manifest.model_json_schema(by_alias=True)


def rule_at(path: Sequence[str | int]) -> tuple[tuple[str | int, ...], Rule]:
    """The rule for *path*, and as much of *path* as lies in the file (pydantic adds names of branches)."""
    rule = _resolve_reference(model_schema())
    for depth, part in enumerate(path):
        below = _child_rule(rule, part)
        if below is None:
            return tuple(path[:depth]), rule
        rule = below
    return tuple(path), rule


def _resolve_reference(rule: Rule) -> Rule:
    while "$ref" in rule:
        rule = {**model_schema()["$defs"][rule["$ref"].rpartition("/")[2]], **{k: rule[k] for k in rule if k != "$ref"}}
    return rule


def _rule_branches(rule: Rule) -> list[Rule]:
    return [_resolve_reference(branch) for branch in rule.get("anyOf", [rule]) if branch.get("type") != "null"]


def _child_rule(rule: Rule, part: str | int) -> Rule | None:
    for branch in _rule_branches(rule):
        if isinstance(part, int):
            below = branch.get("items")
        else:
            below = branch.get("properties", {}).get(part) or _value_rule(branch, part)
        if isinstance(below, dict):
            return _resolve_reference(below)
    return None


def _value_rule(rule: Rule, key: str) -> Rule | None:
    """Of an object with free keys; ``[key]`` is pydantic's mark for a key that is itself wrong."""
    values = rule.get("additionalProperties") or next(iter(rule.get("patternProperties", {}).values()), None)
    return None if key == "[key]" or not isinstance(values, dict) else values


def keys_at(path: Sequence[str | int]) -> list[str]:
    """The keys that an object at *path* may have."""
    return sorted(key for branch in _rule_branches(rule_at(path)[1]) for key in branch.get("properties", {}))


def describe_rule(rule: Rule) -> str:
    """A rule in words."""
    return " or ".join(dict.fromkeys(_rule_phrase(branch) for branch in _rule_branches(rule)))


def _rule_phrase(rule: Rule) -> str:
    if "enum" in rule:
        return "one of " + ", ".join(map(str, rule["enum"]))
    kind = rule.get("type")
    if kind in {"integer", "number"}:
        return ("an integer" if kind == "integer" else "a number") + _bounds_phrase(rule)
    if kind == "string":
        if example := next(iter(rule.get("examples", ())), None):
            return f"text such as {example!r}"
        if rule.get("format") == "uri":
            return "a full http or https URL"
        longest = f" of at most {rule['maxLength']} characters" if "maxLength" in rule and "pattern" not in rule else ""
        return f"{'text, not empty,' if rule.get('minLength') else 'text'}{longest}"
    if kind == "array":
        return f"a list{', not empty,' if rule.get('minItems') else ''} of {_items_phrase(rule)}"
    if kind == "object" and rule.get("required"):
        return f"an object with {', '.join(rule['required'])}"
    return {"object": "an object", "boolean": "true or false", "null": "null"}.get(str(kind), "another value")


def _bounds_phrase(rule: Rule) -> str:
    low, high = rule.get("minimum"), rule.get("maximum")
    above = rule.get("exclusiveMinimum")
    if above is not None:
        return f" above {above}, up to {high}"
    return "" if low is None else f" from {low} to {high}"


def _items_phrase(rule: Rule) -> str:
    item = _resolve_reference(rule.get("items", {}))
    if item.get("type") == "object":
        return "objects"
    return describe_rule(item).replace("one of ", "words among ").replace("an integer", "integers")


SCHEMA_URL = "https://rori.dev/schemas/scrape-manifest-v1.json"


def json_schema(*, overlays: bool = True) -> dict[str, Any]:
    """JSON Schema 2020-12 of a manifest file; *overlays*: also of one that overrides sources of another.

    Ids that stand twice are found on loading only.
    """
    schema = _without_titles(deepcopy(model_schema()))
    if overlays:
        _allow_overrides(schema)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_URL,
        "title": "RORI scrape manifest",
        **schema,
    }


def _allow_overrides(schema: Rule) -> None:
    """Let an entry of `sources` that has `override` in place of `id` name the fields that it changes, and no other."""
    source = schema["$defs"]["Source"]
    named = {key: rule for key, rule in source["properties"].items() if key != "id"}
    schema["$defs"]["Override"] = {
        "type": "object",
        "description": "Changes to a source of a manifest that is named before this file.",
        "properties": {
            "override": source["properties"]["id"] | {"description": "Id of the source whose fields are changed"},
            **deepcopy(named),
        },
        "required": ["override"],
        "additionalProperties": False,
    }
    # Not `anyOf`: an editor then says what is wrong with the source, not that neither fits.
    schema["properties"]["sources"]["items"] = {
        "if": {"type": "object", "required": ["override"]},
        "then": {"$ref": "#/$defs/Override"},
        "else": {"$ref": "#/$defs/Source"},
    }


def _without_titles(node: Any, *, names: bool = False) -> Any:
    """The schema without pydantic's titles, which repeat the keys; *names*: the keys of *node* are names, not words."""
    if isinstance(node, dict):
        return {
            key: _without_titles(value, names=not names and key in {"properties", "$defs"})
            for key, value in node.items()
            if names or key != "title"
        }
    return [_without_titles(item) for item in node] if isinstance(node, list) else node


def build_prompt(seed: str | None = None) -> str:
    """The prompt, with the current schema and the meaning of each allowed word; *seed*: the facts to work from."""
    template = (files("rori_spiders") / "manifest" / "prompt.txt").read_text(encoding="utf-8")
    return (
        template.replace("{{schema_url}}", SCHEMA_URL)
        .replace("{{meanings}}", _vocabulary_text())
        .replace("{{schema}}", json.dumps(json_schema(overlays=False), ensure_ascii=False, separators=(",", ":")))
        .replace("{{seed}}", seed.strip() if seed else "[paste the seed data here]")
    )


def _vocabulary_text() -> str:
    blocks = (
        "\n".join([f"{field}:", *(f"- {word}: {what}." for word, what in words.items())])
        for field, words in MEANINGS.items()
    )
    return "\n".join(blocks)
