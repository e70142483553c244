"""An ad hoc fetch in progress: which URLs are requested, which wait, and in which order. Steps: no I/O."""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import count
from typing import TYPE_CHECKING

from rori_spiders.crawl.adhoc.ad_hoc_source import count_keyword_matches
from rori_spiders.reasons import CAPTURED, Reason, ReasonCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rori_spiders.crawl.adhoc.messages import FetchRequest
    from rori_spiders.crawl.runs.run import Run
    from rori_spiders.items import FrontierUrl

    #: By how much it goes first (less is more), its depth, when it was found.
    Rank = tuple[int, int, int]


@dataclass(slots=True, eq=False)
class FetchTask:
    """``run`` knows every URL; of those outstanding, the waiting ones have not been asked for."""

    wanted: FetchRequest
    run: Run
    groups: set[str]
    requests_out: int = 0  # requests that are out
    fetched: int = 0  # pages that were asked and came to an end, good or bad
    untaken: int = 0  # pages told, and not yet taken
    stopped: str | None = None  # why no more of it is wanted
    _keywords: tuple[str, ...] = ()
    _waiting: list[tuple[Rank, FrontierUrl]] = field(default_factory=list)  # a heap
    _numbers: Iterator[int] = field(default_factory=count)

    def __post_init__(self) -> None:
        self._keywords = self.wanted.keywords

    @property
    def number(self) -> int:
        return self.wanted.fetch_id

    def lead(self, keywords: tuple[str, ...]) -> None:
        """From now on pages with these words in their addresses go first."""
        if keywords != self._keywords:
            self._keywords = keywords
            self._waiting = [(self._rank(visit, number), visit) for (_, _, number), visit in self._waiting]
            heapify(self._waiting)

    def wait(self, visits: Iterable[FrontierUrl]) -> None:
        """*visits* were found, and wait for their turn."""
        for visit in visits:
            heappush(self._waiting, (self._rank(visit, next(self._numbers)), visit))

    def turns(self) -> list[FrontierUrl]:
        """Those whose turn has come: what leads towards what is wanted, then the nearest to the start."""
        found: list[FrontierUrl] = []
        while self._waiting and self.stopped is None and not self._is_full and self._may_go_on:
            found.append(heappop(self._waiting)[1])
            self.requests_out += 1
        return found

    def left(self) -> tuple[list[FrontierUrl], Reason]:
        """What waits and will not be asked for, and why not; nothing, while it may be."""
        if self.stopped is not None:
            why = Reason(ReasonCode.NOT_FETCHED, error=self.stopped)
        elif self._is_full and not self.requests_out:  # one that is out may turn out to be another's address
            why = Reason(ReasonCode.MAX_PAGES, limit=self.wanted.max_pages)
        else:
            return [], CAPTURED
        left, self._waiting = sorted(self._waiting), []
        return [visit for _, visit in left], why

    @property
    def _is_full(self) -> bool:
        """Whether as many pages as are wanted have been asked, or are."""
        return self.fetched + self.requests_out >= self.wanted.max_pages

    @property
    def _may_go_on(self) -> bool:
        return self.requests_out + self.untaken < self.wanted.ahead

    def _rank(self, visit: FrontierUrl, number: int) -> Rank:
        return -count_keyword_matches(visit.url, self._keywords), visit.depth, number
