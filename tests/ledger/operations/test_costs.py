"""Limits of what is spent: reserved before a call, settled after it, never exceeded by any number of jobs together."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.database import Ledger, open_ledger
from rori_spiders.ledger.operations import alerts, costs
from rori_spiders.ledger.operations.costs import CostLimits, PaidCall
from tests.ledger.factories import START, at

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from sqlalchemy import Connection

CALL = PaidCall("zyte", "request", 1, 0.01)


def reserve(conn: Connection, call: PaidCall = CALL, *, now: datetime = START) -> int:
    return costs.reserve_cost(
        conn, provider=call.provider, unit=call.unit, amount=call.amount, usd=call.usd, run_id=None, url=None, now=now
    )


def reservation(ledger: Ledger, limits: CostLimits, call: PaidCall = CALL, *, now: datetime = START) -> str | int:
    """The number of a reservation, or why there is none."""
    with ledger.begin() as conn:
        return costs.refusal_reason(conn, call, limits=limits, now=now) or reserve(conn, call, now=now)


def test_cost_limit_of_provider_is_never_exceeded(ledger: Ledger) -> None:
    limits = CostLimits(2, 100, 10)
    assert [type(reservation(ledger, limits)) for _ in range(3)] == [int, int, str]
    assert reservation(ledger, limits) == "2 of 2 requests of zyte are spent this month"
    assert isinstance(reservation(ledger, limits, PaidCall("firecrawl", "credit", 1, 0.01)), int)


def test_cost_not_charged_may_be_spent_again(ledger: Ledger) -> None:
    limits = CostLimits(1, 100, 10)
    first = reservation(ledger, limits)
    assert isinstance(first, int) and isinstance(reservation(ledger, limits), str)
    with ledger.begin() as conn:
        costs.settle_cost(conn, first, amount=0, usd=0, now=at(1))
    assert isinstance(reservation(ledger, limits), int)


def test_cost_limit_in_usd_covers_all_providers(ledger: Ledger) -> None:
    limits = CostLimits(100, 0.025, 10)
    assert [type(reservation(ledger, limits, PaidCall(name, "credit", 1, 0.01))) for name in "abc"] == [int, int, str]
    assert reservation(ledger, limits, PaidCall("c", "credit", 1, 0.01)) == "0.02 of 0.03 USD are spent this month"
    assert isinstance(reservation(ledger, limits, PaidCall("own-server", "page", 1, 0)), int)


def test_cost_settled_price_replaces_reservation(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        costs.settle_cost(conn, reserve(conn), amount=1, usd=0.002, now=at(1))
        reserve(conn)
        assert costs.spent_usd(conn, since=START) == pytest.approx(0.012)


def test_cost_limit_resets_each_month(ledger: Ledger) -> None:
    limits, next_month = CostLimits(1, 100, 10), START + timedelta(days=31)
    assert isinstance(reservation(ledger, limits), int) and isinstance(reservation(ledger, limits), str)
    assert isinstance(reservation(ledger, limits, now=next_month), int)


def test_cost_limits_zero_and_infinite_are_valid(ledger: Ledger) -> None:
    assert isinstance(reservation(ledger, CostLimits(0, 100, 10)), str)
    assert isinstance(reservation(ledger, CostLimits(100, 0, 10)), str)
    assert isinstance(reservation(ledger, CostLimits(float("inf"), float("inf"), 10)), int)


def test_cost_many_small_amounts_reach_limit_exactly(ledger: Ledger) -> None:
    limits, call = CostLimits(1, 100, 10), PaidCall("zyte", "request", 0.1, 0)
    assert [type(reservation(ledger, limits, call)) for _ in range(11)] == [int] * 10 + [str]


def test_cost_limit_holds_for_concurrent_jobs(ledger: Ledger, path: Path) -> None:
    limits = CostLimits(7, 100, 10)

    def job(_: int) -> list[str | int]:
        with closing(open_ledger(str(path))) as own:
            return [reservation(own, limits) for _ in range(5)]

    with ThreadPoolExecutor(4) as jobs:
        answers = [answer for some in jobs.map(job, range(4)) for answer in some]
    assert sum(isinstance(answer, int) for answer in answers) == 7
    with ledger.connect() as conn:
        assert costs.spent_amount(conn, "zyte", since=START) == 7


def raise_once(conn: Connection, cause: str) -> bool:
    return alerts.raise_alert_once(
        conn, source_id="", event="credits", cause=cause, severity="warning", message="80 %", now=at()
    )


def test_cost_alert_cleared_is_not_raised_again_for_same_cause(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        assert [raise_once(conn, "zyte 2026-02"), raise_once(conn, "zyte 2026-02")] == [True, False]
        alerts.clear_alert(conn, source_id="", event="credits", cause="zyte 2026-02", now=at(1))
        assert not raise_once(conn, "zyte 2026-02")
        assert alerts.open_alerts(conn, "") == []


def test_cost_alert_of_last_month_clears(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        for cause in ("zyte 2026-02", "firecrawl 2026-02", "zyte 2026-03"):
            raise_once(conn, cause)
        alerts.clear_other_alerts(conn, event="credits", beginning="zyte ", cause="zyte 2026-03", now=at(1))
        assert [one["cause"] for one in alerts.open_alerts(conn)] == ["firecrawl 2026-02", "zyte 2026-03"]


def test_paid_calls_limit_counts_all_callers(ledger: Ledger) -> None:
    limits = CostLimits(100, 100, 2)
    with ledger.begin() as conn:
        first = reserve(conn)
        assert costs.check_call_slots(conn, limits, at(1)) is None
        reserve(conn, PaidCall("llm", "token", 500, 0))
        assert str(costs.check_call_slots(conn, limits, at(2))).startswith(
            "all 2 concurrent calls of RORI_MAX_CONCURRENT_PAID_CALLS are in use"
        )
        costs.settle_cost(conn, first, amount=1, usd=0.01, now=at(3))
        assert costs.check_call_slots(conn, limits, at(3)) is None


def test_paid_calls_of_killed_process_expire(ledger: Ledger) -> None:
    limits = CostLimits(100, 100, 1)
    with ledger.begin() as conn:
        reserve(conn)
        assert costs.check_call_slots(conn, limits, START + costs.CALL_LIFETIME - timedelta(seconds=1)) is not None
        assert costs.check_call_slots(conn, limits, START + costs.CALL_LIFETIME) is None
