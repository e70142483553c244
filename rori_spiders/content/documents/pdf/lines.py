"""The characters of one page from PDFium: position, size, weight.

Coordinates are turned into the frame in which the character's own text reads from left to right, y going up: a page
turned on its side, and a stamp along the margin, are lines like any other. Points (1/72 inch).
"""

from __future__ import annotations

import re
from ctypes import addressof, byref, c_double, c_int, create_string_buffer
from dataclasses import dataclass
from math import atan2, degrees, hypot
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # it ships no types

from rori_spiders.content.documents.escaping import escaped
from rori_spiders.content.documents.pdf.file import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pypdfium2


_BOLD_NAME = re.compile(r"bold|black|heavy|demi", re.IGNORECASE)
_FAR = 1_000_000.0
_FORCE_BOLD = 0x40000  # ISO 32000-1 table 123
_UNSEEN = pdfium.FPDF_TEXTRENDERMODE_INVISIBLE


@dataclass(frozen=True, slots=True)
class Face:
    """Properties that all characters of one text object share."""

    size: float
    bold: bool
    angle: int  # 0, 90, 180 or 270 degrees, counter-clockwise, against the page's own frame
    unseen: bool = False  # drawn with neither fill nor line: the text under a scan


class Glyphs:
    """Answers about characters by their index; only while the text page is open."""

    def __init__(self, textpage: pypdfium2.PdfTextPage) -> None:
        self._page = textpage.raw
        self._faces: dict[int, Face] = {}
        self._x, self._y = c_double(), c_double()
        self._box, self._matrix = pdfium.FS_RECTF(), pdfium.FS_MATRIX()
        self._name, self._flags = create_string_buffer(128), c_int()

    def face(self, index: int) -> Face:
        text_object = pdfium.FPDFText_GetTextObject(self._page, index)
        key = addressof(text_object.contents) if text_object else 0
        if (known := self._faces.get(key)) is None:
            unseen = bool(key) and pdfium.FPDFTextObj_GetTextRenderMode(text_object) == _UNSEEN
            known = self._faces[key] = self._read_face(index, unseen=unseen)
        return known

    def start(self, index: int, angle: int) -> tuple[float, float]:
        """Where the character begins, and the height of its baseline."""
        pdfium.FPDFText_GetCharOrigin(self._page, index, byref(self._x), byref(self._y))
        return turned(self._x.value, self._y.value, angle)

    def end(self, index: int, angle: int) -> float:
        """Where the character ends."""
        box = self._box
        pdfium.FPDFText_GetLooseCharBox(self._page, index, byref(box))
        return max(turned(box.left, box.bottom, angle)[0], turned(box.right, box.top, angle)[0])

    def _read_face(self, index: int, *, unseen: bool) -> Face:
        page, matrix = self._page, self._matrix
        pdfium.FPDFText_GetMatrix(page, index, byref(matrix))
        size = pdfium.FPDFText_GetFontSize(page, index) * hypot(matrix.c, matrix.d)
        self._name.value = b""
        pdfium.FPDFText_GetFontInfo(page, index, self._name, len(self._name), byref(self._flags))
        bold = bool(self._flags.value & _FORCE_BOLD or _BOLD_NAME.search(self._name.value.decode("latin-1")))
        angle = round(degrees(atan2(matrix.b, matrix.a)) / 90) % 4 * 90
        return Face(abs(size) if 0 < abs(size) < _FAR else 1.0, bold, angle, unseen)


def turned(x: float, y: float, angle: int) -> tuple[float, float]:
    """A point of the page in the frame of text of that angle; what lies far off the page, or nowhere, at its edge."""
    x, y = (value if -_FAR < value < _FAR else 0.0 for value in (x, y))
    if angle == 0:
        return x, y
    if angle == 90:
        return y, -x
    return (-x, -y) if angle == 180 else (-y, x)


# Raised and lowered characters: a footnote's mark is not a digit of the number before it.

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


# The words of a page where they stand: PDFium's text, cut at its blanks, each word with its place, size and weight.
# PDFium answers one character at a time, and a question costs more than a line of Python: two characters of a word
# are asked, its first and its last, and all of them only where a raised or lowered one may hide.

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
    unseen: bool = False


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
    return Word(text, markdown or escaped(text), x0, x1, y, face.size, face.bold, face.angle, broken, face.unseen)


# Words to lines: runs of words on one baseline, without a gap that could be a gutter or a column of a table.

# A gap wider than this, in sizes of the print, may be a gutter (12 points beside print of 9 in the Federal Register).
# Blanks of justified text can be as wide: runs are put together again when the gutters are known.
_GAP = 1.0
LEADERS = re.compile(r"(?:\. ?){5}|…{2}")
# Words whose baselines differ by less are on one line: raised marks stand 0.3 to 0.5 of the size above it.
LEVEL = 0.55


