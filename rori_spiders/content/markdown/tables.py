"""Convert tables: data as pipe tables with each cell in its row and column, layout tables as plain blocks.

Spans: a short cell that spans rows is repeated in each of them, so that a row can be read alone; one that spans columns
stands in the first and leaves the others empty (a short header over some of the columns is repeated). A passage stands
once. Without a header row markdown has no table, so one is found (``th``, ``thead``, all bold), or inferred, or left
empty.
"""

import re
from functools import lru_cache
from typing import NamedTuple, Protocol

from lxml.html import HtmlElement

from rori_spiders.content.dom_names import names
from rori_spiders.content.markdown import inline

# HTML's own limits are 1,000 columns and 65,534 rows; a wrong span must not make a megabyte of pipes. The text of cells
# beyond the last column stands in it.
_MOST_COLUMNS = 1000
_MOST_ACROSS = 200
# Cells that spans repeat, for each cell that is there: no measured table has more than four. Spans that ask for more,
# over rows without end, would make a hundred megabytes of a letter.
_MOST_REPEATED = 10
_BETWEEN_CELLS = "\x1f"  # no page has it: the parser removes control characters
# An inferred header is a row of labels: of 45 government pages none had a longer one (2026-11).
_LABEL_CHARS = 60
_NUMBER = re.compile(r"\s*(\d{1,6})")
# What an entry states, unlike what heads columns.
_STATEMENT = re.compile(r"\d|\b(?:not?|never|nor|neither|without|except)\b", re.IGNORECASE)
_LINE_ENDS = re.compile(f"[\n{inline.BREAK}]+")
_EDGES = " \n" + inline.BREAK


def repeated(text: str, *, may_state: bool = True) -> str:
    """What a cell that spans shows in the places after its first: a short text again, of a passage nothing.

    ``may_state``: whether it may hold a figure or a "not". Of several rows each has it, and a head is one; an entry
    across columns stands once.
    """
    return text if len(text) <= _LABEL_CHARS and (may_state or not _STATEMENT.search(text)) else ""


class Convert(Protocol):
    """Turns one element into markdown, given the names of what it stands in."""

    def __call__(self, element: HtmlElement, tags: frozenset[str], /) -> str: ...


class _Cell(NamedTuple):
    text: str
    is_header: bool
    is_bold: bool


Rows = list[list["HtmlElement"]]  # the cells of each row
_CELLS = ("td", "th")
_EMPTY = _Cell("", is_header=False, is_bold=False)


def convert(table: HtmlElement, convert_cell: Convert, tags: frozenset[str]) -> str:
    """*table* as markdown blocks; ``tags`` names what the table stands in."""
    rows = direct_rows(table)
    caption = "".join(convert_cell(part, tags) for part in table if part.tag == "caption")
    caption = _strays(table, rows, convert_cell, tags) + caption
    if "_cell" in tags:
        return caption + _in_cell(rows, convert_cell, tags)
    cells = [[cell for cell in row if cell.tag in _CELLS] for row in rows]
    if is_layout(table, rows, cells):
        return caption.rstrip() + _as_blocks(cells, convert_cell, tags)
    grid = _trimmed(_Grid(cells, convert_cell, tags).lines())
    if not grid:
        return caption
    return f"{caption.rstrip()}\n\n{_pipes(grid, rows)}\n\n"


def _strays(table: HtmlElement, rows: list[HtmlElement], convert_cell: Convert, tags: frozenset[str]) -> str:
    blocks = [
        inline.escape_line_start(inline.escape(inline.fold(part).strip()))
        if isinstance(part, str)
        else convert_cell(part, tags)
        for part in strays(table, rows)
    ]
    return "".join(f"\n\n{block.strip()}\n\n" for block in blocks if block.strip())


def _as_blocks(rows: Rows, convert_cell: Convert, tags: frozenset[str]) -> str:
    out = []
    for row in rows:
        parts = [convert_cell(cell, tags) for cell in row]
        texts = [part.strip("\n ") for part in parts if part.strip("\n ")]
        short = len(texts) > 1 and all("\n" not in part and len(part) < _LABEL_CHARS for part in texts)
        out.append((" " if short else "\n\n").join(texts))
    blocks = "\n\n".join(block for block in out if block)
    return f"\n\n{blocks}\n\n" if blocks else ""


