"""OpenAPI and Swagger files (2.0, 3.0, 3.1) as a page that people read: endpoints, parameters, schemas, descriptions.

In: the value of a JSON or YAML text (`values`). Out: a `Document` of format ``markdown``. Nothing is lost: keys that no
rule here knows (``x-...``, examples) stand as code, and a key of another type than the specification gives it is such a
key. Nothing is fetched, whatever a ``$ref`` says. Files are known by their content: a mapping whose key ``openapi`` or
``swagger`` names a version.
"""

from __future__ import annotations

import re
from typing import TypeGuard
from urllib.parse import urljoin

from rori_spiders.content.documents.document import Document
from rori_spiders.content.documents.escaping import collapsed, escaped
from rori_spiders.content.documents.openapi import schemas as openapi_schemas
from rori_spiders.content.documents.openapi.blocks import Blocks, Left, TooLong, code, in_cell
from rori_spiders.content.documents.openapi.schemas import table
from rori_spiders.content.documents.openapi.values import Value, strings

_VERSION = re.compile(r"[1-9]\d?(?:\.\d{1,3}){0,2}(?:-[\w.]+)?")
# At the start of a line, or it is somebody's property; the version tells it from a word of prose.
_NAMED = re.compile(r"""^["']?(?:openapi|swagger)["']?[ \t]*:[ \t]*["']?[1-9]""", re.MULTILINE)
_PART = re.compile(r"""^["']?(?:info|paths|components|webhooks|definitions)["']?[ \t]*:""", re.MULTILINE)
_PARTS = ("info", "paths", "components", "webhooks", "definitions")
_TARGET = re.compile(r"\]\(\s*<?([^)\s>]+)|href=[\"']?([^\"'>\s]+)|(https?://[^\s<>\"'`)\]]+)", re.IGNORECASE)
# Larger files stay code: 10 MB took 14 s and 130 MiB on two busy cores, and the largest of twelve files of the US
# government has 0.2 MB (2026-11).
MAX_TEXT = 6_000_000
# Pages of those twelve are at most 1.3 times as long as their files; references can repeat a text without end.
_LONGER = 10
_SENTENCE_END = ".,;:!?"


def is_description(value: Value) -> TypeGuard[dict[str, Value]]:
    """Whether *value* is an OpenAPI or Swagger file, by what it holds."""
    if not isinstance(value, dict):
        return False
    version = value.get("openapi", value.get("swagger"))
    return isinstance(version, str) and bool(_VERSION.fullmatch(version)) and any(part in value for part in _PARTS)


def names_itself(text: str) -> bool:
    """Whether YAML *text* may be such a file: cheap, and right for any whose keys begin their lines."""
    return bool(_NAMED.search(text)) and bool(_PART.search(text))


def to_document(value: dict[str, Value], *, url: str, chars: int) -> Document:
    """The page of a file of *chars* characters. Raises `blocks.TooLong` for one too large, or repeated without end."""
    if chars > MAX_TEXT:
        raise TooLong
    blocks, left = Blocks(_LONGER * chars), Left(value)
    info_object = value.get("info")
    about = info_object if isinstance(info_object, dict) else {}
    info(blocks, left)
    if "servers" in left.keys:
        blocks.heading(2, "Servers")
        servers(blocks, left)
        blocks.rest({"servers": left.any("servers")} if "servers" in left.keys else {})
    tags(blocks, left)
    endpoints = Endpoints(blocks, value)
    for key, heading in (("paths", "Endpoints"), ("webhooks", "Webhooks")):
        if found := left.object(key):
            endpoints.write(found, heading)
    _components(blocks, left, endpoints)
    if left.keys:
        blocks.heading(2, "Other keys")
        blocks.rest(left)
    title, description = about.get("title"), about.get("description")
    metadata = {"kind": "openapi"}
    if isinstance(description, str) and description.strip():
        metadata["description"] = " ".join(description.split())[:1000]
    return Document(
        blocks.text(),
        "markdown",
        title=" ".join(title.split())[:300] or None if isinstance(title, str) else None,
        metadata=metadata,
        links=_links(value, url),
    )


