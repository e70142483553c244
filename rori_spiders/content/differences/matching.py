"""Which block of the new text is which of the old one: kept, changed, moved, or on one side only."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.content.differences.alignment import Run, align
from rori_spiders.content.differences.pairing import ALIKE_ELSEWHERE, Likeness, pair
from rori_spiders.content.differences.same_sections import same_sections

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from rori_spiders.content.differences.blocks import Block, Text
    from rori_spiders.content.differences.same_sections import Same

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
    """What lies before a run of kept blocks, most often nothing."""

    old: list[int]
    new: list[int]

    def without(self, pairs: dict[int, int]) -> _Gap:
        if not self.old and not self.new:
            return self
        put = {pairs[i] for i in self.old if i in pairs}
        return _Gap([i for i in self.old if i not in pairs], [j for j in self.new if j not in put])


def match(before: Text, after: Text) -> list[Match]:
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
        found += _told(gap, pairs, moved, origins)
        found += (Match(run.i + k, run.j + k) for k in range(run.size))
    return found


def _keys(old: Sequence[Block], new: Sequence[Block], same: Same) -> tuple[list[Hashable], list[Hashable]]:
    """What blocks are aligned by. Those of sections that are the same are decided: they match each other only."""
    a: list[Hashable] = [block.key for block in old]
    b: list[Hashable] = [block.key for block in new]
    for i, j in same.kept.items():
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
    alike = sorted((-likeness.between(old[i], new[j]), i, j) for i in out for j in put)
    moved: dict[int, int] = {}
    taken: set[int] = set()
    for unlike, i, j in alike:
        if -unlike >= ALIKE_ELSEWHERE and i not in moved and j not in taken:
            moved[i] = j
            taken.add(j)
    return moved


def _told(gap: _Gap, pairs: dict[int, int], moved: dict[int, int], origins: dict[int, int]) -> Iterator[Match]:
    """The blocks of a gap: each pair behind what was taken out, then put in, before it."""
    put = iter(gap.new)
    for i in gap.old:
        if i in moved:
            continue  # it is told where it stands now
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
