"""The one download handler: the tier named in a request's meta picks the transport.

URL, slot, robots and duplicates stay those of the page, whatever server the tier really asks.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from scrapy.exceptions import NotSupported

from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.page_request import exchange, page_request
from rori_spiders.crawl.tiers.browser.budget import BrowserBudget
from rori_spiders.crawl.tiers.builders import build_tiers
from rori_spiders.crawl.tiers.errors import is_unreachable
from rori_spiders.crawl.tiers.order import BROWSER
from rori_spiders.crawl.tiers.refusals import NotOurs
from rori_spiders.exceptions import JobStopped
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.urls.canonical import host_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from rori_spiders.crawl.tiers.base import Tier


class TierDownloadHandler:
    """Registered for http and https, made once a crawler."""

    lazy = False

    def __init__(self, crawler: Crawler) -> None:
        self._job = Job.of(crawler)
        self._tiers = build_tiers(crawler)
        self._tiers.log_unavailable_tiers()
        self._budget = BrowserBudget.of(self._job)
        self._is_closed = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> TierDownloadHandler:
        if crawler not in _handlers:
            _handlers[crawler] = cls(crawler)
        return _handlers[crawler]

    async def download_request(self, request: Request) -> Response:
        name, tried = page_request(request).tier, exchange(request)
        tier = self._tiers.usable(name)
        if tier is None:
            raise NotSupported(f"the tier {name!r} is unavailable; available: {', '.join(self._tiers.order)}")
        tried.engine_version = tier.version
        began = monotonic()
        try:
            return await self._job.stop.unless_stopped(self._fetch(tier, request))
        finally:
            tried.response_ms = round((monotonic() - began) * 1000)

    async def _fetch(self, tier: Tier, request: Request) -> Response:
        """Raises JobStopped for a request that reaches nobody because this machine is offline."""
        try:
            response = await (self._in_budget(tier, request) if tier.name == BROWSER else self._send(tier, request))
        except Exception as error:
            run = self._job.run_of(request)
            is_of_run = run is not None and run.is_in_ledger
            if is_of_run and is_unreachable(error) and await self._job.connectivity.is_offline(request, error):
                raise JobStopped(str(self._job.connectivity.offline_reason)) from error
            raise
        self._job.connectivity.note_answer(request.url)
        return response

    async def _in_budget(self, tier: Tier, request: Request) -> Response:
        async with self._budget.page(request):
            return await self._send(tier, request)

    async def _send(self, tier: Tier, request: Request) -> Response:
        group, leasing = self._job.manifests.group(host_of(request.url)), self._job.leasing
        async with self._job.permits.permit():
            # The lease may have ended while the request waited.
            if not leasing.valid(group) and (why_not := await leasing.hold(group)) is not None:
                raise NotOurs(Reason(ReasonCode.NOT_OURS, error=why_not))
            self._job.politeness.sent(group)
            return await tier.fetch(request)

    async def close(self) -> None:
        """Called once for each scheme; the second call finds nothing left to close."""
        if not self._is_closed:
            self._is_closed = True
            await self._tiers.close()


_handlers: WeakKeyDictionary[Crawler, TierDownloadHandler] = WeakKeyDictionary()
