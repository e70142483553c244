"""The tiers of one crawler: those that are named and can work here, in tier order."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from rori_spiders.crawl.tiers.order import HTTP

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from scrapy.crawler import Crawler

    from rori_spiders.crawl.tiers.base import Requirement, Tier
    from rori_spiders.crawl.tiers.http.tier import HttpTier

    Builder = Callable[[Crawler, HttpTier], Tier]

logger = logging.getLogger(__name__)


class TierRegistry:
    """The tiers of one crawler. Reports a missing requirement once, with how to fix it."""

    def __init__(self, named: Sequence[str], built: Mapping[str, Tier]) -> None:
        self.all = dict(built)  # every tier that there is
        self.named = tuple(dict.fromkeys(name for name in named if name in built))  # by RORI_TIERS
        self.unmet = {name: unmet for name, tier in built.items() if (unmet := _unmet_requirements(tier))}
        #: The tier order: named, and not in want of anything.
        self.order = tuple(name for name in self.named if name not in self.unmet)

    def usable(self, name: str) -> Tier | None:
        """The tier *name*, if the tier order has it. `http` is always there: robots.txt and sitemaps are read by it."""
        return self.all[name] if name in self.order or name == HTTP else None

    def log_unavailable_tiers(self) -> None:
        """Say what is missing for the tiers that are named."""
        for name in self.named:
            for need in self.unmet.get(name, ()):
                logger.warning(
                    "The tier %(tier)s is unavailable, %(what)s is missing: %(mend)s",
                    {"tier": name, "what": need.what, "mend": need.mend},
                )

    async def close(self) -> None:
        """`http` last: others may stand on it."""
        for name in sorted(self.all, key=lambda one: one == HTTP):
            await self.all[name].close()


def _unmet_requirements(tier: Tier) -> tuple[Requirement, ...]:
    return tuple(need for need in tier.needs() if not need.met)
