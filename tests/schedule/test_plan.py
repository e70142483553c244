"""What is due, in which order, held until when. The clock is given."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from rori_spiders.ledger.operations.source_status import SourceState
from rori_spiders.manifest.catalog import CrawlWindow
from rori_spiders.manifest.models import Source
from rori_spiders.schedule import blocked_reason, check_interval, next_due, plan_due_sources
from tests.support.project import source as written

NOON = datetime(2026, 2, 13, 17, 0, tzinfo=UTC)  # in New York; .gov is closed
NIGHT = datetime(2026, 2, 13, 7, 30, tzinfo=UTC)  # 02:30 in New York; .gov is open


def source(manifest_id: str = "a", url: str = "https://www.example.org/", **more: Any) -> Source:
    return Source.model_validate(written(manifest_id, url, **more))


def checked(at: datetime, **more: Any) -> SourceState:
    return SourceState(last_checked_at=at, **more)


def due_ids(sources: list[Source], states: dict[str, SourceState], now: datetime, **more: Any) -> list[str]:
    return [due.source.id for due in plan_due_sources(sources, states, now, **more)]


@pytest.mark.parametrize(("frequency", "days"), [("daily", 1), ("weekly", 7), ("biweekly", 14), ("monthly", 30)])
def test_plan_due_after_interval_since_last_check(frequency: str, days: int) -> None:
    one = source(frequency=frequency)
    state = {"a": checked(NOON - timedelta(days=days))}
    assert due_ids([one], state, NOON) == ["a"]
    # Sources that come once a week or less are spread over the last third of their interval.
    spread = timedelta(days=days if days > 1 else 0) / 3
    assert due_ids([one], state, NOON - spread - timedelta(hours=2)) == []
    due = next_due(one, state["a"])
    assert due is not None
    assert NOON - spread <= due <= NOON + timedelta(hours=1)


def test_plan_never_checked_is_due_at_once() -> None:
    [due] = plan_due_sources([source()], {}, NOON)
    assert due.due_at is None
    assert due.held_until is None
    assert due_ids([source()], {"a": SourceState(failures_in_row=2)}, NOON) == ["a"]


def test_plan_frequency_defaults_to_category() -> None:
    register = source(url="https://www.federalregister.gov/", frequency=None)
    state = source(url="https://dfpi.ca.gov/", frequency=None, jurisdiction="state:CA")
    assert check_interval(register, None) == timedelta(days=1)
    assert check_interval(state, None) == timedelta(days=30)


def test_plan_rate_limiting_doubles_interval() -> None:
    state = checked(NOON - timedelta(days=8), interval_factor=2)
    assert check_interval(source(), state) == timedelta(days=14)
    assert due_ids([source()], {"a": state}, NOON) == []


def test_plan_nightly_job_finds_last_nights_sources_due() -> None:
    """Last night's run ended at 03:10, since it waited for its turn; tonight's job starts at 02:30."""
    daily = source(frequency="daily", url="https://www.hud.gov/")
    assert due_ids([daily], {"a": checked(NIGHT - timedelta(hours=23, minutes=20))}, NIGHT) == ["a"]
    # Even at the end of the hours: 05:50 last night is due at 05:50, inside tonight's hours.
    assert due_ids([daily], {"a": checked(NIGHT - timedelta(hours=20, minutes=40))}, NIGHT) == ["a"]
    # But what was taken this very night is not taken again.
    assert due_ids([daily], {"a": checked(NIGHT - timedelta(minutes=20))}, NIGHT) == []
    anywhere = source(frequency="daily")
    assert due_ids([anywhere], {"a": checked(NIGHT - timedelta(hours=23, minutes=20))}, NIGHT) == ["a"]
    assert due_ids([anywhere], {"a": checked(NIGHT - timedelta(hours=20, minutes=40))}, NIGHT) == []


def test_plan_order_by_priority() -> None:
    sources = [
        source("local", jurisdiction="local:new-york-city", priority="high"),
        source("state", jurisdiction="state:CA", priority="high"),
        source("body", jurisdiction="national", priority="high"),
        source("federal", priority="high"),
        source("cfpb", "https://www.consumerfinance.gov/", priority="high"),
        source("register", "https://www.federalregister.gov/", priority="high"),
        source("low-cfpb", "https://www.consumerfinance.gov/x", priority="low"),
        source("no-priority"),
        source("by-agency", metadata={"agency": "CFPB"}),
    ]
    expected = ["cfpb", "register", "federal", "body", "state", "local", "by-agency", "no-priority", "low-cfpb"]
    assert due_ids(sources, {}, NIGHT) == expected
    assert due_ids(sources[::-1], {}, NIGHT) == expected


def test_plan_equal_priority_longest_overdue_before_never_checked() -> None:
    sources = [source("recent"), source("old"), source("new"), source("monthly", frequency="monthly")]
    states = {
        "recent": checked(NOON - timedelta(days=8)),
        "old": checked(NOON - timedelta(days=20)),
        "monthly": checked(NOON - timedelta(days=32)),
    }
    assert due_ids(sources, states, NOON) == ["new", "old", "monthly", "recent"]


def test_plan_gov_waits_for_its_hours() -> None:
    gov = source(url="https://www.hud.gov/")
    [due] = plan_due_sources([gov], {}, NOON)
    assert due.held_until == datetime(2026, 2, 14, 7, 0, tzinfo=UTC)
    assert due.hours == "02:00-06:00 New York time"
    [due] = plan_due_sources([gov], {}, NIGHT)
    assert due.held_until is None


@dataclass(frozen=True)
class Said:
    hours: CrawlWindow | None


def test_plan_manifest_hours_win() -> None:
    gov = source(url="https://www.hud.gov/")
    [due] = plan_due_sources([gov], {}, NOON, rules=lambda _: Said(CrawlWindow.parse("any")))
    assert due.held_until is None
    [due] = plan_due_sources([gov], {}, NOON, rules=lambda _: Said(CrawlWindow.parse("22:00-04:00")))
    assert due.held_until == datetime(2026, 2, 14, 3, 0, tzinfo=UTC)


def test_plan_force_ignores_interval_and_hours() -> None:
    gov = source(url="https://www.hud.gov/")
    states = {"a": checked(NOON - timedelta(hours=1))}
    assert due_ids([gov], states, NOON) == []
    [due] = plan_due_sources([gov], states, NOON, force=True)
    assert due.held_until is None
    assert due_ids([source(status="paused")], {}, NOON, force=True) == []


@pytest.mark.parametrize("status", ["paused", "proposed", "retired"])
def test_plan_source_stopped_by_manifest_is_not_due(status: str) -> None:
    one = source(status=status)
    assert due_ids([one], {}, NOON) == []
    assert status in (blocked_reason(one, None) or "")


@pytest.mark.parametrize(("by", "word"), [("breaker", "breaker"), ("person", "a person")])
def test_plan_source_paused_by_breaker_or_person_is_not_due(by: str, word: str) -> None:
    state = SourceState(paused_by=by, paused_reason="asked to wait", paused_at=NOON)
    assert due_ids([source()], {"a": state}, NOON) == []
    said = blocked_reason(source(), state) or ""
    assert word in said
    assert "asked to wait" in said
    assert "2026-02-13 17:00 UTC" in said


def test_plan_manifest_pause_is_named_before_breaker() -> None:
    assert "manifest" in (blocked_reason(source(status="paused"), SourceState(paused_by="breaker")) or "")


def test_plan_active_source_has_no_obstacle() -> None:
    assert blocked_reason(source(), SourceState()) is None


def test_plan_suspect_runs_back_off_longer_each_time() -> None:
    weekly, before = source(), NOON - timedelta(days=20)
    waits = []
    for number in range(1, 6):
        state = checked(before, doubted_in_row=number, doubted_at=NOON)
        due = next_due(weekly, state)
        assert due is not None
        waits.append((due - NOON).days)
    assert waits == [1, 2, 4, 7, 7]
    state = checked(before, doubted_in_row=1, doubted_at=NOON)
    assert due_ids([weekly], {"a": state}, NOON + timedelta(hours=1)) == []
    assert due_ids([weekly], {"a": state}, NOON + timedelta(days=1)) == ["a"]
    assert due_ids([weekly], {"a": state}, NOON, force=True) == ["a"]
    # Forced early: what is due later anyhow stays so; and a source that was never checked waits, too.
    assert next_due(weekly, checked(NOON, doubted_in_row=1, doubted_at=NOON)) == next_due(weekly, checked(NOON))
    assert next_due(weekly, SourceState(doubted_in_row=1, doubted_at=NOON)) == NOON + timedelta(days=1)


def test_plan_pause_all_leaves_nothing_due() -> None:
    everything = SourceState(paused_by="person", paused_reason="the network is being moved", paused_at=NOON)
    assert due_ids([source()], {}, NOON, everything=everything) == []
    assert due_ids([source()], {}, NOON, everything=everything, force=True) == []
    said = blocked_reason(source(), None, everything)
    assert said == "all sources are paused since 2026-02-13 17:00 UTC: the network is being moved"
    assert "the manifest" in (blocked_reason(source(status="paused"), None, everything) or "")
    own = SourceState(paused_by="person", paused_reason="asked to wait", paused_at=NOON)
    assert "asked to wait" in (blocked_reason(source(), own, everything) or "")


def test_plan_check_dated_in_future_is_ignored() -> None:
    """Else a machine that believed for one night that it was 2036 would collect nothing for ten years."""
    state = {"a": checked(NOON + timedelta(days=3650))}
    assert due_ids([source()], state, NOON) == ["a"]
    # A jump of two hours back is waited for: nothing is asked for twice.
    assert due_ids([source(frequency="daily")], {"a": checked(NOON + timedelta(hours=2))}, NOON) == []


def test_plan_failed_scheduled_runs_back_off_longer_each_time() -> None:
    """A job each hour must not use up the five failures of the breaker in five hours."""
    weekly = source()
    waits = []
    for number in range(1, 5):
        state = SourceState(failures_in_row=number, failed_at=NOON)
        due = next_due(weekly, state)
        assert due is not None
        waits.append(due - NOON)
        assert due_ids([weekly], {"a": state}, due - timedelta(minutes=1)) == []
        assert due_ids([weekly], {"a": state}, due) == ["a"]
    assert waits == [timedelta(hours=hours) for hours in (1, 4, 23, 23)]


def test_plan_failed_run_is_not_repeated_before_interval() -> None:
    """Forced before its time: what is due later anyhow stays so."""
    failed = checked(NOON - timedelta(days=1), failures_in_row=1, failed_at=NOON)
    assert next_due(source(), failed) == next_due(source(), checked(NOON - timedelta(days=1)))


def test_plan_back_off_holds_in_open_hours() -> None:
    gov = source(url="https://www.hud.gov/")
    state = {"a": checked(NIGHT - timedelta(days=9), failures_in_row=1, failed_at=NIGHT)}
    assert due_ids([gov], state, NIGHT + timedelta(minutes=30)) == []
    assert due_ids([gov], state, NIGHT + timedelta(minutes=61)) == ["a"]
    assert due_ids([gov], state, NIGHT, force=True) == ["a"]


def test_plan_resumed_source_has_no_back_off() -> None:
    assert due_ids([source()], {"a": SourceState(failures_in_row=0, failed_at=NOON)}, NOON) == ["a"]


@pytest.mark.parametrize("was_on", [True, False])
def test_plan_restores_garbage_collector_after_failure(was_on: bool) -> None:
    def broken(_: str) -> Said:
        raise OSError("no rules")

    on_before = gc.isenabled()
    try:
        gc.enable() if was_on else gc.disable()
        plan_due_sources([source()], {}, NOON)
        assert gc.isenabled() == was_on
        with pytest.raises(OSError, match="no rules"):
            plan_due_sources([source()], {}, NOON, rules=broken)
        assert gc.isenabled() == was_on
    finally:
        gc.enable() if on_before else gc.disable()
