"""Conditional requests: a page that we hold is asked for only if it changed (ETag, Last-Modified)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.job import Job
from rori_spiders.ledger import history
from rori_spiders.tiers.base import HTTP

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from sqlalchemy import Connection

    from rori_spiders.items import Visit
    from rori_spiders.ledger.history import Validators


class RevalidationMiddleware:
    """Adds the validators that the same tier gave with the text that we hold; other tiers' bodies never match."""

    def __init__(self, crawler: Crawler) -> None:
        self._job = Job.of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RevalidationMiddleware:
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        visit: Visit | None = request.meta.get("visit")
        if visit is None or visit.kind != "page" or not visit.run_id or request.meta.get("redirect_times"):
            return
        if request.meta.get("tier", HTTP) != HTTP or "revalidated" in request.meta:
            return
        request.meta["revalidated"] = True
        held = await self._job.read(lambda connection: self._held(connection, visit))
        if held is None:
            return
        if held.etag:
            request.headers["If-None-Match"] = held.etag
        if held.last_modified:
            request.headers["If-Modified-Since"] = held.last_modified

    @staticmethod
    def _held(connection: Connection, visit: Visit) -> Validators | None:
        page = history.page(connection, visit.source_id, visit.url)
        if page is None or page.content_hash is None or page.gone_at is not None:
            return None
        text = history.newest_text(connection, page.page_id)
        if text is None or text.tier != HTTP:
            return None  # a 304 would confirm a text that we do not hold any more
        return history.validators(connection, page.page_id, HTTP)
