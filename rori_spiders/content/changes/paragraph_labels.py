"""The paragraph of a block within its section, such as "(c)(1)": by the enumerators that begin the blocks above it.

Levels are those of the Code of Federal Regulations: (a), (1), (i), (A), (1), (i). What could be read in two ways, or
follows nothing, gives no paragraph until the next label that can be placed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_ONE = r"[*_]{0,2}\([*_]{0,2}(?:[A-Za-z]{1,5}|\d{1,3})[*_]{0,2}\)[*_]{0,2} ?"
_LABELS = re.compile(rf"(?:[-*>#] |\*\*|[*_])?(?P<labels>{_ONE}(?:{_ONE})*)")
# "(c) *Limits on payments.* (1) A lender": the first paragraph begins behind the heading of its level.
_BEHIND_HEADING = re.compile(r"[*_]?[A-Z][^.()*_]{1,90}[.—–-]{1,2}[*_]? ?(?P<labels>\((?:1|i|A)\))")
_LABEL = re.compile(r"[A-Za-z]+|\d+")
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv", "xvi", "xvii")
_ORDERS = (
    tuple("abcdefghijklmnopqrstuvwxyz") + tuple(letter * 2 for letter in "abcdefghijklmnopqrstuvwxyz"),
    tuple(map(str, range(1, 200))),
    _ROMAN,
    tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
)
#: The order of the labels of each level.
_LEVELS = (0, 1, 2, 3, 1, 2)


def labels_of(text: str) -> list[str]:
    """The enumerators that *text*, a block, begins with: "- (c)(1) The amount" has "c" and "1"."""
    found = _LABELS.match(text)
    if found is None:
        return []
    behind = _BEHIND_HEADING.match(text, found.end())
    return _LABEL.findall(found["labels"] + (behind["labels"] if behind else ""))


def paragraph_at(blocks: Sequence[str], *, above: Iterable[str] = (), behind: Iterable[str] = ()) -> str:
    """The paragraph that the last of *blocks*, those of a section in order, is or belongs to; "" where none is sure.

    *above* are headings that the section stands under; those that begin with an enumerator are its first levels. What
    stands *behind* may tell which of two readings holds.
    """
    place: list[str] | None = []
    runs = [labels for text in (*above, *blocks) if (labels := labels_of(text))]
    ends = len(runs)
    runs += [labels for text in behind if (labels := labels_of(text))]
    for at, labels in enumerate(runs[:ends]):
        place = _placed(place, labels, runs[at + 1][0] if at + 1 < len(runs) else "")
    return "".join(f"({label})" for label in place or ())


def _placed(place: list[str] | None, labels: list[str], behind: str) -> list[str] | None:
    """*place* moved on to the paragraph that begins with *labels*; the next block with labels begins with *behind*."""
    first, *rest = labels
    found: list[str] | None
    if place:
        found = _next_place(place, first, behind)
    else:  # lost: only a letter that is no numeral is surely of the first level
        found = [first] if first in _ORDERS[0] and (place is not None or first not in _ROMAN) else None
    for label in rest:
        if found is None or (len(found) < len(_LEVELS) and label not in _ORDERS[_LEVELS[len(found)]]):
            return None
        found = [*found, label]
    return found if found is None or len(found) <= len(_LEVELS) else None


def _next_place(place: list[str], label: str, behind: str) -> list[str] | None:
    readings = []
    if len(place) < len(_LEVELS) and label == _ORDERS[_LEVELS[len(place)]][0]:
        readings.append([*place, label])
    for level in reversed(range(len(place))):
        order = _ORDERS[_LEVELS[level]]
        following = order[order.index(place[level]) + 1 :][:1] if place[level] in order else ()
        if label in following:
            readings.append([*place[:level], label])
    if len(readings) > 1:  # "(i)" behind "(h)(2)": what follows tells
        readings = [one for one in readings if behind and _next_place_is(one, behind)] or readings
    return readings[0] if len(readings) == 1 else None


def _next_place_is(place: list[str], label: str) -> bool:
    order = _ORDERS[_LEVELS[len(place) - 1]]
    after = order[order.index(place[-1]) + 1 :][:1]
    below = _ORDERS[_LEVELS[len(place)]][:1] if len(place) < len(_LEVELS) else ()
    return label in after or label in below
