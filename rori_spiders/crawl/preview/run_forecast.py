"""Forecast the next run of a source from its last one, and what bounds it: pages, tiers, time, credits. Sends no
request.
"""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from rori_spiders.crawl.tiers.official.registry import is_official_list, is_single_page
from rori_spiders.crawl.tiers.order import BROWSER, tier_order_for_page
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.runs import run_records
from rori_spiders.ledger.runs.run_records import RunRow
from rori_spiders.manifest.catalog import Catalog, CrawlWindow
from rori_spiders.manifest.models import Source
from rori_spiders.manifest.scope import start_folder
from rori_spiders.manifest.vocabulary import PROVIDERS
from rori_spiders.politeness.rate_limiter import MARGIN
from rori_spiders.runtime.plurals import format_count
from rori_spiders.schedule import CrawlDuration, crawl_window_for, estimate_crawl_duration
from rori_spiders.schedule.crawl_window import format_crawl_window
from rori_spiders.urls.canonical import host_of

#: A crawl of more pages is worth a second look: at one request in 2 s, it takes over an hour.
LARGE_CRAWL_PAGES = 2_000


class CrawlEstimate(NamedTuple):
    """What a run of a source may request. ``pages``: its expected number; None: unknown, so that ``duration`` is that
    of ``max_pages``.
    """

    bound: str  # in words: "below /regs/, at most 500 pages"
    max_pages: int
    pages: int | None
    duration: CrawlDuration
    hours: CrawlWindow

    @property
    def expected_time(self) -> str:
        """How long its requests take at the source's pace: ``2 min``, ``up to 11.4 h``."""
        time = format_request_time(self.duration)
        return time if self.pages is not None else f"up to {time}"

    @property
    def warning(self) -> str | None:
        """Why a person should look at it before it is collected; None: it is small."""
        if (self.max_pages if self.pages is None else self.pages) <= LARGE_CRAWL_PAGES:
            return None
        return f"{self}; narrow include_patterns, or set max_pages"

    def __str__(self) -> str:
        """``about 412 pages (below /regs/, at most 500 pages): 413 requests, one in 2.20 s: about 15 min``."""
        pages = f"up to {self.max_pages:,}" if self.pages is None else f"about {self.pages:,}"
        return f"{pages} pages ({self.bound}): {format_crawl_duration(self.duration, self.hours)}"


def estimate_crawl(
    source: Source, catalog: Catalog, *, max_pages: int, pages: int | None = None, every_s: float | None = None
) -> CrawlEstimate:
    """Estimate a run of *source*. *max_pages*: RORI_MAX_PAGES. *pages*: that it is known to have, by its last run or a
    map. *every_s*: seconds between two requests, where they are known better than the manifest says.
    """
    config = source.scrape_config
    most = 1 if is_single_page(source) else config.max_pages or max_pages
    known = 1 if is_single_page(source) else None if pages is None else min(pages, most)
    duration = _estimate_duration(source, catalog, most if known is None else known, every_s)
    return CrawlEstimate(
        _describe_bound(source, most), most, known, duration, crawl_window_for(source.url, catalog.rules)
    )


def _estimate_duration(source: Source, catalog: Catalog, pages: int, every_s: float | None = None) -> CrawlDuration:
    delay_s = catalog.rules_of_group(catalog.group(host_of(source.url))).delay_s * MARGIN
    hours = crawl_window_for(source.url, catalog.rules)
    return estimate_crawl_duration(pages + 1, delay_s if every_s is None else every_s, hours)  # and robots.txt


def _describe_bound(source: Source, most: int) -> str:
    config = source.scrape_config
    if is_single_page(source):
        return "1 page"
    parts = [f"at most {format_count(most, 'page')}" if config.max_pages else "no max_pages"]
    if config.max_depth is not None:
        parts.insert(0, f"max_depth {config.max_depth}")
    if config.include_patterns:
        more = len(config.include_patterns) - 1
        parts.insert(0, config.include_patterns[0] + (f" and {more} more" if more else ""))
    elif is_official_list(source):
        parts.insert(0, "what the list of the official API names")
    elif source.method == "crawl":
        parts.insert(0, f"below {start_folder(source.url)}")
    return ", ".join(parts)


def format_request_time(duration: CrawlDuration) -> str:
    """``15 min``; from 90 minutes on ``1.5 h``."""
    minutes = duration.seconds / 60
    if minutes < 1:
        return "under a minute"
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"


def format_crawl_duration(duration: CrawlDuration, hours: CrawlWindow) -> str:
    """``412 requests, one in 2.20 s: about 15 min; 1 night of 02:00-06:00 (New York), 6,545 requests a night``."""
    if not duration.requests:
        return "no requests"
    time = format_request_time(duration)
    time = f"about {time}" if time[0].isdigit() else time
    text = f"{format_count(duration.requests, 'request')}, one in {duration.every_s:.2f} s: {time}"
    if window := format_crawl_window(hours):
        text += f"; {format_count(duration.nights, 'night')} of {window}, {duration.a_night:,} requests a night"
    return text


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
    last, expected = _last_run(ledger, source.id)
    pages = 1 if is_single_page(source) else expected
    tier_names = tiers_for_source(source, catalog, tiers)
    tried_tiers = tiers if source.scrape_config.provider_map else tier_names
    paid = any(name in PROVIDERS for name in tried_tiers)
    return RunForecast(
        pages=pages,
        tiers=tier_names,
        browser_pages=_count_browser_pages(source, tier_names, last, pages, browser_budget),
        credits=0 if not paid else None if last is None else last.credits,
        delay_s=catalog.rules_of_group(catalog.group(host_of(source.url))).delay_s,
        minutes=None if pages is None else round(_estimate_duration(source, catalog, pages).seconds / 60, 1),
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
    """The source's newest run, and the pages that it knew in scope; None where it found none."""
    if ledger is None:
        return None, None
    with ledger.connect() as connection:
        last = next(iter(run_records.recent_runs(connection, source_id, limit=1)), None)
        return last, None if last is None else _pages_in_scope(connection, last.run_id)


def pages_of_last_run(ledger: Ledger | None, source_id: str) -> int | None:
    """How many pages the source's newest run knew in scope; None: there is none, or it found none."""
    return _last_run(ledger, source_id)[1]


def _pages_in_scope(connection: Connection, run_id: str) -> int | None:
    counts = run_records.count_pages(connection, run_id)
    return counts["discovered"] - counts.get("excluded", 0) or None
