"""Convert plain text: normalise line ends, keep everything else. Distinguish YAML and CSV from prose.

Prose keeps format ``raw``: it was written for a fixed-width page, where leading blanks, dashes and numbers mean layout;
calling it markdown would let a reader turn "1986. A paragraph" into a list. Only files that a server names markdown are
``markdown``.
"""

import csv
import json
import re

import yaml

from rori_spiders.content.documents.document import Document
from rori_spiders.content.documents.escaping import fenced
from rori_spiders.content.documents.openapi import blocks, description, values
from rori_spiders.content.documents.openapi.values import Value
from rori_spiders.content.encoding import plain_text
from rori_spiders.exceptions import UnreadableDocument

_YAML_MEDIA = ("yaml", "x-yaml")
_YAML_KEY = re.compile(r"^[ \t-]*(?:[\w$./{}\"'][\w$./{}\"'-]*|-):(?:\s|$)")

# A table shows what it is within a screen; its fields are entries, not sentences.
_CSV_WITHIN, _CSV_ROWS, _CSV_FIELD = 20_000, 40, 200


def read(body: bytes, *, url: str, content_type: str | None = None) -> Document:
    """Plain text. Raises UnreadableDocument when there is none. YAML becomes a code block (see `code`)."""
    text = plain_text(body, content_type).replace("\r\n", "\n").replace("\r", "\n").strip("\n\f \t\x00")
    if not text:
        raise UnreadableDocument(f"{url}: the text file is empty")
    media = (content_type or "").split(";")[0].strip().lower()
    if media.endswith(_YAML_MEDIA) or _is_yaml(text):
        return read_yaml(text, url=url)
    if media.endswith("/csv") or _is_csv(text):
        return Document(fenced(text, "csv"), "raw", metadata={"kind": "csv"})
    form = "markdown" if media.endswith("/markdown") else "raw"
    return Document(text + "\n", form, title=_first_line(text))


def _is_yaml(text: str) -> bool:
    """An OpenAPI or Swagger file says so in a key; other YAML is only believed when it declares itself."""
    if description.names_itself(text):
        return True
    head = [line for line in text[:4000].splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return bool(head) and head[0].strip() == "---" and all(_YAML_KEY.match(line) for line in head[1:3])


def _is_csv(text: str) -> bool:
    """Whether the first lines are rows of as many short fields each, three or more: no prose is that even."""
    head = [line for line in text[:_CSV_WITHIN].splitlines()[:_CSV_ROWS] if line]
    if len(text) > _CSV_WITHIN:
        del head[-1:]
    for separator in ",\t;|":
        try:
            rows = list(csv.reader(head, delimiter=separator, strict=True))
        except csv.Error:  # a quote that another separator closes, or a field over lines
            continue
        widths = {len(row) for row in rows}
        if len(rows) > 2 and len(widths) == 1 and min(widths) > 2 and all(map(_is_record, rows)):
            return True
    return False


def _is_record(row: list[str]) -> bool:
    return bool(row[0].strip()) and row[0] == row[0].lstrip() and all(len(field) <= _CSV_FIELD for field in row)


def _first_line(text: str) -> str | None:
    """Its first line names a text when it is short and something follows."""
    first, _, rest = text.partition("\n")
    return first.strip() if rest.strip() and 0 < len(first.strip()) <= 200 else None


# JSON and YAML as a fenced code block: readers of the envelope see exactly what the publisher wrote. Descriptions
# of an interface (OpenAPI, Swagger) become pages of their own, see `openapi`.

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
    if len(text) <= description.MAX_TEXT and description.names_itself(text):
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
        reason = "nested too deeply" if isinstance(error, RecursionError) else error
        raise UnreadableDocument(f"{url}: not readable as JSON: {reason}") from error
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
        return description.to_document(value, url=url, chars=chars) if description.is_description(value) else None
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
