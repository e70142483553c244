"""Limits of a month, each in its own unit: 80 % is a warning, a refused call a high alert. Over both databases."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.operations import alerts
from rori_spiders.reviews import ALL_PROVIDERS, note_spending
from tests.operations.alerts.conftest import after

if TYPE_CHECKING:
    from tests.operations.alerts.conftest import Desk

DAY = 24 * 60
MARCH = (datetime(2026, 3, 1, tzinfo=UTC) - after(0)).total_seconds() / 60


def spends(
    desk: Desk, gone: float, *, limit: float = 100, wanted: float = 0, at: float = 0, who: str = "zyte", unit: str = ""
) -> None:
    with desk.ledger.begin() as conn:
        note_spending(conn, who, gone=gone, wanted=wanted, limit=limit, unit=unit or "requests", now=after(at))


def told(desk: Desk) -> list[tuple[str, str]]:
    with desk.ledger.connect() as conn:
        return [(one["event"], one["message"]) for one in alerts.open_alerts(conn)]


@pytest.mark.parametrize(("who", "unit"), [("zyte", "requests"), ("firecrawl", "credits"), (ALL_PROVIDERS, "USD")])
def test_a_warning_from_80_percent_on_then_a_high_alert(desk: Desk, who: str, unit: str) -> None:
    spends(desk, 79.9, who=who, unit=unit)
    assert told(desk) == []
    spends(desk, 80, who=who, unit=unit)
    assert told(desk) == [("credits", f"{who}: 80 of 100 {unit} of this month's limit are spent (80%)")]
    assert desk.round(1).sent == (), "a warning waits for the digest"
    spends(desk, 99, wanted=5, at=2, who=who, unit=unit)
    spends(desk, 99, wanted=5, at=3, who=who, unit=unit)
    assert told(desk)[1:] == [
        (
            "credits_spent",
            f"{who}: 99 of 100 {unit} of this month's limit are spent (99%); a call for 5 more was refused",
        )
    ]
    desk.round(4)
    assert desk.box.titles == ["[RORI] high: all sources: credits_spent"]
    desk.round(DAY)
    assert desk.box.titles[1:] == ["[RORI] daily digest: all sources: credits"]


def test_the_last_credit_spent_is_told_before_a_call_is_refused(desk: Desk) -> None:
    spends(desk, 100)
    assert [event for event, _ in told(desk)] == ["credits", "credits_spent"]


def test_a_limit_that_is_raised_clears_both_and_80_percent_opens_again(desk: Desk) -> None:
    spends(desk, 100)
    desk.round()
    spends(desk, 101, limit=200, at=20)
    assert told(desk) == []
    desk.round(20)
    assert desk.box.titles[1:] == ["[RORI] cleared: all sources: credits_spent"]
    spends(desk, 160, limit=200, at=30)
    assert told(desk) == [("credits", "zyte: 160 of 200 requests of this month's limit are spent (80%)")]


def test_a_raised_limit_is_seen_by_the_next_round_without_a_call(desk: Desk) -> None:
    spends(desk, 100)
    desk.settings["RORI_ZYTE_MONTHLY_CREDITS"] = "100"
    desk.round()
    assert len(told(desk)) == 2
    desk.settings["RORI_ZYTE_MONTHLY_CREDITS"] = "500"
    desk.round(1)
    assert told(desk) == []


def test_a_new_month_clears_them_and_they_open_again(desk: Desk) -> None:
    spends(desk, 100)
    desk.round(MARCH)
    assert told(desk) == []
    spends(desk, 100, at=MARCH + 1)
    assert len(told(desk)) == 2


def test_one_limit_says_nothing_of_another(desk: Desk) -> None:
    spends(desk, 100)
    spends(desk, 1, who="firecrawl", unit="credits")
    spends(desk, 0.1, limit=20, who=ALL_PROVIDERS, unit="USD")
    assert len(told(desk)) == 2


def test_a_limit_of_nothing_is_no_news(desk: Desk) -> None:
    spends(desk, 0, limit=0, wanted=1)
    assert told(desk) == []
