"""Words to lines: runs of words on one baseline, without a gap that could be a gutter or a column of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rori_spiders.content.documents.pdf.marks import SMALL, marked, tag

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rori_spiders.content.documents.pdf.words import Word

# A gap wider than this, in sizes of the print, may be a gutter (12 points beside print of 9 in the Federal Register).
# Blanks of justified text can be as wide: runs are put together again when the gutters are known.
_GAP = 1.0
# Words whose baselines differ by less are on one line: raised marks stand 0.3 to 0.5 of the size above it.
_LEVEL = 0.55


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
    if abs(word.y - last.y) > (_LEVEL if small else _LEVEL / 2) * size and abs(word.y - run[0].y) > _LEVEL / 2 * size:
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
    return Line(
        text=" ".join(word.text for word in run),
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
    )


def _main_size(run: list[Word]) -> float:
    """The size of most of its characters; of two that tie, the larger."""
    if all(word.size == run[0].size for word in run):
        return run[0].size
    chars: dict[float, int] = {}
    for word in run:
        chars[word.size] = chars.get(word.size, 0) + len(word.text)
    return max(chars, key=lambda size: (chars[size], size))


def one_level(left: Line, right: Line) -> bool:
    """Whether two runs stand on one baseline, or one is a mark raised above the other's."""
    size = max(left.size, right.size)
    return abs(left.y - right.y) <= (_LEVEL if min(left.size, right.size) < SMALL * size else _LEVEL / 2) * size


def joined(left: Line, right: Line) -> Line:
    """Two runs of one row as one line, as PDFium's own text has them."""
    large = left if (left.size, len(left.text)) >= (right.size, len(right.text)) else right
    main = left if len(left.text) >= len(right.text) and not left.size < SMALL * right.size else right
    pieces = []
    for run in (left, right):
        name = tag(run.size, large.size, run.y - large.y)
        pieces.append(f"<{name}>{run.markdown}</{name}>" if name and not run.markdown.startswith("<") else run.markdown)
    return Line(
        text=f"{left.text} {right.text}",
        markdown=" ".join(pieces),
        x0=left.x0,
        x1=right.x1,
        y=large.y,
        size=main.size,
        bold=left.bold and right.bold,
        angle=left.angle,
        first=left.first,
        words=left.words + right.words,
        broken=right.broken,
    )
