"""Providers that can name the addresses of a site (S0's ``mapUrls``): one call, for one price, whatever it brings.

It only names them: what becomes of each is judged by scope, robots.txt, fence and ladder like any other address.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from rori_spiders.tiers.failures import TooLarge
from rori_spiders.tiers.providers.failing import Passing, ProviderFailed
from rori_spiders.tiers.providers.tier import TURNS, ProviderTier

if TYPE_CHECKING:
    from rori_spiders.items import Visit
    from rori_spiders.tiers.providers.keys import Key


@dataclass(frozen=True, slots=True)
class Mapped:
    """What came of asking for the addresses of a site: *urls* as they were spelt, or *failure*, in words for a log."""

    provider: str
    ms: int
    credits: int = 0
    urls: tuple[str, ...] = ()
    failure: str | None = None


class MappingTier(ProviderTier):
    """A provider's tier with one more door. Subclasses say how its server is asked."""

    async def _ask_map(self, url: str, limit: int, key: Key, *, subdomains: bool) -> tuple[str, ...]:
        """One call. Raises ProviderFailed."""
        raise NotImplementedError

    async def map(self, url: str, limit: int, *, visit: Visit | None = None, subdomains: bool = False) -> Mapped:
        """At most *limit* addresses of the site at *url*; of its other hosts too, with *subdomains*.

        Its cost counts for the run of *visit*. What fails in passing is asked once more; nothing is raised but a stop.
        """
        spent = {"credits": 0}
        began = monotonic()
        urls: tuple[str, ...] = ()
        failure = None
        try:
            async with asyncio.timeout(self._seconds):
                urls = await self._mapped(partial(self._paid_map, url, limit, visit, subdomains, spent))
        except TimeoutError:
            error = ProviderFailed("provider_timeout", f"{self.name} took longer than {self._seconds:g} s")
            failure = f"{self._counted(error).word}: {error}"
        except ProviderFailed as error:
            failure = f"{self._counted(error).word}: {error}"
        except TooLarge as error:
            failure = f"too_large: {error}"
        return Mapped(self.name, round((monotonic() - began) * 1000), spent["credits"], urls[:limit], failure)

    async def _mapped(self, call: Any) -> tuple[str, ...]:
        for _ in range(TURNS - 1):
            try:
                return await self._by_key(call)
            except Passing as error:
                self._counted(error)
        return await self._by_key(call)

    async def _paid_map(
        self, url: str, limit: int, visit: Visit | None, subdomains: bool, spent: dict[str, Any], key: Key
    ) -> tuple[str, ...]:
        charge = self._price.mapped
        assert charge is not None, self.name
        async with self._purse.paying(charge, url, visit, partial(self._count, spent)):
            return await self._ask_map(url, limit, key, subdomains=subdomains)
