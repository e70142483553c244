"""Plain text as it is: line ends made one kind, everything else untouched. YAML and CSV are told from prose.

Prose keeps format ``raw``: it was written for a fixed-width page, where leading blanks, dashes and numbers mean layout;
calling it markdown would let a reader turn "1986. A paragraph" into a list. Only files that a server names markdown are
``markdown``.
"""

from __future__ import annotations

import re

from rori_spiders.content.documents import code
from rori_spiders.content.documents.document import Document
from rori_spiders.content.documents.text import plain_text
from rori_spiders.exceptions import UnreadableDocument

_YAML_MEDIA = ("yaml", "x-yaml")
_YAML_KEY = re.compile(r"^[ \t-]*[\w$./{}\"'-]+:(?:\s|$)")


def read(body: bytes, *, url: str, content_type: str | None = None) -> Document:
    """Plain text. Raises UnreadableDocument when there is none. YAML becomes a code block (see `code`)."""
    text = plain_text(body, content_type).replace("\r\n", "\n").replace("\r", "\n").strip("\n\f \t\x00")
    if not text:
        raise UnreadableDocument(f"{url}: the text file is empty")
    media = (content_type or "").split(";")[0].strip().lower()
    if media.endswith(_YAML_MEDIA) or _is_yaml(text):
        return code.read_yaml(text)
    if media.endswith("/csv"):
        return code.fenced(text, "csv")
    form = "markdown" if media.endswith("/markdown") else "raw"
    return Document(text + "\n", form, title=_first_line(text))


def _is_yaml(text: str) -> bool:
    """An OpenAPI or Swagger file says so in its first key; other YAML is only believed when it declares itself."""
    head = [line for line in text[:4000].splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if not head:
        return False
    if re.match(r"(?:openapi|swagger)\s*:", head[0], re.IGNORECASE):
        return True
    return head[0].strip() == "---" and all(_YAML_KEY.match(line) for line in head[1:3])


def _first_line(text: str) -> str | None:
    """Its first line names a text when it is short and something follows."""
    first, _, rest = text.partition("\n")
    return first.strip() if rest.strip() and 0 < len(first.strip()) <= 200 else None
