"""Conditional requests (ETag, Last-Modified) for pages that the ledger holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.crawl.job.component import JobComponent
from rori_spiders.crawl.page_request import page_request, update_request
from rori_spiders.crawl.tiers.order import HTTP

if TYPE_CHECKING:
    from scrapy import Request


class RevalidationMiddleware(JobComponent):
    """Adds the validators that the same tier gave with the text that we hold; other tiers' bodies never match."""

    async def process_request(self, request: Request) -> None:
        page = page_request(request)
        visit = page.visit
        if visit is None or visit.kind != "page" or not visit.run_id or request.meta.get("redirect_times"):
            return
        if page.tier != HTTP or page.is_unconditional:
            return
        update_request(request, is_unconditional=True)
        known = await self._job.page_states.of(visit)
        if known is None or known.held is None or known.held.tier != HTTP:
            return  # a 304 would confirm a text that we do not hold any more
        given = known.validators.get(HTTP)
        if given is not None and given.etag:
            request.headers["If-None-Match"] = given.etag
        if given is not None and given.last_modified:
            request.headers["If-Modified-Since"] = given.last_modified
