"""A clock that was set is told from time that passed, in both directions, and from a machine that slept."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from rori_spiders.runtime.wall_clock import WallClock

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC).timestamp()


class Clocks:
    """The calendar's clock, and the one that nobody sets."""

    def __init__(self) -> None:
        self.calendar = NOON
        self.passed = 100.0

    def go(self, seconds: float, *, calendar: float | None = None) -> None:
        self.passed += seconds
        self.calendar += seconds if calendar is None else calendar


@pytest.fixture
def clocks() -> Clocks:
    return Clocks()


@pytest.fixture
def wall_clock(clocks: Clocks) -> WallClock:
    return WallClock(lambda: clocks.calendar, lambda: clocks.passed)


def test_wall_clock_time_that_passes_is_no_jump(clocks: Clocks, wall_clock: WallClock) -> None:
    for seconds in (15, 15, 3_600, 86_400):
        clocks.go(seconds, calendar=seconds + 0.5 * (seconds < 100))  # a time service slews
        assert wall_clock.check() is None
    assert wall_clock.jumps == []


@pytest.mark.parametrize(
    ("calendar", "sentence"),
    [
        (15 + 3_600, "set forwards by 3600.0 s, seen at 2026-11-20 13:00:15 UTC by the new time"),
        (15 - 86_400, "set backwards by 86400.0 s, seen at 2026-11-19 12:00:15 UTC by the new time"),
        (14, "set backwards by 1.0 s, seen at 2026-11-20 12:00:14 UTC by the new time"),
    ],
)
def test_wall_clock_that_was_set_is_reported_once(
    clocks: Clocks, wall_clock: WallClock, calendar: float, sentence: str
) -> None:
    clocks.go(15, calendar=calendar)
    assert str(wall_clock.check()) == sentence
    clocks.go(15)
    assert wall_clock.check() is None
    assert [str(jump) for jump in wall_clock.jumps] == [sentence]


def test_wall_clock_set_forwards_and_back_is_two_jumps(clocks: Clocks, wall_clock: WallClock) -> None:
    clocks.go(15, calendar=75)
    wall_clock.check()
    clocks.go(15, calendar=-45)
    wall_clock.check()
    assert [jump.seconds for jump in wall_clock.jumps] == [60, -60]


def test_wall_clock_of_this_machine_is_steady() -> None:
    wall_clock = WallClock()
    assert wall_clock.check() is None
