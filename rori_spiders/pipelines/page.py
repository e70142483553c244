"""The item pipeline of pages: convert, compare, stage, record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.crawl.page.flow import PageFlow

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from rori_spiders.items import PageItem


class PagePipeline:
    """One pipeline, not one a step: the steps of a page are called in one place, `PageFlow.process_item`."""

    def __init__(self, crawler: Crawler) -> None:
        self._flow = PageFlow(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PagePipeline:
        return cls(crawler)

    async def process_item(self, item: PageItem) -> PageItem:
        return await self._flow.process_item(item)
