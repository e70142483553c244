"""A model's budget that pays whatever calls come to, beside any ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rori_spiders.llm.budget import TokenUsage


class UnlimitedBudget:
    """Counts calls and tokens."""

    def __init__(self) -> None:
        self.calls = 0
        self.tokens = 0

    def reserve(self, most: TokenUsage, url: str | None) -> int:
        self.calls += 1
        return self.calls

    def settle(self, cost_id: int, usage: TokenUsage) -> None:
        self.tokens += usage.total
