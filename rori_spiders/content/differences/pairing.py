"""Which of the blocks that were taken out is which of those that were put in: by what they still share."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rapidfuzz.distance import Indel

from rori_spiders.content.differences.alignment import align, gaps
from rori_spiders.content.differences.blocks import cells_of
from rori_spiders.content.differences.unseen import as_seen
from rori_spiders.content.differences.words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rori_spiders.content.differences.blocks import Block

#: The share of words in common from which two blocks are one that changed (figures count half: see ``_Words``).
ALIKE = 0.5
#: Across the page, where nothing but the words speaks for it.
ALIKE_ELSEWHERE = 0.75
#: Pairs of blocks that are compared word by word in one gap (10 microseconds each for paragraphs of 100 words).
_PAIRS_AT_ONCE = 900
#: Of a longer block, as many words at its beginning and its end are enough to know it again.
_COMPARED = 1000
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d_]")
_PROSE = {"paragraph", "list item"}


class Likeness:
    """How alike blocks are, from 0 to 1: the mean of the shares of equal words with and without their figures."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._words: dict[str, tuple[list[int], list[int]]] = {}

    def between(self, old: Block, new: Block) -> float:
        if old.kind != new.kind and not {old.kind, new.kind} <= _PROSE:
            return 0.0
        if old.kind == "table row" and _label(old) and _label(old) == _label(new):
            return 1.0
        (a, a_bare), (b, b_bare) = self._of(old), self._of(new)
        if 2 * min(len(a), len(b)) < ALIKE * (len(a) + len(b)):
            return 0.0
        bare = Indel.normalized_similarity(a_bare, b_bare, score_cutoff=0.0)
        return (Indel.normalized_similarity(a, b) + bare) / 2 if bare >= ALIKE / 2 else 0.0

    def _of(self, block: Block) -> tuple[list[int], list[int]]:
        if block.key not in self._words:
            words = [word for word in words_of(as_seen(block.key).lower()) if not word.isspace()]
            if len(words) > _COMPARED:
                words = words[: _COMPARED // 2] + words[-_COMPARED // 2 :]
            bare = [_DIGIT.sub("0", word) for word in words]
            self._words[block.key] = (self._numbered(words), self._numbered(bare))
        return self._words[block.key]

    def _numbered(self, words: list[str]) -> list[int]:
        return [self._numbers.setdefault(word, len(self._numbers)) for word in words]


def pair(old: Sequence[Block], new: Sequence[Block], likeness: Likeness) -> Iterator[tuple[int, int]]:
    """Places in *old* and *new* of what is one block in two versions, in the order of both."""
    if not old or not new:
        return
    if len(old) * len(new) <= _PAIRS_AT_ONCE:
        yield from _best(old, new, likeness)
        return
    yield from _by_sign(old, new, likeness)


def _best(old: Sequence[Block], new: Sequence[Block], likeness: Likeness) -> list[tuple[int, int]]:
    """The pairs in order whose likenesses have the largest sum."""
    alike = [[likeness.between(a, b) for b in new] for a in old]
    sums = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            together = alike[i][j] + sums[i + 1][j + 1] if alike[i][j] >= ALIKE else 0.0
            sums[i][j] = max(together, sums[i + 1][j], sums[i][j + 1])
    pairs, i, j = [], 0, 0
    while i < len(old) and j < len(new):
        if alike[i][j] >= ALIKE and sums[i][j] == alike[i][j] + sums[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif sums[i][j] == sums[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _by_sign(old: Sequence[Block], new: Sequence[Block], likeness: Likeness) -> Iterator[tuple[int, int]]:
    """Many blocks: first by a sign that both bear, then by what is near; at last by their order."""
    runs = align([_sign(block) for block in old], [_sign(block) for block in new])
    for run in runs:
        yield from ((run.i + k, run.j + k) for k in range(run.size))
    for i, j in gaps(runs, len(old), len(new)):
        some_old, some_new = old[i.start : i.stop], new[j.start : j.stop]
        if len(i) * len(j) <= _PAIRS_AT_ONCE:
            found = _best(some_old, some_new, likeness)
        else:
            together = range(min(len(i), len(j)))
            found = [(k, k) for k in together if likeness.between(some_old[k], some_new[k]) >= ALIKE]
        yield from ((i.start + a, j.start + b) for a, b in found)


def _sign(block: Block) -> tuple[str, str]:
    """By what a block is known though figures in it change: a row's first cell, else its text without digits."""
    return block.kind, _label(block) or _DIGIT.sub("0", block.key)


def _label(block: Block) -> str:
    cells = cells_of(block.text) if block.kind == "table row" else ()
    return cells[0] if cells and _LETTER.search(cells[0]) else ""
