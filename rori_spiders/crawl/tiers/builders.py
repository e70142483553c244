"""Build every tier by name, cheapest first."""

from __future__ import annotations

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
from rori_spiders.crawl.tiers.registry import TierRegistry
from rori_spiders.manifest.tier_selection import configured_tiers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy.crawler import Crawler

    from rori_spiders.crawl.tiers.providers.tier import ProviderTier
    from rori_spiders.crawl.tiers.registry import Builder

__all__ = ["TIER_BUILDERS", "TierRegistry", "build_tiers", "mapping_tiers"]


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
