"""The money of a provider: reserved before each call, settled after it; an alert comes before it is gone."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from rori_spiders.crawl.tiers.errors import ProviderFailed, TransientProviderFailure
from rori_spiders.ledger.operations.costs import CostLimits
from rori_spiders.manifest.tier_selection import monthly_limit_setting
from rori_spiders.reviews.spending import PaidBudget

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from rori_spiders.crawl.job.job import Job
    from rori_spiders.items import FrontierUrl
    from rori_spiders.ledger.operations.costs import CallSlotsFull

logger = logging.getLogger(__name__)


#: A page waits so long for its turn where as many calls are under way as may be: within the 90 s that it has in all.
PATIENCE_S = 30.0
_TURN_S = 0.5


@dataclass(slots=True)
class CallCost:
    """The cost of a call in the provider's unit, set by the caller once the answer states it."""

    amount: float


class ProviderBudget:
    """Budget of *provider*: RORI_<PROVIDER>_MONTHLY_CREDITS in its unit, RORI_MONTHLY_BUDGET_USD with all others."""

    def __init__(self, provider: str, job: Job) -> None:
        self._job = job
        limits = CostLimits(
            _read_limit(job, monthly_limit_setting(provider)),
            _read_limit(job, "RORI_MONTHLY_BUDGET_USD"),
            job.settings.getint("RORI_MAX_CONCURRENT_PAID_CALLS"),
        )
        self._budget = PaidBudget(provider, PRICES[provider].unit, limits)
        self._is_reported = False

    @asynccontextmanager
    async def paying(
        self, charge: Charge, url: str, visit: FrontierUrl | None, count: Callable[[float], object]
    ) -> AsyncIterator[CallCost]:
        """Within: one call about *url*, for which *charge* is set aside; *count* receives what it cost.

        Raises ProviderFailed (``cost_limit``).
        """
        cost_id = await self.reserve(charge, url, visit)
        paid = CallCost(charge.amount)  # for a call that is cut off: nobody knows
        try:
            yield paid
        except ProviderFailed as error:
            paid.amount = paid.amount if error.charged else 0.0
            raise
        finally:
            count(paid.amount)
            # Shielded: a stop or the end of its time must not leave a call uncounted that has been made.
            await asyncio.shield(self.settle(cost_id, paid.amount, charge.worth(paid.amount)))

    async def reserve(self, charge: Charge, url: str, visit: FrontierUrl | None) -> int:
        """Set aside what a call may cost, when its turn has come.

        Raises ProviderFailed (``cost_limit``) when a limit would be exceeded, Passing where no turn comes in time.
        """
        until = monotonic() + PATIENCE_S
        while True:
            reserved = await self._reserved(charge, url, visit)
            if isinstance(reserved, int):
                return reserved
            if isinstance(reserved, str):
                self._report(reserved)
                raise ProviderFailed("cost_limit", reserved)
            if monotonic() > until:
                raise TransientProviderFailure(
                    "paid_calls_full", f"{reserved}; no call slot became free within {PATIENCE_S:.0f} s"
                )
            await asyncio.sleep(_TURN_S)

    async def _reserved(self, charge: Charge, url: str, visit: FrontierUrl | None) -> int | str | CallSlotsFull:
        if not self._job.storage.is_open:
            raise ProviderFailed("cost_limit", "its cost cannot be recorded: no ledger is open")
        with self._job.stopping_on_write_errors():
            run_id = visit.run_id if visit is not None else None
            return await self._job.storage.write(
                lambda conn: self._budget.reserve(
                    conn, charge.amount, charge.usd, run_id=run_id, url=url, now=self._job.now()
                )
            )

    def _report(self, why: str) -> None:
        if not self._is_reported:
            self._is_reported = True
            logger.warning("No more requests to %(provider)s: %(why)s", {"provider": self._budget.provider, "why": why})

    async def settle(self, cost_id: int, amount: float, usd: float) -> None:
        """What the call cost."""
        with self._job.stopping_on_write_errors():
            await self._job.storage.write(
                lambda conn: self._budget.settle(conn, cost_id, amount, usd, now=self._job.now())
            )


def _read_limit(job: Job, setting: str) -> float:
    """The limit; anything but a number from 0 on (-1, nan) allows nothing: a typing error must not cost money."""
    limit = job.settings.getfloat(setting)
    return limit if limit >= 0 else 0.0


# What providers charge, as they publish it: data, each row with its source and the day on which it was read. Where
# the price depends on the site, the highest counts: a limit must hold whatever a call turns out to cost.


@dataclass(frozen=True, slots=True)
class Charge:
    """The maximum cost of one call: *amount* in the provider's own unit, and in USD."""

    amount: float
    usd: float

    def worth(self, amount: float) -> float:
        """The USD of *amount* units."""
        return amount * self.usd / self.amount


@dataclass(frozen=True, slots=True)
class Price:
    """A provider's price of a page fetched plainly, of one rendered in its browser, of a list of a site's addresses."""

    unit: str
    plain: Charge
    rendered: Charge
    source: str
    read_on: str
    mapped: Charge | None = None  # None: it makes no such list

    def of(self, *, rendered: bool) -> Charge:
        return self.rendered if rendered else self.plain


PRICES: dict[str, Price] = {
    # Pay as you go, the highest of five tiers of sites; only successful answers are charged.
    "zyte": Price(
        "request", Charge(1, 0.00127), Charge(1, 0.01608), "https://docs.zyte.com/zyte-api/pricing.html", "2026-09"
    ),
    # One credit a page by the basic proxy, one a map (docs.firecrawl.dev/billing); S0 §2.1: 500 credits for 16 USD.
    "firecrawl": Price(
        "credit",
        Charge(1, 0.032),
        Charge(1, 0.032),
        "https://docs.firecrawl.dev/billing and S0 §2.1",
        "2026-11",
        mapped=Charge(1, 0.032),
    ),
    # One's own server.
    "crawl4ai": Price("page", Charge(1, 0.0), Charge(1, 0.0), "https://github.com/unclecode/crawl4ai", "2026-11"),
    # By the datacenter proxy; 100,000 credits for 19 USD. Failed requests cost nothing.
    "scrapingant": Price(
        "credit", Charge(1, 0.00019), Charge(10, 0.0019), "https://docs.scrapingant.com/credits-cost", "2026-08"
    ),
}
