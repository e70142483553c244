"""The tiers as a person sees them: in tier order, what each needs, whether it works."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import Spider
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.settings import Settings
from scrapy.utils.reactor import install_reactor

from rori_spiders.crawl.tiers.base import HealthStatus
from rori_spiders.crawl.tiers.builders import TierRegistry, build_tiers, mapping_tiers
from rori_spiders.crawl.tiers.order import BROWSER
from rori_spiders.manifest.catalog import Catalog
from rori_spiders.manifest.models import Source
from rori_spiders.manifest.problems import WarningLine
from rori_spiders.terminal.crawl_runner import run_spider
from rori_spiders.terminal.listing import Column

_COLOURS = (("works", "green"), ("fails", "red"))
TIER_COLUMNS = (
    Column("order", "order", right=True),
    Column("name", "tier"),
    Column("configured", "configured"),
    Column("ready", "ready"),
    Column("needs"),
    Column("missing", "missing"),
    Column("health", "health", colours=_COLOURS),
    Column("detail", "detail"),
    Column("about", "what it does"),
)
#: A browser starts in 2 s on an idle machine, and in 20 on a busy one (2 cores, 2026-11).
CHECK_S = 60.0


def tiers_here(settings: Settings) -> TierRegistry:
    """The tiers of these settings with their missing requirements. Starts nothing."""
    install_reactor(settings["TWISTED_REACTOR"])  # the one of a crawl, which this process may still begin
    return build_tiers(Crawler(Spider, settings))


def sources_with_missing_tiers(settings: Settings, catalog: Catalog) -> Iterator[WarningLine]:
    """A warning for each tier that a source names and that is unavailable here."""
    named = {source.id: names for source in catalog.sources if (names := _tiers_named_by(source))}
    mapped = [source for source in catalog.sources if source.scrape_config.provider_map]
    if not named and not mapped:
        return
    tiers = tiers_here(settings)
    for source in mapped:
        if next(mapping_tiers(tiers, catalog.rules(source.host).tiers), None) is None:
            what = f"provider_map: no configured provider makes site maps. Available tiers: {', '.join(tiers.order)}"
            yield WarningLine(f"source {source.id!r}: {what}", kind=f"set {what}", example=source.id)
    for source_id, names in named.items():
        for name in names:
            if name not in tiers.order:
                needs = tiers.unmet.get(name, ())
                why = "; ".join(f"{need.what} is missing: {need.mend}" for need in needs) or "not in RORI_TIERS"
                what = f"tier {name} is not available: {why}. Available tiers: {', '.join(tiers.order)}"
                yield WarningLine(f"source {source_id!r}: {what}", kind=f"name a tier: {what}", example=source_id)


def _tiers_named_by(source: Source) -> tuple[str, ...]:
    config = source.scrape_config
    return tuple(dict.fromkeys((*(config.tiers or ()), *((BROWSER,) if config.render == "always" else ()))))


def tier_rows(tiers: TierRegistry, health: dict[str, HealthStatus] | None = None) -> Iterator[dict[str, Any]]:
    """One row per tier, those of the tier order first, in its order. *health*: results of checked tiers."""
    others = [name for name in tiers.all if name not in tiers.named]
    for name in (*tiers.named, *others):
        tier, found = tiers.all[name], (health or {}).get(name)
        yield {
            "order": tiers.order.index(name) + 1 if name in tiers.order else None,
            "name": name,
            "configured": name in tiers.named,
            "ready": name not in tiers.unmet,
            "needs": "; ".join(f"{need.what}: {'met' if need.met else need.mend}" for need in tier.needs()) or None,
            "missing": "; ".join(f"{need.what}: {need.mend}" for need in tiers.unmet.get(name, ())) or None,
            "health": None if found is None else "works" if found.ok else "fails",
            "detail": found.says if found is not None else None,
            "about": tier.about,
        }


def check_tiers(settings: Settings) -> dict[str, HealthStatus]:
    """Check each configured tier, with a time limit. Raises the error that kept the checks from starting."""
    health: dict[str, HealthStatus] = {}
    run_spider(AsyncCrawlerProcess(settings), _TierCheckSpider, health=health)
    return health


class _TierCheckSpider(Spider):
    """A crawl without requests, as the environment of the checks."""

    name = "tiers"
    custom_settings = {"ITEM_PIPELINES": {}, "RORI_PROGRESS": "never"}  # noqa: RUF012  (Scrapy's own type)

    def __init__(self, *args: Any, health: dict[str, HealthStatus], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._health = health

    async def start(self) -> AsyncIterator[Any]:
        tiers = build_tiers(self.crawler)
        for name in tiers.named:
            self._health[name] = await _check_tier(tiers, name)
        for _ in ():
            yield


async def _check_tier(tiers: TierRegistry, name: str) -> HealthStatus:
    if name in tiers.unmet:
        return HealthStatus(ok=False, says="not checked: a requirement is missing")
    try:
        return await asyncio.wait_for(tiers.all[name].check(), CHECK_S)
    except TimeoutError:
        return HealthStatus(ok=False, says=f"no answer within {CHECK_S:.0f} s")
    except Exception as error:  # a check must not hide the others
        return HealthStatus(ok=False, says=f"{type(error).__name__}: {error}")
