"""Markdown cut into what a reader takes for one thing: a heading, a paragraph, a list item, a row, a line of code."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Literal, NamedTuple

from rori_spiders.content.changes.model import Place
from rori_spiders.content.changes.paragraph_labels import paragraph_at
from rori_spiders.content.sections import Section, fence_after, outline

Kind = Literal["heading", "paragraph", "list item", "table row", "line of code"]

_QUOTED = re.compile(r"(?:(?<!\s)|(?<=>\s))\s*(?:>\s?)+")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?:\s|$)")
_RULED = re.compile(r"\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?)?\s*$")
_CELLS = re.compile(r"(?<!\\)\|")
#: Sections of more blocks than this are tables and lists, which no enumerators lead through.
_LABELLED_BLOCKS = 2000


class Block(NamedTuple):
    """``text`` is as it stands in the markdown; ``key`` the same with single spaces: what is compared first.

    ``section`` is its number in the outline, ``number`` its own in the section, from 1. A table's rows know the
    ``titles`` of their columns; the header and its rule are one row.
    """

    kind: Kind
    text: str
    key: str
    section: int
    number: int
    titles: tuple[str, ...] = ()


class Text(NamedTuple):
    """A markdown text in sections and blocks, both in order. Blank lines belong to no block."""

    markdown: str
    sections: list[Section]
    blocks: list[Block]

    def place(self, block: Block) -> Place:
        return Place(self.sections[block.section].path, block.number)

    def of_section(self, at: int) -> str:
        """The section's markdown, its heading included."""
        return self.markdown[self.sections[at].start : self.sections[at].end]

    def paragraph(self, block: Block) -> str:
        """The enumerators of the paragraph that *block* is or belongs to, "(c)(1)"; "" where they are not sure."""
        if block.kind not in {"paragraph", "list item"} or block.number > _LABELLED_BLOCKS:
            return ""
        first = bisect_left(self.blocks, block.section, key=lambda one: one.section)
        of_section = [one.key for one in self.blocks[first : first + block.number + 1] if one.section == block.section]
        path = self.sections[block.section].path.split(" > ")
        return paragraph_at(of_section[: block.number], above=path, behind=of_section[block.number :])

    def path_above(self, at: int) -> str:
        """The heading path of the section before; "" for the first."""
        return self.sections[at - 1].path if at else ""

    @property
    def begins_without_heading(self) -> bool:
        return bool(self.sections) and not self.sections[0].level


def read_text(markdown: str) -> Text:
    """*markdown* cut into sections and blocks."""
    sections = outline(markdown)
    blocks = []
    for at, section in enumerate(sections):
        lines = markdown[section.start : section.end].split("\n")
        for number, (kind, text, titles) in enumerate(_Reader(lines, has_heading=bool(section.level)).read(), 1):
            blocks.append(Block(kind, text, " ".join(text.split()), at, number, titles))
    return Text(markdown, sections, blocks)


def cells_of(row: str) -> tuple[str, ...]:
    """The cells of a row's first line; pipes that are escaped are text."""
    line = row.split("\n", 1)[0].strip()
    if not line.startswith("|"):
        return ()
    cells = _CELLS.split(line)[1:]
    return tuple(cell.strip() for cell in (cells[:-1] if cells and not cells[-1].strip() else cells))


class _Reader:
    def __init__(self, lines: list[str], *, has_heading: bool) -> None:
        self._lines = lines
        self._has_heading = has_heading
        self._kind: Kind = "paragraph"
        self._open: list[str] = []  # lines of the block that is being read
        self._in_table = False
        self._titles: tuple[str, ...] = ()

    def read(self) -> Iterator[tuple[Kind, str, tuple[str, ...]]]:
        fence = ""
        lines = iter(enumerate(self._lines))
        for at, line in lines:
            if not fence and self._in_table and line.startswith("|"):
                yield "table row", line, self._titles
                continue
            inside, fence = bool(fence), fence_after(line, fence)
            bare = _QUOTED.sub("", line, count=1).strip() if line.lstrip().startswith(">") else line.strip()
            if inside or fence:
                yield from self._ended()
                if bare:
                    yield "line of code", line, ()
            elif at == 0 and self._has_heading:
                yield "heading", line, ()
            elif bare.startswith("|"):
                yield from self._ended()
                yield self._row(at, line, bare, lines)
            else:
                self._in_table = False
                yield from self._prose(line, bare)
        yield from self._ended()

    def _row(
        self, at: int, line: str, bare: str, lines: Iterator[tuple[int, str]]
    ) -> tuple[Kind, str, tuple[str, ...]]:
        if self._in_table:
            return "table row", line, self._titles
        self._in_table, self._titles = True, ()
        below = self._lines[at + 1] if at + 1 < len(self._lines) else ""
        if not _RULED.match(below.lstrip(" >")):
            return "table row", line, ()
        next(lines)
        self._titles = cells_of(bare)
        return "table row", f"{line}\n{below}", self._titles

    def _prose(self, line: str, bare: str) -> Iterator[tuple[Kind, str, tuple[str, ...]]]:
        if not bare:
            yield from self._ended()
            return
        is_item = _ITEM.match(bare) is not None
        if is_item or (self._open and self._open[-1].endswith(("  ", "\\"))):
            yield from self._ended()
        if not self._open:
            self._kind = "list item" if is_item else "paragraph"
        self._open.append(line)

    def _ended(self) -> Iterator[tuple[Kind, str, tuple[str, ...]]]:
        if self._open:
            yield self._kind, "\n".join(self._open), ()
            self._open = []
