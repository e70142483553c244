"""No changes in 30 days: only what was looked at counts, and nothing is said of what is paused. Both databases."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from rori_spiders.ledger.operations import alerts, source_status
from tests.operations.alerts.conftest import NOON, Source

if TYPE_CHECKING:
    from tests.operations.alerts.conftest import AlertHarness

DAY = 24 * 60


def ran(harness: AlertHarness, *, days_ago: float, state: str = "complete", changed: bool = False) -> None:
    with harness.ledger.begin() as conn:
        source_status.record_outcome(
            conn,
            "s1",
            run_id=f"run-{days_ago}",
            state=state,
            operator="system",
            changed=changed,
            now=NOON - timedelta(days=days_ago),
        )


def told(harness: AlertHarness) -> list[str]:
    with harness.ledger.connect() as conn:
        return [one["message"] for one in alerts.open_alerts(conn) if one["event"] == "no_change"]


def test_no_change_alert_opens_after_30_days(harness: AlertHarness) -> None:
    ran(harness, days_ago=31, changed=True)
    ran(harness, days_ago=2)
    harness.round()
    assert told(harness) == []
    ran(harness, days_ago=1)
    done = harness.round(1)
    assert told(harness) == ["no change between 2026-01-13 and the last check on 2026-02-12"]
    assert (done.sent, harness.round(3 * DAY).sent) == ((), ()), "the monitor alone has it"


def test_no_change_alert_change_clears_and_it_opens_again(harness: AlertHarness) -> None:
    ran(harness, days_ago=40, changed=True)
    ran(harness, days_ago=5)
    harness.round()
    ran(harness, days_ago=0, changed=True)
    harness.round(1)
    assert told(harness) == []
    ran(harness, days_ago=-30)
    harness.round(30 * DAY)
    assert told(harness) == ["no change between 2026-02-13 and the last check on 2026-03-15"]


def test_no_change_alert_never_collected_source_opens_none(harness: AlertHarness) -> None:
    harness.round(400 * DAY)
    assert told(harness) == []


def test_no_change_alert_failed_check_is_not_unchanged(harness: AlertHarness) -> None:
    ran(harness, days_ago=60, changed=True)
    ran(harness, days_ago=40)
    for days_ago in (30, 20, 10, 0):
        ran(harness, days_ago=days_ago, state="failed")
    harness.round()
    assert told(harness) == []


def test_no_change_alert_ends_at_last_successful_check(harness: AlertHarness) -> None:
    ran(harness, days_ago=60, changed=True)
    ran(harness, days_ago=20)
    ran(harness, days_ago=10, state="failed")
    harness.round()
    assert told(harness) == ["no change between 2025-12-15 and the last check on 2026-01-24"]


def test_no_change_alert_source_paused_by_person_opens_none(harness: AlertHarness) -> None:
    ran(harness, days_ago=60, changed=True)
    ran(harness, days_ago=1)
    with harness.ledger.begin() as conn:
        source_status.pause_source(conn, "s1", by="person", reason="asked to wait", now=NOON)
    harness.round()
    assert told(harness) == []
    with harness.ledger.begin() as conn:
        source_status.resume_source(conn, "s1")
    harness.round(1)
    assert len(told(harness)) == 1


def test_no_change_alert_source_stopped_or_removed_opens_none(harness: AlertHarness) -> None:
    ran(harness, days_ago=60, changed=True)
    ran(harness, days_ago=1)
    others = [one for one in harness.catalog.sources if one.id != "s1"]
    for sources_now in ([*others, Source("s1", "paused")], others):
        harness.catalog.sources = sources_now
        harness.round()
        assert told(harness) == []
