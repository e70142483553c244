"""Excel workbooks (.xlsx) to markdown: a section a sheet, its cells as a pipe table, values as Excel shows them.

In: the bytes. Out: a `Document` of format ``markdown``. Formulas stand by the values that Excel last computed. What
the file hides (sheets, rows, columns) is left out, and a comment says where. Raised and lowered parts of a cell stay
apart from the number before them. Notes on cells and text boxes stand below their sheet.
"""

from __future__ import annotations

import io
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lxml import etree
from lxml.etree import _Element
from openpyxl.styles.numbers import BUILTIN_FORMATS
from openpyxl.utils.cell import column_index_from_string, get_column_letter, range_boundaries

from rori_spiders.content.documents.document import Document
from rori_spiders.content.documents.escaping import block, escaped
from rori_spiders.content.documents.excel.number_formats import Format
from rori_spiders.content.documents.office_package import Package
from rori_spiders.content.documents.tables import pipe_table
from rori_spiders.content.documents.xml.parser import HARDENED
from rori_spiders.content.markdown.tables import repeated

S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_MARKS = {"superscript": ("<sup>", "</sup>"), "subscript": ("<sub>", "</sub>")}


def shared_strings(part: bytes) -> list[str]:
    """The table of shared strings."""
    found = []
    for _, element in parsed(part, f"{S}si"):
        found.append(rich(element))
        element.clear()
    return found


def parsed(part: bytes, *tags: str) -> etree.iterparse:
    """The elements of these names as they end: nothing fetched, no entity expanded.

    Raises ValueError for a part with a document type: only that could declare entities, and no such part has one.
    """
    if b"<!DOCTYPE" in part or "<!DOCTYPE".encode("utf-16-le") in part or "<!DOCTYPE".encode("utf-16-be") in part:
        raise ValueError("a part has a document type")
    return etree.iterparse(io.BytesIO(part), events=("end",), tag=tags, **HARDENED)


def rich(element: _Element) -> str:
    """A string item or inline string: its runs, without phonetic readings."""
    out = []
    for part in element:
        if part.tag == f"{S}t":
            out.append(_plain(part.text))
        elif part.tag == f"{S}r":
            text = _plain(part.findtext(f"{S}t"))
            raised = part.find(f"{S}rPr/{S}vertAlign")
            struck = part.find(f"{S}rPr/{S}strike")
            start, end = _MARKS.get(raised.get("val", ""), ("", "")) if raised is not None else ("", "")
            if struck is not None and struck.get("val", "1") not in ("0", "false"):
                start, end = f"{start}~~", f"~~{end}"
            out.append(f"{start}{text}{end}" if text.strip() else text)
    return "".join(out)


def _plain(text: str | None) -> str:
    """Text as markdown; ``_x000D_`` is how the format writes a line end that XML would change."""
    return escaped((text or "").replace("_x000D_", "").replace("_x005F_", "_"))


# Styles of cells: of each, the number format; openpyxl knows the formats that files only name by number.

# Format 14 is the reader's own short date; in the United States this.
_SHORT_DATES = {"14": "m/d/yyyy", "22": "m/d/yyyy h:mm"}


class Styles:
    """The formats of a workbook, by the number that a cell gives."""

    def __init__(self, root: _Element | None, is_1904: bool) -> None:
        own = {each.get("numFmtId", ""): each.get("formatCode", "") for each in _all(root, "numFmt")}
        codes = {str(number): code for number, code in BUILTIN_FORMATS.items()} | _SHORT_DATES | own
        styles = root.find(f"{S}cellXfs") if root is not None else None
        numbers = [each.get("numFmtId", "0") for each in styles] if styles is not None else []
        made = {number: Format(codes.get(number, "General"), is_1904=is_1904) for number in {*numbers, "0"}}
        self._formats = [made[number] for number in numbers]
        self._general = made["0"]

    def format(self, style: str | None) -> Format:
        if style is None or not style.isdecimal() or int(style) >= len(self._formats):
            return self._formats[0] if style is None and self._formats else self._general
        return self._formats[int(style)]


