"""What a line of markdown shows: its characters, and what is true of some of them (a link, struck out, code, HTML).

White space is one blank, quote marks are straight, emphasis is gone, characters that take no room too. Two stretches
with the same ``Shown`` say the same to a reader and to a program.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from markdown_it.token import Token

#: Characters that take no room and may be left out; those that turn the direction of reading are not among them.
UNSEEN = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_STRAIGHT = str.maketrans(dict.fromkeys(UNSEEN) | dict(zip("‘’‚‛“”„‟", "''''\"\"\"\"", strict=True)))
BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_BLANKS = re.compile(r"\s+")
_OPENING = {"link_open": "link", "s_open": "struck"}


class Span(NamedTuple):
    """What is true of ``text[start:end]``: ``kind`` is link, struck, code, image, html; ``value`` its target or tag."""

    start: int
    end: int
    kind: str
    value: str

    def moved(self, by: int) -> Span:
        return self._replace(start=self.start + by, end=self.end + by)


class Shown(NamedTuple):
    """``text`` as it is read, and the spans within it, in order."""

    text: str
    spans: tuple[Span, ...] = ()


def shown_of(tokens: Sequence[Token]) -> Shown:
    """The inline *tokens* as they are shown."""
    reader = _Reader()
    reader.read(tokens)
    return _folded("".join(reader.parts), reader.spans)


def straight(text: str) -> str:
    """*text* with straight quote marks, composed, without characters that take no room."""
    return unicodedata.normalize("NFC", text.translate(_STRAIGHT))


class _Reader:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self.spans: list[Span] = []
        self._size = 0
        self._open: list[tuple[int, str, str]] = []

    def read(self, tokens: Iterable[Token]) -> None:
        for token in tokens:
            if token.type in _OPENING:
                self._open.append((self._size, _OPENING[token.type], _target(token, "href")))
            elif token.type in {"link_close", "s_close"}:
                start, kind, value = self._open.pop()
                if token.info != "auto":  # an address in angle brackets says itself
                    self.spans.append(Span(start, self._size, kind, value))
            elif token.type == "image":
                at = self._size
                self.read(token.children or ())
                self.spans.append(Span(at, self._size, "image", _target(token, "src")))
            elif token.type == "html_inline" and not BREAK.fullmatch(token.content):
                self.spans.append(Span(self._size, self._size, "html", token.content))
            else:
                self._text(token)

    def _text(self, token: Token) -> None:
        at = self._size
        is_break = token.type in {"softbreak", "hardbreak", "html_inline"}
        self.parts.append(" " if is_break else straight(token.content))
        self._size += len(self.parts[-1])
        if token.type == "code_inline":
            self.spans.append(Span(at, self._size, "code", ""))


def _target(token: Token, name: str) -> str:
    title = token.attrGet("title")
    return f"{token.attrGet(name) or ''}" + (f"\n{title}" if title else "")


def _folded(text: str, spans: Sequence[Span]) -> Shown:
    """White space as one blank, none at the ends; spans follow, and have none at their own ends."""
    if not spans:
        return Shown(" ".join(text.split()))
    places: list[int] = []
    parts: list[str] = []
    size, at = 0, 0
    for blank in (*_BLANKS.finditer(text), None):
        start, end = blank.span() if blank else (len(text), len(text))
        parts.append(text[at:start])
        places.extend(range(size, size + start - at))
        size += start - at
        is_inner = start > 0 and end < len(text)
        places.extend([size] * (end - start))
        if is_inner:
            parts.append(" ")
            size += 1
        at = end
    places.append(size)
    folded = "".join(parts)
    return Shown(folded, tuple(sorted(_trimmed(folded, places, span) for span in spans)))


def _trimmed(text: str, places: Sequence[int], span: Span) -> Span:
    start, end = places[span.start], places[span.end]
    while start < end and text[start] == " ":
        start += 1
    while start < end and text[end - 1] == " ":
        end -= 1
    return span._replace(start=start, end=max(start, end))
