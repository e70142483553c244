"""The paths that a page draws, as their corners. Points of the page, unturned.

Curves are left out, and so is what shows nothing: white fills, and paths that only cut others off.
"""

from __future__ import annotations

import re
from ctypes import byref, c_float, c_int, c_uint, create_string_buffer
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, groupby, islice, pairwise
from typing import TYPE_CHECKING, Any

import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # it ships no types

from rori_spiders.content.documents.escaping import block
from rori_spiders.content.documents.pdf.lines import LEVEL, Word, in_rows, lines_of, turned
from rori_spiders.content.documents.tables import pipe_table
from rori_spiders.content.markdown.tables import repeated

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pypdfium2

    Point = tuple[float, float]
    Matrix = tuple[float, float, float, float, float, float]


# A page with more objects than this is a drawing or a map; a full page of ruled cells has some 2,000.
_MAX_OBJECTS = 20_000
# Forms hold forms; Word and Chromium use one level, print shops two.
_DEPTH = 3
_UNMOVED = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def read_paths(page: pypdfium2.PdfPage) -> Iterator[list[Point]]:
    """The corners of each drawn path, one after the other."""
    for item, matrix in _drawn_paths(page):
        yield from _subpaths(item, matrix)


def _drawn_paths(page: pypdfium2.PdfPage) -> Iterator[tuple[Any, Matrix]]:
    for kind, item, matrix in _objects(page.raw, _UNMOVED, _DEPTH, iter(range(_MAX_OBJECTS))):
        if kind == pdfium.FPDF_PAGEOBJ_PATH and _is_drawn(item):
            yield item, matrix


def read_images(page: pypdfium2.PdfPage) -> Iterator[list[Point]]:
    """The four corners of each picture."""
    for _, corners in _images(page):
        yield corners


def read_image_bytes(page: pypdfium2.PdfPage) -> Iterator[tuple[bytes, list[Point]]]:
    """The bytes of each picture as the file holds them, compressed, and its four corners."""
    for item, corners in _images(page):
        size = pdfium.FPDFImageObj_GetImageDataRaw(item, None, 0)
        held = create_string_buffer(size)
        pdfium.FPDFImageObj_GetImageDataRaw(item, held, size)
        yield held.raw, corners


def _images(page: pypdfium2.PdfPage) -> Iterator[tuple[Any, list[Point]]]:
    for kind, item, matrix in _objects(page.raw, _UNMOVED, _DEPTH, iter(range(_MAX_OBJECTS))):
        if kind == pdfium.FPDF_PAGEOBJ_IMAGE:
            yield item, [_moved(x, y, matrix) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]


def _objects(holder: Any, matrix: Matrix, depth: int, left: Iterator[int]) -> Iterator[tuple[int, Any, Matrix]]:
    """Paths and pictures of a page, or of a form on it: kind, object, and frame on the page; as many as *left*."""
    form = depth < _DEPTH
    count = pdfium.FPDFFormObj_CountObjects(holder) if form else pdfium.FPDFPage_CountObjects(holder)
    for index, _ in zip(range(count), left, strict=False):
        item = pdfium.FPDFFormObj_GetObject(holder, index) if form else pdfium.FPDFPage_GetObject(holder, index)
        kind = pdfium.FPDFPageObj_GetType(item)
        if kind == pdfium.FPDF_PAGEOBJ_FORM and depth:
            yield from _objects(item, _times(_matrix(item), matrix), depth - 1, left)
        elif kind in {pdfium.FPDF_PAGEOBJ_PATH, pdfium.FPDF_PAGEOBJ_IMAGE}:
            yield kind, item, _times(_matrix(item), matrix)


def _is_drawn(path: Any) -> bool:
    """Whether a path is filled or stroked: one that only cuts others off shows nothing."""
    fill, stroke = c_int(), c_int()
    pdfium.FPDFPath_GetDrawMode(path, byref(fill), byref(stroke))
    if not stroke.value and fill.value:
        red, green, blue, alpha = c_uint(255), c_uint(255), c_uint(255), c_uint(255)
        pdfium.FPDFPageObj_GetFillColor(path, byref(red), byref(green), byref(blue), byref(alpha))
        return min(red.value, green.value, blue.value) < 250 and alpha.value > 0
    return bool(stroke.value)


