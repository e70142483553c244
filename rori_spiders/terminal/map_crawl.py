"""``scrapy map`` as it runs: one spider in this process, progress at a terminal, the exit code."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING

from scrapy.crawler import AsyncCrawlerProcess

from rori_spiders.mapping import Inventory, MapSpider
from rori_spiders.terminal.crawling import run_spider
from rori_spiders.terminal.map_report import report

if TYPE_CHECKING:
    from scrapy.settings import Settings

    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.mapping import Wanted
    from rori_spiders.run import Run

_CLEAR = "\r\x1b[K"


def map_source(
    settings: Settings, catalog: Catalog, wanted: Wanted, *, form: str, section: str | None, limit: int | None
) -> int:
    """Map the source and print it. 0: done; 1: cut short, another job's, or its start URL gives no page."""
    inventory = Inventory()
    process = AsyncCrawlerProcess(settings)
    job = run_spider(process, MapSpider, catalog=catalog, wanted=wanted, inventory=inventory, tell=_tell)
    # All has been asked: a second Ctrl-C may end us while we print.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _wipe()
    for problem in (job.refused, job.failure):
        if problem is not None:
            raise problem
    if inventory.run is None:
        why = job.locked.get(wanted.source.id, "stopped before its first request")
        sys.stderr.write(f"{wanted.source.id} is not mapped: {why}\n")
        return 1
    report(inventory, inventory.run, job, form=form, section=section, limit=limit)
    return 0 if _is_whole(inventory.run, inventory) else 1


def _is_whole(run: Run, inventory: Inventory) -> bool:
    """Whether the map ended as it should: nothing cut, no limit, a start URL that gives a page."""
    starts = [entry for entry in inventory.pages if entry.found_by == "start"]
    reached = any(entry.state == "collect" for entry in starts) or not starts
    return reached and run.stopped is None and run.limited is None and run.lacks is None


def _tell(inventory: Inventory, asked: int) -> None:
    if sys.stderr.isatty():
        waiting = sum(entry.state == "unanswered" for entry in inventory.entries.values())
        pages = len(inventory.entries)
        sys.stderr.write(f"{_CLEAR}{asked} asked, {waiting} waiting, {pages:,} addresses known so far (Ctrl-C ends it)")
        sys.stderr.flush()


def _wipe() -> None:
    if sys.stderr.isatty():
        sys.stderr.write(_CLEAR)
