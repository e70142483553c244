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
    """Each block after all that stand above it, which are fetched when its turn comes; else in the order given."""
    blocks = _blocks(items)
    if not 1 < len(blocks) <= _MAX_BLOCKS:
        return items
    above = [[other for other in range(len(blocks)) if _above(blocks[other], block)] for block in blocks]
    placed: dict[int, None] = {}

    def place(index: int) -> None:
        if index not in placed:
            for other in above[index]:
                place(other)
            placed[index] = None

    for index in range(len(blocks)):
        place(index)
    return [item for index in placed for item in blocks[index].items]


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
