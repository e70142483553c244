"""JSON Schemas as rows of a table: one row a property, inner ones by their path (``owner.name``, ``rows[].id``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.content.documents.openapi import references
from rori_spiders.content.documents.openapi.blocks import code, in_cell
from rori_spiders.content.documents.openapi.left import Left, shown

if TYPE_CHECKING:
    from rori_spiders.content.documents.openapi.blocks import Blocks
    from rori_spiders.content.documents.openapi.values import Value

HEAD = ["Property", "Type", "Required", "Description", "Constraints"]
_COMBINED = {"allOf": "all of", "oneOf": "one of", "anyOf": "any of"}
_LIMITS = {
    "default": "default",
    "const": "always",
    "minimum": "minimum",
    "maximum": "maximum",
    "exclusiveMinimum": "exclusive minimum",
    "exclusiveMaximum": "exclusive maximum",
    "multipleOf": "multiple of",
    "minLength": "shortest",
    "maxLength": "longest",
    "pattern": "pattern",
    "minItems": "fewest items",
    "maxItems": "most items",
    "uniqueItems": "unique items",
    "minProperties": "fewest properties",
    "maxProperties": "most properties",
    "collectionFormat": "joined as",
    "contentEncoding": "encoding",
    "contentMediaType": "media type",
}
_FLAGS = {"deprecated": "**deprecated**", "readOnly": "read only", "writeOnly": "write only", "nullable": "may be null"}
# Below this an inline schema is kept as code: a path of thirty names is no longer read.
_MAX_DEPTH = 30


class Rows:
    """The rows of one table, and what no column of it can hold, by path."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = []
        self.rest: dict[str, Value] = {}

    def property(self, schema: Value, path: str, *, required: str, lead: str = "", limits: str = "") -> None:
        """A row for *schema* under the name *path*, and rows for what is inside it.

        *lead* is a description from outside of the schema, *limits* what else is to be said of it.
        """
        left = Left(schema)
        row = [code(path), kind(schema)]
        words = [in_cell(text) for text in (lead, left.words("title"), left.words("description")) if text.strip()]
        constraints = "; ".join(text for text in (limits, _constraints(left)) if text)
        self.rows.append([*row, required, "<br>".join(dict.fromkeys(words)), constraints])
        self.inside(left, path)
        if not isinstance(schema, dict) and not isinstance(schema, bool) and schema is not None:
            self.keep(path, schema)

    def keep(self, path: str, value: Value) -> None:
        """Put aside what no column can hold; two alternatives may have one path."""
        number = 1
        name = path
        while name in self.rest:
            number += 1
            name = f"{path} ({number})"
        self.rest[name] = value

    def inside(self, left: Left, path: str) -> None:
        """Rows for the properties, items and alternatives of a schema of which *left* is left."""
        for key in ("type", "format", "$ref"):
            left.scalars(key)
        if path.count(".") + path.count("[]") < _MAX_DEPTH:
            self._properties(left, path)
            self._items(left, path)
            self._alternatives(left, path)
        if left.keys:
            self.keep(path or "schema", left.keys)

    def _properties(self, left: Left, path: str) -> None:
        properties = left.object("properties")
        required = left.scalars("required") if isinstance(left.keys.get("required"), list) else []
        for name, schema in properties.items():
            self.property(schema, f"{path}.{name}" if path else name, required="yes" if name in required else "no")
        if unknown := [name for name in required if name not in properties]:
            left.keys["required"] = list(unknown)
        more = left.keys.get("additionalProperties")
        if isinstance(more, bool):
            left.keys.pop("additionalProperties")
            if not more:
                self.rows.append([code(f"{path}.*" if path else "*"), "none", "", "", ""])
        elif isinstance(more, dict):
            self.property(left.any("additionalProperties"), f"{path}.*" if path else "*", required="no")

    def _items(self, left: Left, path: str) -> None:
        if not isinstance(left.keys.get("items"), dict):
            return
        items = left.object("items")
        if set(items) <= {"type", "format", "$ref"}:  # the type of the array has said it
            return
        plain = Left(items)
        if set(items) <= {"type", "properties", "required", "additionalProperties"}:
            self.inside(plain, f"{path}[]")
        else:
            self.property(items, f"{path}[]", required="")

    def _alternatives(self, left: Left, path: str) -> None:
        for key, words in _COMBINED.items():
            for number, member in enumerate(left.objects(key), 1):
                if set(member) <= {"type", "format", "$ref"}:
                    continue
                if key == "allOf" and set(member) <= {"type", "properties", "required"}:
                    self.inside(Left(member), path)
                else:
                    label = f"({words}, {number})"
                    self.property(member, f"{path} {label}" if path else label, required="")


def describe(blocks: Blocks, schema: Value, level: int, *, typed: bool = True) -> None:
    """A schema that is no row: its type (unless *typed* says that it stands there), its text, limits, properties."""
    left = Left(schema)
    title, words, constraints = left.words("title"), left.words("description"), _constraints(left)
    blocks.facts({"Type": kind(schema) if typed else "", "Title": in_cell(title), "Constraints": constraints})
    blocks.prose(words, level)
    rows = Rows()
    rows.inside(left, "")
    blocks.table(HEAD, rows.rows)
    own = rows.rest.pop("schema", None)
    blocks.rest({**(own if isinstance(own, dict) else {}), **rows.rest})
    if not isinstance(schema, dict | bool) and schema is not None:
        blocks.rest({"schema": schema})


def kind(schema: Value) -> str:
    """The type in words: ``string (date)``, ``array of `Pet```, ``one of `Cat`, `Dog```; "" when it says none."""
    if isinstance(schema, bool):
        return "anything" if schema else "nothing"
    if not isinstance(schema, dict):
        return ""
    reference = schema.get("$ref")
    if isinstance(reference, str):
        return references.name(reference)
    given = Left(schema)
    types = " or ".join(given.scalars("type"))
    form = given.text("format")
    if types == "array" or (not types and "items" in schema):
        inner = kind(given.any("items"))
        types = f"array of {inner}" if inner else "array"
    elif not types and "properties" in schema:
        types = "object"
    if form:
        types = f"{types} ({form})".strip()
    return ": ".join(part for part in (types, *_combined(given)) if part)


def _combined(given: Left) -> list[str]:
    out = []
    for key, words in _COMBINED.items():
        members = [kind(member) or "any" for member in given.objects(key)]
        if members:
            out.append(f"{words} {', '.join(members)}")
    return out


def _constraints(left: Left) -> str:
    out = [words for key, words in _FLAGS.items() if left.flag(key)]
    if values := left.scalars("enum"):
        out.append("one of: " + ", ".join(map(code, values)))
    for key, words in _LIMITS.items():
        if key in left.keys and not isinstance(left.keys[key], dict | list):
            out.append(f"{words}: {code(shown(left.any(key)))}")
    return "; ".join(out)
