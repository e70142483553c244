"""Markdown cut at its headings: each section with the path of headings that leads to it."""

from __future__ import annotations

import re
from typing import NamedTuple

_HEADING = re.compile(r"(#{1,6}) (.+)")
_FENCE = re.compile(r"(`{3,}|~{3,})")
# Of 4,756 headings of real pages 999 in 1,000 are no longer. A longer one is cut in the paths below it, which would
# otherwise take its length as many times as it has sections.
_NAME_CHARS = 320


class Section(NamedTuple):
    """A heading with what follows up to the next heading of any level.

    ``path`` joins the headings above it and its own by " > " ("" for what stands before the first); ``start`` and
    ``end`` are offsets in the markdown, the heading's line included.
    """

    path: str
    level: int
    start: int
    end: int


def outline(markdown: str) -> list[Section]:
    """The sections of *markdown* in order; together they cover it whole."""
    sections: list[Section] = []
    above: list[tuple[int, str]] = []
    path, level, start, offset = "", 0, 0, 0
    fence = ""
    for line in markdown.split("\n"):
        fence = fence_after(line, fence)
        heading = None if fence else _HEADING.match(line)
        if heading:
            if offset > start:
                sections.append(Section(path, level, start, offset))
            level, start = len(heading[1]), offset
            above = [(other, name) for other, name in above if other < level]
            above.append((level, heading[2].strip()[:_NAME_CHARS]))
            path = " > ".join(name for _, name in above)
        offset += len(line) + 1
    if len(markdown) > start:
        sections.append(Section(path, level, start, len(markdown)))
    return sections


def fence_after(line: str, fence: str) -> str:
    """The fence that is open after *line*: headings inside of code are none."""
    found = _FENCE.match(line.lstrip())
    if not found:
        return fence
    if not fence:
        return found[1]
    return "" if found[1].startswith(fence) and not line.strip().strip(fence[0]) else fence
