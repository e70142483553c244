"""Read one page of a PDF as items in reading order: lines of text and tables."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, pairwise
from statistics import median
from typing import TYPE_CHECKING

from rori_spiders.content.documents.pdf import boxes, forms, open_tables, scans
from rori_spiders.content.documents.pdf import lines as pdf_lines
from rori_spiders.content.documents.pdf import tables as pdf_tables
from rori_spiders.content.documents.pdf.lines import LABEL, Line, Word, joined, lines_of, one_level
from rori_spiders.content.documents.pdf.tables import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pypdfium2  # type: ignore[import-untyped]  # it ships no types

    from rori_spiders.content.documents.pdf.boxes import Entry
    from rori_spiders.content.documents.pdf.tables import Rules

    Item = Line | Table


# A page of the Federal Register holds some 1,100 words, the fullest table some 3,000. Beyond this a page is a drawing
# with labels, or an attack; its text is taken as PDFium gives it.
MAX_WORDS = 20_000


@dataclass(slots=True)
class Page:
    """The items of one page. ``number`` counts from 1."""

    number: int
    items: list[Item]  # in reading order
    aside: list[Line] = field(default_factory=list)  # set at another angle than the rest: stamps along the margin
    gutters: list[float] = field(default_factory=list)
    chars: int = 0  # of all words
    unread: str = ""  # why its text is not what it shows
    recognised: bool = False  # its text is that of an OCR program
    entries: list[str] = field(default_factory=list)  # what was entered into its form


def read(
    page: pypdfium2.PdfPage, number: int, entries: Sequence[Entry] = (), before: Table | None = None
) -> Page | None:
    """A page of the document, what was entered into its boxes among its text; None if it has more than `MAX_WORDS`.

    *before*: the table that the page before ended with.
    """
    with closing(page.get_textpage()) as textpage:
        found = pdf_lines.read(textpage)
    if len(found) > MAX_WORDS:
        return None
    chars = sum(len(word.text) for word in found)
    angle = _main_angle(found)
    upright = [word for word in found if word.angle == angle]
    rules = pdf_tables.read_rules(page).turned(angle)
    parts, rest = _with_entries(upright, rules, _turned_entries(entries, angle))
    items = _items(parts)
    between = find([item for item in items if isinstance(item, Line)])
    if not between:
        items = boxes.beside_labels(_items(open_tables.find(parts, rules, before)), rules)
    aside = lines_of(word for word in found if word.angle != angle)
    unread = scans.why_unread(page, found)
    recognised = not unread and scans.is_recognised(page, found)
    chars += sum(len(line) for entry in entries for line in entry.lines)
    lines = [item for item in items if isinstance(item, Line)]
    for entry in rest:
        if entry.name and not entry.has_human_name:
            entry.name = boxes.label_of(entry.box, lines).rstrip(" :") or entry.name
    return Page(number, ordered(items, between), aside, between, chars, unread, recognised, forms.listed(rest))


def _turned_entries(entries: Sequence[Entry], angle: int) -> list[Entry]:
    """Entries in the frame of text of that angle."""
    found = []
    for entry in entries:
        (a, b), (c, d) = (
            pdf_lines.turned(x, y, angle) for x, y in ((entry.box.x0, entry.box.y0), (entry.box.x1, entry.box.y1))
        )
        found.append(replace(entry, box=boxes.Box(min(a, c), min(b, d), max(a, c), max(b, d))))
    return found


def _with_entries(words: list[Word], rules: Rules, entries: list[Entry]) -> tuple[list[Word | Table], list[Entry]]:
    """Words and tables with what was entered into their boxes, and the entries that stand in none."""
    if not words:
        return [], entries
    closed = boxes.closed_boxes(rules)
    ticks = [boxes.Tick(entry.box, entry.mark) for entry in entries if entry.mark and entry.is_small]
    drawn = [
        tick
        for tick in boxes.drawn_ticks(rules)
        if not any(other.box.holds(*tick.box.middle) or tick.box.holds(*other.box.middle) for other in ticks)
    ]
    words, placed = boxes.with_ticks(words, [*ticks, *drawn])
    marked = {id(tick.box) for tick in placed}
    rest = [entry for entry in entries if id(entry.box) not in marked]
    entered = [(entry, boxes.entered_words(entry)) for entry in rest]
    own = {id(word) for _, made in entered for word in made}
    parts = pdf_tables.find([*words, *chain.from_iterable(made for _, made in entered)], pdf_tables.grids_of(rules))
    parts = boxes.find(parts, closed)
    left = {id(part) for part in parts} & own
    rest = [entry for entry, made in entered if not made or left & set(map(id, made))]
    return [part for part in parts if id(part) not in own], rest


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
    return column_of(left, between) == column_of(right, between)


def _set_right_edges(lines: list[Line], between: list[float]) -> None:
    """Where the lines of each column end: a line that ends before it was broken on purpose."""
    edges: dict[int | None, float] = {}
    places = [column_of(line, between) for line in lines]
    for line, place in zip(lines, places, strict=True):
        edges[place] = max(edges.get(place, line.x1), line.x1)
    for line, place in zip(lines, places, strict=True):
        line.right = edges[place]


# The order in which a page is read. PDFium gives the order in which it was drawn: kept, unless it is certainly wrong.
# Wrong are two things: lines of two columns of prose that take turns, and a block that comes after one that stands
# below it.

# Beyond this many blocks a page is a form or a map; placing them takes the square of their number.
_MAX_BLOCKS = 400
# A bullet stands this near to its text, in sizes of the print.
_LABEL_GAP = 3.0


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
    return _downward(_beside_text(items, between), between)


def _take_turns(items: list[Item], between: list[float]) -> bool:
    columns = [column for item in items if (column := column_of(item, between)) is not None]
    switches = sum(a != b for a, b in pairwise(columns))
    # Drawn column by column, a page of k columns switches k - 1 times for each of its parts.
    return switches > len(columns) / 3


def _by_column(items: list[Item], between: list[float]) -> list[Item]:
    """Part by part, from one item that runs across to the next; in each, column by column from the top down."""
    across = sorted((item.y for item in items if column_of(item, between) is None), reverse=True)

    def place(item: Item) -> tuple[int, int, float, float]:
        column = column_of(item, between)
        part = sum(y > item.y for y in across)
        return (2 * part, 0, -item.y, item.x0) if column is None else (2 * part - 1, column, -item.y, item.x0)

    return sorted(items, key=place)


def _beside_text(items: list[Item], between: list[float]) -> list[Item]:
    """Bullets and numbers that were drawn apart from their text, each before the line that it begins."""
    alone = [item for item in items if isinstance(item, Line) and LABEL.fullmatch(item.text)]
    if not alone or len(alone) > _MAX_BLOCKS:
        return items
    out = list(items)
    for label in alone:
        row = [line for line in items if isinstance(line, Line) and line is not label and one_level(label, line)]
        row = [line for line in row if column_of(line, between) == column_of(label, between)]
        first = min(row, key=lambda line: line.x0, default=None)
        if first is not None and 0 <= first.x0 - label.x1 <= _LABEL_GAP * first.size:
            out = [item for item in out if item is not label]
            out.insert(next(at for at, item in enumerate(out) if item is first), label)
    return out


def _downward(items: list[Item], between: list[float]) -> list[Item]:
    """Each block after those that stand above it. Of blocks in the wrong order the fewest lines are moved."""
    blocks = _blocks(items, between)
    if not 1 < len(blocks) <= _MAX_BLOCKS:
        return items
    wrong: dict[int, set[int]] = {}
    for index, block in enumerate(blocks):
        for later in range(index + 1, len(blocks)):
            if _above(blocks[later], block):
                wrong.setdefault(index, set()).add(later)
                wrong.setdefault(later, set()).add(index)
    highest = max(range(len(blocks)), key=lambda place: blocks[place].bottom)
    is_head = all(blocks[highest].bottom >= block.top for place, block in enumerate(blocks) if place != highest)
    moved = {highest} if is_head else set()  # nothing of it stands beside another block
    for other in wrong.pop(highest, set()) if is_head else ():
        wrong[other].discard(highest)
    while any(wrong.values()):
        worst = max(wrong, key=lambda place: (len(wrong[place]) / len(blocks[place].items), -place))
        moved.add(worst)
        for other in wrong.pop(worst):
            wrong[other].discard(worst)
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


def _blocks(items: list[Item], between: list[float]) -> list[_Block]:
    blocks: list[_Block] = []
    for item in items:
        top = item.top if isinstance(item, Table) else item.y + item.size
        last = blocks[-1] if blocks else None
        before = last.items[-1] if last else None
        in_row = isinstance(before, Line) and isinstance(item, Line) and _one_row(before, item, between)
        if last and in_row:  # blanks of justified text are wide
            last.items.append(item)
            last.x1, last.bottom = max(last.x1, item.x1), min(last.bottom, item.y)
        elif last and item.y <= last.bottom and last.bottom - top <= top - item.y and _overlap(last, item.x0, item.x1):
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


# Columns of prose, as the Federal Register prints them: the white strips between them, and what stands in which.

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
