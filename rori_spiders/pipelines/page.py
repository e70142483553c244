"""The item pipeline of pages: convert, compare, stage, record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.crawl.job.component import JobComponent
from rori_spiders.crawl.page.flow import PageFlow
from rori_spiders.pipelines.page_item_adapter import register_adapter

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from rori_spiders.items import PageItem


class PagePipeline(JobComponent):
    """One pipeline, not one a step: the steps of a page are called in one place, `PageFlow.process_item`."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._flow = PageFlow(crawler)
        register_adapter()

    async def process_item(self, item: PageItem) -> PageItem:
        return await self._flow.process_item(item)
