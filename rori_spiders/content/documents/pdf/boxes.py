"""Forms: boxes that stand side by side, boxes to tick, and what was entered above rules beside labels.

In: words, rules and fields of one page, in the frame of its text. Out: the words, those of each row of boxes replaced
by one `Table` whose markdown has a paragraph for each box, and marks (☐ ☒ ☑) before the options that they belong to.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import TYPE_CHECKING

from rori_spiders.content.documents.pdf.lines import LEVEL, Line, Word, one_level
from rori_spiders.content.documents.pdf.tables import Rows, Rule, Rules, Table, box_text, groups, merged

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# A box to tick, in points, and how far it stands from its option, in sizes of the option's print.
_SMALLEST, _LARGEST, _OPTION = 4.5, 18.0, 1.6
# What is typed into a box to tick it.
_TICKS = frozenset("Xx✓✔✕✖✗✘×●•■")
EMPTY, CROSSED, TICKED = "☐", "☒", "☑"
# More rules than those of a form are a drawing (`tables._MAX_RULES`).
_MOST_RULES, _MOST_DRAWN, _MOST_PLACES = 600, 20_000, 10_000
# A row of boxes has white of up to so many points between them; longer texts are passages in frames.
_APART, _LONGEST = 30.0, 600
# What was entered stands this near above its rule, in sizes of its print; a rule as wide as the page parts texts.
_ABOVE, _RULED, _SHORTEST_BLANK = 0.6, 0.6, 36.0
_MOST_LINES, _MOST_BOXES, _MOST_PAIRS = 1_000, 400, 400_000


@dataclass(slots=True)
class Box:
    """The inside of a closed box. Points."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def middle(self) -> tuple[float, float]:
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2

    def holds(self, x: float, y: float) -> bool:
        return self.x0 <= x <= self.x1 and self.y0 <= y <= self.y1


@dataclass(slots=True)
class Tick:
    """A box to tick and its state."""

    box: Box
    mark: str


def closed_boxes(rules: Rules) -> list[Box]:
    """The boxes that the rules of a page close, those of tables among them."""
    if len(rules.across) + len(rules.down) > _MOST_DRAWN:
        return []
    across, down = (merged([rule for rule in part if not rule.is_tint]) for part in (rules.across, rules.down))
    if len(across) + len(down) > _MOST_RULES:
        return []
    return [box for group in groups(across, down) for box in _closed(*group)]


def _closed(across: list[Rule], down: list[Rule]) -> list[Box]:
    """The boxes within rules that hang together: places that no rule parts, where they fill a box that rules close."""
    xs, ys = sorted({rule.at for rule in down}), sorted({rule.at for rule in across})
    columns, rows = len(xs) - 1, len(ys) - 1
    if not columns or not rows or columns * rows > _MOST_PLACES:
        return []
    at_x, at_y = (
        {rule.at: [other for other in part if other.at == rule.at] for rule in part} for part in (down, across)
    )
    steep = [[_is_ruled(at_x[x], low, high) for x in xs] for low, high in pairwise(ys)]
    flat = [[_is_ruled(at_y[y], left, right) for left, right in pairwise(xs)] for y in ys]
    found, seen = [], set()
    for place in product(range(columns), range(rows)):
        if place in seen:
            continue
        part, is_open, waiting = {place}, False, [place]
        while waiting:
            column, row = waiting.pop()
            for other, is_parted in (
                ((column - 1, row), steep[row][column]),
                ((column + 1, row), steep[row][column + 1]),
                ((column, row - 1), flat[row][column]),
                ((column, row + 1), flat[row + 1][column]),
            ):
                if is_parted or other in part:
                    continue
                if not (0 <= other[0] < columns and 0 <= other[1] < rows):
                    is_open = True
                    continue
                part.add(other)
                waiting.append(other)
        seen |= part
        left, right = min(column for column, _ in part), max(column for column, _ in part) + 1
        low, high = min(row for _, row in part), max(row for _, row in part) + 1
        if not is_open and len(part) == (right - left) * (high - low):
            found.append(Box(xs[left], ys[low], xs[right], ys[high]))
    return found


def _is_ruled(rules: list[Rule], start: float, end: float) -> bool:
    covered = sum(max(0.0, min(rule.end, end) - max(rule.start, start)) for rule in rules)
    return covered >= 0.8 * (end - start)


# Boxes to tick.


