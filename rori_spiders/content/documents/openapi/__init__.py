"""OpenAPI and Swagger files (2.0, 3.0, 3.1) as a page that people read: endpoints, parameters, schemas, descriptions.

In: the value of a JSON or YAML text (`values`). Out: a `Document` of format ``markdown``. Nothing is lost: keys that no
rule here knows (``x-...``, examples) stand as code, and a key of another type than the specification gives it is such a
key. Nothing is fetched, whatever a ``$ref`` says. Files are told by their content: a mapping whose key ``openapi`` or
``swagger`` names a version.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeGuard
from urllib.parse import urljoin

from rori_spiders.content.documents.document import Document
from rori_spiders.content.documents.openapi import overview, parameters, schemas
from rori_spiders.content.documents.openapi.blocks import Blocks, TooLong
from rori_spiders.content.documents.openapi.endpoints import Endpoints
from rori_spiders.content.documents.openapi.left import Left
from rori_spiders.content.documents.openapi.values import strings

if TYPE_CHECKING:
    from rori_spiders.content.documents.openapi.values import Value

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
    said = value.get("info")
    about = said if isinstance(said, dict) else {}
    overview.info(blocks, left)
    if "servers" in left.keys:
        blocks.heading(2, "Servers")
        overview.servers(blocks, left)
        blocks.rest({"servers": left.any("servers")} if "servers" in left.keys else {})
    overview.tags(blocks, left)
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
    overview.schemes(blocks, _both(left, "securityDefinitions", components, "securitySchemes"))
    for name, schema in _headed(blocks, "Schemas", _both(left, "definitions", components, "schemas")):
        blocks.heading(3, name)
        schemas.describe(blocks, schema, 3)
    if shared := _headed(blocks, "Parameters", _both(left, "parameters", components, "parameters")):
        parameters.rows(blocks, shared)
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


def _headed(blocks: Blocks, heading: str, given: list[tuple[str, Value]]) -> list[tuple[str, Value]]:
    if given:
        blocks.heading(2, heading)
    return given


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
