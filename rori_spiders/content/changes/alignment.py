"""Align two sequences by their longest common runs, within a bound on the cost.

`rapidfuzz` finds a longest common subsequence by bits, 64 comparisons at once; difflib's time is cubic where elements
repeat, as cells of tables do. What is too long for it is cut first at elements that both sides have once.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from rapidfuzz.distance import Indel

#: Comparisons that one alignment may make without cutting first: 2 ms (rapidfuzz 3.14, one core, 2026-11).
_AT_ONCE = 4_000_000
#: And the longest side that is compared at all: 8,000 by 8,000 take 0.04 s and 8 MB (same machine).
_LONGEST = 8_000
#: What all shares of one alignment may cost: 4 s where 5 million signs stand against as many (same machine).
_IN_ALL = 4_000_000_000
_DEEPEST = 12


class Run(NamedTuple):
    """``old[i : i + size] == new[j : j + size]``."""

    i: int
    j: int
    size: int


class _Part(NamedTuple):
    i1: int
    i2: int
    j1: int
    j2: int
    depth: int


def align(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Run]:
    """The runs that both have, in order and not overlapping. The same input gives the same runs."""
    numbers: dict[Hashable, int] = {}
    a = [numbers.setdefault(each, len(numbers)) for each in old]
    b = [numbers.setdefault(each, len(numbers)) for each in new]
    runs: list[Run] = []
    waiting = [_Part(0, len(a), 0, len(b), 0)]
    while waiting:
        part = _trimmed(a, b, waiting.pop(), runs)
        if part.i1 == part.i2 or part.j1 == part.j2:
            continue
        if (part.i2 - part.i1) * (part.j2 - part.j1) > _AT_ONCE and part.depth < _DEEPEST:
            anchors = _in_order(_once_in_both(a, b, part))
            if anchors:
                waiting += _between(part, anchors)
                runs += (Run(i, j, 1) for i, j in anchors)
                continue
        runs += _longest_common(a, b, part)
    return _joined(sorted(runs))


def gaps(runs: Sequence[Run], old_size: int, new_size: int) -> Iterator[tuple[range, range]]:
    """What lies between the runs: indices of the old and of the new sequence, at least one of them not empty."""
    i = j = 0
    for run in (*runs, Run(old_size, new_size, 0)):
        if i < run.i or j < run.j:
            yield range(i, run.i), range(j, run.j)
        i, j = run.i + run.size, run.j + run.size


def _trimmed(a: list[int], b: list[int], part: _Part, runs: list[Run]) -> _Part:
    """*part* without what its two sides begin and end with alike, which is added to *runs*."""
    i1, i2, j1, j2, depth = part
    while i1 < i2 and j1 < j2 and a[i1] == b[j1]:
        i1, j1 = i1 + 1, j1 + 1
    while i1 < i2 and j1 < j2 and a[i2 - 1] == b[j2 - 1]:
        i2, j2 = i2 - 1, j2 - 1
    if i1 > part.i1:
        runs.append(Run(part.i1, part.j1, i1 - part.i1))
    if i2 < part.i2:
        runs.append(Run(i2, j2, part.i2 - i2))
    return _Part(i1, i2, j1, j2, depth)


def _once_in_both(a: list[int], b: list[int], part: _Part) -> list[tuple[int, int]]:
    counts = Counter(b[part.j1 : part.j2])
    places = {b[j]: j for j in range(part.j1, part.j2) if counts[b[j]] == 1}
    ours = Counter(a[part.i1 : part.i2])
    return [(i, places[a[i]]) for i in range(part.i1, part.i2) if a[i] in places and ours[a[i]] == 1]


def _in_order(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest of their chains in which both numbers rise."""
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for at, (_, j) in enumerate(pairs):
        length = bisect_left(tails, j)
        before.append(ends[length - 1] if length else -1)
        tails[length : length + 1], ends[length : length + 1] = [j], [at]
    chain = []
    at = ends[-1] if ends else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]


def _between(part: _Part, anchors: list[tuple[int, int]]) -> Iterator[_Part]:
    i, j = part.i1, part.j1
    for next_i, next_j in (*anchors, (part.i2, part.j2)):
        yield _Part(i, next_i, j, next_j, part.depth + 1)
        i, j = next_i + 1, next_j + 1


def _longest_common(a: list[int], b: list[int], part: _Part) -> Iterator[Run]:
    """A longest common subsequence; of what is too long, of as many equal shares as make it affordable."""
    old_size, new_size = part.i2 - part.i1, part.j2 - part.j1
    longer = max(old_size, new_size)
    shares = -(-longer // min(_LONGEST, max(1, _IN_ALL // longer)))
    for share in range(shares):
        i1, i2 = (part.i1 + old_size * k // shares for k in (share, share + 1))
        j1, j2 = (part.j1 + new_size * k // shares for k in (share, share + 1))
        for op in Indel.opcodes(a[i1:i2], b[j1:j2]):
            if op.tag == "equal":
                yield Run(i1 + op.src_start, j1 + op.dest_start, op.src_end - op.src_start)


def _joined(runs: list[Run]) -> list[Run]:
    joined: list[Run] = []
    for run in runs:
        if joined and joined[-1].i + joined[-1].size == run.i and joined[-1].j + joined[-1].size == run.j:
            joined[-1] = joined[-1]._replace(size=joined[-1].size + run.size)
        else:
            joined.append(run)
    return joined
