"""The end of every URL: its final state and its row in the audit, in one transaction with all that depends on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.runs.lifecycle import Lifecycle
from rori_spiders.crawl.runs.recorder import Recorder

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from rori_spiders.items import PageItem


class AuditPipeline:
    """Steps 3 to 5 of the order of writing; then the run may be over."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._job = Job.of(crawler)
        self._recorder = Recorder.of(self._job)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> AuditPipeline:
        return cls(crawler)

    async def process_item(self, item: PageItem) -> PageItem:
        run = self._job.runs.get(item.visit.run_id)
        if run is None:
            return item  # the run was ended without this URL: it stays pending, and the next job fetches it
        with self._job.stopping_on_write_errors(run):
            await self._recorder.record(run, item)
            await Lifecycle.of(self._crawler).end_if_done(run)
        self._crawler.stats.inc_value(f"rori/{item.visit.kind}s/{item.state}")
        return item
