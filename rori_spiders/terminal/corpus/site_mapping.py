"""Map a site without a source, as politely as a collection, into rows of a corpus run."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any, cast

from scrapy.crawler import AsyncCrawlerProcess

from rori_spiders.corpus.runs.page_map import new_page_row
from rori_spiders.crawl.adhoc.ad_hoc_source import add_ad_hoc_sources, build_ad_hoc_source
from rori_spiders.crawl.adhoc.messages import FetchRequest as WantedPages
from rori_spiders.crawl.preview.map_spider import MapInventory, MapRequest, MapSpider
from rori_spiders.exceptions import ActionRefused, UsageError
from rori_spiders.terminal.crawl_runner import run_spider

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.settings import Settings

    from rori_spiders.ledger.corpus.run_states import CorpusRun
    from rori_spiders.terminal.corpus.session import CorpusSession

#: Link depth of the requested pages where a run names none: the start page and the pages that it links to.
DEFAULT_DEPTH = 1
_ANY_DEPTH = 20  # the most that a source may have


def map_site(session: CorpusSession, run: CorpusRun) -> list[Mapping[str, Any]]:
    """Map the site by its sitemaps and links; return a row for each page found. Raises UsageError if that cannot be."""
    depth = int(run.target.get("depth", DEFAULT_DEPTH))
    try:
        # No limit to how deep a page of a sitemap lies: only *depth* bounds what is requested.
        wanted = WantedPages(fetch_id=1, url=run.target["url"], follow=True, max_pages=1, max_depth=_ANY_DEPTH)
        source = build_ad_hoc_source(wanted)
        config = source.scrape_config.model_copy(update={"sitemaps": None})
        source = source.model_copy(update={"scrape_config": config})
    except ValueError as error:
        raise UsageError(f"{run.target['url']}: {error}") from error
    inventory = MapInventory()
    job = run_spider(
        AsyncCrawlerProcess(cast("Settings", session.settings)),
        MapSpider,
        catalog=add_ad_hoc_sources(session.catalog, [source]),
        wanted=MapRequest(source, session.by, depth=depth),
        inventory=inventory,
        report=lambda *_: None,
    )
    signal.signal(signal.SIGINT, signal.default_int_handler)
    job.raise_problem()
    if inventory.run is None:
        raise ActionRefused(
            f"cannot map {run.domain}: {job.locked_sources.get(source.id, 'stopped before its first request')}"
        )
    return [
        {
            **new_page_row(entry.url, "map"),
            "title": entry.title,
            "description": entry.description,
            "dated": entry.lastmod,
            "met": entry.state,
            "met_reason": entry.reason or None,
        }
        for entry in inventory.pages
    ]
