"""Which tables are data, and which only put blocks beside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.content.names import names

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_GROUPS = {"thead", "tbody", "tfoot"}
_CELLS = {"td", "th"}
_KNOWN = {"tr", "td", "th", "caption", "colgroup", "col", *_GROUPS}
# Longer cells are passages with blocks of their own, not entries of a table, in a table of one or two rows.
_ENTRY_CHARS = 600
# No cell of the measured statutory tables was longer; beyond it a line of markdown cannot be read.
_LONGEST_CHARS = 6000
_LABEL_CHARS = 80
# Courts declare `role="presentation"` on lists of opinions with dozens of rows: for looks a table needs few.
_FEW_ROWS = 4
_HEADINGS = names("h1 h2 h3 h4 h5 h6")
_DATA_MARKS = "th | */th | */*/th | caption | */tr/th"


def direct_rows(table: HtmlElement) -> list[HtmlElement]:
    """The rows of *table* itself, header rows first and footer rows last, as a browser shows them.

    Cells that stand in no row get one, as HTML has it; libxml2 leaves them where they are.
    """
    for group in (table, *(part for part in table if part.tag in _GROUPS)):
        if any(part.tag in _CELLS for part in group):
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
        if part.tag not in _CELLS:
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
    return heading is not None and len(cell.text_content().strip()) > len(heading.text_content().strip()) + _LABEL_CHARS
