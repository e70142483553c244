"""Convert one page of a PDF to markdown: headings, paragraphs, tables."""

from __future__ import annotations

import re
from itertools import groupby, pairwise
from statistics import median
from typing import TYPE_CHECKING

from rori_spiders.content.documents.escaping import block
from rori_spiders.content.documents.pdf.headings import rounded
from rori_spiders.content.documents.pdf.lines import Line
from rori_spiders.content.documents.pdf.tables import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rori_spiders.content.documents.pdf.headings import Levels
    from rori_spiders.content.documents.pdf.page_layout import Page


def write(read: Page, levels: Levels, vocabulary: Vocabulary) -> str:
    """The blocks of a page. ``levels`` are those of its headings."""

    def level(line: Line) -> int:
        return levels.get(id(line), 0)

    blocks: list[str] = []
    for is_table, run in groupby([*read.items, *read.aside], key=lambda item: isinstance(item, Table)):
        if is_table:
            blocks += [item.markdown for item in run if isinstance(item, Table)]
            continue
        for paragraph in paragraphs([item for item in run if isinstance(item, Line)], level):
            depth = level(paragraph[0])
            text = flowing(paragraph, vocabulary, heading=bool(depth))
            blocks.append(f"{'#' * depth} {text}" if depth else text)
    return "\n\n".join(blocks)


def title(first: Page, levels: Levels) -> str | None:
    """The largest heading of a page, if one is: its rows follow one another."""
    places = [index for index, item in enumerate(first.items) if isinstance(item, Line) and id(item) in levels]
    lines = {index: item for index in places if isinstance(item := first.items[index], Line)}
    size = max((rounded(line.size) for line in lines.values()), default=0.0)
    rows = [index for index, line in lines.items() if rounded(line.size) == size]
    if not rows or rows != list(range(rows[0], rows[-1] + 1)):
        return None
    return " ".join(lines[index].text for index in rows)[:300]


# The text of a paragraph from its lines: the printer's breaks and hyphens gone, the author's kept.

_HYPHENATED = re.compile(r"(?:^|[\s(“\"])([^\W\d_]{3,})-$")
_HYPHEN = re.compile(r"[^\W_]-$")
# "short- and long-term" is not a word that was broken at the line's end.
_ANY = re.compile(r"(?!(?:and|or|to|nor)\b)[^\W_]")
_REST = re.compile(r"[^\W\d_]{2,}")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_RULE_LIKE = re.compile(r"[-=:|\s\\]+")


class Vocabulary:
    """The words of a document that stand within a line: by them a hyphen at a line's end is known to be the printer's.

    ``regula-`` ``tion`` is certainly *regulation* when the document writes that elsewhere, and never *regula-tion*.
    """

    def __init__(self, pages: Iterable[Page]) -> None:
        self._words: set[str] = set()
        broken = False
        for page in pages:
            for line in page.items:
                if isinstance(line, Line):
                    found = _WORD.findall(line.text.casefold())
                    self._words.update(found[int(broken) : len(found) - int(line.text.endswith("-"))])
                    broken = line.text.endswith("-")

    def knows(self, before: str, after: str) -> bool:
        whole, hyphenated = before + after, f"{before}-{after}"
        return whole.casefold() in self._words and hyphenated.casefold() not in self._words


def flowing(paragraph: list[Line], vocabulary: Vocabulary, *, heading: bool = False) -> str:
    """The markdown of a paragraph: printer's breaks gone, breaks on purpose kept as breaks."""
    rows = [paragraph[0].markdown]
    for last, line in pairwise(paragraph):
        hyphen = _HYPHENATED.search(last.text)
        rest = _REST.match(line.markdown)
        if hyphen and rest and vocabulary.knows(hyphen[1], rest[0]):
            rows[-1] = rows[-1][:-1] + line.markdown
        elif last.broken or (_HYPHEN.search(last.text) and _ANY.match(line.text)):
            rows[-1] += line.markdown
        elif heading or goes_on(last, line):
            rows[-1] += " " + line.markdown
        else:
            rows.append(line.markdown)
    return "  \n".join(_safe(row) for row in rows)


def _safe(row: str) -> str:
    """A row whose beginning markdown would act on, or that would make a table of the row above."""
    return "\\" + row if _RULE_LIKE.fullmatch(row) and row[0] != "\\" else block(row)


# Lines to paragraphs. A line goes on in the next one when its next word had no room; else it was broken on purpose.

# A step of the lines larger than 1.3 of the page's usual one is a gap between paragraphs.
_GAP = 1.3
# An indent, in sizes of the print.
_INDENT = 0.7
# A typesetter leaves up to this much of the print's size more than the next word needs.
_SLACK = 0.6
_ENDS = re.compile(r"[.:;?!][\"”’)\]]*$")
_ITEM = re.compile(r"(?:[•●▪■◦○‣–—*-]|\([0-9A-Za-z]{1,5}\)|[0-9A-Za-z]{1,3}[.)])(?:\s|$)")


def paragraphs(lines: list[Line], level: Callable[[Line], int]) -> list[list[Line]]:
    """Lines that belong together, in their order. ``level`` tells headings, of which each is one of its own."""
    # The usual distance of baselines, in sizes of the print; 1.2 is the printer's rule.
    steps = [(a.y - b.y) / b.size for a, b in pairwise(lines) if 0.8 < (a.y - b.y) / b.size < 2.5]
    step = median(steps) if steps else 1.2
    found: list[list[Line]] = []
    for line in lines:
        if found and _belongs(found[-1], line, step, level):
            found[-1].append(line)
        else:
            found.append([line])
    return found


def _belongs(paragraph: list[Line], line: Line, step: float, level: Callable[[Line], int]) -> bool:
    last = paragraph[-1]
    if level(last) != level(line) or (level(line) and not _same_size(last, line)):
        return False
    if last.broken:
        return True
    if not _same_size(last, line):
        return False
    down = last.y - line.y
    if down <= 0.3 * line.size:  # up to the next column, or beside
        return down < 0 and goes_on(last, line) and not _ENDS.search(last.text) and line.text[:1].islower()
    if down > _GAP * step * line.size:
        return False
    if level(line):  # the next heading follows at a larger step
        return len(paragraph) < 2 or down <= _GAP * (paragraph[-2].y - last.y)
    return not _begins(paragraph, line)


def _begins(paragraph: list[Line], line: Line) -> bool:
    """Whether a line that follows closely begins a paragraph: by its indent, or as an item of a list."""
    last = paragraph[-1]
    indent = line.x0 - (paragraph[1].x0 if len(paragraph) > 1 else last.x0)
    sentence, room = bool(_ENDS.search(last.text)), not goes_on(last, line)
    if sentence and room:
        return True
    ended = sentence or room
    if len(paragraph) > 1 and abs(indent) > _INDENT * line.size:
        return ended or indent > 0
    if len(paragraph) == 1 and indent > _INDENT * line.size and not _ITEM.match(last.text):
        return ended
    return ended and bool(_ITEM.match(line.text) or line.markdown.startswith("<sup>"))


def _same_size(one: Line, other: Line) -> bool:
    return abs(one.size - other.size) <= 0.1 * max(one.size, other.size)


def goes_on(line: Line, after: Line) -> bool:
    """Whether the first word of *after* had no room in *line*."""
    if line.tabular or after.tabular:
        return False
    return line.x1 + after.first + 0.25 * line.size > line.right - _SLACK * line.size
