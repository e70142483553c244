"""Room for large bodies: how many bytes of them one process holds at once, whatever many servers send together.

A body above SMALL takes room for as much as it may grow to, and waits, unread in the kernel's buffers, while there is
none. It keeps its room, for its real size, until its URL is recorded: judging and converting hold copies of it.
"""

import gc
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from scrapy.utils.asyncio import CallLaterResult, call_later

#: Bodies up to this size are never made to wait: ten of them at once are nothing.
SMALL_BODY_BYTES = 2**20
#: One PDF of the largest size, or two pages: with copies in the processes a job stays under 512 MiB
#: (benchmarks/hostile_memory.py, 2026-11).
BUDGET_BYTES = 32 * 2**20
_GARBAGE = 8 * 2**20
#: A body whose URL has not come to its end by then (two conversions timed out, and slack) is not waited for.
STALE_S = 180.0


@dataclass
class _Reservation:
    size: int
    go: Callable[[], object] | None  # to be called when there is room; None: has its room
    stale: CallLaterResult | None = None


class MemoryBudget:
    """Places by key, first come, first served. Larger than everything: alone."""

    def __init__(self, limit: int = BUDGET_BYTES) -> None:
        self._limit = limit
        self._places: OrderedDict[Hashable, _Reservation] = OrderedDict()

    @property
    def held(self) -> int:
        return sum(place.size for place in self._places.values() if place.go is None)

    def enter(self, key: Hashable, size: int, go: Callable[[], object]) -> bool:
        """Whether there is room for *size* bytes now; if not, *go* is called once when there is."""
        self._places[key] = _Reservation(min(size, self._limit), go)
        self._admit(entering=key)
        return self._places[key].go is None

    def arrived(self, key: Hashable, size: int) -> None:
        """The body of *key* is here, and this large; nothing to do for one that needed no room."""
        place = self._places.get(key)
        if place is not None and place.stale is None:
            place.size = min(size, self._limit)
            place.stale = call_later(STALE_S, self.leave, key)
            self._admit()

    def leave(self, key: Hashable) -> None:
        """The body of *key* is not held any more."""
        place = self._places.pop(key, None)
        if place is not None:
            if place.stale is not None:
                place.stale.cancel()
            call_later(0, self._admit)  # once the callers that reported the end have released it, too

    def close(self) -> None:
        for place in self._places.values():
            if place.stale is not None:
                place.stale.cancel()
        self._places.clear()

    def _admit(self, entering: Hashable = None) -> None:
        for key, place in list(self._places.items()):
            if place.go is None:
                continue
            if self.held + place.size > self._limit:
                return
            if place.size > _GARBAGE:
                gc.collect()  # a failed conversion's error holds its body in a circle until somebody looks
            go, place.go = place.go, None
            if key != entering:
                go()
