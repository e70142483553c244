"""The loop, with a clock that is moved by hand: what it says, and what it survives."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from rori_spiders.exceptions import LedgerError
from rori_spiders.nodes.dispatcher import Clock, DispatchRound, QueueSnapshot, run_dispatcher
from tests.nodes.dispatcher.conftest import NIGHT

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.nodes.dispatcher.conftest import DispatcherSetup


class Time:
    """Time that passes only while the loop waits: *every* step may also jump the calendar."""

    def __init__(self, steps: list[timedelta | Callable[[], None]]) -> None:
        self._steps = steps
        self._now = NIGHT
        self._seconds = 0.0

    def wait(self, seconds: float) -> bool:
        if not self._steps:
            return True
        step = self._steps.pop(0)
        self._seconds += seconds
        self._now += timedelta(seconds=seconds)
        if isinstance(step, timedelta):
            self._now += step
        else:
            step()
        return False

    def clock(self) -> Clock:
        return Clock(lambda: self._now, lambda: self._seconds, self.wait)


def passed() -> None:
    """Nothing but the time between two rounds."""


@pytest.fixture(autouse=True)
def heard(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, logger="rori_spiders")
    return caplog


def test_dispatch_loop_stop_request_ends_it(setup: DispatcherSetup, caplog: pytest.LogCaptureFixture) -> None:
    run_dispatcher(setup.dispatcher(), Time([]).clock(), every_s=30)
    assert len(setup.jobs()) == 3
    assert sum(record.getMessage().startswith("Queued job ") for record in caplog.records) == 3


@pytest.mark.parametrize(
    ("hours", "shown"),
    [
        pytest.param(2, "+120 min, to 2026-02-13 09:31", id="forward"),
        pytest.param(-2, "-120 min, to 2026-02-13 05:31", id="back"),
    ],
)
def test_dispatch_loop_clock_jump_is_logged_once(
    hours: int, shown: str, setup: DispatcherSetup, caplog: pytest.LogCaptureFixture
) -> None:
    run_dispatcher(setup.dispatcher(), Time([passed, timedelta(hours=hours), passed]).clock(), every_s=30)
    assert len(setup.jobs()) == 3
    warned = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert warned[0] == f"The clock jumped by {shown} UTC; schedules follow the new time"
    assert not [one for one in warned[1:] if "jumped" in one]


class Failing:
    """A dispatcher whose rounds go as they are given."""

    def __init__(self, rounds: list[DispatchRound | Exception]) -> None:
        self._rounds = rounds

    def round(self, now: datetime) -> DispatchRound:
        assert now.tzinfo is UTC
        one = self._rounds.pop(0)
        if isinstance(one, Exception):
            raise one
        return one


def said(rounds: list[DispatchRound | Exception], caplog: pytest.LogCaptureFixture) -> list[str]:
    failing: Any = Failing(rounds)
    run_dispatcher(failing, Time([passed] * (len(rounds) - 1)).clock(), every_s=30)
    heard = [record.getMessage() for record in caplog.records]
    return [one for one in heard if "Queueing due sources every" not in one]


def test_dispatch_loop_failure_and_recovery_are_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    locked, full = LedgerError("The ledger is locked."), LedgerError("The disk is full.")
    assert said([DispatchRound(), locked, locked, full, full, DispatchRound(), DispatchRound()], caplog) == [
        "Jobs cannot be queued; the next rounds retry: The ledger is locked.",
        "Jobs cannot be queued; the next rounds retry: The disk is full.",
        "The ledger is available again",
    ]


def test_dispatch_loop_failure_at_start_ends_it(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(LedgerError, match="locked"):
        said([LedgerError("The ledger is locked.")], caplog)


def test_dispatch_loop_unclaimed_queue_is_logged_once(setup: DispatcherSetup, caplog: pytest.LogCaptureFixture) -> None:
    steps: list[Any] = [passed] * 35
    run_dispatcher(setup.dispatcher(), Time(steps).clock(), every_s=60)
    warned = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    [told] = warned
    assert told.startswith("Jobs have been queued since 2026-02-13 07:30 UTC and none is running: no node takes jobs")


def test_dispatch_loop_empty_round_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert said([DispatchRound(), DispatchRound(snapshot=QueueSnapshot())], caplog) == []
