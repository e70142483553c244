"""Tables without rules between their columns: columns by white strips, rows by rules across or by gaps.

What is claimed is certain: a head, three rows or more, white strips through all of them, and at least one column of
figures, each of which has one figure in each row, below its name and on one edge. A table that goes on from the page
before needs no head, but the columns that it had there. All else stays text, in its lines.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from rori_spiders.content.documents.pdf.lines import LEADERS, Word
from rori_spiders.content.documents.pdf.overleaf import have_same_columns
from rori_spiders.content.documents.pdf.tables import FIGURE, YEAR, Rows, Rule, Table, cell_text, merged

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rori_spiders.content.documents.pdf.tables import Rules

    Span = tuple[float, float]

# In sizes of the print. A blank is 0.25 to 0.35 wide, 0.6 in Courier; a narrower strip is white by chance.
_STRIP = 0.65
# The row that is tried first has its cells further apart, and so have lines that may be cut off from a table.
_APART, _FAR_APART = 1.0, 1.5
# No blank within a cell is wider.
_BLANK = 0.75
# Rows of one table are not further from one another, and its head is not.
_FAR = 3.0
# Between lines at 1.3 sizes; and by how much the gaps between rows are larger than those between lines of a cell.
_LEADING, _LARGER = 0.55, 0.25
# Figures end, begin or are centred within so much of one another.
_EDGE = 0.6
_LEVEL = 2.0  # points
_FEWEST_ROWS, _MOST_COLUMNS = 3, 22
_LONGEST_CELL = 600  # characters, as tables.py has it of grids
# The share of a table's width that a rule between its rows covers.
_COVERED = 0.6
# A page of figures without a head is tried from so many of its lines.
_MOST_TRIES = 20
# Lines of a running head above a table that goes on.
_RUNNING = 3
# So much nearer to the middle of its columns than to that of others is a label over several.
_NEARER = 0.5
_NO_FIGURE = re.compile(r"[-–—−]{1,3}|n/?a\.?|none|\.{2,4}|…", re.IGNORECASE)
_PAGE = re.compile(r"\d{1,4}")
_NAME = re.compile(r"[^\W\d_]|[%$#№]")


@dataclass(slots=True)
class _Band:
    """Words whose heights overlap: a line, or the parts of a row that stand at different heights."""

    words: list[Word]
    top: float
    bottom: float

    @property
    def size(self) -> float:
        return max(word.size for word in self.words)


def find(parts: Sequence[Word | Table], rules: Rules, before: Table | None = None) -> list[Word | Table]:
    """The words of a page of one column, those of each such table replaced by it, where its first word stood.

    *before*: the table that the page before ended with.
    """
    rest = list(parts)
    bands = _bands([part for part in rest if isinstance(part, Word)])
    if sum(map(_ends_in_figure, bands)) < (1 if before else _FEWEST_ROWS):
        return rest
    across = merged(rules.across)
    grids = [part for part in rest if isinstance(part, Table)]
    start = tries = 0
    while start < len(bands) and tries < _MOST_TRIES:
        block = _block(bands, start, rules.across)
        tries += block is not None
        found = _table(block, start, across, before if block.first <= _RUNNING else None) if block else None
        if found is None or any(grid.y < found[0].top and found[0].y < grid.top for grid in grids):
            start += 1
            continue
        table, words = found
        inside = set(map(id, words))
        first = next(index for index, part in enumerate(rest) if id(part) in inside)
        rest = [*rest[:first], table, *(part for part in rest[first:] if id(part) not in inside)]
        before = None
        while start < len(bands) and id(bands[start].words[0]) in inside:
            start += 1
    return rest


def _bands(words: list[Word]) -> list[_Band]:
    """The lines of a page from the top down, whatever stands beside one another in one."""
    bands: list[_Band] = []
    for word in sorted(words, key=lambda word: -(word.y + 0.65 * word.size)):
        top, bottom = word.y + 0.65 * word.size, word.y - 0.1 * word.size
        if bands and top > bands[-1].bottom:
            bands[-1].words.append(word)
            bands[-1].bottom = min(bands[-1].bottom, bottom)
        else:
            bands.append(_Band([word], top, bottom))
    drawn = {id(word): place for place, word in enumerate(words)}
    for band in bands:
        band.words.sort(key=lambda word: drawn[id(word)])
    return bands


# Lines that leave the same strips white.


@dataclass(slots=True)
class _Block:
    """Lines that leave the same strips white."""

    first: int  # which line of the page
    lines: list[_Band]
    columns: list[Span]
    above: _Band | None = None  # labels over several columns
    labels: list[str] = field(default_factory=list)  # of which each column has one, or ""


def _block(bands: list[_Band], start: int, drawn: list[Rule]) -> _Block | None:
    """The lines about a row of figures; None where it is no such row."""
    seed = bands[start]
    if not (_ends_in_figure(seed) and _ends_in_figure_apart(seed, _spans(seed.words, _APART * seed.size))):
        return None
    columns = _spans(seed.words, _STRIP * seed.size)
    first, end = start, start + 1
    while first:
        band = bands[first - 1]
        is_title = _is_label(band, columns) and _gap(band, bands[first]) > _LEADING + _LARGER
        is_title = is_title or abs(band.size - bands[first].size) > 0.1 * bands[first].size
        is_title = is_title or bool(_labels_above(band, bands[first], columns, drawn))
        wider = None if is_title else _with(columns, band, _gap(band, bands[first]))
        if wider is None:
            break
        first, columns = first - 1, wider
    nearest = float("inf")  # above a row
    while end < len(bands):
        gap = _gap(bands[end - 1], bands[end])
        is_text = _is_label(bands[end], columns) and gap >= nearest + _LARGER
        wider = None if is_text else _with(columns, bands[end], gap)
        if wider is None:
            break
        end, columns = end + 1, wider
        nearest = min(nearest, gap) if _ends_in_figure_apart(bands[end - 1], columns) else nearest
    if len(columns) > _MOST_COLUMNS or (end < len(bands) and _has_cells(bands[end], bands[end - 1])):
        return None
    found = _Block(first, bands[first:end], columns)
    if first and _gap(bands[first - 1], bands[first]) <= _FAR:
        found.labels = _labels_above(bands[first - 1], bands[first], columns, drawn)
        if found.labels:
            found.above = bands[first - 1]
        elif _has_cells(bands[first - 1], bands[first]):
            return None
    return found


def _under_one(drawn: list[Rule], spans: list[Span], left: float) -> list[Rule]:
    """The rules below one label each, right of *left*: whole ones, or the pieces of one that are drawn cell by cell."""
    found: list[Rule] = []
    for rule in merged(drawn):
        labels = [span for span in spans if rule.start <= sum(span) / 2 <= rule.end]
        if len(labels) == 1 and rule.start > left:
            found.append(rule)
            continue
        pieces = [each for each in drawn if rule.start <= each.start and each.end <= rule.end]
        under = [[each for each in pieces if each.start <= x0 and x1 <= each.end] for x0, x1 in labels]
        widest = [max(own, key=lambda each: each.end - each.start) for own in under if own]
        if len({(each.start, each.end) for each in widest}) == len(labels):
            found += [each for each in widest if each.start > left]
    return found


def _labels_above(band: _Band, below: _Band, columns: list[Span], drawn: list[Rule]) -> list[str]:
    """What a line of labels over several columns says of each column; [] where it is no such line, or not certain.

    A rule below a label tells its columns. Without one a label stands over those that it reaches into: the columns
    beside them have labels of their own, or it is not in the middle of more.
    """
    labels = [""] * len(columns)
    near = [rule for rule in drawn if below.top - 0.3 * below.size <= rule.at <= band.bottom + 0.3 * band.size]
    reached: list[tuple[Span, list[int]]] = []
    spans = _spans(band.words, _APART * band.size)
    near = _under_one(near, spans, columns[0][1])
    for left, right in spans:
        middle = (left + right) / 2
        under = [rule for rule in near if rule.start <= middle <= rule.end]
        ruled = min(under, key=lambda rule: rule.end - rule.start, default=None)
        if ruled:
            places = [at for at, (x0, x1) in enumerate(columns) if ruled.start <= (x0 + x1) / 2 <= ruled.end]
        else:
            places = [at for at, (x0, x1) in enumerate(columns) if left <= x1 and x0 <= right]
        text = cell_text([word for word in band.words if left <= word.x0 <= right])
        if not places or any(labels[at] for at in places):
            return []
        for at in places:
            labels[at] = text
        if not ruled:
            reached.append(((left, right), places))
    if labels[0] or not any(one and one == other for one, other in pairwise(labels)):
        return []
    is_sure = all(_is_in_middle(span, places, labels, columns) for span, places in reached)
    return labels if is_sure else []


def _is_in_middle(span: Span, places: list[int], labels: list[str], columns: list[Span]) -> bool:
    """Whether a label cannot belong to more columns than it reaches into."""
    first, last = places[0], places[-1]
    before, after = first - 1, last + 1
    wider = [(before, last)] if before > 0 and not labels[before] else []
    wider += [(first, after)] if after < len(labels) and not labels[after] else []

    def off(first: int, last: int) -> float:
        return abs(span[0] + span[1] - columns[first][0] - columns[last][1])

    return all(off(first, last) <= _NEARER * off(*more) for more in wider)


def _spans(words: list[Word], gap: float) -> list[Span]:
    """What words cover without a gap so wide, from left to right."""
    return _joined([(word.x0, word.x1) for word in words], gap)


def _joined(spans: list[Span], gap: float) -> list[Span]:
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and span[0] - joined[-1][1] < gap:
            joined[-1] = joined[-1][0], max(joined[-1][1], span[1])
        else:
            joined.append(span)
    return joined


def _with(columns: list[Span], band: _Band, gap: float) -> list[Span] | None:
    """The columns with one line more; None where it is too far or does not leave the strips between them white."""
    if gap > _FAR or any(word.unseen or LEADERS.search(word.text) for word in band.words):
        return None
    joined = _joined([*columns, *((word.x0, word.x1) for word in band.words)], _STRIP * band.size)
    return joined if len(joined) == len(columns) else None


def _gap(above: _Band, below: _Band) -> float:
    """The white between two lines, in sizes of the larger."""
    return max(above.bottom - below.top, 0.0) / max(above.size, below.size)


def _ends_in_figure(band: _Band) -> bool:
    return len(band.words) > 1 and _is_figure(max(band.words, key=lambda word: word.x1).text)


def _ends_in_figure_apart(band: _Band, columns: list[Span]) -> bool:
    last = [word.text for word in band.words if word.x0 >= columns[-1][0]]
    return len(columns) > 1 and _is_figure(" ".join(last))


def _is_label(band: _Band, columns: list[Span]) -> bool:
    """Whether a line has nothing beside what stands in the first column."""
    return max(word.x1 for word in band.words) < columns[1][0]


def _is_figure(text: str) -> bool:
    return bool(FIGURE.fullmatch(text) or _NO_FIGURE.fullmatch(text))


def _has_cells(outer: _Band, inner: _Band) -> bool:
    """Whether the line next to a block seems a part of it: a head over two columns, a row whose label is too long."""
    near = max(_gap(outer, inner), _gap(inner, outer)) <= _FAR
    return near and len(_spans(outer.words, _FAR_APART * outer.size)) > 1


# Lines to rows, and whether they are those of a table.


def _table(block: _Block, start: int, across: list[Rule], before: Table | None) -> tuple[Table, list[Word]] | None:
    """The table of a block whose first figures stand in line *start* of the page, and its words."""
    lines = block.lines
    ruled = [_is_ruled(above, below, block.columns, across) for above, below in pairwise(lines)]
    tries = [_Rows(block, ruled, threshold) for threshold in _thresholds(lines, ruled)]
    for rows in tries:
        if (claimed := rows.claimed(start - block.first)) is not None:
            return rows.table(*claimed)
    if before is None or block.above or not have_same_columns(before, Table([], 0, 0, 0, 0, block.columns)):
        return None
    for rows in tries:
        if (end := rows.going_on(start - block.first, before)) is not None:
            return rows.table(-1, end)
    return None


def _is_ruled(above: _Band, below: _Band, columns: list[Span], across: list[Rule]) -> bool:
    left, right = columns[0][0], columns[-1][1]
    slack = 0.3 * below.size
    covered = sum(
        max(0.0, min(rule.end, right) - max(rule.start, left))
        for rule in across
        if below.top - slack <= rule.at <= above.bottom + slack
    )
    return covered >= _COVERED * (right - left)


def _thresholds(block: list[_Band], ruled: list[bool]) -> Iterator[float]:
    """From which gap on a gap is one between rows: each, those that are larger by far, only those with a rule."""
    yield 0.0
    gaps = sorted(_gap(above, below) for above, below in pairwise(block))
    steps = sorted(((more - less, (more + less) / 2) for less, more in pairwise(gaps)), reverse=True)
    yield from (middle for step, middle in steps[:2] if step >= _LARGER)
    if sum(ruled) >= _FEWEST_ROWS:
        yield float("inf")


class _Rows:
    """A block of lines as rows, parted by its rules and by gaps from *threshold* on."""

    def __init__(self, block: _Block, ruled: list[bool], threshold: float) -> None:
        self._columns = block.columns
        self._block = block
        self._lines: list[list[_Band]] = [block.lines[:1]]
        self._gaps, self._ruled = [0.0], [False]  # above each row
        for (above, below), is_ruled in zip(pairwise(block.lines), ruled, strict=True):
            gap = _gap(above, below)
            if is_ruled or gap >= threshold:
                self._lines.append([below])
                self._gaps.append(gap)
                self._ruled.append(is_ruled)
            else:
                self._lines[-1].append(below)
        self._cells = [self._parted([word for line in lines for word in line.words]) for lines in self._lines]
        self._texts = [[" ".join(word.text for word in cell) for cell in cells] for cells in self._cells]

    def _parted(self, words: list[Word]) -> list[list[Word]]:
        starts = [start for start, _ in self._columns]
        cells: list[list[Word]] = [[] for _ in starts]
        for word in words:
            cells[bisect_right(starts, word.x0) - 1].append(word)
        return cells

    def claimed(self, line: int) -> tuple[int, int] | None:
        """The head, and the row below the last, of a table whose first figures stand in *line*; None without one."""
        start = self._row_of(line)
        start += self._is_head_of_years(start)
        end = start
        while end < len(self._cells) and self._is_row(end, start):
            end += 1
        if not start or end - start < _FEWEST_ROWS or not self._is_head(start - 1, end):
            return None
        if start > 1 and (self._block.above or any(self._texts[start - 2][1:])):
            return None  # a head above the head, or a row without figures
        ends = self._stands_apart(start - 1, start - 2, end) and self._stands_apart(end, end, end)
        return (start - 1, end) if ends and self._are_columns(start, end) else None

    def going_on(self, line: int, before: Table) -> int | None:
        """The row below the last of a table that goes on from the page before; None where these are not its rows."""
        start = self._row_of(line)
        rows = before.blocks[-1]
        if not isinstance(rows, Rows) or not rows.lines:
            return None
        figures = [_is_figure(text.replace("\\", "")) for text in rows.lines[-1]]
        is_rest = start == 1 and not any(
            text and (is_figure or not at)
            for at, (text, is_figure) in enumerate(zip(self._texts[0], figures, strict=True))
        )
        if (start and not is_rest) or self._figures(start) != figures:
            return None
        end = start
        while end < len(self._cells) and self._is_row(end, start):
            end += 1
        if end - start < (1 if len(self._columns) > 2 else 2) or not self._stands_apart(end, end, end):
            return None
        return end

    def table(self, head: int, end: int) -> tuple[Table, list[Word]]:
        """The table of the rows before *end* and its words; *head* is -1 where it has none."""
        start = max(head, 0)
        lines = [[cell_text(cell) for cell in cells] for cells in self._cells[start:end]]
        bands = [line for row in self._lines[start:end] for line in row]
        if self._block.above:
            lines[0] = [
                f"{over}: {label}" if over else label for over, label in zip(self._block.labels, lines[0], strict=True)
            ]
            bands.insert(0, self._block.above)
        left, right = self._columns[0][0], self._columns[-1][1]
        rows = Rows([], lines) if head < 0 else Rows(lines[0], lines[1:])
        table = Table([rows], left, right, bands[-1].bottom, bands[0].top, self._columns)
        table.first = bands[0].top - self._lines[head + 1][-1].bottom
        return table, [word for band in bands for word in band.words]

    def _row_of(self, line: int) -> int:
        row = seen = 0
        while seen + len(self._lines[row]) <= line:
            seen += len(self._lines[row])
            row += 1
        return row

    def _figures(self, row: int) -> list[bool]:
        return [_is_figure(text) for text in self._texts[row]]

    def _is_row(self, row: int, first: int) -> bool:
        """Whether a row has a text in each column, and figures, on one line, where the first row has them."""
        texts, figures = self._texts[row], self._figures(row)
        if not all(texts) or not any(figures) or figures != self._figures(first):
            return False
        if max(map(len, texts)) > _LONGEST_CELL:
            return False
        cells = list(zip(self._cells[row], figures, strict=True))
        levels = [word.y for cell, is_figure in cells if is_figure for word in cell]
        is_doubtful = any(_may_be_more(cell) for cell, is_figure in cells if not is_figure)
        return max(levels) - min(levels) <= _LEVEL and not is_doubtful

    def _is_head(self, head: int, end: int) -> bool:
        """Whether the line above the rows names each column of figures, by letters or years."""
        figures = self._figures(head + 1)
        names = [text for text, is_figure in zip(self._texts[head], figures, strict=True) if is_figure]
        if not all(_NAME.search(name) and not _is_figure(name) for name in names):
            return self._is_head_of_years(head)
        lines = self._lines[head]
        inner_gaps = [_gap(*pair) for row in self._lines[head + 1 : end] for pair in pairwise(row)]
        even = all(_gap(*pair) <= max(inner_gaps, default=_LEADING) + 0.5 * _LARGER for pair in pairwise(lines))
        has_title = len(lines) > 1 and not self._ruled[head] and _is_label(lines[0], self._columns)
        return even and not has_title

    def _is_head_of_years(self, row: int) -> bool:
        """Whether all figures of a row are years and those below are not, and it differs from the row below."""
        years = [text for text, is_figure in zip(self._texts[row], self._figures(row), strict=True) if is_figure]
        if row + 1 >= len(self._cells) or not years or not all(map(YEAR.fullmatch, years)):
            return False
        is_bold = _is_bold(self._lines[row]) and not _is_bold(self._lines[row + 1])
        return (is_bold or self._ruled[row + 1]) and not any(map(YEAR.fullmatch, self._texts[row + 1][1:]))

    def _stands_apart(self, row: int, outer: int, end: int) -> bool:
        """Whether what is *outer*, next to the table's head or last row, is no part of it. *row* is the lower one."""
        if not 0 <= outer < len(self._cells) or self._ruled[row]:
            return True
        inner = row if outer < row else row - 1
        if _is_bold(self._lines[outer]) != _is_bold(self._lines[inner]):
            return True
        row_gaps = [self._gaps[place] for place in range(min(inner, outer) + 2 if outer < row else 1, end)]
        return self._gaps[row] >= min(row_gaps, default=_LEADING) + _LARGER

    def _are_columns(self, start: int, end: int) -> bool:
        """Whether figures stand on one edge of their column, and are not the pages of a list of contents."""
        figures = self._figures(start)
        size = max(line.size for row in self._lines[start:end] for line in row)
        for column, is_figure in enumerate(figures):
            cells = [self._cells[row][column] for row in range(start, end)] if is_figure else []
            shown = [cell for cell in cells if FIGURE.fullmatch(" ".join(word.text for word in cell))]
            lefts, rights = [min(w.x0 for w in cell) for cell in shown], [max(w.x1 for w in cell) for cell in shown]
            middles = [(left + right) / 2 for left, right in zip(lefts, rights, strict=True)]
            if is_figure and (len(shown) < 2 or min(map(_spread, (lefts, rights, middles))) > _EDGE * size):
                return False
        last = [texts[-1] for texts in self._texts[start:end]]
        if sum(figures) == 1 and all(map(_PAGE.fullmatch, last)):
            return sorted(map(int, last)) != list(map(int, last))
        return True


def _is_bold(lines: list[_Band]) -> bool:
    return all(word.bold for line in lines for word in line.words)


def _spread(places: list[float]) -> float:
    return max(places) - min(places)


def _may_be_more(cell: list[Word]) -> bool:
    """Whether a cell holds more than one: words far apart, or figures side by side or alone on their line."""
    figures = [bool(FIGURE.fullmatch(word.text)) for word in cell]
    lines: dict[int, list[bool]] = {}
    for word, is_figure in zip(cell, figures, strict=True):
        lines.setdefault(round(word.y), []).append(is_figure)
    far = any(after.x0 - word.x1 > _BLANK * word.size for word, after in pairwise(cell) if after.y == word.y)
    return far or any(map(all, pairwise(figures))) or (len(lines) > 1 and any(map(all, lines.values())))