def _in_cell(rows: list[HtmlElement], convert_cell: Convert, tags: frozenset[str]) -> str:
    """A table in a table's cell: a line for each row, its cells apart by an escaped pipe."""
    lines = []
    for row in rows:
        texts = [_one_cell(convert_cell(cell, tags)) for cell in row if cell.tag in {"td", "th"}]
        lines.append(" \\| ".join(texts) if any(texts) else "")  # an empty cell keeps its column
    return "\n\n" + "\n".join(line for line in lines if line) + "\n\n"


class _Grid:
    """A table's cells as lines of one cell a column, while its rows are read from the first to the last."""

    def __init__(self, rows: Rows, convert_cell: Convert, tags: frozenset[str]) -> None:
        self._rows = rows
        self._convert_cell = convert_cell
        self._tags = tags
        self._hanging: dict[int, tuple[int, _Cell]] = {}  # column -> rows still covered from above
        self._left = _MOST_REPEATED * (_MOST_COLUMNS + sum(map(len, rows)))

    def lines(self) -> list[list[_Cell]]:
        return [(None if self._hanging else _plain_line(row)) or self._line(row) for row in self._rows]

    def _line(self, row: list[HtmlElement]) -> list[_Cell]:
        self._left -= len(self._hanging)
        if self._left < 0:
            self._hanging.clear()
        line: list[_Cell] = []
        for element in row:
            if self._hanging:
                _take_hanging(line, self._hanging)
            cell = _cell(element, self._convert_cell, self._tags)
            if len(line) >= _MOST_COLUMNS:
                line[-1] = line[-1]._replace(text=f"{line[-1].text} {cell.text}".strip())
            elif _spans(element):
                self._spread(line, cell, element, row)
            else:
                line.append(cell)
        _take_hanging(line, self._hanging, to_end=True)
        return line

    def _spread(self, line: list[_Cell], cell: _Cell, element: HtmlElement, row: list[HtmlElement]) -> None:
        across, down = _span(element, "colspan", _MOST_ACROSS), _span(element, "rowspan", len(self._rows))
        self._left -= across - 1
        if self._left < 0:
            across = down = 1
        label = " ".join(element.text_content().split())
        is_group = cell.is_header and any(part is not element for part in row if part.tag == "th")
        if not cell.is_header and cell.is_bold and row is self._rows[0]:
            is_group = any(part is not element and part.text_content().strip() for part in row)
        is_short = bool(repeated(label))
        empty = cell._replace(text="")
        for place in range(min(across, _MOST_COLUMNS - len(line))):
            filled = cell if place == 0 or (is_group and is_short) else empty
            if down > 1:
                self._hanging[len(line)] = (down - 1, filled if is_short else empty)
            line.append(filled)


def _plain_line(cells: list[HtmlElement]) -> list[_Cell] | None:
    """The cells of a row of nothing but text, as most rows of the largest tables are; None for any other row."""
    for cell in cells:
        if len(cell) or _spans(cell):
            return None
    folded = inline.fold(_BETWEEN_CELLS.join([cell.text or "" for cell in cells]))
    if not inline.is_plain(folded.replace(_BETWEEN_CELLS, " ")):
        return None
    texts = folded.split(_BETWEEN_CELLS)
    return [_Cell(part.strip(" "), cell.tag == "th", is_bold=False) for cell, part in zip(cells, texts, strict=False)]


def _spans(cell: HtmlElement) -> bool:
    return cell.get("rowspan") is not None or cell.get("colspan") is not None


def _take_hanging(line: list[_Cell], hanging: dict[int, tuple[int, _Cell]], *, to_end: bool = False) -> None:
    while hanging and (len(line) in hanging or (to_end and max(hanging) >= len(line))):
        left, cell = hanging.pop(len(line), (0, _EMPTY))
        if left > 1:
            hanging[len(line)] = (left - 1, cell)
            line.append(cell)
            if to_end and max(hanging) < len(line):
                return
            continue
        line.append(cell)


