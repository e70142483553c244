"""The text of a document line by line: headings, tables, code, running text, with their line numbers in the file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from rori_spiders.content.changes.blocks import cells_of
from rori_spiders.content.sections import fence_after

LineKind = Literal["heading", "row", "code", "text", "blank"]

_HEADING = re.compile(r"(#{1,6}) (.+)")
# A link's brackets and target; marks, escapes and what has no width. Bounded, so that no text takes long.
_LINK = re.compile(r"!?\[([^\[\]]{0,2000})\]\((?:[^()\s]|\([^()\s]{0,500}\)){0,2000}(?: \"[^\"\n]{0,500}\")?\)")
_MARKS = re.compile(r"[*`]+|\\(?=[!-/:-@\[-`{-~])|[\u200b-\u200d\u2060\ufeff\u00ad]+")
_RULE = re.compile(r"\s*(?:\|\s*)?(?::?-+:?\s*\|\s*)+(?::?-+:?\s*)?$")


def strip_markup(markdown: str) -> str:
    """Return *markdown* approximately as plain text, to measure it (``fields.grounding.plain_text`` is exact)."""
    return _MARKS.sub("", _LINK.sub(r"\1", markdown))


class Line(NamedTuple):
    """A line: its number in the file, from 1; the ``level`` of a heading, else 0; its plain ``words``."""

    number: int
    kind: LineKind
    text: str
    level: int = 0

    @property
    def words(self) -> str:
        return " ".join(strip_markup(self.text[self.level :]).split())


class Table(NamedTuple):
    """A table: its position, column titles and rows, as cells."""

    number: int
    titles: tuple[str, ...]
    rows: list[tuple[str, ...]]


@dataclass(frozen=True)
class DocumentLines:
    """The lines of *body*, which begins in the file after ``above`` lines."""

    body: str
    above: int = 0

    @cached_property
    def lines(self) -> list[Line]:
        return list(self._lines())

    def _lines(self) -> Iterator[Line]:
        fence = ""
        for number, text in enumerate(self.body.split("\n"), self.above + 1):
            was, fence = fence, fence_after(text, fence)
            heading = None if was or fence else _HEADING.match(text)
            if was or fence:
                yield Line(number, "code", text)
            elif heading:
                yield Line(number, "heading", text, len(heading[1]))
            elif text.lstrip().startswith("|"):
                yield Line(number, "row", text)
            else:
                yield Line(number, "text" if text.strip() else "blank", text)

    @cached_property
    def headings(self) -> list[Line]:
        return [line for line in self.lines if line.kind == "heading"]

    @cached_property
    def plain_text(self) -> str:
        """The plain text without headings."""
        return strip_markup("\n".join(line.text for line in self.lines if line.kind != "heading"))

    def number_at(self, offset: int) -> int:
        """Return the line number in the file of the body's *offset*."""
        return self.above + 1 + self.body.count("\n", 0, offset)

    def tables(self) -> Iterator[Table]:
        """The tables with a header row, whose titles may be empty."""
        rows: list[Line] = []
        for line in [*self.lines, Line(0, "blank", "")]:
            if line.kind == "row":
                rows.append(line)
                continue
            if len(rows) > 1 and _RULE.match(rows[1].text):
                cells = [tuple(cells_of(row.text)) for row in (rows[0], *rows[2:])]
                yield Table(rows[0].number, cells[0], cells[1:])
            rows = []