def _all(root: _Element | None, name: str) -> list[_Element]:
    return list(root.iter(S + name)) if root is not None else []


_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


def read(body: bytes, /, *, url: str) -> Document:
    """The text of a workbook. Raises UnreadableDocument as `Package` does, and for one too large or without text."""
    package = Package(body, url, "Excel file")
    main = package.main("xl/workbook.xml")
    workbook = package.required_xml(main)
    removed: list[str] = []
    links: list[str] = []
    try:
        sections = list(_sections(package, main, workbook, removed, links))
    except TooMany as error:
        raise package.unreadable(str(error)) from error
    except (etree.XMLSyntaxError, ValueError, IndexError) as error:
        raise package.unreadable(f"is broken ({error})") from error
    if all(section.startswith("<!--") for section in sections):
        raise package.unreadable("holds no text")
    return Document(
        "\n\n".join(sections) + "\n",
        "markdown",
        title=package.title(),
        language=package.language(),
        metadata={**package.facts(), "kind": "xlsx"},
        links=tuple(dict.fromkeys(links)),
        removed=tuple(dict.fromkeys(removed)),
    )


def _sections(
    package: Package, main: str, workbook: etree._Element, removed: list[str], links: list[str]
) -> Iterator[str]:
    targets = package.targets(main)
    parts = {kind: target for kind, target in targets.values() if target in package.names}
    about = workbook.find(f"{S}workbookPr")
    styles = Styles(package.xml(parts.get("styles", "")), about is not None and about.get("date1904") in ("1", "true"))
    texts = shared_strings(package.bytes(parts["sharedStrings"])) if "sharedStrings" in parts else []
    budget = Budget()
    for each in workbook.iter(f"{S}sheet"):
        kind, target = targets.get(each.get(_ID, ""), ("", ""))
        if kind != "worksheet" or target not in package.names:
            yield f"<!-- {kind or 'missing sheet'}, not read: {in_comment(each.get('name', ''))} -->"
            continue
        name = each.get("name", "")
        if each.get("state", "visible") != "visible":
            removed.append("hidden_sheets")
            yield f"<!-- hidden sheet: {in_comment(name)} -->"
            continue
        sheet = Sheet(package.bytes(target), texts, styles, budget)
        notes: list[str] = []
        for related, address in package.targets(target).values():
            if related == "hyperlink" and address.startswith(("http://", "https://")):
                links.append(address)
            elif related == "comments" and address in package.names:
                notes += _notes(package.bytes(address), sheet, removed, budget)
            elif related == "drawing" and address in package.names:
                notes += _text_boxes(package.bytes(address), budget)
        if text := "\n\n".join(filter(None, (section(sheet, removed, budget), *notes))):
            yield f"## {escaped(' '.join(name.split()))}\n\n{text}"


def _notes(part: bytes, sheet: Sheet, removed: list[str], budget: Budget) -> list[str]:
    """Notes on the cells that are shown: ``- B4 (Ann Lee): text``, behind a comment that says what they are.

    Names in *removed* that there are notes on hidden cells.
    """
    authors: list[str] = []
    notes = []
    for _, element in parsed(part, f"{S}author", f"{S}comment"):
        if element.tag == f"{S}author":
            authors.append(escaped(" ".join((element.text or "").split())))
            continue
        place, number, holder = element.get("ref", ""), element.get("authorId", ""), element.find(f"{S}text")
        lines = [line.strip() for line in rich(holder).splitlines() if line.strip()] if holder is not None else []
        if not lines:
            continue
        if sheet.is_hidden(place):
            removed.append("hidden_notes")
            continue
        author = authors[int(number)] if number.isdecimal() and int(number) < len(authors) else ""
        if author and len(lines) > 1 and lines[0].rstrip(":") == author:  # Excel writes it into the note, too
            del lines[0]
        budget.take("".join(lines))
        notes.append(
            f"- {escaped(' '.join(place.split()))}{f' ({author})' if author else ''}: "
            + "  \n  ".join(map(block, lines))
        )
    return ["<!-- notes on cells -->", "\n".join(notes)] if notes else []