def _cell(element: HtmlElement, convert_cell: Convert, tags: frozenset[str]) -> _Cell:
    header = element.tag == "th"
    if not len(element):  # most cells of the largest tables: text alone
        plain = inline.escape(inline.fold(element.text or "").strip(" "))
        return _Cell(plain.replace("|", "\\|"), header, is_bold=False)
    content = _one_cell(convert_cell(element, _within(tags, header=header)))
    bold = (
        content.startswith(inline.STRONG) and content.endswith(inline.STRONG_END) and content.count(inline.STRONG) == 1
    )
    return _Cell(content, header, bold)


@lru_cache(maxsize=64)
def _within(tags: frozenset[str], *, header: bool) -> frozenset[str]:
    """What stands in a cell stands in: the same object for each of a table's cells, whose hash is known."""
    return tags | {"_cell", "_header_cell"} if header else tags | {"_cell"}


def _one_cell(content: str) -> str:
    content = content.strip(_EDGES)
    if "\n" not in content and inline.BREAK not in content:
        return content
    lines = [line.strip(" ") for line in _LINE_ENDS.split(content)]
    return "<br>".join(line for line in lines if line)


def _span(element: HtmlElement, name: str, most: int) -> int:
    stated = element.get(name)
    if stated is None:
        return 1
    found = _NUMBER.match(stated)
    number = int(found[1]) if found else 1
    if name == "rowspan" and number == 0:
        return most  # HTML: to the end of the row group
    return max(1, min(number, most))


def _trimmed(grid: list[list[_Cell]]) -> list[list[_Cell]]:
    """Without empty rows and without empty columns at the end, all rows of one length.

    Rows that a senseless span left far shorter than others stay so: markdown gives them their empty cells.
    """
    grid = [line for line in grid if any(cell.text for cell in line)]
    for line in grid:
        while not line[-1].text:
            line.pop()
    width = max(map(len, grid), default=0)
    if width * len(grid) > _MOST_REPEATED * (_MOST_COLUMNS + sum(map(len, grid))):
        return [line + [_EMPTY] * (width - len(line)) if at == 0 else line for at, line in enumerate(grid)]
    return [line + [_EMPTY] * (width - len(line)) for line in grid]


def _pipes(grid: list[list[_Cell]], rows: list[HtmlElement]) -> str:
    has_header = _is_header(grid, rows)
    lines = [_line(grid[0]) if has_header else _line([_EMPTY] * len(grid[0]))]
    lines.append("|" + " --- |" * len(grid[0]))
    lines += [_line(cells) for cells in grid[has_header:]]
    return "\n".join(lines)


def _line(cells: list[_Cell]) -> str:
    return "| " + " | ".join(cell.text for cell in cells) + " |"


def _is_header(grid: list[list[_Cell]], rows: list[HtmlElement]) -> bool:
    first = [cell for cell in grid[0] if cell.text]
    parent = rows[0].getparent()
    if parent is not None and parent.tag == "thead":
        return True
    if all(cell.is_header for cell in first) or (len(first) > 1 and all(cell.is_bold for cell in first)):
        return True
    if any(cell.is_header for line in grid for cell in line):
        return False
    return _looks_like_labels(grid)


def _looks_like_labels(grid: list[list[_Cell]]) -> bool:
    """A first row of distinct short texts without figures or links, over rows that have figures or longer texts."""
    first = [cell.text for cell in grid[0]]
    if len(grid) < 3 or len(first) < 2 or len(set(first)) < len(first):
        return False
    if any(not text or len(text) > _LABEL_CHARS or re.search(r"\d|\ufdd6", text) for text in first):
        return False
    below = [cell.text for line in grid[1:] for cell in line[1:]]
    if not below:
        return False
    longer = sum(len(text) for text in below) / len(below) > 2 * max(len(text) for text in first[1:])
    return longer or sum(bool(re.search(r"\d", text)) for text in below) > len(below) / 2


# Which tables are data, and which only put blocks beside each other.

