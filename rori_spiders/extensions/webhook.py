"""Has what a job stages announced to the operator's webhook (RORI_WEBHOOK_URL)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured

from rori_spiders.crawl.job.job import JobComponent

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.staging.webhook.announcer import AnnouncerThread
    from rori_spiders.staging.webhook.client import WebhookFailed


class WebhookExtension(JobComponent):
    """Begins with the first page that has its end: before it, nothing was staged."""

    def __init__(self, crawler: Crawler) -> None:
        if not crawler.settings.get("RORI_WEBHOOK_URL"):
            raise NotConfigured
        super().__init__(crawler)
        self._announcer: AnnouncerThread | None = None
        crawler.signals.connect(self.item_scraped, signal=signals.item_scraped)
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)

    def item_scraped(self) -> None:
        if self._announcer is None and self._job.hook is not None:
            from rori_spiders.operations.alerts.webhook_alerts import update_hook_alert
            from rori_spiders.staging.webhook.announcer import AnnouncerThread

            hook, now = self._job.hook, self._job.now

            def noted(ledger: Ledger, failure: WebhookFailed | None, gave_up: bool) -> None:
                update_hook_alert(ledger, hook, failure, gave_up=gave_up, now=now())

            self._announcer = AnnouncerThread(self._job.places.database_url, hook, self._job.owner, noted=noted)
            self._announcer.start()

    async def spider_closed(self) -> None:
        if self._announcer is not None:
            await asyncio.to_thread(self._announcer.end)