def _look(path: Any) -> tuple[bool, bool]:
    """Whether a path is filled dark, and whether it is filled alone, without a line about it."""
    fill, stroke = c_int(), c_int()
    pdfium.FPDFPath_GetDrawMode(path, byref(fill), byref(stroke))
    red, green, blue, alpha = c_uint(255), c_uint(255), c_uint(255), c_uint(255)
    pdfium.FPDFPageObj_GetFillColor(path, byref(red), byref(green), byref(blue), byref(alpha))
    is_dark = bool(fill.value) and max(red.value, green.value, blue.value) < _DARK and alpha.value > 0
    return is_dark, bool(fill.value) and not stroke.value


def _subpaths(path: Any, matrix: Matrix) -> Iterator[list[Point]]:
    x, y = c_float(), c_float()
    corners: list[Point] = []
    for index in range(pdfium.FPDFPath_CountSegments(path)):
        segment = pdfium.FPDFPath_GetPathSegment(path, index)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        pdfium.FPDFPathSegment_GetPoint(segment, byref(x), byref(y))
        if kind != pdfium.FPDF_SEGMENT_LINETO and corners:
            yield corners
            corners = []
        if kind != pdfium.FPDF_SEGMENT_BEZIERTO:
            corners.append(_moved(x.value, y.value, matrix))
        if pdfium.FPDFPathSegment_GetClose(segment) and corners:
            corners.append(corners[0])
    if corners:
        yield corners


def _matrix(item: Any) -> Matrix:
    m = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(item, byref(m))
    return m.a, m.b, m.c, m.d, m.e, m.f


def _times(inner: Matrix, outer: Matrix) -> Matrix:
    a, b, c, d, e, f = inner
    (x, y), (u, v), (p, q) = _moved(a, b, outer), _moved(c, d, outer), _moved(e, f, outer)
    (s, t) = outer[4:]
    return x - s, y - t, u - s, v - t, p, q


def _moved(x: float, y: float, matrix: Matrix) -> Point:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


# The straight rules that a page draws: lines and the edges of boxes, across and down. Points of the page, unturned.
# Curves and slanted lines are drawings, no rules.

# A page with more corners than this is a drawing or a map; a full page of ruled cells has some 5,000.
_MAX_POINTS = 20_000
_DARK = 128
# A box this thin, in points, is a rule that was drawn as a box.
_THIN = 3.0
_SHORTEST = 4.0


@dataclass(frozen=True, slots=True, order=True)
class Rule:
    """From *start* to *end* along one axis, at *at* on the other."""

    at: float
    start: float
    end: float
    is_tint: bool = field(default=False, compare=False)  # the edge of a tinted area, where no line is drawn


@dataclass(frozen=True, slots=True)
class Rules:
    across: list[Rule]  # at: y
    down: list[Rule]  # at: x
    strokes: list[Point] = field(default_factory=list)  # where else something is drawn: on slanted lines, curves, fills

    def turned(self, angle: int) -> Rules:
        """The same rules in the frame of text of that angle (see `glyphs.turned`)."""
        if angle == 0:
            return self
        strokes = [turned(x, y, angle) for x, y in self.strokes]
        if angle == 180:
            across, down = ([_mirrored(rule, at=True) for rule in rules] for rules in (self.across, self.down))
            return Rules(across, down, strokes)
        # A quarter to the left lays x' on y and y' on -x; a quarter to the right, x' on -y and y' on x.
        left = angle == 90
        return Rules(
            across=[replace(rule, at=-rule.at) if left else _mirrored(rule, at=False) for rule in self.down],
            down=[_mirrored(rule, at=False) if left else replace(rule, at=-rule.at) for rule in self.across],
            strokes=strokes,
        )


def _mirrored(rule: Rule, *, at: bool) -> Rule:
    return replace(rule, at=-rule.at if at else rule.at, start=-rule.end, end=-rule.start)


def read_rules(page: pypdfium2.PdfPage) -> Rules:
    """The rules of a page; none for a page that is a drawing."""
    across: list[Rule] = []
    down: list[Rule] = []
    strokes: list[Point] = []
    points = 0
    for path, matrix in _drawn_paths(page):
        is_dark, is_filled = _look(path)
        shapes = list(islice(_subpaths(path, matrix), _MAX_POINTS))
        # A border drawn as the area between two boxes.
        is_frame = len(shapes) == 2 and all(abs(a - b) <= _THIN for a, b in zip(*map(_extent, shapes), strict=True))
        is_dark, is_filled = is_dark and not is_frame, is_filled and not is_frame
        for shape in shapes:
            points += len(shape)
            if points > _MAX_POINTS:
                return Rules([], [])
            edges = list(_edges(shape))
            for start, end in edges:
                if not _sort(start, end, across, down, is_tint=is_filled and len(edges) > 1):
                    strokes.append(((start[0] + end[0]) / 2, (start[1] + end[1]) / 2))
            if is_dark or len(shape) == 1:
                x0, y0, x1, y1 = _extent(shape)
                strokes.append(((x0 + x1) / 2, (y0 + y1) / 2))
    return Rules(across, down, strokes)


