"""The one download handler: the tier named in a request's meta picks the transport.

URL, slot, robots and duplicates stay those of the page, whatever server the tier really asks.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from scrapy.exceptions import NotSupported

from rori_spiders.job import Job
from rori_spiders.tiers import build_tiers
from rori_spiders.tiers.base import HTTP

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from rori_spiders.tiers.base import Tier


class TierDownloadHandler:
    """Registered for http and https, made once a crawler."""

    lazy = False

    def __init__(self, crawler: Crawler) -> None:
        self._job = Job.of(crawler)
        self._tiers: dict[str, Tier] = build_tiers(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> TierDownloadHandler:
        if crawler not in _handlers:
            _handlers[crawler] = cls(crawler)
        return _handlers[crawler]

    async def download_request(self, request: Request) -> Response:
        name = request.meta.setdefault("tier", HTTP)
        if name not in self._tiers:
            raise NotSupported(f"the tier {name!r} is not among RORI_TIERS ({', '.join(self._tiers)})")
        request.meta["engine_version"] = self._tiers[name].version
        began = monotonic()
        try:
            return await self._job.unless_stopped(self._tiers[name].fetch(request))
        finally:
            request.meta["response_ms"] = round((monotonic() - began) * 1000)

    async def close(self) -> None:
        """Called once for each scheme; the second call finds nothing left to close."""
        tiers, self._tiers = self._tiers, {}
        for tier in tiers.values():
            await tier.close()


_handlers: WeakKeyDictionary[Crawler, TierDownloadHandler] = WeakKeyDictionary()
