"""Hours of the day in New York, the two nights on which its clocks are changed included. The clock is given."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

import pytest

from rori_spiders.manifest.catalog import CrawlWindow
from rori_spiders.schedule.crawl_window import (
    ALWAYS_OPEN,
    GOV_WINDOW,
    crawl_window_for,
    current_closing,
    format_crawl_window,
    is_always_open,
    next_opening,
)
from tests.support.cases import cases


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


# In 2026 New York's clocks go forward on 8 March at 07:00 UTC (02:00 -> 03:00) and back on 1 November at 06:00 UTC
# (02:00 -> 01:00).
@cases(
    ("at", "opens"),
    [
        pytest.param("2026-02-13 12:00", "2026-02-14 07:00", id="a winter's day: 02:00 is 07:00 UTC"),
        pytest.param("2026-07-01 12:00", "2026-07-02 06:00", id="a summer's day: 02:00 is 06:00 UTC"),
        pytest.param("2026-02-13 07:00", "2026-02-13 07:00", id="open at its first minute"),
        pytest.param("2026-02-13 10:59", "2026-02-13 10:59", id="open at its last minute"),
        pytest.param("2026-02-13 11:00", "2026-02-14 07:00", id="closed at 06:00"),
        pytest.param("2026-03-08 06:59", "2026-03-08 07:00", id="spring: 02:00 does not exist, 03:00 follows 01:59"),
        pytest.param("2026-03-08 00:00", "2026-03-08 07:00", id="spring: seen from the evening before"),
        pytest.param("2026-03-08 10:00", "2026-03-09 06:00", id="spring: 06:00 EDT is 10:00 UTC"),
        pytest.param("2026-11-01 05:30", "2026-11-01 07:00", id="autumn: the first 01:30"),
        pytest.param("2026-11-01 06:30", "2026-11-01 07:00", id="autumn: the second 01:30"),
        pytest.param("2026-11-01 11:00", "2026-11-02 07:00", id="autumn: 06:00 EST is 11:00 UTC"),
    ],
)
def test_crawl_window_gov_opens(at: str, opens: str) -> None:
    assert next_opening(GOV_WINDOW, utc(at)) == utc(opens)


@pytest.mark.parametrize(
    ("at", "closes"),
    [
        pytest.param("2026-02-13 08:00", "2026-02-13 11:00", id="winter"),
        pytest.param("2026-03-08 07:30", "2026-03-08 10:00", id="spring: three hours only"),
        pytest.param("2026-11-01 07:30", "2026-11-01 11:00", id="autumn: four hours, as ever"),
    ],
)
def test_crawl_window_gov_closes(at: str, closes: str) -> None:
    assert current_closing(GOV_WINDOW, utc(at)) == utc(closes)


def test_crawl_window_opening_in_spring_gap_is_the_jump() -> None:
    hours = CrawlWindow.parse("02:30-05:00")
    assert next_opening(hours, utc("2026-03-08 05:00")) == utc("2026-03-08 07:00")


def test_crawl_window_closing_in_spring_gap_is_the_jump() -> None:
    hours = CrawlWindow.parse("00:30-02:30")
    assert current_closing(hours, utc("2026-03-08 06:00")) == utc("2026-03-08 07:00")


def test_crawl_window_hours_inside_spring_gap_wait_for_next_night() -> None:
    hours = CrawlWindow.parse("02:00-03:00")
    assert next_opening(hours, utc("2026-03-08 05:00")) == utc("2026-03-09 06:00")


def test_crawl_window_hours_in_repeated_hour_open_twice() -> None:
    hours = CrawlWindow.parse("01:15-01:45")
    assert next_opening(hours, utc("2026-11-01 04:00")) == utc("2026-11-01 05:15")
    assert current_closing(hours, utc("2026-11-01 05:20")) == utc("2026-11-01 05:45")
    assert next_opening(hours, utc("2026-11-01 05:45")) == utc("2026-11-01 06:15")


def test_crawl_window_hours_over_midnight() -> None:
    hours = CrawlWindow.parse("22:00-04:00")
    assert next_opening(hours, utc("2026-02-13 12:00")) == utc("2026-02-14 03:00")
    assert current_closing(hours, utc("2026-02-14 03:30")) == utc("2026-02-14 09:00")
    assert current_closing(hours, utc("2026-02-14 08:59")) == utc("2026-02-14 09:00")


def test_crawl_window_other_time_zone() -> None:
    hours = CrawlWindow.parse("22:00-05:00 America/Los_Angeles")
    assert next_opening(hours, utc("2026-02-13 20:00")) == utc("2026-02-14 06:00")
    assert format_crawl_window(hours) == "22:00-05:00 Los Angeles time"


def test_crawl_window_time_in_any_zone_is_accepted() -> None:
    tokyo = timezone(timedelta(hours=9))
    assert next_opening(GOV_WINDOW, datetime(2026, 2, 13, 21, 0, tzinfo=tokyo)) == utc("2026-02-14 07:00")


def test_crawl_window_all_day_never_closes() -> None:
    at = utc("2026-02-13 12:00")
    assert is_always_open(ALWAYS_OPEN)
    assert next_opening(ALWAYS_OPEN, at) == at
    assert current_closing(ALWAYS_OPEN, at) is None
    assert format_crawl_window(ALWAYS_OPEN) == ""


def test_crawl_window_closed_has_no_closing_time() -> None:
    assert current_closing(GOV_WINDOW, utc("2026-02-13 12:00")) is None


@pytest.mark.parametrize("night", ["2026-03-08", "2026-11-01", "2026-02-13"])
def test_crawl_window_every_minute_is_consistent(night: str) -> None:
    """Opening is the first covered minute and closing the first uncovered one, minute by minute over 26 hours."""
    start = utc(f"{night} 00:00")
    minutes = [start + timedelta(minutes=n) for n in range(26 * 60)]
    covered = [GOV_WINDOW.cover(at) for at in minutes]
    for index in range(0, 20 * 60, 7):
        later = next(n for n in range(index, len(minutes)) if covered[n]) if any(covered[index:]) else None
        if later is not None:
            assert next_opening(GOV_WINDOW, minutes[index]) == minutes[later]
        if covered[index]:
            ends = next(n for n in range(index, len(minutes)) if not covered[n])
            assert current_closing(GOV_WINDOW, minutes[index]) == minutes[ends]


@dataclass(frozen=True)
class Said:
    hours: CrawlWindow | None


def test_crawl_window_for_url_finds_its_rule() -> None:
    assert crawl_window_for("https://www.hud.gov/fha") == GOV_WINDOW
    assert crawl_window_for("https://www.example.com/gov") == ALWAYS_OPEN
    assert crawl_window_for("https://www.hud.gov.example.com/") == ALWAYS_OPEN
    assert crawl_window_for("https://hud.gov:8443/") == GOV_WINDOW
    assert crawl_window_for("https://www.hud.gov/fha", lambda _: Said(None)) == GOV_WINDOW
    assert crawl_window_for("https://www.hud.gov/fha", lambda _: Said(ALWAYS_OPEN)) == ALWAYS_OPEN
    night = CrawlWindow.parse("22:00-04:00")
    assert (
        crawl_window_for("https://www.example.com/", lambda host: Said(night if host == "www.example.com" else None))
        == night
    )


def test_crawl_window_for_unicode_host_finds_idna_rule() -> None:
    """A manifest's `domains` are written in it."""
    night = CrawlWindow.parse("22:00-04:00")
    rules = {"www.xn--bcher-kva.example": Said(night)}
    assert crawl_window_for("https://www.bücher.example/", lambda host: rules.get(host, Said(None))) == night
