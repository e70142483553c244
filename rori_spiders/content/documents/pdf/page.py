"""One page of a PDF as its items in reading order: lines of text and tables."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rori_spiders.content.documents.pdf import grid, gutters, order, rules, tables, words
from rori_spiders.content.documents.pdf.lines import Line, lines_of
from rori_spiders.content.documents.pdf.rows import joined, one_level
from rori_spiders.content.documents.pdf.tables import Table

if TYPE_CHECKING:
    import pypdfium2  # type: ignore[import-untyped]  # it ships no types

    from rori_spiders.content.documents.pdf.order import Item
    from rori_spiders.content.documents.pdf.words import Word

# A page of the Federal Register holds some 1,100 words, the fullest table some 3,000. Beyond this a page is a drawing
# with labels, or an attack; its text is taken as PDFium gives it.
MAX_WORDS = 20_000


@dataclass(slots=True)
class Page:
    """What a page holds. ``number`` counts from 1."""

    number: int
    items: list[Item]  # in reading order
    aside: list[Line] = field(default_factory=list)  # set at another angle than the rest: stamps along the margin
    gutters: list[float] = field(default_factory=list)
    chars: int = 0  # of all words


def read(page: pypdfium2.PdfPage, number: int) -> Page | None:
    """A page of the document; None for one with more than `MAX_WORDS`."""
    with closing(page.get_textpage()) as textpage:
        found = words.read(textpage)
    if len(found) > MAX_WORDS:
        return None
    chars = sum(len(word.text) for word in found)
    angle = _main_angle(found)
    upright = [word for word in found if word.angle == angle]
    parts = tables.find(upright, grid.grids_of(rules.read(page).turned(angle)) if upright else [])
    items = _items(parts)
    lines = [item for item in items if isinstance(item, Line)]
    between = gutters.find(lines)
    aside = lines_of(word for word in found if word.angle != angle)
    return Page(number, order.ordered(items, between), aside, between, chars)


def settle(page: Page) -> None:
    """Put runs of one row together and tell where columns end: when running lines, which are runs, are gone."""
    page.items = _rows(page.items, page.gutters)
    _set_right_edges([item for item in page.items if isinstance(item, Line)], page.gutters)


def _main_angle(found: list[Word]) -> int:
    """The angle of most of the text: a table on its side makes the page be read on its side."""
    chars: Counter[int] = Counter()
    for word in found:
        chars[word.angle] += len(word.text)
    return max(chars, key=lambda angle: (chars[angle], -angle), default=0)


def _items(parts: list[Word | Table]) -> list[Item]:
    """Lines and tables, in the order of their first words."""
    items: list[Item] = []
    run: list[Word] = []
    for part in parts:
        if isinstance(part, Table):
            items += [*lines_of(run), part]
            run = []
        else:
            run.append(part)
    return items + lines_of(run)


def _rows(items: list[Item], between: list[float]) -> list[Item]:
    """Runs that follow one another on one baseline put together again, unless a gutter is between them."""
    rows: list[Item] = []
    for item in items:
        last = rows[-1] if rows else None
        if isinstance(item, Line) and isinstance(last, Line) and _one_row(last, item, between):
            rows[-1] = joined(last, item)
        else:
            rows.append(item)
    return rows


def _one_row(left: Line, right: Line, between: list[float]) -> bool:
    if left.broken or not one_level(left, right) or right.x0 < left.x1 - left.size:
        return False
    return gutters.column_of(left, between) == gutters.column_of(right, between)


def _set_right_edges(lines: list[Line], between: list[float]) -> None:
    """Where the lines of each column end: a line that ends before it was broken on purpose."""
    edges: dict[int | None, float] = {}
    places = [gutters.column_of(line, between) for line in lines]
    for line, place in zip(lines, places, strict=True):
        edges[place] = max(edges.get(place, line.x1), line.x1)
    for line, place in zip(lines, places, strict=True):
        line.right = edges[place]
