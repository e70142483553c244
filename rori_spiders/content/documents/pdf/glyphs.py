"""The characters of one page as PDFium knows them: where they stand, how large, how heavy.

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

if TYPE_CHECKING:
    import pypdfium2

_BOLD_NAME = re.compile(r"bold|black|heavy|demi", re.IGNORECASE)
_FAR = 1_000_000.0
_FORCE_BOLD = 0x40000  # ISO 32000-1 table 123


@dataclass(frozen=True, slots=True)
class Face:
    """What all characters of one text object share."""

    size: float
    bold: bool
    angle: int  # 0, 90, 180 or 270 degrees, counter-clockwise, against the page's own frame


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
            known = self._faces[key] = self._read_face(index)
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

    def _read_face(self, index: int) -> Face:
        page, matrix = self._page, self._matrix
        pdfium.FPDFText_GetMatrix(page, index, byref(matrix))
        size = pdfium.FPDFText_GetFontSize(page, index) * hypot(matrix.c, matrix.d)
        self._name.value = b""
        pdfium.FPDFText_GetFontInfo(page, index, self._name, len(self._name), byref(self._flags))
        bold = bool(self._flags.value & _FORCE_BOLD or _BOLD_NAME.search(self._name.value.decode("latin-1")))
        return Face(
            abs(size) if 0 < abs(size) < _FAR else 1.0, bold, round(degrees(atan2(matrix.b, matrix.a)) / 90) % 4 * 90
        )


def turned(x: float, y: float, angle: int) -> tuple[float, float]:
    """A point of the page in the frame of text of that angle; what lies far off the page, or nowhere, at its edge."""
    x, y = (value if -_FAR < value < _FAR else 0.0 for value in (x, y))
    if angle == 0:
        return x, y
    if angle == 90:
        return y, -x
    return (-x, -y) if angle == 180 else (-y, x)