def _extent(shape: list[Point]) -> tuple[float, float, float, float]:
    xs, ys = [x for x, _ in shape], [y for _, y in shape]
    return min(xs), min(ys), max(xs), max(ys)


def _edges(shape: list[Point]) -> Iterator[tuple[Point, Point]]:
    """A thin box is one edge along its middle, any other shape is all of its edges."""
    left, low, right, high = _extent(shape)
    if len(shape) >= 4 and high - low <= _THIN:
        yield (left, (low + high) / 2), (right, (low + high) / 2)
    elif len(shape) >= 4 and right - left <= _THIN:
        yield ((left + right) / 2, low), ((left + right) / 2, high)
    else:
        yield from pairwise(shape)


def _sort(start: Point, end: Point, across: list[Rule], down: list[Rule], *, is_tint: bool) -> bool:
    """Put an edge among the rules; False for one that is none."""
    width, height = abs(start[0] - end[0]), abs(start[1] - end[1])
    if height <= 0.5 and width >= _SHORTEST:
        across.append(Rule((start[1] + end[1]) / 2, min(start[0], end[0]), max(start[0], end[0]), is_tint))
    elif width <= 0.5 and height >= _SHORTEST:
        down.append(Rule((start[0] + end[0]) / 2, min(start[1], end[1]), max(start[1], end[1]), is_tint))
    else:
        return False
    return True


# Which rules are one, and which meet: pieces on one line put together, and groups of rules that hang together.

# Rules that are meant to meet do so within this many points.
NEAR = 2.5


def merged(rules: list[Rule]) -> list[Rule]:
    """Rules at one place that touch or overlap, as one."""
    out: list[Rule] = []
    for level in _levels(rules):
        at = sum(rule.at for rule in level) / len(level)
        for rule in sorted(level, key=lambda rule: rule.start):
            last = out[-1] if out and out[-1].at == at else None
            if last and rule.start <= last.end + NEAR:
                out[-1] = Rule(at, last.start, max(last.end, rule.end))
            else:
                out.append(Rule(at, rule.start, rule.end))
    return out


def _levels(rules: list[Rule]) -> list[list[Rule]]:
    levels: list[list[Rule]] = []
    for rule in sorted(rules):
        if levels and rule.at - levels[-1][0].at <= NEAR:
            levels[-1].append(rule)
        else:
            levels.append([rule])
    return levels


