"""The money of a provider: reserved before each call, settled after it, told to a person before it is gone."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from rori_spiders.ledger.costs import Call, Limits
from rori_spiders.reviews import paying
from rori_spiders.tiers.providers.failing import Passing, ProviderFailed
from rori_spiders.tiers.providers.prices import PRICES

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from rori_spiders.items import Visit
    from rori_spiders.job import Job
    from rori_spiders.ledger.costs import Full
    from rori_spiders.tiers.providers.prices import Charge

logger = logging.getLogger(__name__)

#: A page waits so long for its turn where as many calls are under way as may be: within the 90 s that it has in all.
PATIENCE_S = 30.0
_TURN_S = 0.5


@dataclass(slots=True)
class Paid:
    """What a call cost, in the provider's unit; whoever makes it says so, once the answer does."""

    amount: float


class Purse:
    """What *provider* may spend: RORI_<PROVIDER>_LIMIT in its unit, and RORI_COST_LIMIT with all the others."""

    def __init__(self, provider: str, job: Job) -> None:
        self._provider = provider
        self._unit = PRICES[provider].unit
        self._job = job
        at_once = job.settings.getint("RORI_PAID_AT_ONCE")
        self.limits = Limits(_limit(job, f"RORI_{provider.upper()}_LIMIT"), _limit(job, "RORI_COST_LIMIT"), at_once)
        self._is_told = False

    @asynccontextmanager
    async def paying(
        self, charge: Charge, url: str, visit: Visit | None, count: Callable[[float], object]
    ) -> AsyncIterator[Paid]:
        """Within: one call about *url*, for which *charge* is set aside; *count* is told what it cost.

        Raises ProviderFailed (``cost_limit``).
        """
        cost_id = await self.reserve(charge, url, visit)
        paid = Paid(charge.amount)  # for a call that is cut off: nobody knows
        try:
            yield paid
        except ProviderFailed as error:
            paid.amount = paid.amount if error.charged else 0.0
            raise
        finally:
            count(paid.amount)
            # Shielded: a stop or the end of its time must not leave a call uncounted that has been made.
            await asyncio.shield(self.settle(cost_id, paid.amount, charge.worth(paid.amount)))

    async def reserve(self, charge: Charge, url: str, visit: Visit | None) -> int:
        """Set aside what a call may cost, when its turn has come.

        Raises ProviderFailed (``cost_limit``) when a limit would be exceeded, Passing where no turn comes in time.
        """
        until = monotonic() + PATIENCE_S
        while True:
            reserved = await self._reserved(charge, url, visit)
            if isinstance(reserved, int):
                return reserved
            if isinstance(reserved, str):
                self._tell(reserved)
                raise ProviderFailed("cost_limit", reserved)
            if monotonic() > until:
                raise Passing("paid_calls_full", f"{reserved}; no turn came within {PATIENCE_S:.0f} s")
            await asyncio.sleep(_TURN_S)

    async def _reserved(self, charge: Charge, url: str, visit: Visit | None) -> int | str | Full:
        if not self._job.is_open:
            raise ProviderFailed("cost_limit", "no ledger is open in which its cost would be counted")
        with self._job.stopping_on_write_errors():
            call, run_id = self._call(charge.amount, charge.usd), visit.run_id if visit is not None else None
            return await self._job.write(
                lambda conn: paying.reserve(conn, call, limits=self.limits, run_id=run_id, url=url, now=self._job.now())
            )

    def _tell(self, why: str) -> None:
        if not self._is_told:
            self._is_told = True
            logger.warning("%(provider)s is not asked any more: %(why)s", {"provider": self._provider, "why": why})

    async def settle(self, cost_id: int, amount: float, usd: float) -> None:
        """What the call cost."""
        with self._job.stopping_on_write_errors():
            cost = self._call(amount, usd)
            await self._job.write(
                lambda conn: paying.settle(conn, cost_id, cost, limits=self.limits, now=self._job.now())
            )

    def _call(self, amount: float, usd: float) -> Call:
        return Call(self._provider, self._unit, amount, usd)


def _limit(job: Job, setting: str) -> float:
    """The limit; what is no number from 0 on (-1, nan) allows nothing: a slip must not cost money."""
    limit = job.settings.getfloat(setting)
    return limit if limit >= 0 else 0.0
