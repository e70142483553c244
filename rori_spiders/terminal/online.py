"""``scrapy manifest validate --online`` as a person sees it: what is asked now, the listing, the exit code."""

from __future__ import annotations

import signal
import sys
from collections import Counter
from typing import TYPE_CHECKING

from scrapy.crawler import AsyncCrawlerProcess

from rori_spiders.online import Asked, OnlineSpider
from rori_spiders.terminal.crawling import run_spider
from rori_spiders.terminal.listing import Column, harmless, write_listing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.settings import Settings

    from rori_spiders.manifest.catalog import Catalog
    from rori_spiders.manifest.models import Source

_COLOURS = (("ok", "green"), ("warning", "yellow"), ("locked", "yellow"), ("failed", "red"), ("refused", "bold red"))
COLUMNS = (
    Column("id", "source"),
    Column("url"),
    Column("result", "result", colours=_COLOURS),
    Column("robots", "robots.txt"),
    Column("crawl_delay_s", "delay", right=True),
    Column("status", "HTTP", right=True),
    Column("verdict", "verdict"),
    Column("final_url", "leads to"),
    Column("in_domain"),
    Column("why", "why"),
)


def validate_online(settings: Settings, catalog: Catalog, sources: Sequence[Source], form: str) -> int:
    """Ask *sources* and list them in *form*. 0: all may be collected; 1: some gave no answer; 2: some are refused."""
    asked = [Asked(source) for source in sources]

    def tell(one: Asked) -> None:
        if sys.stderr.isatty():
            done = sum(other.result != "not asked" for other in asked)
            sys.stderr.write(f"{done} of {len(asked)}: {one.source.id}: {one.result}\n")

    job = run_spider(AsyncCrawlerProcess(settings), OnlineSpider, catalog=catalog, asked=asked, tell=tell)
    # All has been asked: a second Ctrl-C may end us while we print.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if job.refused is not None:
        raise job.refused
    write_listing((_row(one, form) for one in asked), COLUMNS, form)
    results = Counter(one.result for one in asked)
    if form == "table":
        print(f"{len(asked)} sources: {', '.join(f'{count} {result}' for result, count in results.most_common())}.")
    return 2 if results["refused"] else int(bool(results.keys() - {"ok", "warning"}))


def _row(asked: Asked, form: str) -> dict[str, object]:
    row = asked.row()
    leads_nowhere_else = form == "table" and row["final_url"] == row["url"]
    return row | {"why": harmless(asked.why), "final_url": None if leads_nowhere_else else row["final_url"]}
