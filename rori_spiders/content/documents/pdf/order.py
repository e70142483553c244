"""The order in which a page is read. PDFium gives the order in which it was drawn: kept, unless it is certainly wrong.

Wrong are two things: lines of two columns of prose that take turns, and a block that comes after one that stands
below it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from rori_spiders.content.documents.pdf import gutters
from rori_spiders.content.documents.pdf.tables import Table

if TYPE_CHECKING:
    from rori_spiders.content.documents.pdf.lines import Line

    Item = Line | Table

# Beyond this many blocks a page is a form or a map; placing them takes the square of their number.
_MAX_BLOCKS = 400


@dataclass(slots=True)
class _Block:
    """Lines that follow one another down the page."""

    items: list[Item]
    x0: float
    x1: float
    top: float
    bottom: float


def ordered(items: list[Item], between: list[float]) -> list[Item]:
    """Lines and tables of a page in reading order. *between* are its gutters."""
    if between and _take_turns(items, between):
        items = _by_column(items, between)
    return _downward(items)


def _take_turns(items: list[Item], between: list[float]) -> bool:
    columns = [column for item in items if (column := gutters.column_of(item, between)) is not None]
    switches = sum(a != b for a, b in pairwise(columns))
    # Drawn column by column, a page of k columns switches k - 1 times for each of its parts.
    return switches > len(columns) / 3


def _by_column(items: list[Item], between: list[float]) -> list[Item]:
    """Part by part, from one item that runs across to the next; in each, column by column from the top down."""
    across = sorted((item.y for item in items if gutters.column_of(item, between) is None), reverse=True)

    def place(item: Item) -> tuple[int, int, float, float]:
        column = gutters.column_of(item, between)
        part = sum(y > item.y for y in across)
        return (2 * part, 0, -item.y, item.x0) if column is None else (2 * part - 1, column, -item.y, item.x0)

    return sorted(items, key=place)


def _downward(items: list[Item]) -> list[Item]:
    """Each block after those that stand above it: where two are in the wrong order, the smaller one is moved."""
    blocks = _blocks(items)
    if not 1 < len(blocks) <= _MAX_BLOCKS:
        return items
    moved = {
        min((later, index), key=lambda place: (len(blocks[place].items), place))
        for index, block in enumerate(blocks)
        for later in range(index + 1, len(blocks))
        if _above(blocks[later], block)
    }
    out = [block for index, block in enumerate(blocks) if index not in moved]
    for index in sorted(moved, key=lambda place: (-blocks[place].top, blocks[place].x0)):
        out.insert(_place(blocks[index], out), blocks[index])
    return [item for block in out for item in block.items]


def _place(block: _Block, others: list[_Block]) -> int:
    """Where a block belongs: first or last when it stands over or under all, else beside those in its column."""
    if all(block.bottom >= other.top for other in others):
        return 0
    if all(other.bottom >= block.top for other in others):
        return len(others)
    below = [index for index, other in enumerate(others) if _above(block, other)]
    over = [index + 1 for index, other in enumerate(others) if _above(other, block)]
    return max([min(below, default=len(others)) if not over else 0, *over])


def _blocks(items: list[Item]) -> list[_Block]:
    blocks: list[_Block] = []
    for item in items:
        top = item.top if isinstance(item, Table) else item.y + item.size
        last = blocks[-1] if blocks else None
        if last and item.y <= last.bottom and last.bottom - top <= top - item.y and _overlap(last, item.x0, item.x1):
            last.items.append(item)
            last.x0, last.x1, last.bottom = min(last.x0, item.x0), max(last.x1, item.x1), item.y
        else:
            blocks.append(_Block([item], item.x0, item.x1, top, item.y))
    return blocks


def _above(block: _Block, other: _Block) -> bool:
    return block is not other and block.bottom >= other.top and _overlap(block, other.x0, other.x1)


def _overlap(block: _Block, x0: float, x1: float) -> bool:
    """Whether the narrower of two stands for the most part over or under the other."""
    shared = min(block.x1, x1) - max(block.x0, x0)
    return shared > 0 and shared >= 0.5 * min(block.x1 - block.x0, x1 - x0)
