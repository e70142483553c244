"""S2's type system: its table, row by row; and what a value of each type must be."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from rori_spiders.fields.schema import InvalidValue, define_fields, item_schema, validate_item
from tests.support.cases import cases

#: S2, "Field Type System".
TABLE: dict[str, dict[str, Any]] = {
    "string": {"type": "string"},
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "list[string]": {"type": "array", "items": {"type": "string"}},
    "list[number]": {"type": "array", "items": {"type": "number"}},
    "list[boolean]": {"type": "array", "items": {"type": "boolean"}},
    "list[object]": {"type": "array", "items": {"type": "object"}},
}


@cases("kind", TABLE)
def test_field_schema_of_each_type(kind: str) -> None:
    (field,) = define_fields([f"a:{kind}:what it is"])
    schema = item_schema(field)
    assert ({"type": "array", "items": schema} if field.is_list else schema) == TABLE[kind]


def test_field_schema_table_in_docs_is_current() -> None:
    document = (Path(__file__).parents[2] / "docs" / "explanation" / "fields.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w\[\]]+)` \| `(\{.+\})` \| ", document, re.MULTILINE)
    assert {kind: json.loads(schema) for kind, schema in rows} == TABLE


@cases(
    ("kind", "given", "value"),
    [
        ("string", " a text ", "a text"),
        ("number", 5.25, 5.25),
        ("number", 5, 5),
        ("integer", 5.0, 5),
        ("boolean", False, False),
        ("list[number]", 5, 5),
        ("list[object]", {"a": 1}, {"a": 1}),
    ],
)
def test_validate_item_value_of_its_type_is_accepted(kind: str, given: object, value: object) -> None:
    (field,) = define_fields([f"a:{kind}:x"])
    read = validate_item(field, given)
    assert read == value and type(read) is type(value)


@cases(
    ("kind", "given", "says"),
    [
        ("string", 5, "expected a text, got a number"),
        ("string", "  ", "got an empty text"),
        ("string", ["a"], "got a list"),
        ("number", "5.25", "expected a number, got a text"),
        ("number", True, "got a boolean"),
        ("number", float("nan"), "a finite number"),
        ("number", float("inf"), "a finite number"),
        ("integer", 5.5, "expected a whole number, got 5.5"),
        ("boolean", 1, "expected true or false, got a number"),
        ("boolean", "true", "expected true or false, got a text"),
        ("list[object]", {}, "got an empty object"),
        ("list[object]", None, "got null"),
    ],
)
def test_validate_item_value_of_other_type_is_refused(kind: str, given: object, says: str) -> None:
    (field,) = define_fields([f"a:{kind}:x"])
    with pytest.raises(InvalidValue, match=says):
        validate_item(field, given)


def test_validate_item_value_outside_enum_or_pattern_is_refused() -> None:
    chosen = {"name": "a", "type": "string", "description": "x", "enum": ["fixed"]}
    matched = {"name": "b", "type": "list[string]", "description": "x", "pattern": "^[0-9]+$"}
    one, several = define_fields([chosen, matched])
    assert validate_item(one, "fixed") == "fixed" and validate_item(several, "12") == "12"
    for field, given in ((one, "variable"), (one, "Fixed"), (several, "a12")):
        with pytest.raises(InvalidValue, match="not an allowed value"):
            validate_item(field, given)
