"""A site that no source has, mapped through the gates of a collection: its inventory as rows of a corpus run."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any, cast

from scrapy.crawler import AsyncCrawlerProcess

from rori_spiders.corpus.running.mapping import found_row
from rori_spiders.errands.source import source_of, with_errands
from rori_spiders.exceptions import UsageError
from rori_spiders.fetching.messages import Wanted as WantedPages
from rori_spiders.mapping import Inventory, MapSpider, Wanted
from rori_spiders.terminal.crawling import run_spider

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.settings import Settings

    from rori_spiders.ledger.corpus.runs import CorpusRun
    from rori_spiders.terminal.corpus.desk import Desk

#: Links from the start page that the map asks itself: the start page, and those that it leads to.
_DEPTH = 1


def map_site(desk: Desk, run: CorpusRun) -> list[Mapping[str, Any]]:
    """Rows for all that the map finds. Raises UsageError when the site cannot be asked."""
    try:
        source = source_of(WantedPages(errand=1, url=run.target["url"], follow=True, max_pages=1))
    except ValueError as error:
        raise UsageError(f"{run.target['url']}: {error}") from error
    inventory = Inventory()
    job = run_spider(
        AsyncCrawlerProcess(cast("Settings", desk.settings)),
        MapSpider,
        catalog=with_errands(desk.catalog, [source]),
        wanted=Wanted(source, desk.by, depth=_DEPTH),
        inventory=inventory,
        tell=lambda *_: None,
    )
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for problem in (job.refused, job.failure):
        if problem is not None:
            raise problem
    if inventory.run is None:
        raise UsageError(f"{run.domain} is not mapped: {job.locked.get(source.id, 'stopped before its first request')}")
    return [
        {
            **found_row(entry.url, "map"),
            "title": entry.title,
            "description": entry.description,
            "dated": entry.lastmod,
            "met": entry.state,
            "met_reason": entry.reason or None,
        }
        for entry in inventory.pages
    ]
