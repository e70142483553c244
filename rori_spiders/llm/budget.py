"""The money of a model: set aside before each call, settled after it, told to a person before it is gone.

Unit: tokens, of questions and answers together; USD as well where prices are set. In the ledger's ``costs`` as ``llm``.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from rori_spiders.exceptions import ExtractionError
from rori_spiders.ledger.operations import costs
from rori_spiders.reviews import spending

if TYPE_CHECKING:
    from collections.abc import Callable

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.llm.model import Model

PROVIDER = "llm"
UNIT = "token"


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens of a call. *told*: as the server counted them; else as we do, which is more."""

    input_tokens: int
    output_tokens: int
    told: bool = True

    @property
    def total(self) -> int:
        return self.input_tokens + self.output_tokens


class TokenBudget(Protocol):
    """Where calls are paid from."""

    def reserve(self, most: TokenUsage, url: str | None) -> int | costs.CallSlotsFull:
        """Set aside what a call may cost; the number to settle it by, or that it waits for its turn.

        Raises ExtractionError (``cost_limit``).
        """

    def settle(self, cost_id: int, usage: TokenUsage) -> None:
        """What the call came to."""


class LedgerTokenBudget:
    """Budget in the ledger, shared by all jobs.

    Caps: RORI_LLM_MONTHLY_TOKENS, RORI_MONTHLY_BUDGET_USD, RORI_MAX_CONCURRENT_PAID_CALLS.
    """

    def __init__(self, ledger: Ledger, model: Model, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._ledger = ledger
        self._model = model
        self._limits = costs.CostLimits(model.limit, model.usd_limit, model.at_once)
        self._now = now

    def reserve(self, most: TokenUsage, url: str | None) -> int | costs.CallSlotsFull:
        call, now = self._call(most), self._now()
        found = self._ledger.write(
            lambda conn: spending.reserve_cost(conn, call, limits=self._limits, run_id=None, url=url, now=now)
        )
        if isinstance(found, str):
            raise ExtractionError(f"the model is not asked any more: {found}", reason="cost_limit")
        return found

    def settle(self, cost_id: int, usage: TokenUsage) -> None:
        cost, now = self._call(usage), self._now()
        self._ledger.write(lambda conn: spending.settle_cost(conn, cost_id, cost, limits=self._limits, now=now))

    def _call(self, usage: TokenUsage) -> costs.PaidCall:
        return costs.PaidCall(PROVIDER, UNIT, usage.total, self._model.worth(usage.input_tokens, usage.output_tokens))