def _components(blocks: Blocks, left: Left, endpoints: Endpoints) -> None:
    """What endpoints refer to: below ``components`` since 3.0, at the top in 2.0."""
    components = Left(left.object("components"))
    schemes(blocks, _both(left, "securityDefinitions", components, "securitySchemes"))
    for name, schema in _headed(blocks, "Schemas", _both(left, "definitions", components, "schemas")):
        blocks.heading(3, name)
        openapi_schemas.describe(blocks, schema, 3)
    if shared := _headed(blocks, "Parameters", _both(left, "parameters", components, "parameters")):
        openapi_schemas.rows(blocks, shared)
    for name, body in _headed(blocks, "Request bodies", [*components.object("requestBodies").items()]):
        blocks.heading(3, name)
        endpoints.body(body, 3)
    for name, answer in _headed(blocks, "Responses", _both(left, "responses", components, "responses")):
        blocks.heading(3, name)
        endpoints.answer(answer, 3)
    if components.keys:
        blocks.heading(2, "Other components")
        blocks.rest(components)


def _both(left: Left, old: str, components: Left, new: str) -> list[tuple[str, Value]]:
    return [*left.object(old).items(), *components.object(new).items()]


def _headed(blocks: Blocks, heading: str, entries: list[tuple[str, Value]]) -> list[tuple[str, Value]]:
    if entries:
        blocks.heading(2, heading)
    return entries


def _links(value: Value, url: str) -> tuple[str, ...]:
    """Web addresses in the file, absolute, each once: those of its own keys, and those in its descriptions."""
    found: dict[str, None] = {}
    for key, text in strings(value):
        if key in ("url", "termsOfService"):
            targets = [text.strip()]
        elif key in ("description", "summary"):
            targets = [(a or b or c.rstrip(_SENTENCE_END)) for a, b, c in _TARGET.findall(text)]
        else:
            continue
        for target in targets:
            try:
                link = urljoin(url, target)
            except ValueError:
                continue
            if target and link.startswith(("http://", "https://")) and "{" not in link:
                found[link] = None
    return tuple(found)


# What a file says of the whole interface: title, version, licence, servers, tags, who may use it.


def info(blocks: Blocks, left: Left) -> None:
    """The file's own account: the title as the page's heading, then facts, then its description."""
    about = Left(left.object("info"))
    blocks.heading(1, about.words("title") or "API")
    dialect = "Swagger" if "swagger" in left.keys else "OpenAPI"
    facts = {
        "Format": f"{dialect} {left.text(dialect.lower())}",
        "Version": escaped(about.text("version")),
        "Summary": in_cell(about.words("summary")),
        "Terms of service": link(about.words("termsOfService")),
        "Contact": named(about, "contact"),
        "License": named(about, "license"),
        "Host": code(host) if (host := left.text("host")) else "",
        "Base path": code(base) if (base := left.text("basePath")) else "",
        "Schemes": ", ".join(map(code, left.scalars("schemes"))),
        "Takes": ", ".join(map(code, left.scalars("consumes"))),
        "Gives": ", ".join(map(code, left.scalars("produces"))),
        "Security": security(left),
        "More": documented(left),
    }
    blocks.facts(facts)
    blocks.prose(about.words("description"), 1)
    blocks.rest({"info": about.keys} if about.keys else {})


def servers(blocks: Blocks, left: Left) -> None:
    """The servers, each with its description and variables. An array that holds no servers is left where it was."""
    found = left.objects("servers")
    rows: list[list[str]] = []
    rest: dict[str, Value] = {}
    for server in found:
        inner = Left(server)
        url = inner.words("url")
        rows.append([code(url) if url else "", in_cell(inner.words("description"))])
        if inner.keys:
            rest[url or "server"] = inner.keys
    blocks.table(["Server", "Description"], rows)
    blocks.rest(rest)


