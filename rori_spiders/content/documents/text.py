"""The characters of a text file: by byte order mark, declared charset, UTF-8, or Windows-1252."""

from __future__ import annotations

import codecs
import re

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def plain_text(body: bytes, content_type: str | None = None) -> str:
    """The text of a body. Never raises.

    Windows-1252 takes what no other charset fits; a byte that means nothing there becomes U+FFFD.
    """
    for bom, codec in _BOMS:
        if body.startswith(bom):
            return body[len(bom) :].decode(codec, "replace")
    declared = _CHARSET.search(content_type or "")
    for charset in (declared[1] if declared else "utf-8", "utf-8"):
        try:
            return body.decode(charset)
        except (LookupError, UnicodeDecodeError):
            continue
    return body.decode("cp1252", "replace")
