"""A sheet as markdown: what stands above the table, the table, what stands below; comments for what was hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openpyxl.utils.cell import get_column_letter

from rori_spiders.content.documents.escape import block
from rori_spiders.content.documents.sheets.grid import TooMany
from rori_spiders.content.documents.tables import pipe_table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rori_spiders.content.documents.sheets.grid import Cell, Sheet

#: Cells with text in one workbook, merged ones as often as they are filled. 300,000 take 7 s and 104 MB; a process for
#: conversion has 272 (workers/worker.py; measured 2026-11). All counties of the United States are some 3,200 rows.
MAX_CELLS = 300_000
#: Characters in all of them.
MAX_CHARS = 16_000_000
#: Places of tables, empty ones counted, and places of merged cells: ten for each cell. Sheets are fuller than that.
MAX_PLACES = 3_000_000


class Budget:
    """What a workbook may still hold. Raises TooMany."""

    def __init__(self) -> None:
        self._cells = MAX_CELLS
        self._chars = MAX_CHARS
        self._places = MAX_PLACES

    def take(self, text: str) -> None:
        self._cells -= 1
        self._chars -= len(text)
        if self._cells < 0:
            raise TooMany(f"holds more than {MAX_CELLS:,} cells with text; larger ones are not read")
        if self._chars < 0:
            raise TooMany(f"holds more than {MAX_CHARS:,} characters; larger ones are not read")

    def visit(self, places: int) -> None:
        self._places -= places
        if self._places < 0:
            raise TooMany(f"spreads its cells over more than {MAX_PLACES:,} places; such sheets are not read")


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
