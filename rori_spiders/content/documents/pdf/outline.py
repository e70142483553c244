"""The outline (bookmarks) of a PDF: which headings it names on which page, at which level."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pypdfium2  # type: ignore[import-untyped]  # it ships no types

    from rori_spiders.content.documents.pdf.lines import Line

    Entries = dict[int, list[tuple[int, str]]]  # page number, from 1 -> level, from 1, and normalised title of each
    Levels = dict[int, int]  # id of a line -> its level

# Handbook 4000.1 has some 3,000; an outline of more is an index.
_MAX_ENTRIES = 20_000
DEEPEST = 6  # of markdown's headings
_ROWS = 4
# How headings are numbered in print while the outline leaves it out: "4.4", "Chapter 4.", "§ 1026.32", "II.A".
_LABEL = re.compile(r"(?:chapter|section|part|subpart|appendix)?[0-9ivxlc.]{0,12}[a-z]?[0-9]{0,4}")


def read(document: pypdfium2.PdfDocument) -> Entries:
    """Level and normalised title of each entry, by page number.

    Entries that lead to no page or have no title are left out: many outlines are broken, and none is needed.
    """
    entries: Entries = {}
    for bookmark in islice(document.get_toc(), _MAX_ENTRIES):
        destination = bookmark.get_dest()
        page = destination.get_index() if destination else None
        title = normal(bookmark.get_title())
        if page is not None and title:
            entries.setdefault(page + 1, []).append((bookmark.level + 1, title))
    return entries


def normal(text: str) -> str:
    """Letters and digits only, without case: outlines differ from print in blanks, dashes and quotes."""
    return "".join(char for char in text.casefold() if char.isalnum())


def named(lines: list[Line], entries: list[tuple[int, str]]) -> Levels:
    """The lines that the outline names: their own text, over up to four rows, the largest where there are several."""
    found: Levels = {}
    if not entries:
        return found
    texts = [normal(line.text) for line in lines]
    for level, title in entries:
        matches = [
            range(start, end)
            for start in range(len(lines))
            for end in range(start + 1, min(start + _ROWS, len(lines)) + 1)
            if _is_title("".join(texts[start:end]), title) and not any(id(line) in found for line in lines[start:end])
        ]
        if matches:
            best = max(matches, key=lambda rows: (lines[rows[0]].size, -rows[0]))
            found |= {id(lines[row]): min(level, DEEPEST) for row in best}
    return found


def _is_title(text: str, title: str) -> bool:
    return text == title or (text.endswith(title) and bool(_LABEL.fullmatch(text[: -len(title)])))
