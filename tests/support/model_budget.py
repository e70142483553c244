"""A model's budget that pays whatever calls come to, beside any ledger."""

from __future__ import annotations

from rori_spiders.llm.budget import TokenBudget, TokenUsage


class UnlimitedBudget(TokenBudget):
    """Counts calls and tokens."""

    def __init__(self) -> None:
        self.calls = 0
        self.tokens = 0

    def reserve(self, most: TokenUsage, url: str | None) -> int:
        self.calls += 1
        return self.calls

    def settle(self, cost_id: int, usage: TokenUsage) -> None:
        self.tokens += usage.total