def groups(across: list[Rule], down: list[Rule]) -> list[tuple[list[Rule], list[Rule]]]:
    """Rules that meet one another, directly or by way of others."""
    parent = list(range(len(across) + len(down)))

    def top(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    for first, flat in enumerate(across):
        for second, steep in enumerate(down, len(across)):
            if _meet(flat, steep):
                parent[top(second)] = top(first)
    groups: dict[int, tuple[list[Rule], list[Rule]]] = {}
    for index, rule in enumerate([*across, *down]):
        groups.setdefault(top(index), ([], []))[index >= len(across)].append(rule)
    return [group for group in groups.values() if len(group[0]) > 1 and group[1]]


def _meet(flat: Rule, steep: Rule) -> bool:
    return flat.start - NEAR <= steep.at <= flat.end + NEAR and steep.start - NEAR <= flat.at <= steep.end + NEAR


# Rules to grids: which of them form the cells of a table. A grid with gaps is not a table.
#
# xs  10    60    90        Each cell is a box between two neighbouring xs and ys; cells without a rule between them
# ys  ┌─────┬─────┐ 50      are one cell that spans, and must then be a box themselves.
#     │     ├─────┤ 40
#     └─────┴─────┘ 30

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


# Ruled grids with the words that stand in them: tables. A grid that cuts words is not a table.

# Glyphs reach over a rule by less: side bearings and italics.
_OVER = 3.0
# As on the HTML side (markdown/tables.py): longer cells are passages that a frame puts beside each other.
_ENTRY_CHARS, _LONGEST_CHARS, _FEW_ROWS = 600, 6000, 3
_LABEL_WORDS = 3
#: What stands in a column of figures.
FIGURE = re.compile(r"[-–−+]?\(?[-–−+]?[$€£]? ?[-–−+]?(?:\d[\d,]*(?:\.\d+)?|\.\d+)%?\)?[*†‡]?")
YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(slots=True)
class Rows:
    """Rows that stand together, each of as many cells; *head* is empty where none is known."""

    head: list[str]
    lines: list[list[str]]

    @property
    def markdown(self) -> str:
        return pipe_table(self.head, self.lines)


@dataclass(slots=True)
class Table:
    """A table in its place among the lines of a page: rows, and what is set between them. Points."""

    blocks: list[str | Rows]
    x0: float
    x1: float
    y: float  # its lower edge
    top: float
    columns: list[tuple[float, float]] = field(default_factory=list)  # of ruled ones their edges, else of their text
    is_ruled: bool = False
    first: float = 0.0  # the height of its head and of the row below

    @property
    def markdown(self) -> str:
        return "\n\n".join(block if isinstance(block, str) else block.markdown for block in self.blocks)


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
    table = Table([], grid.xs[0], grid.xs[-1], grid.ys[-1], grid.ys[0], list(pairwise(grid.xs)), is_ruled=True)
    if _is_form(grid):
        table.blocks += _form_blocks(grid, cells)
    else:
        texts = {box: cell_text(part) for box, part in cells.items()}
        head = _head(grid, cells, texts)
        table.blocks += _blocks(grid, owner, texts, head)
        table.first = grid.ys[0] - grid.ys[min(head + 1, len(grid.ys) - 1)]
    return table


def _blocks(grid: Grid, owner: dict[tuple[int, int], Box], texts: dict[Box, str], head: int) -> list[str | Rows]:
    """The rows as tables, and between them passages that take up whole rows: what stands once is written once."""
    columns, rows = range(len(grid.xs) - 1), range(len(grid.ys) - 1)
    blocks: list[str | Rows] = []
    lines: list[list[str]] = []
    labels: list[str] = []
    titles = next((row for row in range(head - 1) if owner[0, row].right < columns[-1]), max(0, head - 1))
    blocks += [texts[owner[0, row]] for row in range(titles)]
    if head > 1:
        labels += [_label(column, [owner[column, row] for row in range(titles, head)], texts) for column in columns]

    def end_table() -> None:
        if labels or any(map(any, lines)):
            blocks.append(Rows(labels.copy(), lines.copy()))
        labels.clear()
        lines.clear()

    for row in rows[head if head > 1 else 0 :]:
        box = owner[0, row]
        if box.right == columns[-1] and texts[box] and not repeated(texts[box]):
            if row == box.top:
                end_table()
                blocks.append(texts[box])
            continue
        is_whole_row = box.right == columns[-1]
        line = [
            _shown(owner[column, row], column, row, texts, is_whole_row=is_whole_row, has_head=bool(head))
            for column in columns
        ]
        if head and row == 0:
            labels += line
        else:
            lines.append(line)
    end_table()
    return blocks


def _label(column: int, boxes: list[Box], texts: dict[Box, str]) -> str:
    """What the levels of a head say of a column, the upper before the lower."""
    shown = (texts[box] if box.left == column else repeated(texts[box]) for box in dict.fromkeys(boxes))
    return ": ".join(filter(None, shown))


def _is_form(grid: Grid) -> bool:
    """Whether the rows of a grid are cut at places of their own: most boxes of it span columns that others cut."""
    inner = [box for box in grid.cells if box.right - box.left < len(grid.xs) - 2]
    return 2 * sum(box.right > box.left for box in inner) > len(inner)


def _form_blocks(grid: Grid, cells: dict[Box, list[Word]]) -> list[str]:
    """Each box as a paragraph, and rows that are cut at the same places as a table."""
    blocks: list[str] = []
    rows: dict[int, list[Box]] = {}
    for box in grid.cells:
        rows.setdefault(box.top, []).append(box)
    for cuts, run in groupby(rows.values(), key=partial(_cuts, len(grid.xs) - 2)):
        alike = list(run)
        filled = [row for row in alike if any(cells[box] for box in row)]
        if cuts and len(alike) >= _FEW_ROWS and len(filled) > 1:
            lines = [[cell_text(cells[box]) for box in row] for row in alike]
            head = [word for box in alike[0] for word in cells[box]]
            rest = [word for row in alike[1:] for box in row for word in cells[box]]
            is_head = bool(head) and all(word.bold for word in head) and not all(word.bold for word in rest)
            blocks.append(pipe_table(lines[0], lines[1:]) if is_head else pipe_table([], lines))
        else:
            blocks += [text for row in alike for box in row if (text := box_text(cells[box]))]
    return blocks


def _cuts(last: int, row: list[Box]) -> tuple[tuple[int, int], ...]:
    """Where the boxes of a row begin and end; none of a row that is no row of a table."""
    is_whole = len(row) > 1 and row[0].left == 0 and row[-1].right == last and all(box.top == box.bottom for box in row)
    is_whole = is_whole and all(box.right + 1 == after.left for box, after in pairwise(row))
    return tuple((box.left, box.right) for box in row) if is_whole else ()


def box_text(words: list[Word]) -> str:
    """The words of a box of a form from the top down: its label, and in print of another size what stands below it."""
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda word: -word.y):
        if rows and rows[-1][0].y - word.y <= LEVEL * min(word.size, rows[-1][0].size):
            rows[-1].append(word)
        else:
            rows.append([word])
    drawn = {id(word): place for place, word in enumerate(words)}
    pieces: list[list[Word]] = []
    for row in rows:
        row.sort(key=lambda word: (word.x0, drawn[id(word)]))
        if pieces and abs(pieces[-1][0].size - row[0].size) < 0.5 and pieces[-1][0].bold == row[0].bold:
            pieces[-1] += row
        else:
            pieces.append(row)
    return "  \n".join(block(cell_text(piece)) for piece in pieces)


