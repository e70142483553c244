"""Markdown cut at its headings: each section with the path of headings that leads to it."""

import difflib
import re
from hashlib import sha256
from typing import Literal, NamedTuple

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
        if "`" in line or "~" in line:
            fence = fence_after(line, fence)
        heading = _HEADING.match(line) if line[:1] == "#" and not fence else None
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


# Whether a page's text changed, and where: hashes of the whole and of each section, and the lines that differ. What
# changes by itself was taken out before (`volatile`); what is hashed here is exactly what is staged.

Kind = Literal["removed", "added"]


def content_hash(markdown: str) -> str:
    """Hex SHA-256 of the UTF-8 bytes of *markdown*: anyone can recompute it from the staged body."""
    return sha256(markdown.encode("utf-8", "surrogatepass")).hexdigest()


def section_hashes(markdown: str) -> list[tuple[str, str]]:
    """(heading path, hex SHA-256) of each section in order; sections of one path are numbered " (2)", " (3)"."""
    seen: dict[str, int] = {}
    hashes = []
    for section in outline(markdown):
        count = seen[section.path] = seen.get(section.path, 0) + 1
        path = section.path if count == 1 else f"{section.path} ({count})"
        hashes.append((path, content_hash(markdown[section.start : section.end])))
    return hashes


def changed_lines(old: str, new: str) -> list[tuple[Kind, str]]:
    """The lines that were removed and added, in reading order; empty only if the two texts are the same.

    Blank lines are left out, unless nothing else differs.
    """
    if old == new:
        return []
    lines: list[tuple[Kind, str]] = []
    for line in difflib.unified_diff(old.split("\n"), new.split("\n"), n=0, lineterm=""):
        if line.startswith(("---", "+++", "@@")) and not lines:
            continue
        if line[0] in "+-":
            lines.append(("added" if line[0] == "+" else "removed", line[1:]))
    return [(kind, line) for kind, line in lines if line.strip()] or lines
