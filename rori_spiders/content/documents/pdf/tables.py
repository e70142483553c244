"""Ruled grids with the words that stand in them: tables. A grid that does not hold whole words is no table."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from rori_spiders.content.documents.pdf.lines import lines_of
from rori_spiders.content.documents.pdf.rows import in_rows
from rori_spiders.content.documents.tables import pipe_table

if TYPE_CHECKING:
    from rori_spiders.content.documents.pdf.grid import Box, Grid
    from rori_spiders.content.documents.pdf.words import Word

# Glyphs reach over a rule by less: side bearings and italics.
_OVER = 3.0
# As on the HTML side (markdown/layout.py): longer cells are passages that a frame puts beside each other.
_ENTRY_CHARS, _LONGEST_CHARS, _FEW_ROWS = 600, 6000, 3


@dataclass(slots=True)
class Table:
    """A table in its place among the lines of a page. Points."""

    markdown: str
    x0: float
    x1: float
    y: float  # its lower edge
    top: float


def find(words: list[Word], grids: list[Grid]) -> list[Word | Table]:
    """The words of a page, those of each table replaced by it, where its first word stood."""
    rest: list[Word | Table] = list(words)
    for grid in grids:
        inside = {id(item) for item in rest if not isinstance(item, Table) and _stands_in(grid, item)}
        table = _table(grid, [item for item in rest if id(item) in inside]) if inside else None
        if table:
            first = next(index for index, item in enumerate(rest) if id(item) in inside)
            rest = [*rest[:first], table, *(item for item in rest[first:] if id(item) not in inside)]
    return rest


def _stands_in(grid: Grid, word: Word) -> bool:
    return grid.place((word.x0 + word.x1) / 2, word.y + 0.3 * word.size) is not None


def _table(grid: Grid, words: list[Word | Table]) -> Table | None:
    cells: dict[Box, list[Word]] = {box: [] for box in grid.cells}
    owner = {
        (column, row): box
        for box in grid.cells
        for column in range(box.left, box.right + 1)
        for row in range(box.top, box.bottom + 1)
    }
    for word in words:
        if isinstance(word, Table):
            return None
        place = grid.place((word.x0 + word.x1) / 2, word.y + 0.3 * word.size)
        box = owner[place] if place else None
        if box is None or word.x0 < grid.xs[box.left] - _OVER or word.x1 > grid.xs[box.right + 1] + _OVER:
            return None
        cells[box].append(word)
    if not _holds_entries(grid, cells):
        return None
    texts = {box: _text(part) for box, part in cells.items()}
    columns, rows = range(len(grid.xs) - 1), range(len(grid.ys) - 1)
    lines = [[texts[owner[column, row]] for column in columns] for row in rows]
    head = _head(grid, cells)
    markdown = pipe_table(lines[0] if head else [], lines[head:])
    return Table(markdown, grid.xs[0], grid.xs[-1], grid.ys[-1], grid.ys[0])


def _text(words: list[Word]) -> str:
    return "".join(line.markdown + " " * (not line.broken) for line in in_rows(lines_of(words))).strip()


def _holds_entries(grid: Grid, cells: dict[Box, list[Word]]) -> bool:
    """Whether at least two columns and two rows hold text, and no cell a passage."""
    filled = [box for box, words in cells.items() if words]
    if len({box.left for box in filled}) < 2 or len({box.top for box in filled}) < 2:
        return False
    longest = max(sum(len(word.text) + 1 for word in words) for words in cells.values())
    return longest <= (_ENTRY_CHARS if len(grid.ys) - 1 < _FEW_ROWS else _LONGEST_CHARS)


def _head(grid: Grid, cells: dict[Box, list[Word]]) -> int:
    """1 when the first row is a head: all of it bold, and not all of the rest."""
    first = list(chain.from_iterable(words for box, words in cells.items() if box.top == 0))
    rest = chain.from_iterable(words for box, words in cells.items() if box.top > 0)
    return int(bool(first) and all(word.bold for word in first) and not all(word.bold for word in rest))
