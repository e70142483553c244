"""Monthly budget of the model: reserved before each call, settled after it.

Unit: tokens, of questions and answers together; also USD where prices are set. Rows ``llm`` of the ledger's ``costs``.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from math import inf
from typing import NamedTuple

from rori_spiders.exceptions import ExtractionError
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.operations.costs import CallSlotsFull, CostLimits
from rori_spiders.llm.model import Model
from rori_spiders.reviews.spending import PaidBudget

PROVIDER = "llm"
UNIT = "token"


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens of a call. *is_reported*: counted by the server; else our own estimate, which is higher.

    *cached_tokens*: those of the input that the server had in its prompt cache; *in_batch*: the call is a batch's.
    """

    input_tokens: int
    output_tokens: int
    is_reported: bool = True
    cached_tokens: int = 0
    in_batch: bool = False

    @property
    def total(self) -> int:
        return self.input_tokens + self.output_tokens


class Spending(NamedTuple):
    """What calls took: those that may have been charged, their tokens, and USD (0 without prices)."""

    calls: int = 0
    tokens: int = 0
    usd: float = 0.0
    unreported: int = 0  # calls whose tokens the server did not count: they count as what was reserved


class TokenBudget:
    """Budget of the model, in the ledger that all jobs share.

    Caps: RORI_LLM_MONTHLY_TOKENS, RORI_MONTHLY_BUDGET_USD, RORI_MAX_CONCURRENT_PAID_CALLS; and *max_usd* for the calls
    that are reserved here.
    """

    def __init__(
        self,
        ledger: Ledger,
        model: Model,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        *,
        max_usd: float | None = None,
    ) -> None:
        self._ledger = ledger
        self._model = model
        self._max_usd = inf if max_usd is None else max_usd
        self._own_usd: dict[int, float] = {}  # by cost id: reserved, then spent
        self._under_way: set[int] = set()
        #: Of the calls that were reserved here, and are over.
        self.spending = Spending()
        self._own_lock = threading.Lock()  # calls are reserved in threads
        self._budget = PaidBudget(PROVIDER, UNIT, CostLimits(model.limit, model.usd_limit, model.at_once))
        self._now = now

    def reserve(self, most: TokenUsage, url: str | None) -> int | CallSlotsFull | str:
        """Reserve the highest cost of a call; return the id to settle it with, or why it has to wait.

        It waits for a slot, and for calls under way that may leave enough of *max_usd*: most cost a fraction of what is
        set aside. Raises ExtractionError (``cost_limit``).
        """
        usd, now = self._price(most), self._now()
        with self._own_lock:
            if sum(self._own_usd.values()) + usd > self._max_usd:
                spent = sum(cost for one, cost in self._own_usd.items() if one not in self._under_way)
                if self._under_way and spent + usd <= self._max_usd:
                    return f"calls under way could cost what is left of {self._max_usd:g} USD"
                why = f"the next could cost more than what is left of {self._max_usd:g} USD (--max-usd)"
                raise ExtractionError(f"no more calls to the model: {why}", reason="cost_limit")
            found = self._ledger.write(
                lambda conn: self._budget.reserve(conn, most.total, usd, run_id=None, url=url, now=now)
            )
            if isinstance(found, int):
                self._own_usd[found] = usd
                self._under_way.add(found)
        if isinstance(found, str):
            raise ExtractionError(f"no more calls to the model: {found}", reason="cost_limit")
        return found

    def settle(self, cost_id: int, usage: TokenUsage) -> None:
        """Record what the call cost."""
        usd, now = self._price(usage), self._now()
        with self._own_lock:
            self._own_usd[cost_id] = usd
            self._under_way.discard(cost_id)
            if usage.total:
                calls, tokens, spent_usd, unreported = self.spending
                is_unreported = not usage.is_reported
                self.spending = Spending(calls + 1, tokens + usage.total, spent_usd + usd, unreported + is_unreported)
        self._ledger.write(lambda conn: self._budget.settle(conn, cost_id, usage.total, usd, now=now))

    def _price(self, usage: TokenUsage) -> float:
        cached, in_batch = usage.cached_tokens, usage.in_batch
        return self._model.worth(usage.input_tokens, usage.output_tokens, cached_tokens=cached, in_batch=in_batch)
