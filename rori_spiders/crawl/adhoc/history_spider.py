"""The spider of imports from servers: it asks for what a history wants, one URL after the other. No run, and nothing is
staged.

It goes through the gates of a collection: addresses, leases, pace, robots.txt, budgets. It writes to the ledger its
leases, with what was learnt of the groups, and its requests; what the answers hold the history records.
"""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4
from weakref import WeakKeyDictionary

from scrapy import signals
from scrapy.exceptions import DropItem

from rori_spiders.crawl.adhoc.ad_hoc_source import add_ad_hoc_sources, build_ad_hoc_source
from rori_spiders.crawl.adhoc.base_spider import AdHocSpider, RequestLog
from rori_spiders.crawl.adhoc.messages import FetchRequest
from rori_spiders.crawl.history import ServedAnswer
from rori_spiders.crawl.page_request import run_visit, update_request
from rori_spiders.crawl.runs.run import Run
from rori_spiders.crawl.walkers import make_walker, page_items
from rori_spiders.exceptions import ActionRefused
from rori_spiders.items import FrontierUrl, PageItem
from rori_spiders.manifest.scope import Scope
from rori_spiders.schedule.crawl_window import format_crawl_window

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from rori_spiders.crawl.history import History
    from rori_spiders.crawl.walkers import Walker
    from rori_spiders.manifest.catalog import Catalog


@dataclass(slots=True)
class HistoryRequest:
    """A *history* to be read in the name of *url*, whose host, robots.txt and pace hold for all that it asks for."""

    url: str
    history: History
    actor: str
    report: Callable[[int], None]  # called with the number of requests after each
    is_complete: bool = False  # set once it asked for all that it wanted
    error: Exception | None = None  # why it could not go on


class HistorySpider(AdHocSpider):
    """Does what the history of *wanted* asks for."""

    name = "history"

    def __init__(self, *args: Any, catalog: Catalog, wanted: HistoryRequest, **kwargs: Any) -> None:
        self._source = build_ad_hoc_source(FetchRequest(fetch_id=0, url=wanted.url))
        super().__init__(*args, catalog=add_ad_hoc_sources(catalog, [self._source]), **kwargs)
        self._wanted = wanted
        self._digests: WeakKeyDictionary[Request, Any] = WeakKeyDictionary()  # of bodies, as they are sent
        self._walker: Walker
        self._log: RequestLog | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> HistorySpider:
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.headers_received, signal=signals.headers_received)
        crawler.signals.connect(spider.bytes_received, signal=signals.bytes_received)
        return spider

    def headers_received(self, request: Request) -> None:
        self._digests[request] = hashlib.sha1(usedforsecurity=False)

    def bytes_received(self, data: bytes, request: Request) -> None:
        if (digest := self._digests.get(request)) is not None:
            digest.update(data)

    # --- asking -------------------------------------------------------------------------------------------------------

    async def start(self) -> AsyncIterator[Request]:
        if not await self.opened():
            return
        scope = Scope(self._source)
        for group in sorted({self.job.manifests.group(host) for host in scope.hosts}):
            if (why_not := await self.job.leasing.hold(group)) is not None:
                self.job.locked_sources[self._source.id] = why_not
                return
        run = Run(str(uuid4()), self._source, scope, "0", self.job.now(), is_in_ledger=False)
        self.job.runs[run.run_id] = run
        self._walker = make_walker(self.crawler, run)
        self._log = RequestLog(self.job, self._source.url, self._wanted.actor, action="import")
        for request in await self._go_on(None):
            yield request

    async def _go_on(self, answer: ServedAnswer | None) -> list[Request]:
        """Give the history *answer*, and ask for what it wants next."""
        try:
            self._require_hours()
            url = await asyncio.to_thread(self._next_url, answer)
        except Exception as error:  # the caller raises it
            self._wanted.error = error
            return []
        if url is None:
            self._wanted.is_complete = True
            return []
        run_id = self._walker.run.run_id
        made = self._walker.request(FrontierUrl(run_id, self._source.id, url, kind="api", found_by="api"))
        update_request(made, is_unconditional=True)
        return [made.replace(callback=self.parse, errback=self.fail)]

    def _require_hours(self) -> None:
        """Raise ActionRefused outside the hours that a manifest states for the host."""
        hours = self.job.manifests.catalog.rules(self._source.host).hours
        if hours is not None and not hours.cover(self.job.now()):
            raise ActionRefused(
                f"the manifest allows requests to {self._source.host} only {format_crawl_window(hours)}: "
                "run the same command again then"
            )

    def _next_url(self, answer: ServedAnswer | None) -> str | None:
        try:
            return next(self._wanted.history) if answer is None else self._wanted.history.send(answer)
        except StopIteration:
            return None

    # --- answers ------------------------------------------------------------------------------------------------------

    async def parse(self, response: Response) -> list[Request | PageItem]:
        request = response.request
        assert request is not None
        facts = page_items.build_fetched(response, self.job.now())
        return await self._ended(page_items.item_from_response(facts, request), request)

    async def fail(self, failure: Failure) -> list[Request | PageItem]:
        request: Request = failure.request  # type: ignore[attr-defined]  # Scrapy binds it
        item = page_items.item_from_error(failure.value or RuntimeError("no error"), request, self.job.now())
        return [] if item is None else await self._ended(item, request)

    async def _ended(self, item: PageItem, request: Request) -> list[Request | PageItem]:
        assert self._log is not None
        with suppress(DropItem), self.job.stopping_on_write_errors():
            await self._log.note(item)
        self._wanted.report(self._log.request_count)
        facts, digest = item.fetched, self._digests.get(request)
        is_good = facts is not None and item.state == "captured"
        answer = ServedAnswer(
            run_visit(request).url,
            facts.status if facts is not None else None,
            facts.received if facts is not None and is_good else None,
            {name: ", ".join(values) for name, values in facts.headers.items()} if facts is not None else {},
            self.job.redactor.text(item.reason),
            digest.digest() if digest is not None else b"",
        )
        return [item, *await self._go_on(answer)]

    async def closing(self, reason: str) -> None:
        if self._log is not None:
            await self._log.note_robots()
            await self._log.write()
