"""The tiers of a crawler: each built by name, cheapest first, and those of them that can work here, in tier order."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.tiers.browser.tier import BrowserTier
from rori_spiders.crawl.tiers.http.tier import HttpTier
from rori_spiders.crawl.tiers.mediawiki.tier import MediaWikiTier
from rori_spiders.crawl.tiers.official.tier import OfficialTier
from rori_spiders.crawl.tiers.order import BROWSER, HTTP, MEDIAWIKI, OFFICIAL
from rori_spiders.crawl.tiers.providers import PROVIDER_TIERS
from rori_spiders.crawl.tiers.providers.tier import MappingTier
from rori_spiders.manifest.tier_selection import configured_tiers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from scrapy.crawler import Crawler

    from rori_spiders.crawl.tiers.base import Requirement, Tier
    from rori_spiders.crawl.tiers.providers.tier import ProviderTier

    Builder = Callable[[Crawler, HttpTier], Tier]

logger = logging.getLogger(__name__)


def _provider_builder(tier: type[ProviderTier]) -> Builder:
    return lambda crawler, _: tier(crawler)


#: Every tier that there is. A new one needs its line here, and its word in ``manifest/vocabulary.py``.
TIER_BUILDERS: dict[str, Builder] = {
    OFFICIAL: lambda crawler, http: OfficialTier(http, Job.of(crawler)),
    MEDIAWIKI: lambda crawler, http: MediaWikiTier(http, Job.of(crawler)),
    HTTP: lambda _, http: http,
    BROWSER: lambda crawler, _: BrowserTier(crawler),
    **{name: _provider_builder(tier) for name, tier in PROVIDER_TIERS.items()},
}


def build_tiers(crawler: Crawler) -> TierRegistry:
    """The tiers of *crawler*, made when they are first asked for. Nothing is started, and nothing asked."""
    if crawler not in _tiers:
        http = HttpTier(crawler)
        built = {name: build(crawler, http) for name, build in TIER_BUILDERS.items()}
        _tiers[crawler] = TierRegistry(configured_tiers(crawler.settings), built)
    return _tiers[crawler]


def mapping_tiers(tiers: TierRegistry, fence: Sequence[str] | None = None) -> Iterator[MappingTier]:
    """The providers that can name the addresses of a site, and may be asked here, inside *fence*."""
    for name in tiers.order:
        tier = tiers.all[name]
        if isinstance(tier, MappingTier) and (fence is None or name in fence):
            yield tier


_tiers: WeakKeyDictionary[Crawler, TierRegistry] = WeakKeyDictionary()


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
