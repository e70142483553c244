"""JSON Schemas as rows of a table: one row a property, inner ones by their path (``owner.name``, ``rows[].id``)."""

from urllib.parse import unquote

from rori_spiders.content.documents.openapi.blocks import Blocks, Left, code, in_cell, shown
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
        return reference_name(reference)
    keys = Left(schema)
    types = " or ".join(keys.scalars("type"))
    form = keys.text("format")
    if types == "array" or (not types and "items" in schema):
        inner = kind(keys.any("items"))
        types = f"array of {inner}" if inner else "array"
    elif not types and "properties" in schema:
        types = "object"
    if form:
        types = f"{types} ({form})".strip()
    out = []
    for key, words in _COMBINED.items():
        members = [kind(member) or "any" for member in keys.objects(key)]
        if members:
            out.append(f"{words} {', '.join(members)}")
    return ": ".join(part for part in (types, *out) if part)


def _constraints(left: Left) -> str:
    out = [words for key, words in _FLAGS.items() if left.flag(key)]
    if values := left.scalars("enum"):
        out.append("one of: " + ", ".join(map(code, values)))
    for key, words in _LIMITS.items():
        if key in left.keys and not isinstance(left.keys[key], dict | list):
            out.append(f"{words}: {code(shown(left.any(key)))}")
    return "; ".join(out)


# Parameters of endpoints as one table, those of the path and those behind references among them.

_HEAD = ["Name", "In", *HEAD[1:]]


def table(blocks: Blocks, own: Value, shared: Value, root: dict[str, Value]) -> list[dict[str, Value]]:
    """Write the table of an operation's *own* parameters and those *shared* by its path.

    Returns the parameters that are a body (Swagger 2.0), which have a section of their own.
    """
    bodies: list[dict[str, Value]] = []
    parameters: list[tuple[str, Value]] = []
    for each in (*_listed(own), *_listed(shared)):
        found = resolved(each, root)
        if found is not None and found.get("in") == "body":
            bodies.append(found)
        else:
            parameters.append(("", found if found is not None else each))
    if parameters:
        blocks.heading(4, "Parameters")
        rows(blocks, parameters)
    return bodies


def rows(blocks: Blocks, parameters: list[tuple[str, Value]]) -> None:
    """The table of parameters, each under the name that the file gives it elsewhere ("" for none)."""
    out = _Rows()
    for key, parameter in parameters:
        out.parameter(parameter, key)
    blocks.table(_HEAD, out.rows)
    blocks.rest(out.rest)


class _Rows(Rows):
    def parameter(self, parameter: Value, key: str) -> None:
        left = Left(parameter)
        if reference := left.text("$ref"):  # to another file, or in a circle: it stands by its name
            self.rows.append([reference_name(reference), "", "", "", left.words("description"), ""])
            if left.keys:
                self.keep(reference, left.keys)
            return
        name, place = left.text("name"), left.text("in")
        required = "yes" if left.flag("required") else "no"
        limits = "**deprecated**" if left.flag("deprecated") else ""
        before = len(self.rows)
        if "schema" in left.keys:
            schema, lead = left.any("schema"), left.words("description")
            self.property(schema, name, required=required, lead=lead, limits=limits)
            if left.keys:
                self.keep(f"{name} (parameter)", left.keys)
        else:
            self.property(left.keys, name, required=required, limits=limits)
        for row in self.rows[before:]:
            row.insert(1, place if row is self.rows[before] else "")
        if key and key != name:
            self.rows[before][0] = f"{code(key)}: {code(name)}" if name else code(key)


def _listed(value: Value) -> list[Value]:
    return value if isinstance(value, list) else [] if value is None else [value]


# `$ref`: shown by the name of what it points to, resolved within the file, never fetched.

# A reference to a reference is rare, a third hop a mistake or a circle.
_MAX_HOPS = 10


def reference_name(reference: str) -> str:
    """``Pet`` for ``#/components/schemas/Pet``; a reference to elsewhere as it is written."""
    local = reference.startswith("#/") and reference.count("/") in (2, 3)
    return code(_unescaped(reference.rpartition("/")[2]) if local else reference)


def resolved(value: Value, root: dict[str, Value]) -> dict[str, Value] | None:
    """The object that *value* is or points to; None when that is not within the file, or goes round in a circle."""
    for _ in range(_MAX_HOPS):
        if not isinstance(value, dict):
            return None
        reference = value.get("$ref")
        if not isinstance(reference, str):
            return value
        value = _at(reference, root)
    return None


def _at(reference: str, root: dict[str, Value]) -> Value:
    """RFC 6901, below the root of the same file."""
    if not reference.startswith("#/"):
        return None
    found: Value = root
    for step in reference[2:].split("/"):
        key = _unescaped(step)
        if isinstance(found, list) and key.isdecimal() and len(key) < 6 and int(key) < len(found):
            found = found[int(key)]
        elif isinstance(found, dict):
            found = found.get(key)
        else:
            return None
    return found


def _unescaped(step: str) -> str:
    return unquote(step).replace("~1", "/").replace("~0", "~")
