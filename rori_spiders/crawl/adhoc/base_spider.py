"""The base of spiders without a run: they open the ledger for its leases only, release them however they end, and
log their requests in the ledger's `actions`.
"""

import asyncio
from contextlib import suppress
from typing import Any, Self

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from sqlalchemy.exc import DBAPIError

from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.tiers.base import url_ended
from rori_spiders.exceptions import RoriError, WriteError
from rori_spiders.items import PageItem
from rori_spiders.ledger.operations import activity_log
from rori_spiders.manifest.catalog import Catalog


class AdHocSpider(Spider):
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
            asyncio.ensure_future(self.job.keep_leases(self.job.leasing.renew)),
            # Without a moment's grace: nothing is kept of what slow servers would say.
            asyncio.ensure_future(self.job.stop.watch()),
        ]
        return True

    def tell_url_ended(self, item: PageItem) -> None:
        """Let the tiers give back what they hold for a URL: their room for large bodies, a browser's context."""
        self.crawler.signals.send_catch_log(url_ended, item=item)

    async def closing(self, reason: str) -> None:
        """What is to be written before the ledger is closed; it may be what failed."""

    async def ends(self, reason: str) -> None:
        for task in self._tasks:
            task.cancel()
        if self.job.storage.is_open:
            with suppress(WriteError, DBAPIError):
                await self.closing(reason)
            with suppress(WriteError, DBAPIError):
                await self.job.leasing.release(self.job.leasing.groups)
        await self.job.close()


# Who asked what, when: requests outside of runs, which have no audit, kept in the ledger's ``actions``. In batches,
# so that a job that is killed has told most of what it asked.

#: Requests in one row: some 20 KiB of JSON.
MAX_LOG_BATCH = 100


class RequestLog:
    """The requests of one *action* by *actor* on *target*: the map of a source, the fetching of an address."""

    def __init__(self, job: Job, target: str, actor: str, *, action: str) -> None:
        self._job = job
        self._target = target
        self._actor = actor
        self._action = action
        self._rows: list[dict[str, Any]] = []
        self.request_count = 0

    async def note(self, item: PageItem) -> None:
        """A URL that was asked has come to its end. Raises LedgerError when it cannot be written."""
        redact, at = self._job.redactor, item.at or self._job.now()
        row = {
            "url": redact.url(item.visit.url),
            "kind": item.visit.kind,
            "at": at.isoformat(),
            "status": item.fetched.status if item.fetched is not None else None,
            "end": item.state,
            "reason": redact.text(item.reason),
            "attempts": [one.masked(redact.text).as_json() for one in item.attempts],
        }
        await self._add(row)

    async def note_robots(self, reported_origins: set[str] | None = None) -> None:
        """The robots.txt files that were read, but for those of *reported_origins*, which another log has."""
        reported_origins = set() if reported_origins is None else reported_origins
        for origin, file in self._job.robots.items():
            if origin in reported_origins:
                continue
            reported_origins.add(origin)
            at, url = file.at.isoformat(), f"{origin}/robots.txt"
            reason = self._job.redactor.text(file.reason)
            await self._add({"url": url, "kind": "robots", "at": at, "status": file.status, "reason": reason})

    async def _add(self, row: dict[str, Any]) -> None:
        self._rows.append(row)
        self.request_count += 1
        if len(self._rows) >= MAX_LOG_BATCH:
            await self.write()

    async def write(self) -> None:
        rows, self._rows = self._rows, []
        if rows:
            now, details = self._job.now(), {"job_id": self._job.job_id, "requests": rows}
            await self._job.storage.write(
                lambda conn: activity_log.record_action(
                    conn, now=now, actor=self._actor, action=self._action, target=self._target, details=details
                )
            )
