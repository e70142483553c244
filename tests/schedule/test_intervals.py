"""Sources of one interval come on many nights, each on its own, and never later than their interval."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from rori_spiders.schedule.intervals import next_check_at, offset_in_interval

BEGAN = datetime(2026, 2, 1, 7, 0, tzinfo=UTC)
MONTH = timedelta(days=30)
IDS = [f"state-{number}" for number in range(300)]


def rounds(source_id: str, length: timedelta, number: int, *, has_hours: bool = False) -> list[datetime]:
    """The times of so many checks, each taken as soon as it is due."""
    times = [BEGAN]
    for _ in range(number):
        times.append(next_check_at(source_id, length, times[-1], has_hours=has_hours))
    return times


@pytest.mark.parametrize("days", [7, 14, 30])
@pytest.mark.parametrize("has_hours", [True, False])
def test_interval_spread_is_between_two_thirds_and_whole(days: int, has_hours: bool) -> None:
    length = timedelta(days=days)
    for source_id in IDS:
        times = rounds(source_id, length, 12, has_hours=has_hours)
        gaps = [after - before for before, after in pairwise(times)]
        assert max(gaps) <= length
        assert min(gaps) >= length * 2 / 3
        # Once in its place it keeps its interval, and all that came earlier is together less than one interval.
        assert gaps[4:] == [length] * 8
        assert sum((length - gap for gap in gaps), timedelta()) < length


def test_interval_sources_of_one_night_spread_over_month() -> None:
    nights = [Counter(rounds(one, MONTH, 5)[number].date() for one in IDS) for number in range(6)]
    assert max(nights[0].values()) == 300
    assert max(nights[1].values()) <= 60, "over a third of the month already"
    assert max(nights[5].values()) <= 20
    assert len(nights[5]) >= 29


def test_interval_daily_sources_are_not_spread() -> None:
    day = timedelta(days=1)
    assert {next_check_at(one, day, BEGAN, has_hours=False) for one in IDS} == {BEGAN + day}


def test_interval_source_checked_hours_early_keeps_its_slot() -> None:
    moment = datetime(2026, 1, 1, tzinfo=UTC) + offset_in_interval("a", MONTH)
    taken = moment - timedelta(hours=3)
    assert next_check_at("a", MONTH, taken, has_hours=True) == taken + MONTH


def test_interval_source_checked_early_each_time_keeps_its_slot() -> None:
    """Else it would come a little earlier each time, and leave its place once it has come a day too early."""
    early, at = timedelta(hours=1), BEGAN
    times = []
    for _ in range(60):
        at = next_check_at("a", MONTH, at, early=early, has_hours=False) - early + timedelta(minutes=5)
        times.append(at)
    assert {after - before for before, after in pairwise(times[5:])} == {MONTH}


def test_interval_slot_is_the_same_in_any_process() -> None:
    assert offset_in_interval("cfpb-reg-x", MONTH) == timedelta(days=15, hours=9, minutes=32)


@pytest.mark.parametrize("days", [7, 14, 30])
def test_interval_cached_values_equal_plain_arithmetic(days: int) -> None:
    length, early = timedelta(days=days), timedelta(hours=1)
    for number, one in enumerate(IDS):
        checked_at = datetime(2025, 11, 20, tzinfo=UTC) + timedelta(hours=7.3 * number, microseconds=number * 3301)
        latest = checked_at + length + early
        past = (latest - datetime(2026, 1, 1, tzinfo=UTC) - offset_in_interval(one, length)) % length
        expected = latest - past if past <= length / 3 else checked_at + length - past / 3
        assert next_check_at(one, length, checked_at, early=early, has_hours=False) == expected
