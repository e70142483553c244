"""The paths that a page draws, as their corners. Points of the page, unturned.

Curves are left out, and so is what shows nothing: white fills, and paths that only cut others off.
"""

from __future__ import annotations

from ctypes import byref, c_float, c_int, c_uint
from typing import TYPE_CHECKING, Any

import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # it ships no types

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pypdfium2

    Point = tuple[float, float]
    Matrix = tuple[float, float, float, float, float, float]

# A page with more objects than this is a drawing or a map; a full page of ruled cells has some 2,000.
_MAX_OBJECTS = 20_000
# Forms hold forms; Word and Chromium use one level, print shops two.
_DEPTH = 3
_UNMOVED = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def read(page: pypdfium2.PdfPage) -> Iterator[list[Point]]:
    """The corners of each drawn path, one after the other."""
    return _shapes(page.raw, _UNMOVED, _DEPTH)


def _shapes(holder: Any, matrix: Matrix, depth: int) -> Iterator[list[Point]]:
    """Paths of a page, or of a form on it, which has a frame of its own."""
    form = depth < _DEPTH
    count = pdfium.FPDFFormObj_CountObjects(holder) if form else pdfium.FPDFPage_CountObjects(holder)
    for index in range(min(count, _MAX_OBJECTS)):
        item = pdfium.FPDFFormObj_GetObject(holder, index) if form else pdfium.FPDFPage_GetObject(holder, index)
        kind = pdfium.FPDFPageObj_GetType(item)
        if kind == pdfium.FPDF_PAGEOBJ_PATH and _is_drawn(item):
            yield from _subpaths(item, _times(_matrix(item), matrix))
        elif kind == pdfium.FPDF_PAGEOBJ_FORM and depth:
            yield from _shapes(item, _times(_matrix(item), matrix), depth - 1)


def _is_drawn(path: Any) -> bool:
    """Whether a path is filled or stroked: one that only cuts others off shows nothing."""
    fill, stroke = c_int(), c_int()
    pdfium.FPDFPath_GetDrawMode(path, byref(fill), byref(stroke))
    if not stroke.value and fill.value:
        red, green, blue, alpha = c_uint(255), c_uint(255), c_uint(255), c_uint(255)
        pdfium.FPDFPageObj_GetFillColor(path, byref(red), byref(green), byref(blue), byref(alpha))
        return min(red.value, green.value, blue.value) < 250 and alpha.value > 0
    return bool(stroke.value)


def _subpaths(path: Any, matrix: Matrix) -> Iterator[list[Point]]:
    x, y = c_float(), c_float()
    corners: list[Point] = []
    for index in range(pdfium.FPDFPath_CountSegments(path)):
        segment = pdfium.FPDFPath_GetPathSegment(path, index)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        pdfium.FPDFPathSegment_GetPoint(segment, byref(x), byref(y))
        if kind != pdfium.FPDF_SEGMENT_LINETO and corners:
            yield corners
            corners = []
        if kind != pdfium.FPDF_SEGMENT_BEZIERTO:
            corners.append(_moved(x.value, y.value, matrix))
        if pdfium.FPDFPathSegment_GetClose(segment) and corners:
            corners.append(corners[0])
    if corners:
        yield corners


def _matrix(item: Any) -> Matrix:
    m = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(item, byref(m))
    return m.a, m.b, m.c, m.d, m.e, m.f


def _times(inner: Matrix, outer: Matrix) -> Matrix:
    a, b, c, d, e, f = inner
    (x, y), (u, v), (p, q) = _moved(a, b, outer), _moved(c, d, outer), _moved(e, f, outer)
    (s, t) = outer[4:]
    return x - s, y - t, u - s, v - t, p, q


def _moved(x: float, y: float, matrix: Matrix) -> Point:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f
