"""Does robots.txt allow the page's own URL? Asked for every request: each tier, each redirect hop, each sitemap.

One fetch a host and job, shared by all who wait for it. (Scrapy's own middleware lets the third and later waiters
through unjudged.) What was seen is kept in ``Job.robots``; the audit pipeline records it with the run.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.http.request import NO_CALLBACK

from rori_spiders import robots
from rori_spiders.items import Visit
from rori_spiders.job import Job
from rori_spiders.refusals import NotOurs, RobotsDisallowed, RobotsUnavailable
from rori_spiders.retries import UNAVAILABLE, wait_before
from rori_spiders.urls import host_of, origin_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from rori_spiders.robots import RobotsFile

logger = logging.getLogger(__name__)

#: A stop lets requests in the downloader finish: none of them may have longer to wait for its turn.
LONG_WAIT_S = 5.0


class RobotsMiddleware:
    """Judges every request but those for robots.txt itself."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._job = Job.of(crawler)
        self._tasks: dict[str, asyncio.Task[RobotsFile]] = {}
        self._tries: dict[str, int] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RobotsMiddleware:
        return cls(crawler)

    async def process_request(self, request: Request) -> Request | None:
        visit: Visit | None = request.meta.get("visit")
        if visit is not None and visit.kind == "robots":
            return None
        origin = origin_of(request.url)
        file = await self._file(origin, request)
        if file.outcome == "unavailable":
            return self._retry(file, request)
        if not file.allows(request.url):
            self._crawler.stats.inc_value("rori/robots/disallowed")
            raise RobotsDisallowed(f"robots.txt disallows {request.url}")
        group = self._job.group(host_of(request.url))
        if self._job.politeness.due_in(group) > LONG_WAIT_S:
            return request.replace(dont_filter=True)  # robots.txt was asked just now; the queue is where one waits
        return None

    def _retry(self, file: RobotsFile, request: Request) -> Request:
        """The request goes back to the queue, its group held back; after the last try it is refused.

        Raises RobotsUnavailable then.
        """
        tries = self._tries.get(file.origin, 0)
        wait = wait_before(UNAVAILABLE, tries)
        if wait is None:
            raise RobotsUnavailable(f"robots: {file.reason}: disallowed for now")
        if self._job.robots.get(file.origin) is file:  # the first of those who waited: the others find it retried
            del self._job.robots[file.origin]
            self._tries[file.origin] = tries + 1
            group = self._job.group(host_of(request.url))
            self._job.politeness.pause(group, wait * self._job.retry_scale(request.url))
            logger.info(
                "%(reason)s (%(origin)s): asked again in %(wait)d s",
                {"reason": file.reason, "origin": file.origin, "wait": wait},
            )
        return request.replace(dont_filter=True)

    async def _file(self, origin: str, request: Request) -> RobotsFile:
        if origin in self._job.robots:
            return self._job.robots[origin]
        if origin not in self._tasks:
            self._tasks[origin] = asyncio.ensure_future(self._fetch(origin, request))
        return await asyncio.shield(self._tasks[origin])

    async def _fetch(self, origin: str, request: Request) -> RobotsFile:
        try:
            file = await self._ask(origin, request)
        finally:
            del self._tasks[origin]
        self._job.robots[origin] = file
        self._crawler.stats.inc_value(f"rori/robots/{file.outcome}")
        if file.delay_s is not None:
            self._job.politeness.slow_down(self._job.group(host_of(origin)), file.delay_s)
        return file

    async def _ask(self, origin: str, request: Request) -> RobotsFile:
        asked: Visit | None = request.meta.get("visit")
        url = f"{origin}/robots.txt"
        visit = Visit(asked.run_id if asked else "", asked.source_id if asked else "", url, kind="robots")
        robots_request = Request(url, callback=NO_CALLBACK, meta={"visit": visit}, dont_filter=True)
        try:
            response: Response = await self._crawler.engine.download_async(robots_request)
        except NotOurs:
            raise
        except Exception as error:
            return robots.unreachable(origin, f"{type(error).__name__} {error}".strip(), self._job.now())
        return robots.read(origin, status=response.status, body=response.body, at=self._job.now())
