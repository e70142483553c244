"""The words of a page where they stand: PDFium's text, cut at its blanks, each word with its place, size and weight.

PDFium answers one character at a time, and a question costs more than a line of Python: two characters of a word are
asked, its first and its last, and all of them only where a raised or lowered one may hide.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # it ships no types

from rori_spiders.content.documents.escape import escaped
from rori_spiders.content.documents.pdf.file import printable
from rori_spiders.content.documents.pdf.glyphs import Glyphs
from rori_spiders.content.documents.pdf.marks import tag, tagged

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pypdfium2

_TOKEN = re.compile(r"\S+")
# PDFium marks a hyphen that only breaks a line with U+FFFE (or U+0002), and puts the two halves together.
_BREAK = "\ufffe"
_PIECE = re.compile(f"[^{_BREAK}]*{_BREAK}+|[^{_BREAK}]+")
# What footnote marks are made of, beside letters.
_MARK = re.compile(r"[0-9*†‡§¶]")


@dataclass(slots=True)
class Word:
    """A token of the text. Points, in the frame of `glyphs`."""

    text: str  # as PDFium has it; a hyphen that breaks the line is "-"
    markdown: str
    x0: float
    x1: float
    y: float  # of the baseline
    size: float
    bold: bool
    angle: int
    broken: bool = False  # ends with a hyphen that breaks the line


def read(textpage: pypdfium2.PdfTextPage) -> list[Word]:
    """The words of a page in PDFium's order, which is the order in which the page draws them.

    Together they are what `get_text_range` gives, but for blanks and line ends.
    """
    text = str(textpage.get_text_range()).replace("\x02", _BREAK)
    if not text.strip():
        return []
    places = _places(textpage, text)
    glyphs = Glyphs(textpage)
    if printable(text) == text and _BREAK not in text:
        return [
            _word(glyphs, places[token.start() : token.end()], token[0], broken=False)
            for token in _TOKEN.finditer(text)
        ]
    return [word for token in _TOKEN.finditer(text) for word in _words(glyphs, places, token)]


def _places(textpage: pypdfium2.PdfTextPage, text: str) -> Sequence[int]:
    """The index of each character of *text* among PDFium's characters, some of which are not in its text."""
    count = textpage.count_chars()
    if count == len(text):
        return range(count)
    found = [i for i in range(count) if pdfium.FPDFText_GetTextIndexFromCharIndex(textpage.raw, i) >= 0]
    return (found + [count - 1] * (len(text) - len(found)))[: len(text)]


def _words(glyphs: Glyphs, places: Sequence[int], token: re.Match[str]) -> Iterator[Word]:
    for piece in _PIECE.finditer(token[0]):
        text, broken = printable(piece[0].rstrip(_BREAK)), piece[0].endswith(_BREAK)
        if text or broken:
            start = token.start() + piece.start()
            yield _word(glyphs, places[start : start + len(piece[0])], text + "-" * broken, broken=broken)


def _word(glyphs: Glyphs, places: Sequence[int], text: str, *, broken: bool) -> Word:
    face = glyphs.face(places[0])
    x0, y = glyphs.start(places[0], face.angle)
    markdown = None
    if len(places) == len(text) > 1 and (_MARK.search(text) or glyphs.face(places[-1]).size != face.size):
        faces = [glyphs.face(place) for place in places]
        body = max(faces, key=lambda other: other.size)
        if any(other.size != body.size for other in faces):
            levels = [glyphs.start(place, body.angle)[1] for place in places]
            face, y = body, levels[faces.index(body)]
            tags = [tag(other.size, body.size, level - y) for other, level in zip(faces, levels, strict=True)]
            markdown = tagged(text, tags)
    x1 = max(x0, glyphs.end(places[-1], face.angle))
    return Word(text, markdown or escaped(text), x0, x1, y, face.size, face.bold, face.angle, broken)
