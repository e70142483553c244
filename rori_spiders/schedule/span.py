"""How long so many requests take at a group's pace, and how many of its nights. A step.

In: requests, seconds between two of them, the hours in which schedules may ask. Out: seconds, nights.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rori_spiders.manifest.hours import Hours

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Span:
    """``seconds`` of asking; ``a_night`` requests fit into the hours of one day, and ``nights`` of them are needed."""

    requests: int
    every_s: float
    seconds: float
    a_night: int
    nights: int


def span(requests: int, every_s: float, hours: Hours) -> Span:
    """How long *requests* take, one *every_s* seconds. Nights on which the clocks are changed count like the others.

    From 02:00 to 06:00, one in 2 s: 7,200 a night.
    """
    a_night = max(1, int(_length(hours).total_seconds() / every_s)) if every_s > 0 else max(1, requests)
    return Span(requests, every_s, requests * every_s, a_night, ceil(requests / a_night))


def _length(hours: Hours) -> timedelta:
    """How long the hours are open in a day; equal ends mean all of it."""
    day = date.min + _DAY
    between = datetime.combine(day, hours.end) - datetime.combine(day, hours.start)
    return between if between > timedelta() else between + _DAY