@dataclass(slots=True)
class Line:
    """A run of words on one baseline. Points, in the frame of its own angle."""

    text: str
    markdown: str
    x0: float
    x1: float
    y: float
    size: float
    bold: bool  # all of it
    angle: int
    first: float  # width of the first word
    words: int
    broken: bool  # ends with a hyphen that breaks the line
    tabular: bool = False  # its runs stand apart as entries of a table do, or leaders join them
    right: float = 0.0  # where the lines of its column end


def lines_of(words: Iterable[Word]) -> list[Line]:
    """The lines of a page, in the order of the words."""
    runs: list[list[Word]] = []
    for word in words:
        if runs and _continues(runs[-1], word):
            runs[-1].append(word)
        else:
            runs.append([word])
    return [line_of(run) for run in runs]


def _continues(run: list[Word], word: Word) -> bool:
    last = run[-1]
    if word.angle != last.angle or last.broken:
        return False
    size = max(word.size, *(part.size for part in run[-3:]))
    small = min(word.size, last.size) < size
    if abs(word.y - last.y) > (LEVEL if small else LEVEL / 2) * size and abs(word.y - run[0].y) > LEVEL / 2 * size:
        return False
    return -0.5 * size <= word.x0 - last.x1 <= _GAP * size


def line_of(run: list[Word]) -> Line:
    """One line of words that stand side by side."""
    size = _main_size(run)
    y = next(word.y for word in run if word.size == size)
    pieces = []
    for word in run:
        name = tag(word.size, size, word.y - y)
        pieces.append(marked(word.text, name) if name else word.markdown)
    text = " ".join(word.text for word in run)
    return Line(
        text=text,
        markdown=" ".join(pieces),
        x0=run[0].x0,
        x1=max(word.x1 for word in run),
        y=y,
        size=size,
        bold=all(word.bold for word in run),
        angle=run[0].angle,
        first=run[0].x1 - run[0].x0,
        words=len(run),
        broken=run[-1].broken,
        tabular=bool(LEADERS.search(text)),
    )


def _main_size(run: list[Word]) -> float:
    """The size of most of its characters; of two that tie, the larger."""
    if all(word.size == run[0].size for word in run):
        return run[0].size
    chars: dict[float, int] = {}
    for word in run:
        chars[word.size] = chars.get(word.size, 0) + len(word.text)
    return max(chars, key=lambda size: (chars[size], size))


# Runs of words that stand in one row, put together; whether they are text, or entries of a table without rules.

# Blanks of justified text wider than this are rare: in a narrow column with a web address.
_APART = 2.0
LABEL = re.compile(r"[•●▪■◦○‣–—*-]|\([0-9A-Za-z]{1,5}\)|[0-9A-Za-z]{1,3}[.)]|\d+(?:\.\d+)+\.?|§+")
_WORD = re.compile(r"[^\W\d_]{3}")


def one_level(left: Line, right: Line) -> bool:
    """Whether two runs stand on one baseline, or one is a mark raised above the other's."""
    size = max(left.size, right.size)
    return abs(left.y - right.y) <= (LEVEL if min(left.size, right.size) < SMALL * size else LEVEL / 2) * size


def in_rows(lines: list[Line]) -> list[Line]:
    """Lines that follow one another in one row as one; of a cell of a table, which no gutter parts."""
    rows: list[Line] = []
    for line in lines:
        if rows and not rows[-1].broken and one_level(rows[-1], line) and line.x0 >= rows[-1].x1 - line.size:
            rows[-1] = joined(rows[-1], line)
        else:
            rows.append(line)
    return rows


def joined(left: Line, right: Line) -> Line:
    """Two runs of one row as one line, as PDFium's own text has them."""
    large = left if (left.size, len(left.text)) >= (right.size, len(right.text)) else right
    main = left if len(left.text) >= len(right.text) and not left.size < SMALL * right.size else right
    pieces = []
    for run in (left, right):
        name = tag(run.size, large.size, run.y - large.y)
        pieces.append(f"<{name}>{run.markdown}</{name}>" if name and not run.markdown.startswith("<") else run.markdown)
    text = f"{left.text} {right.text}"
    return Line(
        text=text,
        markdown=" ".join(pieces),
        x0=left.x0,
        x1=right.x1,
        y=large.y,
        size=main.size,
        bold=left.bold and right.bold,
        angle=left.angle,
        first=left.first,
        words=left.words + right.words,
        broken=right.broken,
        tabular=left.tabular or right.tabular or _are_entries(left, right) or bool(LEADERS.search(text)),
    )


def _are_entries(left: Line, right: Line) -> bool:
    """Whether two runs stand apart as entries of a table: not a number or bullet, however far it is from its text."""
    if right.x0 - left.x1 <= _APART * left.size:
        return False
    return not (LABEL.fullmatch(left.text) and _WORD.search(right.text))
