"""Forecast the next run of a source from its last one: pages, tiers, time, credits. Sends no request."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.crawl.tiers.order import BROWSER, tier_order_for_page
from rori_spiders.ledger.runs import run_records
from rori_spiders.manifest.vocabulary import PROVIDERS
from rori_spiders.politeness.rate_limiter import MARGIN
from rori_spiders.urls.canonical import host_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.ledger.runs.run_records import RunRow
    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source


class RunForecast(NamedTuple):
    """None is what only a run can tell. ``delay_s`` is seconds between two requests."""

    pages: int | None
    tiers: tuple[str, ...]
    browser_pages: int | None
    credits: int | None
    delay_s: float
    minutes: float | None


def forecast_run(
    source: Source, catalog: Catalog, ledger: Ledger | None, tiers: Sequence[str], *, browser_budget: int
) -> RunForecast:
    """*tiers*: those that can work here. *browser_budget*: of a source that names none."""
    host = host_of(source.url)
    rules = catalog.rules_of_group(catalog.group(host))
    last, discovered = _last_run(ledger, source.id)
    pages = 1 if source.method == "scrape" else discovered
    tier_names = tiers_for_source(source, catalog, tiers)
    asked = tiers if source.scrape_config.provider_map else tier_names
    paid = any(name in PROVIDERS for name in asked)
    return RunForecast(
        pages=pages,
        tiers=tier_names,
        browser_pages=_count_browser_pages(source, tier_names, last, pages, browser_budget),
        credits=0 if not paid else None if last is None else last.credits,
        delay_s=rules.delay_s,
        minutes=None if pages is None else round((pages + 1) * rules.delay_s * MARGIN / 60, 1),
    )


def tiers_for_source(source: Source, catalog: Catalog, tiers: Sequence[str]) -> tuple[str, ...]:
    """Of *tiers* those that are tried for the source's own URL, in their order."""
    has_api = catalog.api_url(host_of(source.url)) is not None or source.method == "mediawiki"
    return tuple(tier_order_for_page(source.url, source, catalog, tiers, has_api=has_api))


def _count_browser_pages(
    source: Source, tier_names: Sequence[str], last: RunRow | None, pages: int | None, budget: int
) -> int | None:
    """Pages that the browser will fetch: never more than its budget."""
    most = budget if (own := source.scrape_config.browser_budget) is None else own
    if BROWSER not in tier_names:
        return 0
    if tier_names[0] == BROWSER:
        return None if pages is None else min(most, pages)
    return None if last is None else min(most, last.browser_pages)


def _last_run(ledger: Ledger | None, source_id: str) -> tuple[RunRow | None, int | None]:
    """The source's newest run, and how many pages it discovered; None where it found none."""
    if ledger is None:
        return None, None
    with ledger.connect() as connection:
        last = next(iter(run_records.recent_runs(connection, source_id, limit=1)), None)
        return last, None if last is None else run_records.count_pages(connection, last.run_id)["discovered"] or None
