"""Endpoints: method and path as the heading, then what is asked, what is answered, and who may ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.content.documents.openapi import references, schemas
from rori_spiders.content.documents.openapi.blocks import code
from rori_spiders.content.documents.openapi.left import Left
from rori_spiders.content.documents.openapi.overview import documented, security, servers
from rori_spiders.content.documents.openapi.parameters import table

if TYPE_CHECKING:
    from rori_spiders.content.documents.openapi.blocks import Blocks
    from rori_spiders.content.documents.openapi.values import Value

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")


class Endpoints:
    """Writes the endpoints of one file. ``root`` is the file: what references point into."""

    def __init__(self, blocks: Blocks, root: dict[str, Value]) -> None:
        self._blocks = blocks
        self._root = root

    def write(self, paths: dict[str, Value], heading: str) -> None:
        blocks = self._blocks
        blocks.heading(2, heading)
        rest: dict[str, Value] = {}
        for path, item in paths.items():
            if isinstance(item, dict):
                self._path(path, item)
            else:
                rest[path] = item
        blocks.rest(rest)

    def _path(self, path: str, item: dict[str, Value]) -> None:
        left = Left(item)
        operations = {method: left.object(method) for method in METHODS if isinstance(item.get(method), dict)}
        shared = left.any("parameters")
        if left.keys or (not operations and shared):
            blocks = self._blocks
            blocks.heading(3, path)
            blocks.plain(left.words("summary"))
            blocks.prose(left.words("description"), 3)
            servers(blocks, left)
            blocks.rest(left if operations or not shared else {**left.keys, "parameters": shared})
        for method, operation in operations.items():
            self._operation(f"{method.upper()} {path}", operation, shared)

    def _operation(self, heading: str, operation: dict[str, Value], shared: Value) -> None:
        blocks, left = self._blocks, Left(operation)
        blocks.heading(3, heading)
        if left.flag("deprecated"):
            blocks.add("**Deprecated.**")
        summary, description = left.words("summary"), left.words("description")
        blocks.plain(summary)
        if description.strip() != summary.strip():
            blocks.prose(description, 3)
        blocks.facts(
            {
                "Operation": code(name) if (name := left.text("operationId")) else "",
                "Tags": ", ".join(map(code, left.scalars("tags"))),
                "Security": security(left),
                "Takes": ", ".join(map(code, left.scalars("consumes"))),
                "Gives": ", ".join(map(code, left.scalars("produces"))),
                "Schemes": ", ".join(map(code, left.scalars("schemes"))),
                "More": documented(left),
            }
        )
        servers(blocks, left)
        bodies = table(blocks, left.any("parameters"), shared, self._root)
        self._asked(left, bodies)
        self._answers(left.object("responses"))
        blocks.rest(left)

    def _asked(self, left: Left, bodies: list[dict[str, Value]]) -> None:
        body = left.object("requestBody")
        if body or bodies:
            self._blocks.heading(4, "Request body")
        if body:
            self.body(body, 4)
        for each in bodies:  # Swagger 2.0: a parameter "in: body"
            inner = Left(each)
            inner.text("in")
            self._blocks.facts(
                {"Name": code(inner.text("name")), "Required": "yes" if inner.flag("required") else "no"}
            )
            self._blocks.prose(inner.words("description"), 4)
            self._content(inner, 4)
            self._blocks.rest(inner)

    def body(self, body: Value, level: int) -> None:
        left = Left(body)
        reference = left.text("$ref")
        required = ("yes" if left.flag("required") else "no") if "required" in left.keys else ""
        self._blocks.facts({"As": references.name(reference) if reference else "", "Required": required})
        self._blocks.prose(left.words("description"), level)
        self._content(left, level)
        self._blocks.rest(left)

    def _answers(self, responses: dict[str, Value]) -> None:
        if not responses:
            return
        self._blocks.heading(4, "Responses")
        for status, response in responses.items():
            self._blocks.heading(5, status)
            self.answer(response, 5)

    def answer(self, response: Value, level: int) -> None:
        blocks, left = self._blocks, Left(response)
        if not isinstance(response, dict):
            blocks.rest({"response": response})
        if reference := left.text("$ref"):
            blocks.facts({"As": references.name(reference)})
        blocks.prose(left.words("description"), level)
        self._headers(left)
        self._content(left, level)
        blocks.rest(left)

    def _headers(self, left: Left) -> None:
        rows = schemas.Rows()
        for name, header in left.object("headers").items():
            inner = Left(header)
            schema = inner.any("schema") if "schema" in inner.keys else header
            lead = inner.words("description") if schema is not header else ""
            rows.property(schema, name, required="yes" if inner.flag("required") else "", lead=lead)
            if schema is not header and inner.keys:
                rows.keep(f"{name} (header)", inner.keys)
        self._blocks.table(["Header", *schemas.HEAD[1:]], rows.rows)
        self._blocks.rest(rows.rest)

    def _content(self, left: Left, level: int) -> None:
        """What is sent, by media type (3.x), or of one schema for all (2.0)."""
        for media, content in left.object("content").items():
            inner = Left(content)
            self._schema(code(media), inner.any("schema"), level)
            self._blocks.rest(inner if isinstance(content, dict) else {media: content})
        if "schema" in left.keys:
            self._schema("Schema", left.any("schema"), level)

    def _schema(self, lead: str, schema: Value, level: int) -> None:
        kind = schemas.kind(schema)
        self._blocks.add(f"{lead}: {kind}" if kind else lead)
        schemas.describe(self._blocks, schema, level, typed=False)
