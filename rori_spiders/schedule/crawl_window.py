"""Compute the crawl window, the hours in which a schedule may request a site (S0 §6.2).

In: hours of the manifest, an instant (aware). Out: instants (UTC). Everything is judged by the clock on a wall in the
hours' own zone, so the two nights on which that clock is changed come out right: in spring 02:00 does not exist and
the hours open at 03:00; in autumn they are as long as ever.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

from rori_spiders.manifest.catalog import CrawlWindow
from rori_spiders.urls.canonical import ascii_host_of

GOV_WINDOW = CrawlWindow.parse("02:00-06:00")
ALWAYS_OPEN = CrawlWindow.parse("any")
_MINUTE = timedelta(minutes=1)


class HasHours(Protocol):
    """What ``Catalog.rules(host)`` returns, as far as hours go."""

    @property
    def hours(self) -> CrawlWindow | None: ...


def crawl_window_for(url: str, rules: Callable[[str], HasHours] | None = None) -> CrawlWindow:
    """The crawl window of *url*'s host: from the manifest's ``domains``, else 02:00-06:00 for .gov, else all day."""
    host = ascii_host_of(url)
    hours = rules(host).hours if rules is not None else None
    return hours or (GOV_WINDOW if host.endswith(".gov") else ALWAYS_OPEN)


def is_always_open(hours: CrawlWindow) -> bool:
    """Whether they never close."""
    return hours.start == hours.end


def format_crawl_window(hours: CrawlWindow) -> str:
    """``02:00-06:00 New York time``; "" for all day."""
    if is_always_open(hours):
        return ""
    place = hours.zone.rpartition("/")[2].replace("_", " ")
    return f"{hours.start:%H:%M}-{hours.end:%H:%M} {place} time"


def next_opening(hours: CrawlWindow, at: datetime) -> datetime:
    """The first instant from *at* on at which they are open: *at* itself when they are."""
    at = at.astimezone(UTC)
    if hours.cover(at):
        return at
    return min(
        _last_transition(hours, mark) for mark in _wall_clock_instants(hours, hours.start, at) if hours.cover(mark)
    )


def current_closing(hours: CrawlWindow, at: datetime) -> datetime | None:
    """When the hours that are open at *at* end; None when they are closed, or never end."""
    at = at.astimezone(UTC)
    if is_always_open(hours) or not hours.cover(at):
        return None
    return min(
        _last_transition(hours, mark) for mark in _wall_clock_instants(hours, hours.end, at) if not hours.cover(mark)
    )


def _last_transition(hours: CrawlWindow, mark: datetime) -> datetime:
    """The minute at which they became what they are at *mark*: open, or closed.

    A time of day inside the hour that spring leaves out maps to an instant up to an hour after the clock's jump; the
    turn was the jump itself.
    """
    covered = hours.cover(mark)
    while hours.cover(mark - _MINUTE) == covered:
        mark -= _MINUTE
    return mark


def _wall_clock_instants(hours: CrawlWindow, wall: time, after: datetime) -> Iterator[datetime]:
    """The instants after *after* at which a clock there shows *wall*; both, where an hour comes twice."""
    zone = ZoneInfo(hours.zone)
    today = after.astimezone(zone).date()
    for days in (0, 1, 2):
        for fold in (0, 1):
            shown = datetime.combine(today + timedelta(days=days), wall, zone).replace(fold=fold)
            if (instant := shown.astimezone(UTC)) > after:
                yield instant


@dataclass(frozen=True, slots=True)
class WindowStatus:
    """A site's hours at one moment. Times are UTC."""

    hours: CrawlWindow
    words: str  # as of ``format_crawl_window``
    opens_at: datetime | None  # None: open now
    closes_at: datetime | None  # None: closed now, or open all day


class WindowCache:
    """The hours of many sites at one moment: each host is asked about once, and so are equal hours."""

    def __init__(self, at: datetime, rules: Callable[[str], HasHours] | None = None) -> None:
        self._at = at
        self._rules = rules
        self._of_host: dict[str, WindowStatus] = {}
        self._of_hours: dict[CrawlWindow, WindowStatus] = {}

    def of(self, url: str) -> WindowStatus:
        """What holds for *url*'s host."""
        host = ascii_host_of(url)
        known = self._of_host.get(host)
        if known is None:
            hours = crawl_window_for(url, self._rules)
            if hours not in self._of_hours:
                self._of_hours[hours] = self._judged(hours)
            known = self._of_host[host] = self._of_hours[hours]
        return known

    def _judged(self, hours: CrawlWindow) -> WindowStatus:
        opens_at = None if hours.cover(self._at) else next_opening(hours, self._at)
        return WindowStatus(hours, format_crawl_window(hours), opens_at, current_closing(hours, self._at))
