"""A spider without a run: it opens the ledger for its leases alone, and gives them back however it ends."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from scrapy import Spider, signals
from sqlalchemy.exc import DBAPIError

from rori_spiders.exceptions import RoriError, WriteError
from rori_spiders.job import Job

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from rori_spiders.manifest.catalog import Catalog


class UnstagedSpider(Spider):
    """Asks for sources of *catalog*. Subclasses begin with ``opened``; ``closing`` is their last word."""

    custom_settings = {"ITEM_PIPELINES": {}, "RORI_PROGRESS": "never"}  # noqa: RUF012  (Scrapy's own type)

    def __init__(self, *args: Any, catalog: Catalog, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._catalog = catalog
        self._tasks: list[asyncio.Task[None]] = []

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.ends, signal=signals.spider_closed)
        return spider

    @property
    def job(self) -> Job:
        return Job.of(self.crawler)

    async def opened(self) -> bool:
        """Whether the ledger is open; if not, the job says why."""
        try:
            await self.job.open_to_ask(self._catalog)
        except RoriError as error:
            self.job.refused = error
            return False
        self._tasks = [
            asyncio.ensure_future(self.job.keep_leases()),
            # Without a moment's grace: nothing is kept of what slow servers would say.
            asyncio.ensure_future(self.job.cut_short_on_stop()),
        ]
        return True

    async def closing(self, reason: str) -> None:
        """What is to be written before the ledger is closed; it may be what failed."""

    async def ends(self, reason: str) -> None:
        for task in self._tasks:
            task.cancel()
        if self.job.is_open:
            with suppress(WriteError, DBAPIError):
                await self.closing(reason)
            with suppress(WriteError, DBAPIError):
                await self.job.leasing.release(self.job.leasing.groups)
        await self.job.close()
