"""Tell pages whose text cannot be read, since they are pictures, and pages whose text somebody's OCR recognised.

A scanned page is an image, with no text layer, or with one that holds only a stamp: a court's "Case 1:23-cv-1 Document
5", a Bates number. What such a page says is not in its text, and nobody may take it for read.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING

from rori_spiders.content.documents.pdf.lines import turned
from rori_spiders.content.documents.pdf.tables import read_image_bytes, read_images, read_paths

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pypdfium2  # type: ignore[import-untyped]  # it ships no types

    from rori_spiders.content.documents.pdf.lines import Word
    from rori_spiders.content.documents.pdf.tables import Point

#: Why a page was not read, as its comment in the text has it.
IMAGE, DRAWING = "an image covers this page", "this page is drawn as shapes"
# Share of a page that an image covers: scans cover all of it, but for those of smaller paper.
_COVERED, _WHOLE = 0.5, 0.8
# Without any text, an image of this share may hold what the page says, and so may so many corners of shapes: a page of
# letters as outlines has thousands.
_PICTURE, _CORNERS = 0.1, 500
# Stamps stand in the outer tenth of a page, or are short.
_MARGIN, _STAMP_CHARS = 0.1, 100
# Titles of slides are larger.
_STAMP_SIZE = 12.5
_FIGURES = re.compile(r"\d+")
_AS_LETTERS = str.maketrans("0123456789", "ghijklmnop")


def why_unread(page: pypdfium2.PdfPage, words: list[Word]) -> str:
    """`IMAGE` or `DRAWING` when the page shows what its *words* do not hold; "" for one that was read, or is blank.

    Behind it stands what identifies the picture: of a page that nobody read, that another picture stands there is all
    that can be said, and it is said in the text, as a change of it.
    """
    box = page.get_cropbox()
    chars = sum(len(word.text) for word in words if not _is_in_margin(word, box))
    if chars > _STAMP_CHARS:
        return ""
    covered = _share_of_images(page, box)
    if covered >= (_WHOLE if chars else _COVERED if words else _PICTURE):
        return f"{IMAGE} ({_identify(page)})"
    if words:
        return ""
    corners = 0
    for shape in read_paths(page):
        corners += len(shape)
        if corners > _CORNERS:
            return f"{DRAWING} ({_identify(page)})"
    return ""


def _identify(page: pypdfium2.PdfPage) -> str:
    """``picture kgajbhcdfn``: the bytes of the page's images as the file holds them, where they stand, and its shapes.

    What else a file holds (dates, numbers of objects, other pages) is not in it, and no program's way of drawing.
    """
    known = sha256()
    for held, corners in read_image_bytes(page):
        known.update(sha256(held).digest())
        known.update(repr([(round(x), round(y)) for x, y in corners]).encode())
    for shape in read_paths(page):
        known.update(repr([(round(x), round(y)) for x, y in shape]).encode())
    # In letters: figures would be taken for those of a rule.
    return f"picture {known.hexdigest()[:10].translate(_AS_LETTERS)}"


def is_recognised(page: pypdfium2.PdfPage, words: list[Word]) -> bool:
    """Whether most of the text lies unseen on an image of the page, as OCR programs put what they recognised."""
    unseen = sum(len(word.text) for word in words if word.unseen)
    if 2 * unseen <= sum(len(word.text) for word in words):
        return False
    return _share_of_images(page, page.get_cropbox()) >= _COVERED


def are_stamps(texts: Iterable[str], size: float) -> bool:
    """Whether the texts of unread pages are stamps: in small print, or one or two but for their figures."""
    return size <= _STAMP_SIZE or len({_FIGURES.sub("0", text) for text in texts} - {""}) <= 2


def _is_in_margin(word: Word, box: tuple[float, float, float, float]) -> bool:
    left, low, right, high = box
    (a, b), (c, d) = turned(left, low, word.angle), turned(right, high, word.angle)
    x0, x1, y0, y1 = min(a, c), max(a, c), min(b, d), max(b, d)
    across, up = _MARGIN * (x1 - x0), _MARGIN * (y1 - y0)
    return word.y < y0 + up or word.y > y1 - up or word.x1 < x0 + across or word.x0 > x1 - across


def _share_of_images(page: pypdfium2.PdfPage, box: tuple[float, float, float, float]) -> float:
    """The share of the page under images, strips of one scan added up; 1 at most."""
    left, low, right, high = box
    area = (right - left) * (high - low)
    return min(1.0, sum(_area_within(shape, box) for shape in read_images(page)) / area) if area > 0 else 0.0


def _area_within(shape: list[Point], box: tuple[float, float, float, float]) -> float:
    xs, ys = [x for x, _ in shape], [y for _, y in shape]
    width = min(max(xs), box[2]) - max(min(xs), box[0])
    height = min(max(ys), box[3]) - max(min(ys), box[1])
    return max(0.0, width) * max(0.0, height)
