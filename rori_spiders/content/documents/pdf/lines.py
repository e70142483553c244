"""Words to lines: runs of words on one baseline, without a gap that could be a gutter or a column of a table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rori_spiders.content.documents.pdf.marks import marked, tag

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rori_spiders.content.documents.pdf.words import Word

# A gap wider than this, in sizes of the print, may be a gutter (12 points beside print of 9 in the Federal Register).
# Blanks of justified text can be as wide: runs are put together again when the gutters are known.
_GAP = 1.0
LEADERS = re.compile(r"(?:\. ?){5}|…{2}")
# Words whose baselines differ by less are on one line: raised marks stand 0.3 to 0.5 of the size above it.
LEVEL = 0.55


@dataclass(slots=True)
class Line:
    """A run of words on one baseline. Points, in the frame of its own angle."""

    text: str
    markdown: str
    x0: float
    x1: float
    y: float
    size: float
    bold: bool  # all of it
    angle: int
    first: float  # width of the first word
    words: int
    broken: bool  # ends with a hyphen that breaks the line
    tabular: bool = False  # its runs stand apart as entries of a table do, or leaders join them
    right: float = 0.0  # where the lines of its column end


def lines_of(words: Iterable[Word]) -> list[Line]:
    """The lines of a page, in the order of the words."""
    runs: list[list[Word]] = []
    for word in words:
        if runs and _continues(runs[-1], word):
            runs[-1].append(word)
        else:
            runs.append([word])
    return [line_of(run) for run in runs]


def _continues(run: list[Word], word: Word) -> bool:
    last = run[-1]
    if word.angle != last.angle or last.broken:
        return False
    size = max(word.size, *(part.size for part in run[-3:]))
    small = min(word.size, last.size) < size
    if abs(word.y - last.y) > (LEVEL if small else LEVEL / 2) * size and abs(word.y - run[0].y) > LEVEL / 2 * size:
        return False
    return -0.5 * size <= word.x0 - last.x1 <= _GAP * size


def line_of(run: list[Word]) -> Line:
    """One line of words that stand side by side."""
    size = _main_size(run)
    y = next(word.y for word in run if word.size == size)
    pieces = []
    for word in run:
        name = tag(word.size, size, word.y - y)
        pieces.append(marked(word.text, name) if name else word.markdown)
    text = " ".join(word.text for word in run)
    return Line(
        text=text,
        markdown=" ".join(pieces),
        x0=run[0].x0,
        x1=max(word.x1 for word in run),
        y=y,
        size=size,
        bold=all(word.bold for word in run),
        angle=run[0].angle,
        first=run[0].x1 - run[0].x0,
        words=len(run),
        broken=run[-1].broken,
        tabular=bool(LEADERS.search(text)),
    )


def _main_size(run: list[Word]) -> float:
    """The size of most of its characters; of two that tie, the larger."""
    if all(word.size == run[0].size for word in run):
        return run[0].size
    chars: dict[float, int] = {}
    for word in run:
        chars[word.size] = chars.get(word.size, 0) + len(word.text)
    return max(chars, key=lambda size: (chars[size], size))