def _shown(box: Box, column: int, row: int, texts: dict[Box, str], *, is_whole_row: bool, has_head: bool) -> str:
    """The text of *box* at one place that it covers: in its first; a short head in all, a short label in each row.

    A label over several rows that states a figure or a "not" in more words than "Tier 2" is a passage, and stands once.
    """
    if (column, row) == (box.left, box.top):
        return texts[box]
    if box.left == column == 0:
        return repeated(texts[box], may_state=len(texts[box].split()) <= _LABEL_WORDS)
    return repeated(texts[box], may_state=has_head) if box.top == 0 and not is_whole_row else ""


def cell_text(words: list[Word]) -> str:
    """The words of a cell as one line of markdown."""
    return "".join(line.markdown + " " * (not line.broken) for line in in_rows(lines_of(words))).strip()


def _holds_entries(grid: Grid, cells: dict[Box, list[Word]]) -> bool:
    """Whether at least two columns and two rows hold text, and no cell a passage."""
    filled = [box for box, words in cells.items() if words]
    if len({box.left for box in filled}) < 2 or len({box.top for box in filled}) < 2:
        return False
    longest = max(sum(len(word.text) + 1 for word in words) for words in cells.values())
    return longest <= (_ENTRY_CHARS if len(grid.ys) - 1 < _FEW_ROWS else _LONGEST_CHARS)


def _head(grid: Grid, cells: dict[Box, list[Word]], texts: dict[Box, str]) -> int:
    """How many rows are the head: the first, when all of it is bold, and not all of the rest.

    Below cells that span columns go on bold rows that part them into columns, and hold no figures but years.
    """
    rows: list[list[Box]] = [[] for _ in grid.ys[1:]]
    for box in grid.cells:
        rows[box.top].append(box)
    rest = chain.from_iterable(words for box, words in cells.items() if box.top > 0)
    if not _is_bold(rows[0], cells) or all(word.bold for word in rest):
        return 0
    head = 1
    for above, below in pairwise(rows):
        spans = [box for box in above if box.right > box.left]
        parted = all(sum(box.left <= other.left and other.right <= box.right for other in below) > 1 for box in spans)
        figures = any(FIGURE.fullmatch(texts[box]) and not YEAR.fullmatch(texts[box]) for box in below)
        if not spans or not parted or figures or not _is_bold(below, cells):
            break
        head += 1
    return head if all(box.bottom < head for box in grid.cells if box.top < head) else 1


def _is_bold(boxes: list[Box], cells: dict[Box, list[Word]]) -> bool:
    words = [word for box in boxes for word in cells[box]]
    return bool(words) and all(word.bold for word in words)
