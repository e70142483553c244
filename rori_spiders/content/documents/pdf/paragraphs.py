"""Lines to paragraphs. A line goes on in the next one when its next word had no room; else it was broken on purpose."""

from __future__ import annotations

import re
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from rori_spiders.content.documents.pdf.lines import Line

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
    step = _usual_step(lines)
    found: list[list[Line]] = []
    for line in lines:
        if found and _belongs(found[-1], line, step, level):
            found[-1].append(line)
        else:
            found.append([line])
    return found


def _usual_step(lines: list[Line]) -> float:
    """The usual distance of baselines, in sizes of the print; 1.2 is the printer's rule."""
    steps = [(a.y - b.y) / b.size for a, b in pairwise(lines) if 0.8 < (a.y - b.y) / b.size < 2.5]
    return median(steps) if steps else 1.2


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
