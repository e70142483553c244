"""Columns of prose, as the Federal Register prints them: the white strips between them, and what stands in which."""

from __future__ import annotations

from itertools import chain, combinations, pairwise
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.content.documents.pdf.lines import Line
    from rori_spiders.content.documents.pdf.tables import Table

# A gutter of the Federal Register is 12 points wide; a column of prose there has 45 lines or more of some 7 words.
_GUTTER = 5.0
_FEWEST_LINES, _FEWEST_WORDS = 6, 4
_WIDEST = 14_400  # points: the largest page (ISO 32000-1 annex C)
# Strips that are tried: three gutters at most, among those of a table.
_MOST_STRIPS = 10
# A column's share of all lines, and the share of lines (titles, tables) that may run across its gutter.
_SHARE, _ACROSS = 0.15, 0.15
# Lines of prose fill their column but for the last of each paragraph.
_FILLED = 0.6


def find(lines: list[Line]) -> list[float]:
    """Where the white strips between columns of prose are, from left to right; none on a page of one column."""
    if len(lines) < 2 * _FEWEST_LINES:
        return []
    strips = _strips(lines)[:_MOST_STRIPS]
    # As many as are columns of prose: other strips are those of tables within a column.
    some = chain.from_iterable(combinations(strips, count) for count in (3, 2, 1))
    return next((list(between) for between in some if _are_columns(lines, between)), [])


def _are_columns(lines: list[Line], between: Sequence[float]) -> bool:
    edges = [float("-inf"), *between, float("inf")]
    return all(
        _is_prose([line for line in lines if left <= line.x0 and line.x1 <= right]) for left, right in pairwise(edges)
    )


def _strips(lines: list[Line]) -> list[float]:
    """The middles of strips that few lines cross, with many on both sides."""
    most = _ACROSS * len(lines)
    left, right = int(min(line.x0 for line in lines)), int(max(line.x1 for line in lines)) + 1
    if right - left > _WIDEST:
        return []
    crossing = [0] * (right - left + 2)
    for line in lines:
        crossing[int(line.x0) - left] += 1
        crossing[min(int(line.x1) + 1, right) - left] -= 1
    strips: list[tuple[int, int]] = []
    count = 0
    for x, change in enumerate(crossing, left):
        count += change
        if count <= most and strips and strips[-1][1] == x - 1:
            strips[-1] = (strips[-1][0], x)
        elif count <= most:
            strips.append((x, x))
    middles = [(start + end) / 2 for start, end in strips if end - start + 1 >= _GUTTER]
    least = _SHARE * len(lines)
    return [x for x in middles if sum(line.x1 <= x for line in lines) >= least <= sum(line.x0 >= x for line in lines)]


def _is_prose(column: list[Line]) -> bool:
    rows: dict[int, tuple[float, float, int]] = {}  # runs of one baseline: left, right, words
    for line in column:
        x0, x1, words = rows.get(round(line.y), (line.x0, line.x1, 0))
        rows[round(line.y)] = min(x0, line.x0), max(x1, line.x1), words + line.words
    if len(rows) < _FEWEST_LINES or median(words for _, _, words in rows.values()) < _FEWEST_WORDS:
        return False
    width = max(x1 for _, x1, _ in rows.values()) - min(x0 for x0, _, _ in rows.values())
    return median(x1 - x0 for x0, x1, _ in rows.values()) >= _FILLED * width


def column_of(item: Line | Table, between: list[float]) -> int | None:
    """The column that an item stands in, from 0; None when it crosses a gutter."""
    column = sum(item.x0 >= x for x in between)
    return column if column == len(between) or item.x1 <= between[column] else None
