"""No changes in 30 days: only what was looked at counts, and nothing is said of what is paused. Both databases."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from rori_spiders.ledger.operations import alerts, source_status
from tests.operations.alerts.conftest import NOON, Source

if TYPE_CHECKING:
    from tests.operations.alerts.conftest import Desk

DAY = 24 * 60


def ran(desk: Desk, *, days_ago: float, state: str = "complete", changed: bool = False) -> None:
    with desk.ledger.begin() as conn:
        source_status.record_outcome(
            conn,
            "s1",
            run_id=f"run-{days_ago}",
            state=state,
            operator="system",
            changed=changed,
            now=NOON - timedelta(days=days_ago),
        )


def told(desk: Desk) -> list[str]:
    with desk.ledger.connect() as conn:
        return [one["message"] for one in alerts.open_alerts(conn) if one["event"] == "no_change"]


def test_checks_of_30_days_without_a_change(desk: Desk) -> None:
    ran(desk, days_ago=31, changed=True)
    ran(desk, days_ago=2)
    desk.round()
    assert told(desk) == []
    ran(desk, days_ago=1)
    done = desk.round(1)
    assert told(desk) == ["no change between 2026-01-13 and the last check on 2026-02-12"]
    assert (done.sent, desk.round(3 * DAY).sent) == ((), ()), "the dashboard alone has it"


def test_a_change_clears_it_and_30_days_later_it_is_another(desk: Desk) -> None:
    ran(desk, days_ago=40, changed=True)
    ran(desk, days_ago=5)
    desk.round()
    ran(desk, days_ago=0, changed=True)
    desk.round(1)
    assert told(desk) == []
    ran(desk, days_ago=-30)
    desk.round(30 * DAY)
    assert told(desk) == ["no change between 2026-02-13 and the last check on 2026-03-15"]


def test_what_was_never_collected_says_nothing(desk: Desk) -> None:
    desk.round(400 * DAY)
    assert told(desk) == []


def test_a_failure_is_not_unchanged(desk: Desk) -> None:
    ran(desk, days_ago=60, changed=True)
    ran(desk, days_ago=40)
    for days_ago in (30, 20, 10, 0):
        ran(desk, days_ago=days_ago, state="failed")
    desk.round()
    assert told(desk) == []


def test_what_was_seen_before_it_failed_stays_said_up_to_there(desk: Desk) -> None:
    ran(desk, days_ago=60, changed=True)
    ran(desk, days_ago=20)
    ran(desk, days_ago=10, state="failed")
    desk.round()
    assert told(desk) == ["no change between 2025-12-15 and the last check on 2026-01-24"]


def test_of_what_a_person_paused_nothing_is_raised(desk: Desk) -> None:
    ran(desk, days_ago=60, changed=True)
    ran(desk, days_ago=1)
    with desk.ledger.begin() as conn:
        source_status.pause_source(conn, "s1", by="person", reason="asked to wait", now=NOON)
    desk.round()
    assert told(desk) == []
    with desk.ledger.begin() as conn:
        source_status.resume_source(conn, "s1")
    desk.round(1)
    assert len(told(desk)) == 1


def test_of_what_the_manifest_paused_or_has_no_more_nothing_is_raised(desk: Desk) -> None:
    ran(desk, days_ago=60, changed=True)
    ran(desk, days_ago=1)
    others = [one for one in desk.catalog.sources if one.id != "s1"]
    for sources_now in ([*others, Source("s1", "paused")], others):
        desk.catalog.sources = sources_now
        desk.round()
        assert told(desk) == []
