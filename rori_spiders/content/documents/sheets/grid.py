"""The cells of one sheet, read as a stream: texts by row and column, merged cells filled, hidden ones out."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

from openpyxl.utils.cell import column_index_from_string, range_boundaries

from rori_spiders.content.documents.escape import escaped
from rori_spiders.content.documents.sheets import strings
from rori_spiders.content.documents.sheets.strings import S

if TYPE_CHECKING:
    from lxml.etree import _Element

    from rori_spiders.content.documents.sheets.styles import Styles
    from rori_spiders.content.documents.sheets.writing import Budget

_MOST_COLUMNS = 16_384  # Excel's own limit
_MOST_ROWS = 1_048_576


class TooMany(ValueError):
    """Raised when a workbook has more cells, or longer text, than is read. Its text ends a sentence about the file."""


class Cell(NamedTuple):
    """``text`` is markdown; ``is_text`` tells words from figures."""

    text: str
    is_text: bool


class Sheet:
    """One sheet. ``rows`` has the cells with text by row and column; ``hidden_*`` what was left out."""

    def __init__(self, part: bytes, shared: list[str], styles: Styles, budget: Budget) -> None:
        self._shared = shared
        self._styles = styles
        self._budget = budget
        self.rows: dict[int, dict[int, Cell]] = {}
        self.own: dict[int, int] = {}  # row -> cells with text of their own, before merged ones are filled
        self.hidden_rows: list[int] = []
        self.hidden_columns: set[int] = set()
        self._hidden = bytearray(_MOST_COLUMNS + 1)
        self.uncomputed = 0
        merged: list[str] = []
        row = 0
        for _, element in strings.parsed(part, f"{S}row", f"{S}col", f"{S}mergeCell"):
            if element.tag == f"{S}col":
                self._column(element)
            elif element.tag == f"{S}mergeCell":
                merged.append(element.get("ref", ""))
            else:
                row = self._row(element, row + 1)
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]
        self.own = {number: len(cells) for number, cells in self.rows.items()}
        self._fill(merged)
        self._drop_hidden()

    def _column(self, element: _Element) -> None:
        if element.get("hidden") in ("1", "true"):
            first, last = int(element.get("min", "0")), min(int(element.get("max", "0")), _MOST_COLUMNS)
            self._hidden[first : last + 1] = b"\1" * max(0, last + 1 - first)

    def _row(self, element: _Element, expected: int) -> int:
        given = element.get("r", "")
        number = int(given) if given.isdecimal() else expected
        cells: dict[int, Cell] = {}
        column = 0
        for each in element.iterchildren(f"{S}c"):
            letters = each.get("r", "").rstrip("0123456789")
            column = column_index_from_string(letters) if letters else column + 1
            if column > _MOST_COLUMNS:
                raise ValueError(f"a cell in column {column:,}")
            cell = self._cell(each)
            if cell.text.strip():
                self._budget.take(cell.text)
                cells[column] = cell
        if not cells or number > _MOST_ROWS:
            return number
        if element.get("hidden") in ("1", "true"):
            self.hidden_rows.append(number)
        self.rows[number] = cells
        return number

    def _cell(self, element: _Element) -> Cell:
        kind = element.get("t", "n")
        if kind == "inlineStr":
            inner = element.find(f"{S}is")
            return Cell("" if inner is None else strings.rich(inner), is_text=True)
        value = (element.findtext(f"{S}v") or "").strip(" ") if kind != "str" else element.findtext(f"{S}v") or ""
        if not value:
            return self._formula(element)
        if kind == "s":
            return Cell(self._shared[int(value)], is_text=True)
        if kind == "b":
            return Cell("TRUE" if value in ("1", "true") else "FALSE", is_text=False)
        if kind in ("str", "e", "d"):
            return Cell(escaped(value), is_text=kind == "str")
        return Cell(escaped(self._styles.format(element.get("s")).shown(value)), is_text=False)

    def _formula(self, element: _Element) -> Cell:
        """A formula that was never computed stands by itself: there is nothing else to show."""
        formula = (element.findtext(f"{S}f") or "").strip()
        if not formula or element.get("t") == "str":  # it was computed, and gave an empty text
            return Cell("", is_text=True)
        self.uncomputed += 1
        return Cell(escaped(f"={formula}"), is_text=False)

    def _fill(self, merged: list[str]) -> None:
        """The text of a merged cell in each cell that it covers; one as wide as the sheet stands once a row."""
        if not self.rows:
            return
        first = min(min(cells) for cells in self.rows.values())
        last = max(max(cells) for cells in self.rows.values())
        numbers = sorted(self.rows)
        for reference in merged:
            left, top, right, bottom = range_boundaries(reference)
            cell = self.rows.get(top or 0, {}).get(left or 0)
            if cell is None or not (left and top and right and bottom):
                continue
            is_whole = left <= first and right >= last
            columns = [left] if is_whole else range(left, min(right, last) + 1)
            for row in numbers[bisect_left(numbers, top) : bisect_right(numbers, bottom)]:
                self._budget.visit(len(columns))
                for column in columns:
                    if column not in self.rows[row]:
                        self._budget.take(cell.text)
                        self.rows[row][column] = cell

    def _drop_hidden(self) -> None:
        for row in self.hidden_rows:
            del self.rows[row]
        used = {column for cells in self.rows.values() for column in cells}
        self.hidden_columns = {column for column in used if self._hidden[column]}
        for cells in self.rows.values() if self.hidden_columns else ():
            for column in self.hidden_columns & set(cells):
                del cells[column]
        self.rows = {number: cells for number, cells in self.rows.items() if cells}
