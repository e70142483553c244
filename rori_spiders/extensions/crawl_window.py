"""Lets the runs of a schedule end with their hours: the next job of the source goes on with what is left."""

import asyncio
import logging
from contextlib import suppress

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem, NotConfigured

from rori_spiders.crawl.job.job import JobComponent
from rori_spiders.crawl.runs.lifecycle import Lifecycle
from rori_spiders.spiders.sources import SourcesSpider

logger = logging.getLogger(__name__)

#: How often the clock is looked at, seconds: less than the time between two requests to a group.
_POLL_S = 1.0


class CrawlWindowExtension(JobComponent):
    """Stops requests to a site when its crawl window closes; requests in progress finish."""

    def __init__(self, crawler: Crawler) -> None:
        if crawler.spidercls is None or not issubclass(crawler.spidercls, SourcesSpider):
            raise NotConfigured
        super().__init__(crawler)
        self._watching: asyncio.Task[None] | None = None
        crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)

    def spider_opened(self) -> None:
        self._watching = asyncio.ensure_future(self._watch())

    def spider_closed(self) -> None:
        if self._watching is not None:
            self._watching.cancel()

    async def _watch(self) -> None:
        lifecycle = Lifecycle.of(self._crawler)
        while True:
            await asyncio.sleep(_POLL_S)
            for run in list(self._job.runs.values()):
                if run.limits.close_window(self._job.now()):
                    self._job.runs_outside_window.add(run.run_id)
                    logger.info(
                        "%(source)s: the crawl window has closed; the run resumes in the next window",
                        {"source": run.source_id},
                    )
                if run.limits.is_window_closed and not any(self._job.urls_in_progress(run.run_id)):
                    with suppress(DropItem), self._job.stopping_on_write_errors(run):
                        await lifecycle.end(run)
