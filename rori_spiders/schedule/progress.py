"""How far a run of several nights has come, and how many it takes still. Steps: numbers and hours in, words out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from rori_spiders.schedule.hours import all_day
from rori_spiders.schedule.span import span

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from rori_spiders.manifest.hours import Hours


@dataclass(frozen=True, slots=True)
class Progress:
    """An open run: since when, how many of its pages have ended, how many are known so far, seconds between two."""

    begun_at: datetime
    done: int
    known: int
    every_s: float


def percent_done(counts: Mapping[str, int]) -> int | None:
    """Whole per cents of the pages that a run knows so far, rounded down; None before it knows one."""
    known = counts.get("discovered", 0)
    return 100 * (known - counts.get("pending", 0)) // known if known else None


def in_words(progress: Progress, hours: Hours) -> str:
    """``12 of 31 pages known so far are done (38 %); the others take about 1 min: 1 night.``"""
    waiting = progress.known - progress.done
    share = 100 * progress.done // progress.known if progress.known else 0
    said = (
        f"A run of it is under way since {progress.begun_at:%Y-%m-%d %H:%M} UTC: {progress.done} of {progress.known} "
        f"pages known so far are done ({share} %)"
    )
    if not waiting:
        return f"{said}."
    left = span(waiting, progress.every_s, hours)
    nights = "" if all_day(hours) else f": {left.nights} night{'s' * (left.nights != 1)}"
    return f"{said}; the others take about {_length(timedelta(seconds=left.seconds))}{nights}."


def _length(time: timedelta) -> str:
    minutes = max(1, round(time.total_seconds() / 60))
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"
