"""A table row in two versions, cell by cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.content.differences.alignment import align, gaps
from rori_spiders.content.differences.blocks import cells_of
from rori_spiders.content.differences.difference import Cell
from rori_spiders.content.differences.marks import marks_between
from rori_spiders.content.differences.words import as_words, pieces_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.content.differences.blocks import Block


def changed_cells(old: Block, new: Block) -> tuple[Cell, ...]:
    """The cells that differ; those of a column that only one side has are empty on the other. () if it is no row."""
    before, after = cells_of(old.text), cells_of(new.text)
    if not before or not after:
        return ()
    found = []
    for i, j in _matched(before, after):
        a, b = ("" if i is None else before[i]), ("" if j is None else after[j])
        if a != b:
            pieces = pieces_of(a, b)
            words, marks = as_words(a, b, pieces), marks_between(a, b, pieces)
            found.append(Cell(after[0] or before[0], _title(old, new, i, j), words, marks))
    return tuple(found)


def _matched(before: tuple[str, ...], after: tuple[str, ...]) -> Iterator[tuple[int | None, int | None]]:
    """Which cell is which: by number in rows of one length, else by what is equal on both sides."""
    if len(before) == len(after):
        yield from ((at, at) for at in range(len(before)))
        return
    for old, new in gaps(align(before, after), len(before), len(after)):
        both = min(len(old), len(new))
        yield from ((old[k], new[k]) for k in range(both))
        yield from ((i, None) for i in old[both:])
        yield from ((None, j) for j in new[both:])


def _title(old: Block, new: Block, i: int | None, j: int | None) -> str:
    """The title of the cell's column, or its number where the table has none."""
    titles, at = (new.titles, j) if j is not None else (old.titles, i)
    assert at is not None
    return titles[at] if at < len(titles) and titles[at] else f"column {at + 1}"
