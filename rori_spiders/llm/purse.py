"""The money of a model: set aside before each call, settled after it, told to a person before it is gone.

Unit: tokens, of questions and answers together; USD as well where prices are set. In the ledger's ``costs`` as ``llm``.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from rori_spiders import reviews
from rori_spiders.exceptions import ExtractionError
from rori_spiders.ledger import costs

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.llm.model import Model

PROVIDER = "llm"
UNIT = "token"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of a call. *told*: as the server counted them; else as we do, which is more."""

    input_tokens: int
    output_tokens: int
    told: bool = True

    @property
    def total(self) -> int:
        return self.input_tokens + self.output_tokens


class Purse(Protocol):
    """Where calls are paid from."""

    def reserve(self, most: Usage, url: str | None) -> int:
        """Set aside what a call may cost; the number to settle it by. Raises ExtractionError (``cost_limit``)."""

    def settle(self, cost_id: int, usage: Usage) -> None:
        """What the call came to."""


class Unlimited:
    """Counts, and pays whatever it comes to: for a server of one's own, beside any ledger."""

    def __init__(self) -> None:
        self.calls = 0
        self.tokens = 0

    def reserve(self, most: Usage, url: str | None) -> int:
        self.calls += 1
        return self.calls

    def settle(self, cost_id: int, usage: Usage) -> None:
        self.tokens += usage.total


class LedgerPurse:
    """Pays from the ledger, within RORI_LLM_LIMIT and RORI_COST_LIMIT, which other jobs share."""

    def __init__(self, ledger: Ledger, model: Model, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._ledger = ledger
        self._model = model
        self._limits = costs.Limits(model.limit, model.usd_limit)
        self._now = now

    def reserve(self, most: Usage, url: str | None) -> int:
        found = self._ledger.write(lambda conn: self._reserve(conn, most, url))
        if isinstance(found, str):
            raise ExtractionError(f"the model is not asked any more: {found}", reason="cost_limit")
        return found

    def settle(self, cost_id: int, usage: Usage) -> None:
        def settled(conn: Connection) -> None:
            costs.settle(conn, cost_id, amount=usage.total, usd=self._worth(usage), now=self._now())
            self._tell(conn)

        self._ledger.write(settled)

    def _worth(self, usage: Usage) -> float:
        return self._model.worth(usage.input_tokens, usage.output_tokens)

    def _reserve(self, conn: Connection, most: Usage, url: str | None) -> int | str:
        call = costs.Call(PROVIDER, UNIT, most.total, self._worth(most))
        why = costs.refusal(conn, call, limits=self._limits, now=self._now())
        if why is not None:
            self._tell(conn, wanted=call)
            return why
        return costs.reserve(
            conn,
            provider=PROVIDER,
            unit=UNIT,
            amount=call.amount,
            usd=call.usd,
            run_id=None,
            url=url,
            now=self._now(),
        )

    def _tell(self, conn: Connection, *, wanted: costs.Call | None = None) -> None:
        """*wanted* is a call that was refused."""
        now = self._now()
        since = costs.month_of(now)
        reviews.note_spending(
            conn,
            PROVIDER,
            gone=costs.spent(conn, PROVIDER, since=since),
            wanted=wanted.amount if wanted else 0.0,
            limit=self._limits.amount,
            unit=f"{UNIT}s",
            now=now,
        )
        reviews.note_spending(
            conn,
            reviews.EVERYBODY,
            gone=costs.spent_usd(conn, since=since),
            wanted=wanted.usd if wanted else 0.0,
            limit=self._limits.usd,
            unit="USD",
            now=now,
        )
