"""Whether a page's text changed, and where: hashes of the whole and of each section, and the lines that differ.

What changes by itself was taken out before (`volatile`); what is hashed here is exactly what is staged.
"""

from __future__ import annotations

import difflib
from hashlib import sha256
from typing import Literal

from rori_spiders.content.sections import outline

Kind = Literal["removed", "added"]


def content_hash(markdown: str) -> str:
    """Hex SHA-256 of the UTF-8 bytes of *markdown*: anyone can recompute it from the staged body."""
    return sha256(markdown.encode("utf-8", "surrogatepass")).hexdigest()


def section_hashes(markdown: str) -> list[tuple[str, str]]:
    """(heading path, hex SHA-256) of each section in order; sections of one path are told apart by " (2)", " (3)"."""
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
