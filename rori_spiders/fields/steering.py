"""Stretches of a page that steer whoever notes down values: told by their signs together, none of which is an order.

In: markdown. Out: stretches of it, and what they weigh: one or two sentences of one paragraph, item or row. Time grows
with the text alone: no stretch is longer than two pieces of ``_LONGEST`` characters.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.fields.signs import SIGNS

if TYPE_CHECKING:
    from collections.abc import Iterator

#: What weighs as much is not shown to a model: of 12.5 million characters of honest pages nothing does (2026-11-23).
WITHHELD_FROM = 6
#: What weighs as much proves nothing: 173 stretches of those pages' 151,000 sentences do, a value in them or not.
DOUBTED_FROM = 3
#: The least that a sign weighs which is more than a circumstance.
_TELLING = 2
_ALL = sum(sign.weight for sign in SIGNS)
_BLOCK = r"[ \t]{0,40}(?:\n|[-*+|#>]|\d{1,9}[.)]\s)"
_ENDS = re.compile(
    rf"(?P<block>\n(?={_BLOCK}))|[.!?][\"')*_]{{0,3}}(?:[^\S\n]+|\n(?!{_BLOCK}))(?=\W{{0,3}}[A-Z0-9¿¡]|<)"
)
#: Of a longer sentence, each so many characters are one.
_LONGEST = 300
#: Where a link leads is not said to anybody.
_TARGET = re.compile(r"\]\([^()\s]{0,2000}\)")


class Steering(NamedTuple):
    """``body[start:end]`` weighs ``weight``."""

    start: int
    end: int
    weight: int


class _Piece(NamedTuple):
    start: int
    end: int
    ends_block: bool


def steering_in(markdown: str, least: int, start: int = 0, end: int | None = None) -> Iterator[Steering]:
    """What between *start* and *end* weighs *least* or more, in order; stretches may overlap.

    A sentence counts with the one before it, which is of the stretch only if it has a sign of weight itself: an honest
    sentence is not lost for what stands behind it.
    """
    last: _Piece | None = None
    for piece in _pieces(markdown, start, len(markdown) if end is None else end):
        both = last.start if last is not None and not last.ends_block else piece.start
        weight = _weight(markdown, both, piece.end, least)
        if weight >= least:
            alone = _weight(markdown, piece.start, piece.end, least) >= least
            begins_before = not alone and _weight(markdown, both, piece.start, _TELLING) >= _TELLING
            end_of_text = piece.start + len(markdown[piece.start : piece.end].rstrip())
            yield Steering(both if begins_before else piece.start, end_of_text, weight)
        last = piece


def _pieces(markdown: str, start: int, end: int) -> Iterator[_Piece]:
    begin = start
    stops = ((found.end(), found["block"] is not None) for found in _ENDS.finditer(markdown, start, end))
    for stop, ends_block in (*stops, (end, True)):
        while stop - begin > _LONGEST:
            cut = markdown.rfind(" ", begin + 1, begin + _LONGEST) + 1 or begin + _LONGEST
            yield _Piece(begin, cut, ends_block=False)
            begin = cut
        if begin < stop:
            yield _Piece(begin, stop, ends_block)
        begin = stop


def _weight(markdown: str, start: int, end: int, least: int) -> int:
    """What it weighs from *start* to *end*; something less than *least* where it cannot weigh as much any more."""
    text = _TARGET.sub("]", markdown[start:end])
    weight, still = 0, _ALL
    for sign in SIGNS:
        still -= sign.weight
        if sign.pattern.search(text):
            weight += sign.weight
        elif weight + still < least:
            break
    return weight
