"""Managed providers: servers, of a company or one's own, that fetch a page for us. Each is a tier with a price."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.crawl.tiers.errors import PROVIDER_REASONS, ProviderFailed
from rori_spiders.crawl.tiers.providers.crawl4ai import Crawl4aiTier
from rori_spiders.crawl.tiers.providers.firecrawl import FirecrawlTier
from rori_spiders.crawl.tiers.providers.scrapingant import ScrapingAntTier
from rori_spiders.crawl.tiers.providers.zyte import ZyteTier

if TYPE_CHECKING:
    from rori_spiders.crawl.tiers.providers.tier import ProviderTier

__all__ = ["PROVIDER_REASONS", "PROVIDER_TIERS", "ProviderFailed"]

#: In the order in which one is chosen, where several have what they need.
PROVIDER_TIERS: dict[str, type[ProviderTier]] = {
    tier.name: tier for tier in (ZyteTier, FirecrawlTier, Crawl4aiTier, ScrapingAntTier)
}
