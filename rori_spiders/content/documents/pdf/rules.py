"""The straight rules that a page draws: lines and the edges of boxes, across and down.

Points of the page, unturned. Curves and slanted lines are drawings, no rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from rori_spiders.content.documents.pdf import paths

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pypdfium2  # type: ignore[import-untyped]  # it ships no types

    from rori_spiders.content.documents.pdf.paths import Point

# A page with more corners than this is a drawing or a map; a full page of ruled cells has some 5,000.
_MAX_POINTS = 20_000
# A box this thin, in points, is a rule that was drawn as a box.
_THIN = 3.0
_SHORTEST = 4.0


@dataclass(frozen=True, slots=True, order=True)
class Rule:
    """From *start* to *end* along one axis, at *at* on the other."""

    at: float
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Rules:
    across: list[Rule]  # at: y
    down: list[Rule]  # at: x

    def turned(self, angle: int) -> Rules:
        """The same rules in the frame of text of that angle (see `glyphs.turned`)."""
        if angle == 0:
            return self
        if angle == 180:
            return Rules([_mirrored(rule, at=True) for rule in self.across], [_mirrored(r, at=True) for r in self.down])
        # A quarter to the left lays x' on y and y' on -x; a quarter to the right, x' on -y and y' on x.
        left = angle == 90
        return Rules(
            across=[Rule(-rule.at, rule.start, rule.end) if left else _mirrored(rule, at=False) for rule in self.down],
            down=[_mirrored(rule, at=False) if left else Rule(-rule.at, rule.start, rule.end) for rule in self.across],
        )


def _mirrored(rule: Rule, *, at: bool) -> Rule:
    return Rule(-rule.at if at else rule.at, -rule.end, -rule.start)


def read(page: pypdfium2.PdfPage) -> Rules:
    """The rules of a page; none for a page that is a drawing."""
    across: list[Rule] = []
    down: list[Rule] = []
    points = 0
    for shape in paths.read(page):
        points += len(shape)
        if points > _MAX_POINTS:
            return Rules([], [])
        for start, end in _edges(shape):
            _sort(start, end, across, down)
    return Rules(across, down)


def _edges(shape: list[Point]) -> Iterator[tuple[Point, Point]]:
    """A thin box is one edge along its middle, any other shape is all of its edges."""
    xs, ys = [x for x, _ in shape], [y for _, y in shape]
    left, right, low, high = min(xs), max(xs), min(ys), max(ys)
    if len(shape) >= 4 and high - low <= _THIN:
        yield (left, (low + high) / 2), (right, (low + high) / 2)
    elif len(shape) >= 4 and right - left <= _THIN:
        yield ((left + right) / 2, low), ((left + right) / 2, high)
    else:
        yield from pairwise(shape)


def _sort(start: Point, end: Point, across: list[Rule], down: list[Rule]) -> None:
    width, height = abs(start[0] - end[0]), abs(start[1] - end[1])
    if height <= 0.5 and width >= _SHORTEST:
        across.append(Rule((start[1] + end[1]) / 2, min(start[0], end[0]), max(start[0], end[0])))
    elif width <= 0.5 and height >= _SHORTEST:
        down.append(Rule((start[0] + end[0]) / 2, min(start[1], end[1]), max(start[1], end[1])))