def drawn_ticks(rules: Rules) -> list[Tick]:
    """Small square boxes, crossed where anything is drawn within."""
    across, down = ([rule for rule in part if rule.end - rule.start <= _LARGEST] for part in (rules.across, rules.down))
    ticks = []
    for box in closed_boxes(Rules(across, down)):
        width, height = box.x1 - box.x0, box.y1 - box.y0
        if min(width, height) >= _SMALLEST and max(width, height) <= min(_LARGEST, 1.4 * min(width, height)):
            inside = Box(box.x0 + 1, box.y0 + 1, box.x1 - 1, box.y1 - 1)
            is_crossed = any(inside.holds(x, y) for x, y in rules.strokes)
            ticks.append(Tick(box, CROSSED if is_crossed else EMPTY))
    return ticks


def with_ticks(words: list[Word], ticks: Sequence[Tick]) -> tuple[list[Word], list[Tick]]:
    """The words with each mark before its option, and the ticks that have one."""
    placed: list[Tick] = []
    out = list(words)
    if len(ticks) * len(words) > _MOST_PAIRS:
        return out, placed
    for tick in ticks:
        box = tick.box
        typed = [word for word in words if box.holds((word.x0 + word.x1) / 2, word.y + 0.35 * word.size)]
        if len(typed) > 1 or any(word.text not in _TICKS for word in typed):
            continue
        option = _option(tick, [word for word in words if not any(word is other for other in typed)])
        if option is None:
            continue
        mark = CROSSED if typed and tick.mark == EMPTY else tick.mark
        shown = replace(option, text=mark, markdown=mark, x0=box.x0, x1=box.x1, bold=option.bold, broken=False)
        out = [word for word in out if not any(word is other for other in typed)]
        out.insert(next(at for at, word in enumerate(out) if word is option), shown)
        placed.append(tick)
    return out, placed


def _option(tick: Tick, words: list[Word]) -> Word | None:
    """The word to the right of a box to tick, on its height."""
    box = tick.box
    neighbours = [
        word
        for word in words
        if 0 <= word.x0 - box.x1 + 1 <= _OPTION * word.size and box.y0 - 0.3 * word.size <= word.y <= box.y1
    ]
    return min(neighbours, key=lambda word: word.x0, default=None)


# Boxes side by side.


def find(parts: Sequence[Word | Table], boxes: Iterable[Box]) -> list[Word | Table]:
    """The words of a page, those of each row of boxes replaced by it, where its first word stood."""
    rest = list(parts)
    words = [part for part in rest if isinstance(part, Word)]
    boxes = list(boxes)
    if len(boxes) * len(words) > _MOST_PAIRS or len(boxes) > _MOST_BOXES:
        return rest
    held = [(box, _inside(box, words)) for box in boxes if box.y1 - box.y0 > _LARGEST or box.x1 - box.x0 > 3 * _LARGEST]
    # Of boxes within boxes the outer one is a frame.
    filled = [(box, inside) for box, inside in held if inside and sum(len(w.text) + 1 for w in inside) <= _LONGEST]
    filled = [
        (box, inside)
        for box, inside in filled
        if not any(other is not box and box.holds(other.x0 + 1, other.y0 + 1) for other, _ in filled)
    ]
    rows = _rows([box for box, _ in filled], [box for box, _ in held])
    texts = {id(box): inside for box, inside in filled}
    drawn = {id(word): place for place, word in enumerate(words)}
    places = [[drawn[id(word)] for word in texts[id(box)]] for row in rows for box in row]
    # Boxes that were drawn one after the other are read as they were drawn.
    if len(rows) < 2 or not any(max(part) - min(part) >= len(part) for part in places):
        return rest
    for row in rows:
        if any(isinstance(part, Table) and _overlap(part, row) for part in rest):
            continue
        inside = {id(word) for box in row for word in texts[id(box)]}
        first = next(index for index, part in enumerate(rest) if id(part) in inside)
        blocks: list[str | Rows] = [box_text(texts[id(box)]) for box in row]
        left, right = min(box.x0 for box in row), max(box.x1 for box in row)
        table = Table(blocks, left, right, min(box.y0 for box in row), max(box.y1 for box in row))
        rest = [*rest[:first], table, *(part for part in rest[first:] if id(part) not in inside)]
    return rest


def _inside(box: Box, words: list[Word]) -> list[Word]:
    return [word for word in words if box.holds((word.x0 + word.x1) / 2, word.y + 0.3 * word.size)]


