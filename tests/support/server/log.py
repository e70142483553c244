"""What a server was asked: one hit a request, and the figures that politeness is judged by."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import accumulate, pairwise
from math import inf
from threading import Condition
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


@dataclass
class Hit:
    """One request, written down when its headers had arrived; `status` is 0 until the answer was sent."""

    method: str
    host: str  # the Host header, lower case, with its port
    path: str  # with the query, as it came over the wire
    headers: Mapping[str, str]  # names lower case
    body: bytes
    at: float  # seconds, monotonic
    wall: datetime
    in_flight: int  # requests being answered at that moment, this one included
    status: int = 0
    until: float = inf  # seconds, monotonic: when its answer was sent


#: How late a busy machine's server may note a request: the margin that the collector keeps at its own 2 seconds.
LATE_S = 0.05


@dataclass(frozen=True)
class Report:
    """The figures of a list of hits. Gaps are in seconds, between arrivals, over all hosts given."""

    first: dict[str, str] = field(default_factory=dict)  # host -> the first path asked there
    gaps: tuple[float, ...] = ()
    most_at_once: int = 0
    hits: Counter[str] = field(default_factory=Counter)  # per path
    user_agents: Counter[str] = field(default_factory=Counter)

    @property
    def smallest_gap(self) -> float | None:
        """None for fewer than two hits."""
        return min(self.gaps, default=None)


def report(hits: Iterable[Hit]) -> Report:
    """The figures of *hits*, which may come from the logs of several servers in this process."""
    ordered = sorted(hits, key=lambda hit: hit.at)
    first: dict[str, str] = {}
    for hit in ordered:
        first.setdefault(hit.host, hit.path)
    return Report(
        first=first,
        gaps=tuple(later.at - earlier.at for earlier, later in pairwise(ordered)),
        most_at_once=max((hit.in_flight for hit in ordered), default=0),
        hits=Counter(hit.path for hit in ordered),
        user_agents=Counter(hit.headers.get("user-agent", "") for hit in ordered),
    )


def smallest_spacing(hits: Iterable[Hit]) -> float:
    """The least time from one departure to the next, in seconds, that the arrivals of *hits* leave room for.

    A server short of time notes a request late: the gap before it has what the gap after it lacks. So a gap counts
    with the one before it, as their mean, where that is longer. Two requests that left together still show: the gap
    before them is an ordinary one.
    """
    gaps = report(hits).gaps
    return min(max(gap, (gap + before) / 2) for before, gap in pairwise((0.0, *gaps)))


def most_under_way(hits: Iterable[Hit]) -> int:
    """The most requests that waited for their answers at once, over all servers whose *hits* these are."""
    changes = sorted(change for hit in hits for change in ((hit.at, 1), (hit.until, -1)))
    return max(accumulate(change for _, change in changes), default=0)


class Log:
    """The hits of one server, in order of arrival. Safe to read while requests come in."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._hits: list[Hit] = []
        self._in_flight = 0

    def arrived(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Hit:
        with self._changed:
            self._in_flight += 1
            hit = Hit(
                method=method,
                host=headers.get("host", "").lower(),
                path=path,
                headers=headers,
                body=body,
                at=time.monotonic(),
                wall=datetime.now(UTC),
                in_flight=self._in_flight,
            )
            self._hits.append(hit)
            self._changed.notify_all()
            return hit

    def answered(self, hit: Hit, status: int) -> None:
        with self._changed:
            hit.status, hit.until = status, time.monotonic()
            self._in_flight -= 1
            self._changed.notify_all()

    @property
    def in_flight(self) -> int:
        with self._changed:
            return self._in_flight

    def hits(self, path: str | None = None) -> list[Hit]:
        """A copy of the log; with *path*, only its hits."""
        with self._changed:
            return [hit for hit in self._hits if path is None or hit.path == path]

    def wait_for(self, path: str, times: int = 1, timeout: float = 30.0) -> Hit:
        """The hit number *times* on *path*, waited for at most *timeout* seconds (TimeoutError)."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._count(path) >= times, timeout):
                raise TimeoutError(f"{path} was asked {self._count(path)} times in {timeout} s, not {times}")
            return [hit for hit in self._hits if hit.path == path][times - 1]

    def wait_for_hits(self, number: int, *, unless: Callable[[], bool], timeout: float = 60.0) -> bool:
        """Whether so many hits came; False as soon as *unless*, and TimeoutError after *timeout* seconds."""
        until = time.monotonic() + timeout
        with self._changed:
            while len(self._hits) < number:
                if unless():
                    return False
                if time.monotonic() > until:
                    raise TimeoutError(f"{len(self._hits)} hits in {timeout} s, not {number}")
                self._changed.wait(0.05)
            return True

    def _count(self, path: str) -> int:
        return sum(hit.path == path for hit in self._hits)

    def clear(self) -> None:
        """Forget the hits so far; requests in flight stay counted."""
        with self._changed:
            self._hits.clear()
