"""Has what a job stages announced to the operator's web hook (RORI_ON_STAGED)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured

from rori_spiders.job import Job

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from rori_spiders.announcing.hook import HookFailed
    from rori_spiders.announcing.thread import Announcer
    from rori_spiders.ledger.database import Ledger


class AnnouncingExtension:
    """Begins with the first page that has its end: before it, nothing was staged."""

    def __init__(self, crawler: Crawler) -> None:
        if not crawler.settings.get("RORI_ON_STAGED"):
            raise NotConfigured
        self._job = Job.of(crawler)
        self._announcer: Announcer | None = None
        crawler.signals.connect(self.item_scraped, signal=signals.item_scraped)
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> AnnouncingExtension:
        return cls(crawler)

    def item_scraped(self) -> None:
        if self._announcer is None and self._job.hook is not None:
            from rori_spiders.alerts.hook import note_hook  # loaded where something is announced
            from rori_spiders.announcing.thread import Announcer

            hook, now = self._job.hook, self._job.now

            def noted(ledger: Ledger, failure: HookFailed | None, gave_up: bool) -> None:
                note_hook(ledger, hook, failure, gave_up=gave_up, now=now())

            self._announcer = Announcer(self._job.places.database_url, hook, self._job.owner, noted=noted)
            self._announcer.start()

    async def spider_closed(self) -> None:
        if self._announcer is not None:
            await asyncio.to_thread(self._announcer.end)
