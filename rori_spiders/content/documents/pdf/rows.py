"""Runs of words that stand in one row, put together; whether they are text, or entries of a table without rules."""

from __future__ import annotations

import re

from rori_spiders.content.documents.pdf.lines import LEADERS, LEVEL, Line
from rori_spiders.content.documents.pdf.marks import SMALL, tag

# Blanks of justified text wider than this are rare: in a narrow column with a web address.
_APART = 2.0
_LABEL = re.compile(r"[•●▪■◦○‣–—*-]|\([0-9A-Za-z]{1,5}\)|[0-9A-Za-z]{1,3}[.)]|\d+(?:\.\d+)+\.?|§+")
_WORD = re.compile(r"[^\W\d_]{3}")


def one_level(left: Line, right: Line) -> bool:
    """Whether two runs stand on one baseline, or one is a mark raised above the other's."""
    size = max(left.size, right.size)
    return abs(left.y - right.y) <= (LEVEL if min(left.size, right.size) < SMALL * size else LEVEL / 2) * size


def in_rows(lines: list[Line]) -> list[Line]:
    """Lines that follow one another in one row as one; of a cell of a table, which no gutter parts."""
    rows: list[Line] = []
    for line in lines:
        if rows and not rows[-1].broken and one_level(rows[-1], line) and line.x0 >= rows[-1].x1 - line.size:
            rows[-1] = joined(rows[-1], line)
        else:
            rows.append(line)
    return rows


def joined(left: Line, right: Line) -> Line:
    """Two runs of one row as one line, as PDFium's own text has them."""
    large = left if (left.size, len(left.text)) >= (right.size, len(right.text)) else right
    main = left if len(left.text) >= len(right.text) and not left.size < SMALL * right.size else right
    pieces = []
    for run in (left, right):
        name = tag(run.size, large.size, run.y - large.y)
        pieces.append(f"<{name}>{run.markdown}</{name}>" if name and not run.markdown.startswith("<") else run.markdown)
    text = f"{left.text} {right.text}"
    return Line(
        text=text,
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
        tabular=left.tabular or right.tabular or _are_entries(left, right) or bool(LEADERS.search(text)),
    )


def _are_entries(left: Line, right: Line) -> bool:
    """Whether two runs stand apart as entries of a table: not a number or bullet, however far it is from its text."""
    if right.x0 - left.x1 <= _APART * left.size:
        return False
    return not (_LABEL.fullmatch(left.text) and _WORD.search(right.text))
