"""JSON and YAML as a fenced code block: whoever reads the envelope sees exactly what the publisher wrote.

Descriptions of an interface (OpenAPI, Swagger) become pages of their own, see `openapi`.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import yaml

from rori_spiders.content.documents import openapi
from rori_spiders.content.documents.document import Document
from rori_spiders.content.documents.fence import fenced
from rori_spiders.content.documents.openapi import blocks, values
from rori_spiders.content.documents.text import plain_text
from rori_spiders.exceptions import UnreadableDocument

if TYPE_CHECKING:
    from rori_spiders.content.documents.openapi.values import Value

# A title is looked for near the start only: an API description names itself in its first lines.
_YAML_TITLE = re.compile(r"^\s{0,8}title\s*:\s*(?P<quote>[\"']?)(?P<title>[^\n]{1,300}?)(?P=quote)\s*$", re.MULTILINE)
_TITLE_WITHIN = 20_000
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_INDENT = "  "


def read_json(body: bytes, *, url: str) -> Document:
    """JSON, laid out anew with its keys in the publisher's order, so that a change of one value is a change of one
    line.

    Raises UnreadableDocument when it does not parse: a truncated answer must not pass for the whole.
    """
    text = plain_text(body)
    try:
        value = values.from_json(text)
        described = _described(value, url, len(text))
    except (values.NotPlain, RecursionError):  # a key given twice, or depth: as code both stand
        value, described = _loaded(text, url), None
    except ValueError:
        if _is_lines(text):
            return Document(fenced(text.strip(), "json"), "raw", metadata={"kind": "json"})
        value, described = _loaded(text, url), None
    if value in ({}, [], None, ""):
        raise UnreadableDocument(f"{url}: the JSON document is empty")
    return described or Document(
        fenced(_laid_out(text), "json"), "raw", title=_json_title(value), metadata={"kind": "json"}
    )


def read_yaml(text: str, *, url: str) -> Document:
    """YAML exactly as written: unless it describes an interface it is never loaded, so that no anchor can expand."""
    if len(text) <= openapi.MAX_TEXT and openapi.names_itself(text):
        try:
            described = _described(values.from_yaml(text), url, len(text))
        except (values.NotPlain, yaml.YAMLError):
            described = None
        if described is not None:
            return described
    match = _YAML_TITLE.search(text, 0, _TITLE_WITHIN)
    return Document(fenced(text, "yaml"), "raw", title=match["title"] if match else None, metadata={"kind": "yaml"})


def _loaded(text: str, url: str) -> Value:
    try:
        loaded: Value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableDocument(f"{url}: not readable as JSON: {_sentence(error)}") from error
    return loaded


def _is_lines(text: str) -> bool:
    """Whether each line is a JSON value of its own, as in an export of records; one that was cut off is not."""
    lines = [line for line in text.splitlines() if line.strip()]
    try:
        return len(lines) > 1 and all(isinstance(json.loads(line), dict | list) for line in lines)
    except (ValueError, RecursionError):
        return False


def _described(value: Value, url: str, chars: int) -> Document | None:
    """The page of an interface; None for what is none, and for one that no page can hold: it stays code then."""
    try:
        return openapi.to_document(value, url=url, chars=chars) if openapi.is_description(value) else None
    except (blocks.TooLong, values.NotPlain, RecursionError):
        return None


def _laid_out(text: str) -> str:
    """Indented by its own pieces: numbers stay as they are written (1.10, 1e400), for they are the publisher's
    figures.
    """
    out: list[str] = []
    depth = 0
    opened = False  # the last piece opened an object or array that may yet be empty
    for piece in _PIECE.findall(text):
        if piece in "}]":
            depth -= 1
            out.append(piece if opened else "\n" + _INDENT * depth + piece)
        elif piece in ",:":
            out.append(",\n" + _INDENT * depth if piece == "," else ": ")
        else:
            if opened:
                out.append("\n" + _INDENT * depth)
            out.append(_readable(piece))
            depth += piece in "{["
        opened = piece in "{["
    return "".join(out)


def _readable(piece: str) -> str:
    """Strings without \\u escapes, so that they can be searched."""
    return json.dumps(json.loads(piece, strict=False), ensure_ascii=False) if "\\u" in piece else piece


def _json_title(value: object) -> str | None:
    if not isinstance(value, dict):
        return None
    info = value.get("info")
    for holder in (info if isinstance(info, dict) else {}, value):
        title = holder.get("title")
        if isinstance(title, str) and title.strip():
            return " ".join(title.split())[:300]
    return None


def _sentence(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)