def _text_boxes(part: bytes, budget: Budget) -> list[str]:
    """The paragraphs of the text boxes of a sheet, behind a comment that says what they are."""
    texts = []
    for _, element in parsed(part, f"{A}p"):
        text = " ".join("".join(run.text or "" for run in element.iter(f"{A}t")).split())
        if text:
            budget.take(text)
            texts.append(block(escaped(text)))
    return ["<!-- text boxes -->", *texts] if texts else []


# The cells of one sheet, read as a stream: texts by row and column, merged cells filled, hidden ones out.

_MOST_COLUMNS = 16_384  # Excel's own limit
_MOST_ROWS = 1_048_576
_PLACE = re.compile(r"[A-Za-z]{1,3}[0-9]{1,7}")


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
        for _, element in parsed(part, f"{S}row", f"{S}col", f"{S}mergeCell"):
            if element.tag == f"{S}col":
                if element.get("hidden") in ("1", "true"):
                    first, last = int(element.get("min", "0")), min(int(element.get("max", "0")), _MOST_COLUMNS)
                    self._hidden[first : last + 1] = b"\1" * max(0, last + 1 - first)
            elif element.tag == f"{S}mergeCell":
                merged.append(element.get("ref", ""))
            else:
                row = self._row(element, row + 1)
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]
        self.own = {number: len(cells) for number, cells in self.rows.items()}
        self._fill(merged)
        self._hidden_places = frozenset(map(str, self.hidden_rows))
        self._drop_hidden()

    def is_hidden(self, place: str) -> bool:
        """Whether a cell (``B4``) stands in a row or column that the file hides."""
        if not _PLACE.fullmatch(place):
            return False
        letters = place.rstrip("0123456789")
        column = column_index_from_string(letters)
        is_in_row = place[len(letters) :] in self._hidden_places
        return is_in_row or (column <= _MOST_COLUMNS and bool(self._hidden[column]))

    def _row(self, element: _Element, expected: int) -> int:
        stated = element.get("r", "")
        number = int(stated) if stated.isdecimal() else expected
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
            return Cell("" if inner is None else rich(inner), is_text=True)
        value = (element.findtext(f"{S}v") or "").strip(" ") if kind != "str" else element.findtext(f"{S}v") or ""
        if not value:
            # A formula that was never computed stands by itself: there is nothing else to show.
            formula = (element.findtext(f"{S}f") or "").strip()
            if not formula or element.get("t") == "str":  # it was computed, and gave an empty text
                return Cell("", is_text=True)
            self.uncomputed += 1
            return Cell(escaped(f"={formula}"), is_text=False)
        if kind == "s":
            return Cell(self._shared[int(value)], is_text=True)
        if kind == "b":
            return Cell("TRUE" if value in ("1", "true") else "FALSE", is_text=False)
        if kind in ("str", "e", "d"):
            return Cell(escaped(value), is_text=kind == "str")
        return Cell(escaped(self._styles.format(element.get("s")).shown(value)), is_text=False)

    def _fill(self, merged: list[str]) -> None:
        """A short head in each column that it is merged over, any short text in each row; a passage stands once."""
        if not self.rows:
            return
        first = min(min(cells) for cells in self.rows.values())
        last = max(max(cells) for cells in self.rows.values())
        numbers = sorted(self.rows)
        head = next((row for row in numbers if self.own[row] > 1), 0)
        for reference in merged:
            left, top, right, bottom = range_boundaries(reference)
            cell = self.rows.get(top or 0, {}).get(left or 0)
            if cell is None or not (left and top and right and bottom):
                continue
            is_over = top == head and cell.is_text and not (left <= first and right >= last)
            columns = range(left, min(right, last) + 1) if is_over else [left]
            if not repeated(cell.text):
                continue
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


# A sheet as markdown: what stands above the table, the table, what stands below; comments for what was hidden.

