"""The money of a model: set aside before each call, settled after it, and told before it is gone."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from rori_spiders.exceptions import ExtractionError
from rori_spiders.ledger import tables
from rori_spiders.ledger.operations import alerts, costs
from rori_spiders.llm.budget import Spending, TokenBudget, TokenUsage
from rori_spiders.llm.client import TURN_S, ModelClient
from rori_spiders.llm.keys import KeyRotator
from rori_spiders.llm.model import Model
from rori_spiders.runtime.redaction import get_redactor
from tests.support.databases import open_empty_ledger
from tests.support.server.chat import GOOD_KEY, Chat, fault, said
from tests.support.server.fixtures import next_address

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rori_spiders.ledger.database import Ledger

NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)
URL = "https://example.gov/"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    opened = open_empty_ledger(tmp_path / "ledger.db")
    yield opened
    opened.close()


def token_budget(ledger: Ledger, limit: float = 1000, usd_limit: float = 1.0) -> TokenBudget:
    model = Model("http://127.0.0.1:1/v1", "m", input_price=100, output_price=1000, limit=limit, usd_limit=usd_limit)
    return TokenBudget(ledger, model, lambda: NOW)


def reserved(one: TokenBudget, most: TokenUsage, url: str = URL) -> int:
    found = one.reserve(most, url)
    assert isinstance(found, int)
    return found


def test_token_budget_of_a_command_waits_for_calls_that_may_leave_enough(ledger: Ledger) -> None:
    """Ten tokens answered are 0.01 USD set aside; one of them is spent."""
    model = Model("http://127.0.0.1:1/v1", "m", output_price=1000, limit=1000, usd_limit=1.0)
    budget, most, little = TokenBudget(ledger, model, lambda: NOW, max_usd=0.012), TokenUsage(0, 10), TokenUsage(0, 1)
    first = reserved(budget, most)
    assert budget.reserve(most, URL) == "calls under way could cost what is left of 0.012 USD"
    budget.settle(first, little)
    second = reserved(budget, most)
    budget.settle(second, TokenUsage(0, 3))
    with pytest.raises(ExtractionError, match=r"more than what is left of 0\.012 USD \(--max-usd\)"):
        budget.reserve(most, URL)
    assert budget.spending._replace(usd=round(budget.spending.usd, 9)) == Spending(2, 4, 0.004, 0)
    budget.settle(second, TokenUsage(0, 0))  # refused, and not charged
    budget.settle(second, TokenUsage(0, 2, is_reported=False))
    assert budget.spending._replace(usd=round(budget.spending.usd, 9)) == Spending(3, 6, 0.006, 1)


def spent(ledger: Ledger) -> tuple[float, float]:
    with ledger.connect() as conn:
        since = costs.month_start(NOW)
        return costs.spent_amount(conn, "llm", since=since), costs.spent_usd(conn, since=since)


def opened_alerts(ledger: Ledger) -> list[str]:
    with ledger.connect() as conn:
        return sorted(f"{one['event']}: {one['cause']}" for one in alerts.open_alerts(conn))


def test_token_budget_reservation_counts_until_settled(ledger: Ledger) -> None:
    one = token_budget(ledger)
    cost_id = reserved(one, TokenUsage(300, 200))
    assert spent(ledger) == pytest.approx((500, 0.23))
    one.settle(cost_id, TokenUsage(100, 20))
    assert spent(ledger) == pytest.approx((120, 0.03))
    assert opened_alerts(ledger) == []


def test_token_budget_call_over_limit_is_not_sent(ledger: Ledger) -> None:
    one = token_budget(ledger)
    one.settle(reserved(one, TokenUsage(400, 450)), TokenUsage(400, 450))
    assert opened_alerts(ledger) == ["credits: llm 2026-03 of 1000"]
    with pytest.raises(ExtractionError, match="850 of 1000 tokens of llm are spent this month") as error:
        one.reserve(TokenUsage(100, 51), URL)
    assert error.value.reason == "cost_limit" and not error.value.passing
    assert "credits_spent: llm 2026-03 of 1000" in opened_alerts(ledger)
    assert spent(ledger)[0] == 850


def test_cost_limit_is_shared_with_providers(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        costs.reserve_cost(conn, provider="zyte", unit="request", amount=1, usd=0.95, run_id=None, url=URL, now=NOW)
    with pytest.raises(ExtractionError, match=r"0\.95 of 1\.00 USD"):
        token_budget(ledger).reserve(TokenUsage(0, 100), URL)


def test_token_budget_call_is_charged_refusal_is_free(ledger: Ledger) -> None:
    async def asked(server: Chat) -> None:
        model = Model(server.url, "m", limit=20_000)
        async with ModelClient(model, KeyRotator([GOOD_KEY]), TokenBudget(ledger, model, lambda: NOW)) as client:
            await client.ask([{"role": "user", "content": "x"}], {"type": "object"}, URL)
            server.first(fault(404))
            with pytest.raises(ExtractionError, match="404"):
                await client.ask([{"role": "user", "content": "x"}], {"type": "object"}, URL)

    with Chat(next_address()) as server:
        server.answer = lambda _: said("{}")
        asyncio.run(asked(server))
    assert spent(ledger)[0] == 120


def test_token_budget_stores_no_secret_of_url(ledger: Ledger) -> None:
    secret = "an-address-s-secret-4c1f"
    get_redactor().learn(secret)
    token_budget(ledger).reserve(TokenUsage(1, 1), f"https://example.gov/?key={secret}")
    with ledger.connect() as conn:
        (url,) = conn.execute(select(tables.costs.c.url)).scalars()
    assert url.startswith("https://example.gov/") and secret not in url


def test_call_slots_full_call_waits(ledger: Ledger) -> None:
    """A provider's call of another process counts; the question is asked when that one has ended."""
    with ledger.begin() as conn:
        theirs = costs.reserve_cost(
            conn, provider="zyte", unit="request", amount=1, usd=0, run_id=None, url=URL, now=NOW
        )
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        assert not server.requests
        if len(waits) == 3:
            with ledger.begin() as conn:
                costs.settle_cost(conn, theirs, amount=1, usd=0, now=NOW)

    async def asked() -> None:
        model = Model(server.url, "m", limit=20_000, at_once=1)
        async with ModelClient(model, KeyRotator([GOOD_KEY]), TokenBudget(ledger, model, lambda: NOW), sleep) as client:
            await client.ask([{"role": "user", "content": "x"}], {"type": "object"}, URL)

    with Chat(next_address()) as server:
        server.answer = lambda _: said("{}")
        asyncio.run(asked())
        assert (waits, len(server.requests)) == ([TURN_S] * 3, 1)
