"""The paragraph of a block within its section, such as "(c)(1)": by the enumerators that begin the blocks above it.

Levels are those of the Code of Federal Regulations: (a), (1), (i), (A), (1), (i). What could be read in two ways, or
follows nothing, gives no paragraph until the next label that can be placed.
"""

import re
from collections.abc import Iterable, Sequence

_ONE = r"[*_]{0,2}\([*_]{0,2}(?:[A-Za-z]{1,5}|\d{1,3})[*_]{0,2}\)[*_]{0,2} ?"
_LABELS = re.compile(rf"(?:[-*>#] |\*\*|[*_])?(?P<labels>{_ONE}(?:{_ONE})*)")
# "(c) *Limits on payments.* (1) A lender": the first paragraph begins behind the heading of its level.
_BEHIND_HEADING = re.compile(r"[*_]?[A-Z][^.()*_]{1,90}[*_]?[.—–-]{1,2}[*_]? ?(?P<labels>\((?:1|i|A)\))")
_LABEL = re.compile(r"[A-Za-z]+|\d+")
_TO_NINE = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
_ROMAN = tuple(ten + one for ten in ("", "x", "xx") for one in ("", *_TO_NINE) if ten + one)
_LETTERS, _NUMBERS, _NUMERALS, _CAPITALS, _CAPITAL_NUMERALS = range(5)
_ORDERS = (
    tuple("abcdefghijklmnopqrstuvwxyz") + tuple(letter * 2 for letter in "abcdefghijklmnopqrstuvwxyz"),
    tuple(map(str, range(1, 200))),
    _ROMAN,
    tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    tuple(label.upper() for label in _ROMAN),
)
#: The orders of the labels of each level, from the first.
Levels = tuple[int, ...]
CFR_LEVELS: Levels = (_LETTERS, _NUMBERS, _NUMERALS, _CAPITALS, _NUMBERS, _NUMERALS)
#: Those of the United States Code, of Colorado and Ohio, and of texts whose first level is another; for `place_runs`.
OTHER_LEVELS: tuple[Levels, ...] = (
    (_LETTERS, _NUMBERS, _CAPITALS, _NUMERALS, _CAPITAL_NUMERALS),
    (_NUMBERS, _LETTERS, _CAPITAL_NUMERALS, _CAPITALS),
    (_CAPITALS, _NUMBERS, _LETTERS, _NUMERALS),
    CFR_LEVELS[1:],
    CFR_LEVELS[2:],
    CFR_LEVELS[3:],
    (_NUMBERS, _LETTERS, _NUMERALS),
    (_NUMBERS, _CAPITALS, _NUMERALS),
)


def labels_of(text: str) -> list[str]:
    """The enumerators that *text*, a block, begins with: "- (c)(1) The amount" has "c" and "1"."""
    return [label for label, _ in labels_with_offsets(text)]


def labels_with_offsets(text: str) -> list[tuple[str, int]]:
    """The enumerators of `labels_of`, each with the offset of its bracket."""
    found = _LABELS.match(text)
    if found is None:
        return []
    behind = _BEHIND_HEADING.match(text, found.end())
    spans = [found.span("labels"), *([behind.span("labels")] if behind else [])]
    labels = (label for span in spans for label in _LABEL.finditer(text, *span))
    return [(label[0], text.rindex("(", 0, label.start())) for label in labels]


def is_first_label(label: str) -> bool:
    """Whether an order of labels begins with *label*: "a", "1", "i", "A", "I"."""
    return any(label == order[0] for order in _ORDERS)


def follows_label(label: str, other: str) -> bool:
    """Whether *other* comes right behind *label* in an order of labels."""
    return any(label in order and other in order[order.index(label) + 1 :][:1] for order in _ORDERS)


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


def place_runs(runs: Sequence[Sequence[str]], *, above: Sequence[str] = ()) -> list[tuple[str, ...] | None]:
    """The place of each paragraph of a text, given the labels that each begins with; None where it is not sure.

    *above* are the labels of headings that it stands under. The levels are those under which most are sure: those of
    the Code of Federal Regulations, else `OTHER_LEVELS`.
    """
    best: list[tuple[str, ...] | None] = [None] * len(runs)
    for levels in (CFR_LEVELS, *OTHER_LEVELS):
        places = _place_all([[label] for label in above] + [list(run) for run in runs], levels)[len(above) :]
        if sum(place is None for place in places) < sum(place is None for place in best):
            best = places
        if None not in best:
            break
    return best


def _place_all(runs: Sequence[list[str]], levels: Levels) -> list[tuple[str, ...] | None]:
    place: list[str] | None = []
    places: list[tuple[str, ...] | None] = []
    for at, labels in enumerate(runs):
        place = _placed(place, labels, runs[at + 1][0] if at + 1 < len(runs) else "", levels)
        places.append(None if place is None else tuple(place))
    return places


def _placed(place: list[str] | None, labels: list[str], behind: str, levels: Levels = CFR_LEVELS) -> list[str] | None:
    """*place* moved on to the paragraph that begins with *labels*; the next block with labels begins with *behind*."""
    first, *rest = labels
    found: list[str] | None
    if place:
        found = _next_place(place, first, behind, levels)
    else:  # lost: only a label of one reading is surely of the first level, such as a letter that is no numeral
        is_sure = place is not None or (first not in _ROMAN and levels.count(levels[0]) == 1)
        found = [first] if is_sure and first in _ORDERS[levels[0]] else None
    for label in rest:
        if found is None or (len(found) < len(levels) and label not in _ORDERS[levels[len(found)]]):
            return None
        found = [*found, label]
    return found if found is None or len(found) <= len(levels) else None


def _next_place(place: list[str], label: str, behind: str, levels: Levels) -> list[str] | None:
    readings = []
    if len(place) < len(levels) and label == _ORDERS[levels[len(place)]][0]:
        readings.append([*place, label])
    for level in reversed(range(len(place))):
        order = _ORDERS[levels[level]]
        following = order[order.index(place[level]) + 1 :][:1] if place[level] in order else ()
        if label in following:
            readings.append([*place[:level], label])
    if len(readings) > 1:  # "(i)" behind "(h)(2)": what follows tells
        readings = [one for one in readings if behind and _next_place_is(one, behind, levels)] or readings
    return readings[0] if len(readings) == 1 else None


def _next_place_is(place: list[str], label: str, levels: Levels) -> bool:
    order = _ORDERS[levels[len(place) - 1]]
    after = order[order.index(place[-1]) + 1 :][:1]
    below = _ORDERS[levels[len(place)]][:1] if len(place) < len(levels) else ()
    return label in after or label in below
