"""Plain text as it is: line ends made one kind, everything else untouched. YAML and CSV are told from prose.

Prose keeps format ``raw``: it was written for a fixed-width page, where leading blanks, dashes and numbers mean layout;
calling it markdown would let a reader turn "1986. A paragraph" into a list. Only files that a server names markdown are
``markdown``.
"""

from __future__ import annotations

import csv
import re

from rori_spiders.content.documents import code, openapi
from rori_spiders.content.documents.document import Document
from rori_spiders.content.documents.fence import fenced
from rori_spiders.content.documents.text import plain_text
from rori_spiders.exceptions import UnreadableDocument

_YAML_MEDIA = ("yaml", "x-yaml")
_YAML_KEY = re.compile(r"^[ \t-]*[\w$./{}\"'-]+:(?:\s|$)")

# A table shows what it is within a screen; its fields are entries, not sentences.
_CSV_WITHIN, _CSV_ROWS, _CSV_FIELD = 20_000, 40, 200


def read(body: bytes, *, url: str, content_type: str | None = None) -> Document:
    """Plain text. Raises UnreadableDocument when there is none. YAML becomes a code block (see `code`)."""
    text = plain_text(body, content_type).replace("\r\n", "\n").replace("\r", "\n").strip("\n\f \t\x00")
    if not text:
        raise UnreadableDocument(f"{url}: the text file is empty")
    media = (content_type or "").split(";")[0].strip().lower()
    if media.endswith(_YAML_MEDIA) or _is_yaml(text):
        return code.read_yaml(text, url=url)
    if media.endswith("/csv") or _is_csv(text):
        return Document(fenced(text, "csv"), "raw", metadata={"kind": "csv"})
    form = "markdown" if media.endswith("/markdown") else "raw"
    return Document(text + "\n", form, title=_first_line(text))


def _is_yaml(text: str) -> bool:
    """An OpenAPI or Swagger file says so in a key; other YAML is only believed when it declares itself."""
    if openapi.names_itself(text):
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
