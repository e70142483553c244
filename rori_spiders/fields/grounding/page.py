"""A page in which quotes are looked up: its markdown, its plain text, its sections, and the text that is not evidence
(struck-out text, what OCR read, instructions to a model).
"""

import re
from bisect import bisect_right
from functools import cached_property
from typing import NamedTuple

from rori_spiders.content.sections import Section, content_hash, outline
from rori_spiders.fields.grounding.plain_text import to_plain_text
from rori_spiders.fields.grounding.quantities import days_in
from rori_spiders.fields.grounding.statements import only_stretch
from rori_spiders.fields.prompt_injection.heuristics import DOUBTED_WEIGHT, find_instructions, find_steering

#: A paragraph that the collector's own OCR read begins so (content/documents/pdf/ocr.py).
_RECOGNISED = re.compile(r"^\[OCR\] .*(?:\n.+)*", re.MULTILINE)
_STRUCK = re.compile(r"~~[^~\n]+~~|<(del|s|strike)>")
_BLOCK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+|#>]|\d{1,9}[.)]\s))")
#: What of a block is looked at to see that it begins.
_MARKER_CHARS = 12
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")
_MARKERS = re.compile(r"^[\s>]*(?:[-*+]|\d{1,9}[.)])?\s+|^\||\|$")


#: What ends a cell of a row, or begins the first.
_CELL_ENDS = re.compile(r"(?<!\\)\|")


class TableCell(NamedTuple):
    """A cell as plain text, with the heads of its row ("" for the first cell) and column."""

    text: str
    row: str
    column: str


