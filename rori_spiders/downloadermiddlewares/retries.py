"""S0 §7.1: wait and ask again. The whole group is held back in the queue; nothing sleeps, no other group waits."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy.exceptions import (
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)

from rori_spiders import retries
from rori_spiders.items import Attempt
from rori_spiders.job import Job
from rori_spiders.urls import host_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from rori_spiders.items import Visit
    from rori_spiders.retries import RetryRow

logger = logging.getLogger(__name__)

_BY_EXCEPTION: tuple[tuple[type[Exception], RetryRow], ...] = (
    (DownloadTimeoutError, retries.TIMEOUT),
    (DownloadConnectionRefusedError, retries.DROPPED),
    (DownloadFailedError, retries.DROPPED),
    (ResponseDataLossError, retries.DROPPED),
)


class RetryMiddleware:
    """Asks ``retries`` and holds the group back. robots.txt is retried by its own middleware."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._job = Job.of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RetryMiddleware:
        return cls(crawler)

    def process_response(self, request: Request, response: Response) -> Request | Response:
        row = retries.row_for_status(response.status)
        if row is None:
            return response
        header = response.headers.get(b"Retry-After")
        asked = retries.parse_retry_after(header.decode("latin-1") if header else None, self._job.now())
        return self._again(request, row, asked, f"HTTP {response.status}", response.status) or response

    def process_exception(self, request: Request, exception: Exception) -> Request | None:
        for kind, row in _BY_EXCEPTION:
            if isinstance(exception, kind):
                return self._again(request, row, None, f"{type(exception).__name__}: {exception}", None)
        return None

    def _again(
        self, request: Request, row: RetryRow, asked: float | None, what: str, status: int | None
    ) -> Request | None:
        visit: Visit | None = request.meta.get("visit")
        group = self._job.group(host_of(request.url))
        if asked and asked <= retries.MAX_RETRY_AFTER_S:
            self._job.politeness.pause(group, asked)
        if visit is None or visit.kind == "robots":
            return None
        done = request.meta.get("retries", {}).get(row.name, 0)
        wait = retries.wait_before(row, done, asked)
        if wait is None:
            return None
        wait = max(wait * self._job.retry_scale(request.url), asked or 0)
        self._job.politeness.pause(group, wait)
        self._crawler.stats.inc_value(f"rori/retries/{row.name}")
        logger.info(
            "%(what)s: %(url)s is asked again in %(wait).0f s (%(done)d of %(all)d)",
            {"what": what, "url": request.url, "wait": wait, "done": done + 1, "all": len(row.waits)},
        )
        again = request.replace(dont_filter=True, priority=request.priority + 1)
        again.meta["retries"] = {**request.meta.get("retries", {}), row.name: done + 1}
        again.meta["attempts"] = [*request.meta.get("attempts", []), self._attempt(request, row, what, status)]
        return again

    def _attempt(self, request: Request, row: RetryRow, what: str, status: int | None) -> Attempt:
        ms = int(request.meta.get("response_ms", 0))
        return Attempt(request.meta.get("tier", "http"), self._job.now(), status, row.name, what, ms)