#: Cells with text in one workbook, merged ones as often as they are filled. 300,000 take 7 s and 104 MB; a process for
#: conversion has 272 (workers/worker.py; measured 2026-11). All counties of the United States are some 3,200 rows.
MAX_CELLS = 300_000
#: Characters in all of them.
MAX_CHARS = 16_000_000
#: Places of tables, empty ones counted, and places of merged cells: ten for each cell. Sheets are fuller than that.
MAX_PLACES = 3_000_000


class Budget:
    """The remaining size that a workbook may use. Raises TooMany."""

    def __init__(self) -> None:
        self._cells = MAX_CELLS
        self._chars = MAX_CHARS
        self._places = MAX_PLACES

    def take(self, text: str) -> None:
        self._cells -= 1
        self._chars -= len(text)
        if self._cells < 0:
            raise TooMany(f"holds more than {MAX_CELLS:,} cells with text, the maximum")
        if self._chars < 0:
            raise TooMany(f"holds more than {MAX_CHARS:,} characters, the maximum")

    def visit(self, places: int) -> None:
        self._places -= places
        if self._places < 0:
            raise TooMany(f"spreads its cells over more than {MAX_PLACES:,} positions, the maximum")


def section(sheet: Sheet, removed: list[str], budget: Budget) -> str:
    """The markdown of one sheet below its heading; "" for a sheet without text. Names what was hidden in *removed*."""
    if not sheet.rows and not sheet.hidden_rows:
        return ""
    blocks = []
    if sheet.hidden_rows:
        removed.append("hidden_rows")
        blocks.append(f"<!-- hidden rows: {_ranges(sheet.hidden_rows, str)} -->")
    if sheet.hidden_columns:
        removed.append("hidden_columns")
        blocks.append(f"<!-- hidden columns: {_ranges(sorted(sheet.hidden_columns), get_column_letter)} -->")
    if sheet.uncomputed:
        blocks.append(f"<!-- formulas without a computed value: {sheet.uncomputed} -->")
    above, table, below = _parts(sheet)
    blocks += [_paragraph(sheet.rows[row]) for row in above]
    blocks += [_table(sheet, table, budget)] if table else []
    blocks += [_paragraph(sheet.rows[row]) for row in below]
    return "\n\n".join(blocks)


def _parts(sheet: Sheet) -> tuple[list[int], list[int], list[int]]:
    """Rows before the table, of it, and after it: a row with one cell is a title or a note."""
    rows = list(sheet.rows)
    wide = [at for at, row in enumerate(rows) if sheet.own[row] > 1]
    if not wide:
        return rows, [], []
    return rows[: wide[0]], rows[wide[0] : wide[-1] + 1], rows[wide[-1] + 1 :]


def _paragraph(cells: dict[int, Cell]) -> str:
    texts = dict.fromkeys(cell.text for _, cell in sorted(cells.items()))
    return "  \n".join(block(line.strip()) for text in texts for line in text.splitlines() if line.strip())


def _table(sheet: Sheet, rows: list[int], budget: Budget) -> str:
    columns = sorted({column for row in rows for column in sheet.rows[row]})
    budget.visit(len(rows) * len(columns))
    lines = [[_text(sheet.rows[row].get(column)) for column in columns] for row in rows]
    is_head = len(rows) > 1 and all(cell.is_text for cell in sheet.rows[rows[0]].values())
    return pipe_table(lines[0], lines[1:]) if is_head else pipe_table([], lines)


def _text(cell: Cell | None) -> str:
    return "" if cell is None else "<br>".join(line.strip() for line in cell.text.splitlines() if line.strip())


def _ranges(numbers: Iterable[int], name: object) -> str:
    """``4-6, 9``; *name* makes a number a word."""
    assert callable(name)
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(name(first) if first == last else f"{name(first)}-{name(last)}" for first, last in runs)


def in_comment(text: str) -> str:
    """Text that cannot end the comment around it."""
    return " ".join(text.replace("--", "- -").replace(">", "").split())
