"""Comments in the text of a PDF: where each page begins, and what was not read of it. Markdown shows none of them."""

from __future__ import annotations

import re

_UNREAD = re.compile(r"^<!-- page (\d+) -->\n\n<!-- not read: ([^>\n]*)", re.MULTILINE)
_PICTURE = re.compile(r"\(picture (\w+)\)")


def page_mark(number: int) -> str:
    """The line before the text of a page."""
    return f"<!-- page {number} -->"


def unread_mark(why: str) -> str:
    """The line that stands below it, where the page shows more than its text says."""
    return f"<!-- not read: {why} -->"


def recognised_mark(engine: str, confidence: float) -> str:
    """The line that stands below it, where OCR read the page."""
    return f"<!-- recognised by OCR ({engine}), confidence {confidence:.2f}: words and digits may be wrong -->"


def find_unread(markdown: str) -> tuple[int, ...]:
    """The pages of a PDF that were not read, by the comments in its text."""
    return tuple(int(found[1]) for found in _UNREAD.finditer(markdown))


def replaced_pictures(old: str, new: str) -> tuple[int, ...]:
    """The pages of *new* that were not read, and that show a picture which was on none of the unread pages of *old*."""
    before, after = (
        {int(found[1]): picture[1] for found in _UNREAD.finditer(text) if (picture := _PICTURE.search(found[2]))}
        for text in (old, new)
    )
    return tuple(number for number, picture in after.items() if before and picture not in before.values())
