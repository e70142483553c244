"""Limit the request rate of a group of hosts: one state per group, with an injected clock.

The queue asks ``ready_in`` before it lets a request go; the downloader reports what happens to it
(``popped`` → ``started`` → ``sent`` → ``left``). Times are seconds of a monotonic clock.

Three things can make a group slower than the manifest says, never faster: what its robots.txt files ask for, what
AutoThrottle makes of its answers, and pauses. All outlive the job in the group's lease (``crawl/job/leases.py``).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from time import monotonic
from typing import Protocol

from rori_spiders.reasons import Reason

#: We space by 2.05 s where 2 s are promised: what the server's clock sees is never the sender's clock.
MARGIN = 1.025


class PaceRules(Protocol):
    """What the manifest says of a host."""

    @property
    def delay_s(self) -> float: ...
    @property
    def concurrency(self) -> int: ...


@dataclass(slots=True)
class Pace:
    """The pace of one group."""

    delay: float
    concurrency: int
    last_at: float = -inf  # when the last request was sent
    paused_until: float = -inf
    waiting: int = 0  # let go by the queue, not yet on its way
    opening: int = 0  # on their way, but not yet known to be sent
    in_flight: int = 0
    pages: set[object] = field(default_factory=set)  # that the browser renders and that have asked the group
    last_page: object = None  # the one of them whose request was the group's last
    learnt_s: float | None = None  # the delay that the server asked for, without our margin
    throttle_s: float = 0.0  # the delay that AutoThrottle finds right; below `delay` it says nothing
    crawl_delays_s: dict[str, float] = field(default_factory=dict)  # by origin: what its robots.txt, read now, asks for
    held_for: set[str] = field(default_factory=set)  # origins whose robots.txt is awaited
    spent_in_row: int = 0  # URLs whose retries were all answered 429, since anything else was answered
    left_alone: tuple[float, Reason | None] = (-inf, None)  # until when nothing is asked, and why

    @property
    def spacing(self) -> float:
        """Seconds between two requests, all taken together."""
        return max(self.delay, self.throttle_s)

    @property
    def next_at(self) -> float:
        return max(self.last_at + self.spacing, self.paused_until)

    @property
    def to_keep_s(self) -> float | None:
        """The delay before the next request: as asked by the files read now; else as remembered."""
        if not self.crawl_delays_s:
            return self.learnt_s
        return max(self.crawl_delays_s.values()) or None


class RateLimiter:
    """The paces of all groups of this process."""

    def __init__(self, rules: Callable[[str], PaceRules], clock: Callable[[], float] = monotonic) -> None:
        self._rules = rules
        self._paces: dict[str, Pace] = {}
        self.clock = clock

    def pace(self, group: str) -> Pace:
        """The group's pace; a new one starts with what the manifest says of the domain."""
        if group not in self._paces:
            rules = self._rules(group)
            self._paces[group] = Pace(delay=rules.delay_s * MARGIN, concurrency=rules.concurrency)
        return self._paces[group]

    def paces(self) -> dict[str, Pace]:
        return dict(self._paces)

    @property
    def waiting(self) -> int:
        """Requests over all groups that the queue let go, not yet on their way."""
        return sum(pace.waiting for pace in self._paces.values())

    def ready_in(self, group: str) -> float:
        """Seconds until the queue may let the group's next request go; inf: not before something else happens."""
        pace = self.pace(group)
        if self.left_alone(group) is not None:
            return inf if pace.waiting else 0.0  # nothing is asked: each goes to be refused
        if pace.waiting or pace.opening or pace.held_for or pace.pages:
            return inf
        return inf if pace.in_flight >= pace.concurrency else self.due_in(group)

    def due_in(self, group: str) -> float:
        """Seconds until the group's delay and pause are over, whatever is under way."""
        return max(0.0, self.pace(group).next_at - self.clock())

    def popped(self, group: str) -> None:
        self.pace(group).waiting += 1

    def arrived(self, group: str) -> None:
        """What was popped is at the downloader's door, or was refused before."""
        self.pace(group).waiting -= 1

    def started(self, group: str) -> None:
        """The downloader begins: from now on the next one waits, whatever the connection does."""
        pace = self.pace(group)
        pace.opening += 1
        pace.in_flight += 1
        pace.last_page = None
        pace.last_at = max(pace.last_at, self.clock())

    def sent(self, group: str) -> None:
        """The request goes on the wire now: connecting may have taken its time since ``started``."""
        pace = self.pace(group)
        pace.last_at = max(pace.last_at, self.clock())

    def left(self, group: str) -> None:
        self.pace(group).in_flight -= 1

    # --- what a page loads itself that a browser renders: it is one request together with the page -----------------

    def part_in(self, group: str, page: object) -> float:
        """Seconds until a part of *page* may leave; inf: not before something else happens.

        Between its own parts no page waits; after whatever else was asked of the group, as every request does.
        """
        pace = self.pace(group)
        if self.left_alone(group) is not None:
            return 0.0  # it goes to be refused
        if pace.waiting or pace.opening:
            return inf
        return max(0.0, pace.paused_until - self.clock()) if pace.last_page is page else self.due_in(group)

    def part_leaves(self, group: str, page: object) -> None:
        """From now on the queue lets nothing else go to the group, until the page ends."""
        pace = self.pace(group)
        pace.pages.add(page)
        pace.last_page = page
        pace.last_at = self.clock()

    def page_ends(self, page: object) -> None:
        for pace in self._paces.values():
            pace.pages.discard(page)

    def pause(self, group: str, seconds: float) -> None:
        """Hold the group back, for a retry or because the server asked for it; never shortens a longer pause."""
        pace = self.pace(group)
        pace.paused_until = max(pace.paused_until, self.clock() + seconds)

    def leave_alone(self, group: str, seconds: float, reason: Reason) -> None:
        """Ask nothing of the group for *seconds*, and hold nothing back for it: its URLs end with *reason*."""
        self.pause(group, seconds)
        pace = self.pace(group)
        pace.left_alone = (pace.paused_until, reason)

    def left_alone(self, group: str) -> Reason | None:
        """Why nothing is asked of the group now; None when it may be asked in its turn."""
        until, reason = self.pace(group).left_alone
        return reason if until > self.clock() else None

    def slow_down(self, group: str, delay_s: float) -> None:
        """Raise the group's delay to *delay_s*; a lower one changes nothing."""
        pace = self.pace(group)
        if delay_s * MARGIN > pace.delay:
            pace.delay = delay_s * MARGIN
            pace.learnt_s = delay_s

    def robots_asks(self, group: str, origin: str, delay_s: float | None) -> None:
        """The robots.txt of *origin*, read now, asks for *delay_s* between requests; None: for nothing."""
        self.pace(group).crawl_delays_s[origin] = delay_s or 0.0
        if delay_s is not None:
            self.slow_down(group, delay_s)

    def throttle(self, group: str, delay_s: float) -> None:
        """AutoThrottle's delay for the group: above the group's own it holds, and may come down again."""
        pace = self.pace(group)
        pace.throttle_s = delay_s if delay_s > pace.delay else 0.0

    def restore_last_request(self, group: str, seconds_ago: float) -> None:
        """Another process asked the group *seconds_ago*: its request counts for our spacing."""
        pace = self.pace(group)
        pace.last_at = max(pace.last_at, self.clock() - max(0.0, seconds_ago))
