"""Match the blocks of an old and a new text: kept, changed, moved, added or deleted."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from rapidfuzz.distance import Indel

from rori_spiders.content.changes.alignment import Run, align, gaps
from rori_spiders.content.changes.blocks import Block, Text, cells_of
from rori_spiders.content.changes.invisible_changes import as_seen
from rori_spiders.content.changes.word_diff import words_of

_SPEAKS = re.compile(r"\w")
#: Pairs of blocks that are compared over the whole page for what moved and changed, and their least length in
#: characters: the words of a shorter one are found by chance.
_PAIRS_ELSEWHERE, _LEAST_ELSEWHERE = 10_000, 40


class Match(NamedTuple):
    """Numbers of the old and of the new block, None where there is none; *moved* if it changed its place."""

    old: int | None
    new: int | None
    moved: bool = False


class _Gap(NamedTuple):
    """The unmatched blocks before a run of kept blocks, usually none."""

    old: list[int]
    new: list[int]

    def without(self, pairs: dict[int, int]) -> _Gap:
        if not self.old and not self.new:
            return self
        put = {pairs[i] for i in self.old if i in pairs}
        return _Gap([i for i in self.old if i not in pairs], [j for j in self.new if j not in put])


def match_blocks(before: Text, after: Text) -> list[Match]:
    """Every block of both texts once, in the order of the new one; what was taken out, where it stood."""
    old, new = before.blocks, after.blocks
    same = same_sections(before, after)
    runs = [*align(*_keys(old, new, same)), Run(len(old), len(new), 0)]
    holes = list(_before(runs))
    moved = same.moved | _moved(old, new, holes, same)
    put = set(moved.values())
    left = [_Gap([i for i in gap.old if i not in moved], [j for j in gap.new if j not in put]) for gap in holes]
    likeness = Likeness()
    pairs = dict(both for gap in left for both in _pairs(old, new, gap, likeness))
    moved |= _moved_and_changed(old, new, [gap.without(pairs) for gap in left], likeness)
    origins = {j: i for i, j in moved.items()}
    found: list[Match] = []
    for gap, run in zip(holes, runs, strict=True):
        found += _matches_in_gap(gap, pairs, moved, origins)
        found += (Match(run.i + k, run.j + k) for k in range(run.size))
    return found


def _keys(old: Sequence[Block], new: Sequence[Block], same: Same) -> tuple[list[Hashable], list[Hashable]]:
    """What blocks are aligned by. Those of sections that are the same are decided: they match each other only."""
    a: list[Hashable] = [block.key for block in old]
    b: list[Hashable] = [block.key for block in new]
    for i, j in same.unmoved.items():
        a[i] = b[j] = ("kept", i)
    for i, j in same.moved.items():
        a[i], b[j] = ("moved from", i), ("moved to", j)
    return a, b


def _before(runs: Sequence[Run]) -> Iterator[_Gap]:
    i = j = 0
    for run in runs:
        yield _Gap(list(range(i, run.i)), list(range(j, run.j)))
        i, j = run.i + run.size, run.j + run.size


def _moved(old: Sequence[Block], new: Sequence[Block], holes: Sequence[_Gap], same: Same) -> dict[int, int]:
    """What was taken out in one place and put in at another as it was; of several alike the first is the first."""
    decided = set(same.moved.values())
    waiting = defaultdict(list)
    for i in (i for gap in reversed(holes) for i in reversed(gap.old)):
        if i not in same.moved and _SPEAKS.search(old[i].key):
            waiting[old[i].key].append(i)
    put = (j for gap in holes for j in gap.new if j not in decided)
    return {waiting[new[j].key].pop(): j for j in put if waiting.get(new[j].key)}


def _pairs(old: Sequence[Block], new: Sequence[Block], gap: _Gap, likeness: Likeness) -> Iterator[tuple[int, int]]:
    found = pair([old[i] for i in gap.old], [new[j] for j in gap.new], likeness)
    return ((gap.old[a], gap.new[b]) for a, b in found)


def _moved_and_changed(
    old: Sequence[Block], new: Sequence[Block], holes: Sequence[_Gap], likeness: Likeness
) -> dict[int, int]:
    out = [i for gap in holes for i in gap.old if len(old[i].key) >= _LEAST_ELSEWHERE]
    put = [j for gap in holes for j in gap.new if len(new[j].key) >= _LEAST_ELSEWHERE]
    if len(out) * len(put) > _PAIRS_ELSEWHERE:
        return {}
    similarity = sorted((-likeness.between(old[i], new[j]), i, j) for i in out for j in put)
    moved: dict[int, int] = {}
    taken: set[int] = set()
    for unlike, i, j in similarity:
        if -unlike >= SIMILAR_ELSEWHERE and i not in moved and j not in taken:
            moved[i] = j
            taken.add(j)
    return moved


def _matches_in_gap(
    gap: _Gap, pairs: dict[int, int], moved: dict[int, int], origins: dict[int, int]
) -> Iterator[Match]:
    """The blocks of a gap: each pair behind what was taken out, then put in, before it."""
    put = iter(gap.new)
    for i in gap.old:
        if i in moved:
            continue  # it is reported where it stands now
        if i not in pairs:
            yield Match(i, None)
            continue
        for j in put:
            if j == pairs[i]:
                yield Match(i, j)
                break
            yield _put_in(j, origins)
    yield from (_put_in(j, origins) for j in put)


def _put_in(j: int, origins: dict[int, int]) -> Match:
    return Match(origins[j], j, moved=True) if j in origins else Match(None, j)


# Sections that are the same in both texts: kept where they were, or moved as a whole.


class Same(NamedTuple):
    """Blocks of such sections: number in the old text -> number in the new one."""

    unmoved: dict[int, int]
    moved: dict[int, int]


class _Part(NamedTuple):
    first: int  # the number of its first block
    keys: tuple[str, ...]


def same_sections(before: Text, after: Text) -> Same:
    """Pairs of blocks that are decided by their sections. As few sections as can be count as moved."""
    old, new = _parts(before.blocks), _parts(after.blocks)
    runs = align([part.keys for part in old], [part.keys for part in new])
    unmoved = {run.i + k: run.j + k for run in runs for k in range(run.size)}
    waiting = defaultdict(list)
    for i in range(len(old) - 1, -1, -1):
        if i not in unmoved and before.sections[before.blocks[old[i].first].section].level:
            waiting[old[i].keys].append(i)
    put = set(unmoved.values())
    moved = {waiting[new[j].keys].pop(): j for j in range(len(new)) if j not in put and waiting.get(new[j].keys)}
    return Same(_blocks(old, new, unmoved), _blocks(old, new, moved))


def _parts(blocks: Sequence[Block]) -> list[_Part]:
    parts: list[_Part] = []
    first = 0
    for _, together in groupby(blocks, key=lambda block: block.section):
        keys = tuple(block.key for block in together)
        parts.append(_Part(first, keys))
        first += len(keys)
    return parts


def _blocks(old: Sequence[_Part], new: Sequence[_Part], pairs: dict[int, int]) -> dict[int, int]:
    return {old[i].first + k: new[j].first + k for i, j in pairs.items() for k in range(len(old[i].keys))}


# Which of the blocks that were taken out is which of those that were put in: by what they still share.

#: The share of words in common from which two blocks are one that changed (figures count half: see ``Likeness``).
SIMILAR = 0.5
#: Across the page, where nothing but the words speaks for it.
SIMILAR_ELSEWHERE = 0.75
#: Pairs of blocks that are compared word by word in one gap (10 microseconds each for paragraphs of 100 words).
_PAIRS_AT_ONCE = 900
#: Of a longer block, as many words at its beginning and its end are enough to know it again.
_COMPARED = 1000
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d_]")
_PROSE = {"paragraph", "list item"}


class Likeness:
    """Similarity of blocks from 0 to 1: the mean of the shares of equal words with and without their figures."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._words: dict[str, tuple[list[int], list[int]]] = {}

    def between(self, old: Block, new: Block) -> float:
        if old.kind != new.kind and not {old.kind, new.kind} <= _PROSE:
            return 0.0
        if old.kind == "table row" and _label(old) and _label(old) == _label(new):
            return 1.0
        (a, a_bare), (b, b_bare) = self._of(old), self._of(new)
        if 2 * min(len(a), len(b)) < SIMILAR * (len(a) + len(b)):
            return 0.0
        bare = Indel.normalized_similarity(a_bare, b_bare, score_cutoff=0.0)
        return (Indel.normalized_similarity(a, b) + bare) / 2 if bare >= SIMILAR / 2 else 0.0

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
    similarity = [[likeness.between(a, b) for b in new] for a in old]
    sums = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            together = similarity[i][j] + sums[i + 1][j + 1] if similarity[i][j] >= SIMILAR else 0.0
            sums[i][j] = max(together, sums[i + 1][j], sums[i][j + 1])
    pairs, i, j = [], 0, 0
    while i < len(old) and j < len(new):
        if similarity[i][j] >= SIMILAR and sums[i][j] == similarity[i][j] + sums[i + 1][j + 1]:
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
            found = [(k, k) for k in together if likeness.between(some_old[k], some_new[k]) >= SIMILAR]
        yield from ((i.start + a, j.start + b) for a, b in found)


def _sign(block: Block) -> tuple[str, str]:
    """By what a block is known though figures in it change: a row's first cell, else its text without digits."""
    return block.kind, _label(block) or _DIGIT.sub("0", block.key)


def _label(block: Block) -> str:
    cells = cells_of(block.text) if block.kind == "table row" else ()
    return cells[0] if cells and _LETTER.search(cells[0]) else ""
