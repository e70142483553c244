"""JSON and YAML as a fenced code block: whoever reads the envelope sees exactly what the publisher wrote."""

from __future__ import annotations

import json
import re

from rori_spiders.content.documents.document import Document
from rori_spiders.content.documents.text import plain_text
from rori_spiders.exceptions import UnreadableDocument

_FENCE = re.compile(r"^\s*(`{3,})", re.MULTILINE)
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
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableDocument(f"{url}: not readable as JSON: {_sentence(error)}") from error
    if value in ({}, [], None, ""):
        raise UnreadableDocument(f"{url}: the JSON document is empty")
    document = fenced(_laid_out(text), "json")
    return Document(document.markdown, document.format, title=_json_title(value), metadata=document.metadata)


def read_yaml(text: str) -> Document:
    """YAML exactly as written: it is never loaded, so that no anchor can expand."""
    match = _YAML_TITLE.search(text, 0, _TITLE_WITHIN)
    document = fenced(text, "yaml")
    return Document(
        document.markdown, document.format, title=match["title"] if match else None, metadata=document.metadata
    )


def fenced(text: str, language: str) -> Document:
    """A code block whose fence is longer than any within."""
    longest = max((len(run) for run in _FENCE.findall(text)), default=2)
    fence = "`" * max(3, longest + 1)
    return Document(f"{fence}{language}\n{text}\n{fence}\n", "raw", metadata={"kind": language})


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
