"""The tiers by name: each is a rung of the ladder by which a URL is fetched, cheapest first."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from rori_spiders.job import Job
from rori_spiders.ladder import BROWSER, HTTP, MEDIAWIKI, OFFICIAL
from rori_spiders.manifest.configured import configured
from rori_spiders.tiers.browser.tier import BrowserTier
from rori_spiders.tiers.http import HttpTier
from rori_spiders.tiers.mediawiki import MediaWikiTier
from rori_spiders.tiers.official import OfficialTier
from rori_spiders.tiers.providers import TIERS as PROVIDER_TIERS
from rori_spiders.tiers.providers.mapping import MappingTier
from rori_spiders.tiers.registry import Tiers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy.crawler import Crawler

    from rori_spiders.tiers.providers.tier import ProviderTier
    from rori_spiders.tiers.registry import Builder

__all__ = ["BUILDERS", "Tiers", "build_tiers", "mappers"]


def _provider(tier: type[ProviderTier]) -> Builder:
    return lambda crawler, _: tier(crawler)


#: Every tier that there is. A new one needs its line here, and its word in ``manifest/vocabulary.py``.
BUILDERS: dict[str, Builder] = {
    OFFICIAL: lambda crawler, http: OfficialTier(http, Job.of(crawler)),
    MEDIAWIKI: lambda crawler, http: MediaWikiTier(http, Job.of(crawler)),
    HTTP: lambda _, http: http,
    BROWSER: lambda crawler, _: BrowserTier(crawler),
    **{name: _provider(tier) for name, tier in PROVIDER_TIERS.items()},
}


def build_tiers(crawler: Crawler) -> Tiers:
    """The tiers of *crawler*, made when they are first asked for. Nothing is started, and nothing asked."""
    if crawler not in _tiers:
        http = HttpTier(crawler)
        built = {name: build(crawler, http) for name, build in BUILDERS.items()}
        _tiers[crawler] = Tiers(configured(crawler.settings), built)
    return _tiers[crawler]


def mappers(tiers: Tiers, fence: Sequence[str] | None = None) -> Iterator[MappingTier]:
    """The providers that can name the addresses of a site, and may be asked here, inside *fence*."""
    for name in tiers.order:
        tier = tiers.all[name]
        if isinstance(tier, MappingTier) and (fence is None or name in fence):
            yield tier


_tiers: WeakKeyDictionary[Crawler, Tiers] = WeakKeyDictionary()
