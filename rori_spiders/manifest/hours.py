"""The hours in which a domain may be asked by scheduled runs.

In: the text of a manifest (``"22:00-05:00 America/Chicago"``, ``"any"``). Out: ``Hours``, which answers for a moment.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import time
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from datetime import datetime

NEW_YORK = "America/New_York"  # S0 §6.2 speaks of ET


@dataclass(frozen=True)
class Hours:
    """From ``start`` up to, not including, ``end``, on the clocks of ``zone``; equal ones mean the whole day."""

    start: time
    end: time
    zone: str = NEW_YORK

    @classmethod
    def parse(cls, text: str) -> Hours:
        """Read what ``DomainRules.hours`` accepted."""
        if text == "any":
            return cls(time(0), time(0))
        span, _, zone = text.partition(" ")
        start, _, end = span.partition("-")
        return cls(time.fromisoformat(start), time.fromisoformat(end), zone or NEW_YORK)

    def cover(self, moment: datetime) -> bool:
        """Whether *moment*, which knows its time zone, lies inside."""
        local = moment.astimezone(ZoneInfo(self.zone)).time()
        if self.start < self.end:
            return self.start <= local < self.end
        return self.start == self.end or local >= self.start or local < self.end