def _rows(filled: list[Box], every: list[Box]) -> list[list[Box]]:
    """Boxes that stand side by side, row by row from the top; a box alone above or below one of a row is one, too."""
    rows: list[list[Box]] = []
    for box in sorted(filled, key=lambda box: (-box.y1, box.x0)):
        row_beside = next((row for row in rows if any(_is_beside(box, other) for other in row)), None)
        if row_beside is None:
            rows.append([box])
        else:
            row_beside.append(box)
    several = [row for row in rows if any(_is_beside(row[0], other) for other in every if other is not row[0])]
    if len(several) < 2:
        return []
    low, high = min(row[0].y0 for row in several) - _APART, max(row[0].y1 for row in several) + _APART
    return [row for row in rows if row in several or low <= row[0].y0 <= row[0].y1 <= high]


def _is_beside(one: Box, other: Box) -> bool:
    shared = min(one.y1, other.y1) - max(one.y0, other.y0)
    gap = max(one.x0, other.x0) - min(one.x1, other.x1)
    return 2 * shared > min(one.y1 - one.y0, other.y1 - other.y0) and -1 <= gap <= _APART


def _overlap(table: Table, row: list[Box]) -> bool:
    return any(table.x0 < box.x1 and box.x0 < table.x1 and table.y < box.y1 and box.y0 < table.top for box in row)


# What was entered above a rule that stands beside its label.


def beside_labels(items: list[Line | Table], rules: Rules) -> list[Line | Table]:
    """Entries, which programs that fill in forms draw last, each behind the label that its rule begins beside."""
    lines = [item for item in items if isinstance(item, Line)]
    if not lines or len(rules.across) > _MOST_RULES or len(lines) > _MOST_LINES:
        return items
    page = max(line.x1 for line in lines) - min(line.x0 for line in lines)
    across = merged(rules.across)
    blanks = [rule for rule in across if _SHORTEST_BLANK <= rule.end - rule.start <= _RULED * page]
    count = 0
    for item in reversed(items):
        if not (isinstance(item, Line) and any(_stands_on(item, rule) for rule in blanks)):
            break
        count += 1
    if not 1 < count < len(items):
        return items
    out, rest = items[:-count], list[Line]()
    for entry in [item for item in items[-count:] if isinstance(item, Line)]:
        level = [item for item in out if isinstance(item, Line) and item.x1 <= entry.x0 and one_level(item, entry)]
        label = max(level, key=lambda item: item.x1, default=None)
        if label is None:
            rest.append(entry)
        else:
            out.insert(next(at for at, item in enumerate(out) if item is label) + 1, entry)
    return [*out, *rest]


def _stands_on(line: Line, rule: Rule) -> bool:
    """Whether a line stands on a rule that is longer: one as long underlines it."""
    above = line.y - rule.at
    is_within = rule.start - 3 <= line.x0 and line.x1 <= rule.end + 3
    return is_within and -2 <= above <= _ABOVE * line.size and rule.end - rule.start > line.x1 - line.x0 + 4


# What was entered into the fields of a form.


@dataclass(slots=True)
class Entry:
    """A field of a form, or a note typed onto its page. ``box`` is where it stands, in the page's own frame."""

    box: Box
    lines: list[str]  # what was entered: markdown
    name: str = ""  # markdown
    has_human_name: bool = False
    mark: str = ""  # ☑ or ☐ of a box to tick

    @property
    def is_small(self) -> bool:
        return max(self.box.x1 - self.box.x0, self.box.y1 - self.box.y0) <= 1.5 * _LARGEST


def entered_words(entry: Entry) -> list[Word]:
    """The words of an entry, in the middle of its field: a box holds it or not, as one."""
    x, y = (entry.box.x0 + entry.box.x1) / 2, (entry.box.y0 + entry.box.y1) / 2
    size = min(10.0, entry.box.y1 - entry.box.y0)
    return [
        Word(text, text, x + at / 100, x + (at + 1) / 100, y - 0.3 * size, size, bold=False, angle=0)
        for at, text in enumerate(word for line in entry.lines for word in line.split())
    ]


def label_of(box: Box, lines: Iterable[Line]) -> str:
    """The text beside a field or close above it, as markdown; "" where none is."""
    lines = list(lines)
    middle = (box.y0 + box.y1) / 2
    left = [
        line for line in lines if line.x1 <= box.x0 + 2 and abs(line.y + 0.3 * line.size - middle) <= LEVEL * line.size
    ]
    nearest = max(left, key=lambda line: line.x1, default=None)
    if nearest is not None:
        return nearest.markdown
    above = [
        line
        for line in lines
        if 0 <= line.y - box.y1 <= 1.2 * line.size and line.x0 < box.x1 and box.x0 - 10 <= line.x0
    ]
    return min(above, key=lambda line: (line.y, line.x0)).markdown if above else ""
