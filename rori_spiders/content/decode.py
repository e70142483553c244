"""Bytes of a page in, its text and the name of its charset out. Every byte stands for something in the text."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from w3lib.encoding import http_content_type_encoding, resolve_encoding

# BOMs as browsers honour them; UTF-32 is told before UTF-16, whose BOM it begins with.
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# The prescan of the HTML standard looks at 1,024 bytes; court pages put scripts before their meta, hence more.
_PRESCAN = 8192
_META = re.compile(rb"""<meta[^>]+?charset\s*=\s*["']?\s*([\w:.-]+)""", re.IGNORECASE)
_XML = re.compile(rb"""^\s*<\?xml[^>]*?encoding\s*=\s*["']([\w:.-]+)""", re.IGNORECASE)
_LAST_RESORT = "cp1252"


class Decoded(NamedTuple):
    """A text and the charset that it was decoded from, by Python's name for it."""

    text: str
    encoding: str


def decode(body: bytes, content_type: str | None = None) -> Decoded:
    """Decode *body*: BOM, then the HTTP header, then the document's own declaration, then the bytes themselves.

    A declared charset that does not fit the bytes is given up for UTF-8 when UTF-8 fits: servers that say ISO-8859-1
    for UTF-8 pages are common. What fits nothing is read as Windows-1252, where each byte is a character.
    """
    for bom, name in _BOMS:
        if body.startswith(bom):
            return Decoded(body[len(bom) :].decode(name, "replace"), name)
    for name in _declared(body, content_type):
        text = _strictly(body, name)
        if text is not None and not _is_utf8_in_disguise(body, name):
            return Decoded(text, name)
    if (text := _strictly(body, "utf-8")) is not None:
        return Decoded(text, "utf-8")
    return _undeclared(body, content_type)


def _declared(body: bytes, content_type: str | None) -> list[str]:
    """The charsets that header and document name, as Python knows them, in order of rank."""
    named = [http_content_type_encoding(content_type) if content_type else None]
    head = body[:_PRESCAN]
    named += [resolve_encoding(found[1].decode("ascii")) for rule in (_XML, _META) if (found := rule.search(head))]
    # A meta tag that could be read as ASCII cannot be in UTF-16: the standard reads it as UTF-8.
    known = ["utf-8" if name.startswith("utf-16") else name for name in named if name]
    return list(dict.fromkeys(known))


def _strictly(body: bytes, name: str) -> str | None:
    try:
        return body.decode(name)
    except (UnicodeDecodeError, LookupError):
        return None


def _is_utf8_in_disguise(body: bytes, name: str) -> bool:
    """Whether a single-byte charset is declared for bytes that hold multi-byte characters and are valid UTF-8."""
    if name not in {"cp1252", "iso8859-1", "latin-1", "ascii", "iso8859-15"} or body.isascii():
        return False
    return _strictly(body, "utf-8") is not None


def _undeclared(body: bytes, content_type: str | None) -> Decoded:
    """Bytes that are neither what they declare nor UTF-8: the declared charset if all but a few bytes fit it."""
    for name in [*_declared(body, content_type), "utf-8"]:
        text = body.decode(name, "replace")
        # One bad byte in 2,000 characters is a cut or a slip of an editor; more is another charset.
        if text.count("\ufffd") * 2000 <= len(text):
            return Decoded(text, name)
    return Decoded("".join(map(_byte, body)) if _has_holes(body) else body.decode(_LAST_RESORT), _LAST_RESORT)


def _has_holes(body: bytes) -> bool:
    return any(hole in body for hole in b"\x81\x8d\x8f\x90\x9d")


def _byte(value: int) -> str:
    """Windows-1252 as browsers read it: its five unassigned bytes are control characters, not errors."""
    return bytes((value,)).decode(_LAST_RESORT, "ignore") or chr(value)
