"""How deep pages lie by the shortest way that leads there, once all links of a run are known. A step: no I/O."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def shortest_depths(
    depths: Mapping[str, int], links: Mapping[str, Iterable[str]], same_depth: Iterable[tuple[str, str]]
) -> dict[str, int]:
    """The depths of all pages that *links* lead to, by URL.

    *depths* are those known so far, of the ways by which pages were found; *links*, the pages that each page names;
    *same_depth*, pairs of URLs of which the second lies as deep as the first: redirects, next pages of a list.
    """
    shortest = dict(depths)
    steps: dict[str, list[tuple[str, int]]] = {
        url: [(target, 1) for target in targets] for url, targets in links.items()
    }
    for url, target in same_depth:
        steps.setdefault(url, []).append((target, 0))
    waiting = [(depth, url) for url, depth in shortest.items()]
    heapify(waiting)
    while waiting:
        depth, url = heappop(waiting)
        if depth > shortest[url]:
            continue
        for target, step in steps.get(url, ()):
            if target not in shortest or depth + step < shortest[target]:
                shortest[target] = depth + step
                heappush(waiting, (depth + step, target))
    return shortest
