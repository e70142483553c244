"""How one text is spelled elsewhere: in URLs, HTML, JSON, base64, and in the bytes of a page. A step."""

from __future__ import annotations

import base64
import html
import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus

if TYPE_CHECKING:
    from collections.abc import Iterable

_ESCAPE = re.compile(r"%[0-9A-F]{2}")
#: What browsers and w3lib leave as it is in a URL.
_LEFT = ":/?#[]@!$&'()*+,;=%~"


def spellings(text: str) -> set[str]:
    """*text*, and as URLs (each way of escaping), HTML, JSON, Python, base64 and a header read as latin-1 spell it."""
    urls = {quote(text), quote(text, safe=""), quote_plus(text), quote(text, safe=_LEFT)}
    urls |= {_ESCAPE.sub(lambda found: found[0].lower(), one) for one in urls}
    escaped = html.escape(text)
    markup = {
        escaped,
        html.escape(text, quote=False),
        escaped.replace("&#x27;", "&#39;"),
        escaped.replace("&#x27;", "'"),
    }
    dumped = {json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1], repr(text)[1:-1]}
    dumped |= {one.replace("/", "\\/") for one in dumped}
    raw = text.encode("utf-8", "surrogatepass")
    encoded = {base64.b64encode(raw).decode().rstrip("="), base64.urlsafe_b64encode(raw).decode().rstrip("=")}
    return {text, raw.decode("latin-1"), *urls, *markup, *dumped, *encoded}


def in_bytes(texts: Iterable[str]) -> tuple[bytes, ...]:
    """*texts* as pages in ASCII-like encodings and in UTF-16 hold them, each once."""
    found: dict[bytes, None] = {}
    for text in texts:
        for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
            found.setdefault(text.encode(encoding, "surrogatepass"))
        with suppress(UnicodeEncodeError):
            found.setdefault(text.encode("cp1252"))
    return tuple(found)
