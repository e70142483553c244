"""One errand under way: what of it is asked now, what waits, and in which order. A step: no I/O."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rori_spiders.errands.source import goes_first

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rori_spiders.fetching.messages import Wanted
    from rori_spiders.items import Visit
    from rori_spiders.run import Run


@dataclass(slots=True, eq=False)
class Errand:
    """``run`` knows every URL; of those outstanding, ``waiting`` have not been asked for."""

    wanted: Wanted
    run: Run
    groups: set[str]
    waiting: list[Visit] = field(default_factory=list)
    asked: int = 0  # requests that are out
    fetched: int = 0  # pages that were asked and came to an end, good or bad
    untaken: int = 0  # pages told, and not yet taken
    stopped: str | None = None  # why no more of it is wanted
    towards: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.towards = self.wanted.towards

    @property
    def number(self) -> int:
        return self.wanted.errand

    def wait(self, visits: Iterable[Visit]) -> None:
        """*visits* were found, and wait for their turn."""
        self.waiting += visits

    def turns(self) -> list[Visit]:
        """Those whose turn has come: the nearest to the start, of these what leads towards what is wanted."""
        found: list[Visit] = []
        while self.waiting and self.stopped is None and not self.is_full and self._may_go_on:
            best = min(self.waiting, key=self._rank)  # the first of equals: breadth first
            self.waiting.remove(best)
            found.append(best)
            self.asked += 1
        return found

    @property
    def is_full(self) -> bool:
        """Whether as many pages as are wanted have been asked, or are."""
        return self.fetched + self.asked >= self.wanted.max_pages

    @property
    def _may_go_on(self) -> bool:
        return self.asked + self.untaken < self.wanted.ahead

    def _rank(self, visit: Visit) -> tuple[int, int]:
        return -goes_first(visit.url, self.towards), visit.depth

    def left(self) -> tuple[list[Visit], str]:
        """What waits and will not be asked for, and why not; nothing, while it may be."""
        if self.stopped is not None:
            why = self.stopped
        elif self.is_full and not self.asked:  # one that is out may turn out to be another's address
            why = f"max_pages {self.wanted.max_pages} reached"
        else:
            return [], ""
        left, self.waiting = self.waiting, []
        return left, why
