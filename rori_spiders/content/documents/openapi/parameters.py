"""Parameters of endpoints as one table, those of the path and those behind references among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.content.documents.openapi import references, schemas
from rori_spiders.content.documents.openapi.blocks import code
from rori_spiders.content.documents.openapi.left import Left

if TYPE_CHECKING:
    from rori_spiders.content.documents.openapi.blocks import Blocks
    from rori_spiders.content.documents.openapi.values import Value

_HEAD = ["Name", "In", *schemas.HEAD[1:]]


def table(blocks: Blocks, own: Value, shared: Value, root: dict[str, Value]) -> list[dict[str, Value]]:
    """Write the table of an operation's *own* parameters and those *shared* by its path.

    Returns the parameters that are a body (Swagger 2.0), which have a section of their own.
    """
    bodies: list[dict[str, Value]] = []
    given: list[tuple[str, Value]] = []
    for each in (*_listed(own), *_listed(shared)):
        found = references.resolved(each, root)
        if found is not None and found.get("in") == "body":
            bodies.append(found)
        else:
            given.append(("", found if found is not None else each))
    if given:
        blocks.heading(4, "Parameters")
        rows(blocks, given)
    return bodies


def rows(blocks: Blocks, given: list[tuple[str, Value]]) -> None:
    """The table of parameters, each under the name that the file gives it elsewhere ("" for none)."""
    out = _Rows()
    for key, parameter in given:
        out.parameter(parameter, key)
    blocks.table(_HEAD, out.rows)
    blocks.rest(out.rest)


class _Rows(schemas.Rows):
    def parameter(self, parameter: Value, key: str) -> None:
        left = Left(parameter)
        if reference := left.text("$ref"):  # to another file, or in a circle: it stands by its name
            self.rows.append([references.name(reference), "", "", "", left.words("description"), ""])
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
