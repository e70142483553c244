"""Limits of a month, each in its own unit: 80 % is a warning, a refused call a high alert. Over both databases."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.operations import alerts
from rori_spiders.reviews import ALL_PROVIDERS, note_spending
from tests.operations.alerts.conftest import after

if TYPE_CHECKING:
    from tests.operations.alerts.conftest import AlertHarness

DAY = 24 * 60
MARCH = (datetime(2026, 3, 1, tzinfo=UTC) - after(0)).total_seconds() / 60


def spends(
    harness: AlertHarness,
    gone: float,
    *,
    limit: float = 100,
    wanted: float = 0,
    at: float = 0,
    who: str = "zyte",
    unit: str = "",
) -> None:
    with harness.ledger.begin() as conn:
        note_spending(conn, who, gone=gone, wanted=wanted, limit=limit, unit=unit or "requests", now=after(at))


def told(harness: AlertHarness) -> list[tuple[str, str]]:
    with harness.ledger.connect() as conn:
        return [(one["event"], one["message"]) for one in alerts.open_alerts(conn)]


@pytest.mark.parametrize(("who", "unit"), [("zyte", "requests"), ("firecrawl", "credits"), (ALL_PROVIDERS, "USD")])
def test_budget_alert_warns_at_80_percent_then_high_at_limit(harness: AlertHarness, who: str, unit: str) -> None:
    spends(harness, 79.9, who=who, unit=unit)
    assert told(harness) == []
    spends(harness, 80, who=who, unit=unit)
    assert told(harness) == [("credits", f"{who}: 80 of 100 {unit} of this month's limit are spent (80%)")]
    assert harness.round(1).sent == (), "a warning waits for the digest"
    spends(harness, 99, wanted=5, at=2, who=who, unit=unit)
    spends(harness, 99, wanted=5, at=3, who=who, unit=unit)
    assert told(harness)[1:] == [
        (
            "credits_spent",
            f"{who}: 99 of 100 {unit} of this month's limit are spent (99%); a call for 5 more was refused",
        )
    ]
    harness.round(4)
    assert harness.box.titles == [f"[RORI] high: {who} 2026-02 of 100: credits_spent"]
    harness.round(DAY)
    assert harness.box.titles[1:] == [f"[RORI] daily digest: {who} 2026-02 of 100: credits"]


def test_budget_alert_last_credit_is_reported_before_refusal(harness: AlertHarness) -> None:
    spends(harness, 100)
    assert [event for event, _ in told(harness)] == ["credits", "credits_spent"]


def test_budget_alert_raised_limit_clears_and_opens_again(harness: AlertHarness) -> None:
    spends(harness, 100)
    harness.round()
    spends(harness, 101, limit=200, at=20)
    assert told(harness) == []
    harness.round(20)
    assert harness.box.titles[1:] == ["[RORI] cleared: zyte 2026-02 of 100: credits_spent"]
    spends(harness, 160, limit=200, at=30)
    assert told(harness) == [("credits", "zyte: 160 of 200 requests of this month's limit are spent (80%)")]


def test_budget_alert_raised_limit_is_seen_without_call(harness: AlertHarness) -> None:
    spends(harness, 100)
    harness.settings["RORI_ZYTE_MONTHLY_CREDITS"] = "100"
    harness.round()
    assert len(told(harness)) == 2
    harness.settings["RORI_ZYTE_MONTHLY_CREDITS"] = "500"
    harness.round(1)
    assert told(harness) == []


def test_budget_alert_new_month_clears_and_opens_again(harness: AlertHarness) -> None:
    spends(harness, 100)
    harness.round(MARCH)
    assert told(harness) == []
    spends(harness, 100, at=MARCH + 1)
    assert len(told(harness)) == 2


def test_budget_alert_limits_are_independent(harness: AlertHarness) -> None:
    spends(harness, 100)
    spends(harness, 1, who="firecrawl", unit="credits")
    spends(harness, 0.1, limit=20, who=ALL_PROVIDERS, unit="USD")
    assert len(told(harness)) == 2


def test_budget_alert_zero_limit_opens_none(harness: AlertHarness) -> None:
    spends(harness, 0, limit=0, wanted=1)
    assert told(harness) == []
