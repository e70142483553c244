"""Compare two texts word by word: kept, deleted, inserted. A number with its sign is one word."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.content.changes.alignment import Run, align, gaps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.content.changes.model import Op, Words

#: Every character is of exactly one word: nothing can change between them.
WORD = re.compile(r"[$€£]?\d+(?:[.,/:\-]\d+)*(?:%|(?:st|nd|rd|th)\b)?|\w+(?:['’]\w+)*|\s+|.", re.DOTALL)
_SPEAKS = re.compile(r"\w")
_FIGURE = re.compile(r"\d")
#: What is unchanged between two changes of at least so many words reads worse than one change: "of the", a comma.
_LONG_CHANGE, _SHORT_WORD = 6, 3

#: Words and signs of both sides beyond which fewer in a row than these, though they are the same, are told as part of
#: the change: of two texts of 5 MB that share nothing but their words there would be a million pieces.
_MOST_WORDS, _SHARED = 500_000, 8


class Piece(NamedTuple):
    """``old[old_start:old_end]``, in characters, is ``new[new_start:new_end]`` now; ``same`` if they are equal."""

    same: bool
    old_start: int
    old_end: int
    new_start: int
    new_end: int


def words_of(text: str) -> list[str]:
    return WORD.findall(text)


def pieces_of(old: str, new: str) -> list[Piece]:
    """The two texts in pieces, kept and changed in turn; together they are both texts whole."""
    a, b = words_of(old), words_of(new)
    if len(a) == len(b) == 1 and a != b:
        return [Piece(False, 0, len(old), 0, len(new))]
    runs = align(a, b)
    if len(a) + len(b) > _MOST_WORDS:
        runs = [run for run in runs if run.size >= _SHARED]
    runs = _readable(a, b, runs)
    old_at, new_at = _offsets(a), _offsets(b)
    pieces = [Piece(True, old_at[r.i], old_at[r.i + r.size], new_at[r.j], new_at[r.j + r.size]) for r in runs]
    for i, j in gaps(runs, len(a), len(b)):
        pieces.append(Piece(False, old_at[i.start], old_at[i.stop], new_at[j.start], new_at[j.stop]))
    return sorted(pieces, key=lambda piece: piece[1:])


def as_words(old: str, new: str, pieces: Sequence[Piece]) -> Words:
    """The pieces as they are shown: deleted before inserted."""
    words: list[tuple[Op, str]] = []
    for same, i, i_end, j, j_end in pieces:
        if same:
            words.append(("=", new[j:j_end]))
            continue
        if i < i_end:
            words.append(("-", old[i:i_end]))
        if j < j_end:
            words.append(("+", new[j:j_end]))
    return tuple(words)


def _offsets(words: Sequence[str]) -> list[int]:
    return list(accumulate(map(len, words), initial=0))


def _readable(a: Sequence[str], b: Sequence[str], runs: Sequence[Run]) -> list[Run]:
    """*runs* without scraps between long changes: two sentences that share an "of" share nothing."""
    readable: list[Run] = []
    spoken_a, spoken_b = _spoken(a), _spoken(b)  # sums, so that a long change is not counted again at each scrap
    ends = [*runs, Run(len(a), len(b), 0)][1:]
    i = j = 0  # where the change before the run begins
    for run, after in zip(runs, ends, strict=True):
        before = spoken_a[run.i] - spoken_a[i] + spoken_b[run.j] - spoken_b[j]
        end_i, end_j = run.i + run.size, run.j + run.size
        behind = spoken_a[after.i] - spoken_a[end_i] + spoken_b[after.j] - spoken_b[end_j]
        if before and behind and before + behind >= _LONG_CHANGE and _is_scrap(a[run.i : end_i]):
            continue  # the change goes on: i and j stay
        readable.append(run)
        i, j = end_i, end_j
    return readable


def _is_scrap(words: Sequence[str]) -> bool:
    spoken = [word for word in words if _SPEAKS.search(word)]
    return len(spoken) <= 1 and all(len(word) <= _SHORT_WORD and not _FIGURE.search(word) for word in spoken)


def _spoken(words: Sequence[str]) -> list[int]:
    """How many of the first n words are more than a sign, for each n from 0 on."""
    return list(accumulate((_SPEAKS.search(word) is not None for word in words), initial=0))
