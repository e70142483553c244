"""How many nights so many requests take."""

from __future__ import annotations

from rori_spiders.manifest.catalog import CrawlWindow
from rori_spiders.schedule import estimate_crawl_duration
from tests.support.cases import cases


@cases(
    ("requests", "every_s", "hours", "a_night", "nights"),
    [
        (7200, 2.0, "02:00-06:00", 7200, 1),
        (7201, 2.0, "02:00-06:00", 7200, 2),
        (0, 2.0, "02:00-06:00", 7200, 0),
        (5000, 2.0, "22:00-05:00", 12_600, 1),
        (50_000, 2.0, "any", 43_200, 2),
        (3, 20_000.0, "02:00-06:00", 1, 3),
    ],
)
def test_estimate_nights_left(requests: int, every_s: float, hours: str, a_night: int, nights: int) -> None:
    found = estimate_crawl_duration(requests, every_s, CrawlWindow.parse(hours))
    assert (found.a_night, found.nights, found.seconds) == (a_night, nights, requests * every_s)
