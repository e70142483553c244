"""Tell a clock that was set from time that passed: the calendar's clock beside one that nobody can set.

Times in the ledger are the calendar's. Where it is set while a job runs, what the job recorded before and after does
not fit together, and the ledger alone cannot show it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

#: Seconds. Time services slew what is less (chrony steps from 1 s on by `makestep`, ntpd from 0.128 s on), which moves
#: both clocks alike; recorded times are to the second.
MIN_JUMP_S = 1.0


@dataclass(frozen=True, slots=True)
class ClockJump:
    """The calendar's clock was set by so many seconds, forwards or backwards (negative), shortly before *seen_at*."""

    seconds: float
    seen_at: datetime

    def __str__(self) -> str:
        way = "forwards" if self.seconds > 0 else "backwards"
        return f"set {way} by {abs(self.seconds):.1f} s, seen at {self.seen_at:%Y-%m-%d %H:%M:%S} UTC by the new time"


def seconds_since_boot() -> float:
    """Seconds of a clock that cannot be set, and that goes on while the machine sleeps (where the kernel has one)."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)  # Linux; CLOCK_MONOTONIC stands still in a suspended machine
    return time.monotonic() if clock is None else time.clock_gettime(clock)


class WallClock:
    """Looks now and then whether the calendar's clock was set; remembers each jump."""

    def __init__(
        self, calendar: Callable[[], float] = time.time, passed: Callable[[], float] = seconds_since_boot
    ) -> None:
        self._calendar = calendar
        self._passed = passed
        self._apart = calendar() - passed()
        self.jumps: list[ClockJump] = []

    def check(self) -> ClockJump | None:
        """The jump since the last look; None: there was none."""
        now = self._calendar()
        apart = now - self._passed()
        by, self._apart = apart - self._apart, apart
        if abs(by) < MIN_JUMP_S:
            return None
        jump = ClockJump(by, datetime.fromtimestamp(now, UTC))
        self.jumps.append(jump)
        return jump
