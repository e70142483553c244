"""Rules to grids: which of them form the cells of a table. A grid that is not whole is no table.

xs  10    60    90        Each cell is a box between two neighbouring xs and ys; cells without a rule between them
ys  ┌─────┬─────┐ 50      are one cell that spans, and must then be a box themselves.
    │     ├─────┤ 40
    └─────┴─────┘ 30
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rori_spiders.content.documents.pdf.meeting import NEAR, groups, merged
from rori_spiders.content.documents.pdf.rules import Rule

if TYPE_CHECKING:
    from rori_spiders.content.documents.pdf.rules import Rules

# So much of a cell's edge must be ruled: corners are drawn short or round.
_RULED = 0.8
# A page holds fewer: the widest table of a year of the Federal Register has 22 columns. More is a drawing or a chart.
_MAX_LINES = 200
# Before rules that are drawn cell by cell are put together, and after.
_MAX_DRAWN = 20_000
_MAX_RULES = 600


@dataclass(frozen=True, slots=True)
class Box:
    """Columns and rows of a cell, from the top left, both ends included."""

    left: int
    top: int
    right: int
    bottom: int


@dataclass(frozen=True, slots=True)
class Grid:
    xs: list[float]  # from left to right
    ys: list[float]  # from the top down
    cells: list[Box]  # row by row

    def place(self, x: float, y: float) -> tuple[int, int] | None:
        """Column and row of a point; None outside."""
        column = sum(x >= edge for edge in self.xs) - 1
        row = sum(y <= edge for edge in self.ys) - 1
        inside = 0 <= column < len(self.xs) - 1 and 0 <= row < len(self.ys) - 1
        return (column, row) if inside else None


def grids_of(rules: Rules) -> list[Grid]:
    """The grids of a page, of two columns and two rows at least, from the top down."""
    if len(rules.across) + len(rules.down) > _MAX_DRAWN:
        return []
    across, down = merged(rules.across), merged(rules.down)
    if len(across) + len(down) > _MAX_RULES:
        return []
    found = [_grid(*group) for group in groups(across, down)]
    return sorted((grid for grid in found if grid), key=lambda grid: (-grid.ys[0], grid.xs[0]))


def _grid(across: list[Rule], down: list[Rule]) -> Grid | None:
    down = down + _open_sides(across, down)
    xs = sorted({rule.at for rule in down})
    ys = sorted({rule.at for rule in across}, reverse=True)
    if not (3 <= len(xs) <= _MAX_LINES and 3 <= len(ys) <= _MAX_LINES):
        return None
    cells = _cells(xs, ys, across, down)
    if cells is None or len({cell.left for cell in cells}) < 2 or len({cell.top for cell in cells}) < 2:
        return None
    return Grid(xs, ys, cells)


def _open_sides(across: list[Rule], down: list[Rule]) -> list[Rule]:
    """Left and right edges that print leaves out, where all rules across begin, or end, at one place."""
    low, high = min(rule.at for rule in across), max(rule.at for rule in across)
    sides = []
    for ends in ([rule.start for rule in across], [rule.end for rule in across]):
        closed = any(min(ends) - NEAR <= rule.at <= max(ends) + NEAR for rule in down)
        if max(ends) - min(ends) <= NEAR and not closed:
            sides.append(Rule(ends[0], low, high))
    return sides


def _cells(xs: list[float], ys: list[float], across: list[Rule], down: list[Rule]) -> list[Box] | None:
    """The cells, or None when the rules do not close boxes."""
    columns, rows = len(xs) - 1, len(ys) - 1
    steep = [[rule for rule in down if rule.at == x] for x in xs]
    flat = [[rule for rule in across if rule.at == y] for y in ys]
    walls = [[_ruled(steep[c], ys[r + 1], ys[r]) for c in range(columns + 1)] for r in range(rows)]
    floors = [[_ruled(flat[r], xs[c], xs[c + 1]) for c in range(columns)] for r in range(rows + 1)]
    if not all(floors[0]) or not all(floors[-1]) or not all(wall[0] and wall[-1] for wall in walls):
        return None
    owner: dict[tuple[int, int], Box] = {}
    cells = []
    for row in range(rows):
        for column in range(columns):
            if (column, row) in owner:
                continue
            box = _grown(column, row, walls, floors)
            inside = [(c, r) for c in range(box.left, box.right + 1) for r in range(box.top, box.bottom + 1)]
            if any(place in owner for place in inside) or not _whole(box, walls, floors):
                return None
            owner.update(dict.fromkeys(inside, box))
            cells.append(box)
    return cells


def _grown(column: int, row: int, walls: list[list[bool]], floors: list[list[bool]]) -> Box:
    right, bottom = column, row
    while not walls[row][right + 1]:
        right += 1
    while not floors[bottom + 1][column]:
        bottom += 1
    return Box(column, row, right, bottom)


def _whole(box: Box, walls: list[list[bool]], floors: list[list[bool]]) -> bool:
    """Whether a cell has all of its edges and none within."""
    rows, columns = range(box.top, box.bottom + 1), range(box.left, box.right + 1)
    return (
        all(walls[row][box.left] and walls[row][box.right + 1] for row in rows)
        and all(floors[box.top][column] and floors[box.bottom + 1][column] for column in columns)
        and not any(walls[row][edge] for row in rows for edge in range(box.left + 1, box.right + 1))
        and not any(floors[edge][column] for column in columns for edge in range(box.top + 1, box.bottom + 1))
    )


def _ruled(rules: list[Rule], start: float, end: float) -> bool:
    covered = sum(max(0.0, min(rule.end, end) - max(rule.start, start)) for rule in rules)
    return covered >= _RULED * (end - start)