def tags(blocks: Blocks, left: Left) -> None:
    found = [Left(tag) for tag in left.objects("tags")]
    if found:
        blocks.heading(2, "Tags")
        words = ["name", "description"]
        blocks.table(
            ["Tag", "Description", "More"],
            [[*(in_cell(tag.words(key)) for key in words), documented(tag)] for tag in found],
        )
        blocks.rest({f"tag {number}": tag.keys for number, tag in enumerate(found, 1) if tag.keys})


def security(left: Left) -> str:
    """The requirements: any one of them will do. An empty array asks for nothing."""
    if left.keys.get("security") == []:
        left.any("security")
        return "none"
    ways = []
    for requirement in left.objects("security"):
        names = []
        for name, scopes in requirement.items():
            scope_list = ", ".join(code(str(scope)) for scope in scopes) if isinstance(scopes, list) else ""
            names.append(f"{code(name)} ({scope_list})" if scope_list else code(name))
        ways.append(" and ".join(names) or "none")
    return " or ".join(ways)


def schemes(blocks: Blocks, entries: list[tuple[str, Value]]) -> None:
    """How one proves who one is: each scheme with its description; flows and addresses as they are written."""
    if not entries:
        return
    blocks.heading(2, "Security schemes")
    for name, scheme in entries:
        left = Left(scheme)
        blocks.heading(3, name)
        keys = {"type": "Type", "in": "In", "name": "Name", "scheme": "Scheme", "bearerFormat": "Format", "$ref": "As"}
        facts = {label: left.text(key) for key, label in keys.items()}
        blocks.facts({label: code(value) for label, value in facts.items() if value})
        blocks.prose(left.words("description"), 3)
        blocks.rest(left)


def named(left: Left, key: str) -> str:
    """A contact or licence: its name, linked to its address; what else it says stands behind."""
    inner = Left(left.object(key))
    name, url = inner.words("name"), inner.words("url")
    others = [
        f"{other}: {inner.text(other)}" for other in list(inner.keys) if not isinstance(inner.keys[other], dict | list)
    ]
    if inner.keys:
        left.keys[key] = inner.keys
    first = f"{in_cell(escaped(name))} ({link(url)})" if name and url else in_cell(escaped(name)) or link(url)
    return ", ".join(part for part in (first, *map(escaped, others)) if part)


def documented(left: Left) -> str:
    """``externalDocs``: where more is written."""
    inner = Left(left.object("externalDocs"))
    words, url = in_cell(inner.words("description")), inner.words("url")
    if inner.keys:
        left.keys["externalDocs"] = inner.keys
    return f"{words} ({link(url)})" if words and url else words or link(url)


def link(address: str) -> str:
    """An address as an autolink; anything else as text."""
    address = collapsed(address).strip()
    is_address = address.startswith(("http://", "https://")) and not set(address) & set(" <>")
    return f"<{address}>" if is_address else escaped(address)


# Endpoints: method and path as the heading, then what is asked, what is answered, and who may ask.

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
        self._request_body(left, bodies)
        self._answers(left.object("responses"))
        blocks.rest(left)

    def _request_body(self, left: Left, bodies: list[dict[str, Value]]) -> None:
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
        self._blocks.facts({"As": openapi_schemas.reference_name(reference) if reference else "", "Required": required})
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
            blocks.facts({"As": openapi_schemas.reference_name(reference)})
        blocks.prose(left.words("description"), level)
        self._headers(left)
        self._content(left, level)
        blocks.rest(left)

    def _headers(self, left: Left) -> None:
        rows = openapi_schemas.Rows()
        for name, header in left.object("headers").items():
            inner = Left(header)
            schema = inner.any("schema") if "schema" in inner.keys else header
            lead = inner.words("description") if schema is not header else ""
            rows.property(schema, name, required="yes" if inner.flag("required") else "", lead=lead)
            if schema is not header and inner.keys:
                rows.keep(f"{name} (header)", inner.keys)
        self._blocks.table(["Header", *openapi_schemas.HEAD[1:]], rows.rows)
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
        kind = openapi_schemas.kind(schema)
        self._blocks.add(f"{lead}: {kind}" if kind else lead)
        openapi_schemas.describe(self._blocks, schema, level, typed=False)
