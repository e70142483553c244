"""Sections that are the same in both texts: kept where they were, or moved as a whole."""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.content.differences.alignment import align

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.content.differences.blocks import Block, Text


class Same(NamedTuple):
    """Blocks of such sections: number in the old text -> number in the new one."""

    kept: dict[int, int]
    moved: dict[int, int]


class _Part(NamedTuple):
    first: int  # the number of its first block
    keys: tuple[str, ...]


def same_sections(before: Text, after: Text) -> Same:
    """Pairs of blocks that are decided by their sections. As few sections as can be count as moved."""
    old, new = _parts(before.blocks), _parts(after.blocks)
    runs = align([part.keys for part in old], [part.keys for part in new])
    kept = {run.i + k: run.j + k for run in runs for k in range(run.size)}
    waiting = defaultdict(list)
    for i in range(len(old) - 1, -1, -1):
        if i not in kept and before.sections[before.blocks[old[i].first].section].level:
            waiting[old[i].keys].append(i)
    put = set(kept.values())
    moved = {waiting[new[j].keys].pop(): j for j in range(len(new)) if j not in put and waiting.get(new[j].keys)}
    return Same(_blocks(old, new, kept), _blocks(old, new, moved))


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
