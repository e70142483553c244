"""What the JSON Schema expects at a place, in words.

In: a path into a manifest. Out: the rule that holds there, and a phrase such as ``an integer from 0 to 20``. Written
from the schema, so that a message can never name other limits than the models have.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rori_spiders.manifest.models import Manifest

if TYPE_CHECKING:
    from collections.abc import Sequence

Rule = dict[str, Any]


@lru_cache(maxsize=1)
def model_schema() -> Rule:
    """The models' own JSON Schema, with the keys that stand in the file."""
    return Manifest.model_json_schema(by_alias=True)


def rule_at(path: Sequence[str | int]) -> tuple[tuple[str | int, ...], Rule]:
    """The rule for *path*, and as much of *path* as lies in the file (pydantic adds names of branches)."""
    rule = _resolved(model_schema())
    for depth, part in enumerate(path):
        below = _below(rule, part)
        if below is None:
            return tuple(path[:depth]), rule
        rule = below
    return tuple(path), rule


def _resolved(rule: Rule) -> Rule:
    while "$ref" in rule:
        rule = {**model_schema()["$defs"][rule["$ref"].rpartition("/")[2]], **{k: rule[k] for k in rule if k != "$ref"}}
    return rule


def _branches(rule: Rule) -> list[Rule]:
    return [_resolved(branch) for branch in rule.get("anyOf", [rule]) if branch.get("type") != "null"]


def _below(rule: Rule, part: str | int) -> Rule | None:
    for branch in _branches(rule):
        if isinstance(part, int):
            below = branch.get("items")
        else:
            below = branch.get("properties", {}).get(part) or _value_rule(branch, part)
        if isinstance(below, dict):
            return _resolved(below)
    return None


def _value_rule(rule: Rule, key: str) -> Rule | None:
    """Of an object with free keys; ``[key]`` is pydantic's mark for a key that is itself wrong."""
    values = rule.get("additionalProperties") or next(iter(rule.get("patternProperties", {}).values()), None)
    return None if key == "[key]" or not isinstance(values, dict) else values


def keys_at(path: Sequence[str | int]) -> list[str]:
    """The keys that an object at *path* may have."""
    return sorted(key for branch in _branches(rule_at(path)[1]) for key in branch.get("properties", {}))


def expected(rule: Rule) -> str:
    """A rule in words."""
    return " or ".join(dict.fromkeys(_phrase(branch) for branch in _branches(rule)))


def _phrase(rule: Rule) -> str:
    if "enum" in rule:
        return "one of " + ", ".join(map(str, rule["enum"]))
    kind = rule.get("type")
    if kind in {"integer", "number"}:
        return ("an integer" if kind == "integer" else "a number") + _bounds(rule)
    if kind == "string":
        return _text_phrase(rule)
    if kind == "array":
        return f"a list{', not empty,' if rule.get('minItems') else ''} of {_items_phrase(rule)}"
    if kind == "object" and rule.get("required"):
        return f"an object with {', '.join(rule['required'])}"
    return {"object": "an object", "boolean": "true or false", "null": "null"}.get(str(kind), "another value")


def _bounds(rule: Rule) -> str:
    low, high = rule.get("minimum"), rule.get("maximum")
    above = rule.get("exclusiveMinimum")
    if above is not None:
        return f" above {above}, up to {high}"
    return "" if low is None else f" from {low} to {high}"


def _text_phrase(rule: Rule) -> str:
    if example := next(iter(rule.get("examples", ())), None):
        return f"text such as {example!r}"
    if rule.get("format") == "uri":
        return "a full http or https URL"
    longest = f" of at most {rule['maxLength']} characters" if "maxLength" in rule and "pattern" not in rule else ""
    return f"{'text, not empty,' if rule.get('minLength') else 'text'}{longest}"


def _items_phrase(rule: Rule) -> str:
    item = _resolved(rule.get("items", {}))
    if item.get("type") == "object":
        return "objects"
    return expected(item).replace("one of ", "words among ").replace("an integer", "integers")
