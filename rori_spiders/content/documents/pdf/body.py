"""One page of a PDF as markdown: headings, paragraphs, tables."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from rori_spiders.content.documents.pdf.flow import Vocabulary, flowing
from rori_spiders.content.documents.pdf.lines import Line
from rori_spiders.content.documents.pdf.paragraphs import paragraphs
from rori_spiders.content.documents.pdf.print import rounded
from rori_spiders.content.documents.pdf.tables import Table

if TYPE_CHECKING:
    from rori_spiders.content.documents.pdf.outline import Levels
    from rori_spiders.content.documents.pdf.page import Page


def write(read: Page, levels: Levels, vocabulary: Vocabulary) -> str:
    """The blocks of a page. ``levels`` are those of its headings."""

    def level(line: Line) -> int:
        return levels.get(id(line), 0)

    blocks: list[str] = []
    for is_table, run in groupby([*read.items, *read.aside], key=lambda item: isinstance(item, Table)):
        if is_table:
            blocks += [item.markdown for item in run if isinstance(item, Table)]
            continue
        for paragraph in paragraphs([item for item in run if isinstance(item, Line)], level):
            depth = level(paragraph[0])
            text = flowing(paragraph, vocabulary, heading=bool(depth))
            blocks.append(f"{'#' * depth} {text}" if depth else text)
    return "\n\n".join(blocks)


def title(first: Page, levels: Levels) -> str | None:
    """The largest heading of a page, if one is: its rows follow one another."""
    places = [index for index, item in enumerate(first.items) if isinstance(item, Line) and id(item) in levels]
    lines = {index: item for index in places if isinstance(item := first.items[index], Line)}
    size = max((rounded(line.size) for line in lines.values()), default=0.0)
    rows = [index for index, line in lines.items() if rounded(line.size) == size]
    if not rows or rows != list(range(rows[0], rows[-1] + 1)):
        return None
    return " ".join(lines[index].text for index in rows)[:300]