class Page:
    """``body`` is the markdown (``content.body`` of an envelope); offsets are in its characters."""

    def __init__(self, body: str, url: str | None = None, title: str | None = None) -> None:
        self.body = body
        self.url = url
        self.title = title
        self.content_hash = content_hash(body)
        self.plain = to_plain_text(body)
        self.sections = outline(body)
        self._starts = [section.start for section in self.sections]
        self._struck = _find_struck_out(body)
        self._tables: dict[int, list[list[str]]] = {}  # by where they begin
        self._recognised = [found.span() for found in _RECOGNISED.finditer(body)] if "[OCR] " in body else []

    @cached_property
    def instructions(self) -> list[tuple[int, int]]:
        """Stretches that address a model. Found on first use: a megabyte takes seconds, and most pages are cached."""
        return find_instructions(self.body)

    @cached_property
    def subject(self) -> str:
        """What the page as a whole is about: its title, and its first heading of the highest level where it has one."""
        levels = [section.level for section in self.sections if section.level]
        tops = [section for section in self.sections if levels and section.level == min(levels)]
        heading = self.body[tops[0].start : self._line_end(tops[0].start)] if len(tops) == 1 else ""
        return to_plain_text(f"{self.title or ''} {heading}").text

    @cached_property
    def days(self) -> frozenset[str]:
        """The days that it names, YYYY-MM-DD."""
        return frozenset(one.iso for one in days_in(self.plain.text))

    @cached_property
    def stretch(self) -> tuple[str, str] | None:
        """The only stretch of time that it names, if it names one day only: the page of one occasion."""
        return only_stretch(self.plain.text) if len(self.days) == 1 else None

    def section_at(self, at: int) -> Section:
        """Return the section that contains the offset *at*."""
        return self.sections[bisect_right(self._starts, at) - 1]

    def is_instruction(self, start: int, end: int) -> bool:
        """Whether part of the span addresses a model."""
        return _overlaps_any(self.instructions, start, end)

    def steers(self, start: int, end: int) -> bool:
        """Whether its sentence and the one before it show signs of a prompt injection."""
        stretches = find_steering(self.body, DOUBTED_WEIGHT, *self.block_around(start, end))
        return any(one.start < end and start < one.end for one in stretches)

    def is_struck_out(self, start: int, end: int) -> bool:
        """Whether part of the span is struck out."""
        return _overlaps_any(self._struck, start, end)

    def is_recognised(self, start: int, end: int) -> bool:
        """Whether part of the span was read by OCR."""
        return _overlaps_any(self._recognised, start, end)

    def is_heading(self, start: int, end: int) -> bool:
        """Whether the span lies within a heading."""
        section = self.section_at(start)
        return section.level > 0 and end <= self._line_end(section.start)

    def fills_its_line(self, start: int, end: int) -> bool:
        """Whether the span is all of its list item, table row or line."""
        line = self.body[self.body.rfind("\n", 0, start) + 1 : self._line_end(end - 1)]
        return _strip_markers(line) == _strip_markers(self.body[start:end])

    def block_around(self, start: int, end: int) -> tuple[int, int]:
        """Return the paragraph, item or row around the span; for an item, from the line that introduces its list."""
        seen = _BLOCK.finditer(self.body, max(0, start - 4000), start + _MARKER_CHARS)
        before = [found.end() for found in seen if found.end() <= start]
        begins = before[-1] if before else max(0, start - 4000)
        after = _BLOCK.search(self.body, end)
        return begins, after.start() if after else len(self.body)

    def is_one_block(self, start: int, end: int) -> bool:
        """Whether the span is one paragraph, item or row at most."""
        return _BLOCK.search(self.body[start:end].rstrip()) is None

    def leading_to(self, start: int) -> str:
        """Return the line, ending in a colon, that introduces the list of the item at *start*; "" outside a list."""
        lines = self.body[max(0, start - 4000) : start].split("\n")
        if not _ITEM.match(self.body, self.body.rfind("\n", 0, start) + 1):
            return ""
        above = (line for line in reversed(lines[:-1]) if line.strip() and not _ITEM.match(line))
        leading = next(above, "").strip()
        return leading if leading.endswith((":", ":**")) else ""

    def table_head(self, start: int) -> str:
        """Return the header row of the table of the row at *start*; "" outside a table."""
        begin = self.body.rfind("\n", 0, start) + 1
        head = ""
        while self.body.startswith("|", begin):
            head = self.body[begin : self._line_end(begin)]
            begin = self.body.rfind("\n", 0, begin - 1) + 1 if begin else len(self.body)
        return head

    def table_cells(self, start: int) -> tuple[TableCell, list[TableCell]] | None:
        """Return the cell at *start* of a table's row below its header row, and the others; None elsewhere."""
        begin = self.body.rfind("\n", 0, start) + 1
        first = last = begin
        while first and self.body.startswith("|", self.body.rfind("\n", 0, first - 1) + 1):
            first = self.body.rfind("\n", 0, first - 1) + 1
        while self.body.startswith("|", last):
            last = self._line_end(last) + 1
        if first not in self._tables:
            self._tables[first] = [_split_row(line) for line in self.body[first:last].split("\n")]
        head, *rows = self._tables[first]
        rows = rows[1:]  # below the rule
        at = self.body.count("\n", first, begin) - 2
        if not 0 <= at < len(rows):
            return None
        column = len(_CELL_ENDS.findall(self.body, begin, start)) - 1
        cells = {
            (number, place): TableCell(text, row[0] if place else "", head[place] if place < len(head) else "")
            for number, row in enumerate(rows)
            for place, text in enumerate(row)
        }
        cell = cells.pop((at, column), None)
        return None if cell is None else (cell, list(cells.values()))

    def _line_end(self, at: int) -> int:
        found = self.body.find("\n", at)
        return len(self.body) if found < 0 else found


def _split_row(line: str) -> list[str]:
    return [to_plain_text(cell).text.strip() for cell in _CELL_ENDS.split(line.strip())[1:-1]]


def _find_struck_out(body: str) -> list[tuple[int, int]]:
    struck: list[tuple[int, int]] = []
    unclosed: set[str] = set()
    for found in _STRUCK.finditer(body):
        if found.start() < (struck[-1][1] if struck else 0) or found[1] in unclosed:
            continue
        end = body.find(f"</{found[1]}>", found.end()) if found[1] else found.end()
        if end < 0:
            unclosed.add(found[1])
        else:
            struck.append((found.start(), end))
    return struck


def _strip_markers(line: str) -> str:
    return to_plain_text(_MARKERS.sub("", line.strip()).strip()).text.strip()


def _overlaps_any(stretches: list[tuple[int, int]], start: int, end: int) -> bool:
    return any(one < end and start < other for one, other in stretches)
