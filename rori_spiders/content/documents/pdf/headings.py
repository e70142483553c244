"""Which lines are headings, and of which level: the outline tells, or print that is larger or bolder than the body.

Only what stands apart counts: body text never becomes a heading, and a heading that is not certain stays text.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from rori_spiders.content.documents.pdf import outline
from rori_spiders.content.documents.pdf.outline import DEEPEST
from rori_spiders.content.documents.pdf.print import Print, lines_of, rounded

if TYPE_CHECKING:
    from rori_spiders.content.documents.pdf.lines import Line
    from rori_spiders.content.documents.pdf.outline import Entries, Levels
    from rori_spiders.content.documents.pdf.page import Page

_LONGEST, _ROWS = 200, 4
_LONGEST_BOLD = 120
# Rows of one heading follow at 1.0 to 1.3 sizes.
_STEP, _EVEN = 1.45, 1.3
_LETTERS = re.compile(r"(?:[^\W\d_][^A-Za-z]*){3}")
_START = re.compile(r"[A-Z0-9§\"“]")
_ENDS = (".", ";", ":", ",")


def levels(pages: list[Page], entries: Entries) -> Levels:
    """The level of each line that is a heading, or a part of one."""
    print_ = Print(pages)
    found: Levels = {}
    for page in pages:
        found |= outline.named(lines_of(page), entries.get(page.number, []))
    by_size = _by_size(print_, pages, found)
    deepest = max([0, *by_size.values()])
    for page in pages:
        lines = lines_of(page)
        for group in _groups(lines):
            if any(id(line) in found for line in group) or not _may_head(group):
                continue
            level = by_size.get(rounded(group[0].size), 0)
            if not level and print_.bold_tells and not entries and _stands_apart(group, lines, print_):
                level = deepest + 1
            if level:
                found |= dict.fromkeys(map(id, group), min(level, DEEPEST))
    return found


def _by_size(print_: Print, pages: list[Page], named: Levels) -> dict[float, int]:
    """The level of each larger size: as the outline used it, else one below the next larger."""
    used: dict[float, Counter[int]] = {}
    for page in pages:
        for line in lines_of(page):
            if id(line) in named:
                used.setdefault(rounded(line.size), Counter())[named[id(line)]] += 1
    found: dict[float, int] = {}
    last = 0
    for size in print_.larger:
        counts = used.get(size)
        last = min(DEEPEST, max(counts, key=lambda level: (counts[level], -level)) if counts else last + 1)
        found[size] = last
    return found


def _groups(lines: list[Line]) -> list[list[Line]]:
    """Rows of one print that follow one another in even steps: a heading is all of such a group, or none."""
    groups: list[list[Line]] = []
    step = 0.0
    for line in lines:
        last = groups[-1][-1] if groups else None
        down = last.y - line.y if last else 0.0
        if last and _same_print(last, line) and 0 < down <= (_EVEN * step or _STEP * line.size):
            groups[-1].append(line)
            step = down
        else:
            groups.append([line])
            step = 0.0
    return groups


def _same_print(one: Line, other: Line) -> bool:
    return rounded(one.size) == rounded(other.size) and one.bold == other.bold


def _may_head(group: list[Line]) -> bool:
    text = " ".join(line.text for line in group)
    if any(line.tabular for line in group):
        return False
    return len(group) <= _ROWS and len(text) <= _LONGEST and bool(_LETTERS.search(text))


def _stands_apart(group: list[Line], lines: list[Line], print_: Print) -> bool:
    """Whether bold rows of the body's size are a heading: short, no sentence, text of the body below it."""
    text = " ".join(line.text for line in group)
    if not group[0].bold or len(group) > 2 or len(text) > _LONGEST_BOLD or group[0].size < 0.98 * print_.body:
        return False
    if text.endswith(_ENDS) or not _START.match(text):
        return False
    below = lines.index(group[-1]) + 1
    after = next((line for line in lines[below : below + _ROWS] if not line.bold), None)
    return after is not None and after.y < group[-1].y