_GROUPS = {"thead", "tbody", "tfoot"}
_LAYOUT_CELLS = {"td", "th"}
_KNOWN = {"tr", "td", "th", "caption", "colgroup", "col", *_GROUPS}
# Longer cells are passages with blocks of their own, not entries of a table, in a table of one or two rows.
_ENTRY_CHARS = 600
# No cell of the measured statutory tables was longer; beyond it a line of markdown cannot be read.
_LONGEST_CHARS = 6000
_LAYOUT_LABEL_CHARS = 80
# Courts declare `role="presentation"` on lists of opinions with dozens of rows: for looks a table needs few.
_FEW_ROWS = 4
_HEADINGS = names("h1 h2 h3 h4 h5 h6")
_DATA_MARKS = "th | */th | */*/th | caption | */tr/th"


def direct_rows(table: HtmlElement) -> list[HtmlElement]:
    """The rows of *table* itself, header rows first and footer rows last, as a browser shows them.

    Cells that stand in no row get one, as HTML has it; libxml2 leaves them where they are.
    """
    for group in (table, *(part for part in table if part.tag in _GROUPS)):
        if any(part.tag in _LAYOUT_CELLS for part in group):
            _put_in_rows(group)
    heads: list[HtmlElement] = []
    bodies: list[HtmlElement] = []
    feet: list[HtmlElement] = []
    for part in table:
        rows = [part] if part.tag == "tr" else [row for row in part if row.tag == "tr"] if part.tag in _GROUPS else []
        (heads if part.tag == "thead" else feet if part.tag == "tfoot" else bodies).extend(rows)
    return heads + bodies + feet


def _put_in_rows(group: HtmlElement) -> None:
    row = None
    for part in list(group):
        if part.tag not in _LAYOUT_CELLS:
            row = None
            continue
        if row is None:
            row = part.makeelement("tr")
            part.addprevious(row)
        row.append(part)


def strays(table: HtmlElement, rows: list[HtmlElement]) -> list[str | HtmlElement]:
    """What stands in *table* and in no cell of it, texts and elements: browsers show it before the table."""
    found: list[str | HtmlElement] = []
    for holder in (table, *(part for part in table if part.tag in _GROUPS), *rows):
        found += [holder.text] if holder.text and not holder.text.isspace() else []
        for part in holder:
            if part.tag not in _KNOWN:
                found.append(part)
            if part.tail and not part.tail.isspace():
                found.append(part.tail)
    return found


def is_layout(table: HtmlElement, rows: list[HtmlElement], cells: list[list[HtmlElement]]) -> bool:
    """Whether *table* is there for its looks: it has one column, its cells are passages, or it says so."""
    if all(sum(bool(cell.text_content().strip()) for cell in row) < 2 for row in cells):
        return True
    nested = table.find(".//table") is not None
    if cells and len(cells[0]) > 1 and all(cell.tag == "th" for cell in cells[0]) and len(cells) > 1:
        return all(len(row) < len(cells[0]) for row in cells[1:])
    if bool(table.xpath(_DATA_MARKS)) and not (nested and len(rows) < 3):
        return False
    has_headings = next(table.iter(*_HEADINGS), None) is not None
    if nested or (has_headings and any(_heads_a_passage(cell) for row in cells for cell in row)):
        return True
    if (table.get("role") or "").lower() in {"presentation", "none"} and len(rows) < _FEW_ROWS:
        return True
    most = _ENTRY_CHARS if len(rows) < 3 else _LONGEST_CHARS
    long_rows = (of_row for row, of_row in zip(rows, cells, strict=True) if len(row.text_content()) > most)
    return any(len(cell.text_content()) > most for of_row in long_rows for cell in of_row)


def _heads_a_passage(cell: HtmlElement) -> bool:
    """Whether a heading stands in *cell* over text of its own: such a cell is a part of the page, not an entry."""
    heading = next(cell.iter(*_HEADINGS), None)
    return (
        heading is not None
        and len(cell.text_content().strip()) > len(heading.text_content().strip()) + _LAYOUT_LABEL_CHARS
    )
