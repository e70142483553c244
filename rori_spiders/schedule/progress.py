"""Progress of an open run, and the time that the rest takes within the crawl window."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import ceil

from rori_spiders.manifest.catalog import CrawlWindow
from rori_spiders.schedule.crawl_window import is_always_open

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class CrawlDuration:
    """``seconds`` of asking; ``a_night`` requests fit into the hours of one day, and ``nights`` of them are needed."""

    requests: int
    every_s: float
    seconds: float
    a_night: int
    nights: int


def estimate_crawl_duration(requests: int, every_s: float, hours: CrawlWindow) -> CrawlDuration:
    """How long *requests* take, one *every_s* seconds. Nights on which the clocks are changed count like the others.

    From 02:00 to 06:00, one in 2 s: 7,200 a night.
    """
    a_night = max(1, int(_open_time_per_day(hours).total_seconds() / every_s)) if every_s > 0 else max(1, requests)
    return CrawlDuration(requests, every_s, requests * every_s, a_night, ceil(requests / a_night))


def _open_time_per_day(hours: CrawlWindow) -> timedelta:
    """How long the hours are open in a day; equal ends mean all of it."""
    day = date.min + _DAY
    between = datetime.combine(day, hours.end) - datetime.combine(day, hours.start)
    return between if between > timedelta() else between + _DAY


# How far a run of several nights has come, and how many it takes still. Steps: numbers and hours in, words out.


@dataclass(frozen=True, slots=True)
class RunProgress:
    """An open run: since when, how many of its pages have ended, how many are known so far, seconds between two."""

    begun_at: datetime
    done: int
    known: int
    every_s: float


def percent_done(counts: Mapping[str, int]) -> int | None:
    """The percentage of the pages discovered so far that are done, rounded down; None before the first page."""
    known = counts.get("discovered", 0)
    return 100 * (known - counts.get("pending", 0)) // known if known else None


def format_progress(progress: RunProgress, hours: CrawlWindow) -> str:
    """``12 of 31 pages known so far are done (38 %); the others take about 1 min: 1 night.``"""
    waiting = progress.known - progress.done
    share = 100 * progress.done // progress.known if progress.known else 0
    parts = (
        f"A run has been in progress since {progress.begun_at:%Y-%m-%d %H:%M} UTC: {progress.done} of "
        f"{progress.known} known pages are done ({share} %)"
    )
    if not waiting:
        return f"{parts}."
    left = estimate_crawl_duration(waiting, progress.every_s, hours)
    nights = "" if is_always_open(hours) else f": {left.nights} night{'s' * (left.nights != 1)}"
    return f"{parts}; the rest take about {_format_length(timedelta(seconds=left.seconds))}{nights}."


def _format_length(time: timedelta) -> str:
    minutes = max(1, round(time.total_seconds() / 60))
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"
