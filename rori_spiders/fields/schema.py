"""S2's type system of fields: their JSON Schema, and what a value must be.

In: definitions; values as JSON has them. Out: the schema of a record; a value of its field's type, or why it is none.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.manifest.models import FieldDefinition

#: A text, a number, a truth value, an object; lists of them.
Value = Any


def json_schema(fields: Sequence[FieldDefinition]) -> dict[str, Any]:
    """JSON Schema of a record: one property a field, as S2's table says."""
    return {
        "type": "object",
        "properties": {field.name: property_of(field) for field in fields},
        "required": [field.name for field in fields if field.required],
        "additionalProperties": False,
    }


def property_of(field: FieldDefinition) -> dict[str, Any]:
    """The JSON Schema of one field."""
    item = item_schema(field)
    typed = {"type": "array", "items": item} if field.is_list else item
    return {**typed, "description": field.description}


def item_schema(field: FieldDefinition) -> dict[str, Any]:
    """The JSON Schema of one value of *field*; of a list, of one of its items."""
    schema: dict[str, Any] = {"type": field.item_type}
    if field.enum is not None:
        schema["enum"] = list(field.enum)
    if field.pattern is not None:
        schema["pattern"] = field.pattern
    return schema


class NotThat(ValueError):  # caught where values are read: a value is never worth an error of a page
    """Raised for a value that is not of its field's type, or not allowed; its text says why, ``word`` in a word."""

    def __init__(self, says: str, word: str = "wrong_type") -> None:
        super().__init__(says)
        self.word = word


def item_of(field: FieldDefinition, given: object) -> Value:
    """*given* as one value of *field* (of a list: one item). Raises NotThat.

    Nothing is converted: "5" is no number, and 1 is not true. A whole number may be written 5.0, as JSON has it.
    """
    value = _READERS[field.item_type](given)
    if isinstance(value, str) and not field.allows(value):
        raise NotThat(f"{value[:80]!r} is not among what is allowed", "not_allowed")
    return value


def _text(given: object) -> str:
    if not isinstance(given, str):
        raise NotThat(f"expected a text, got {_kind(given)}")
    if not given.strip():
        raise NotThat("expected a text, got an empty one")
    return given.strip()


def _number(given: object) -> int | float:
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise NotThat(f"expected a number, got {_kind(given)}")
    if not math.isfinite(given):
        raise NotThat("expected a number, got one without end")
    return given


def _integer(given: object) -> int:
    number = _number(given)
    if number != int(number):
        raise NotThat(f"expected a whole number, got {number}")
    return int(number)


def _boolean(given: object) -> bool:
    if not isinstance(given, bool):
        raise NotThat(f"expected true or false, got {_kind(given)}")
    return given


def _object(given: object) -> dict[str, Any]:
    if not isinstance(given, dict) or not given:
        raise NotThat(f"expected an object, got {_kind(given)}")
    return given


_READERS = {"string": _text, "number": _number, "integer": _integer, "boolean": _boolean, "object": _object}
_KINDS = {str: "a text", bool: "a truth value", int: "a number", float: "a number", list: "a list", dict: "an object"}


def _kind(given: object) -> str:
    if given == {}:
        return "an empty object"
    return _KINDS.get(type(given), "nothing")
