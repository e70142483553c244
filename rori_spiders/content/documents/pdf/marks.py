"""Raised and lowered characters: a footnote's mark is no digit of the number before it."""

from __future__ import annotations

from rori_spiders.content.documents.escape import escaped

# Raised characters are smaller than 0.8 of their line's (0.58 to 0.75 by TeX, Word and the Federal Register) and stand
# at least a tenth of its size off its baseline.
SMALL, _OFF = 0.8, 0.1
# Those of small print, as in tables, are hardly smaller, and stand well off it.
_SMALLER, _FAR_OFF = 0.95, 0.25


def tag(size: float, body: float, above: float) -> str:
    """``sup`` or ``sub`` for a character of *size* that stands *above* the baseline of text of size *body*."""
    if size >= SMALL * body and not (size < _SMALLER * body and abs(above) > _FAR_OFF * body):
        return ""
    if abs(above) <= _OFF * body:
        return ""
    return "sup" if above > 0 else "sub"


def marked(text: str, name: str) -> str:
    """*text* escaped, within the tag *name* if any, as on the HTML side."""
    return f"<{name}>{escaped(text)}</{name}>" if name else escaped(text)


def tagged(text: str, tags: list[str]) -> str:
    """*text*, of which each character has its tag or none."""
    out, start = "", 0
    for end in range(1, len(text) + 1):
        if end == len(text) or tags[end] != tags[start]:
            out += marked(text[start:end], tags[start])
            start = end
    return out
