"""Does robots.txt allow the page's own URL? Asked for every request: each tier, each redirect hop, each sitemap.

Who waits for the file goes back to the queue, which holds the group until the answer is there. (Scrapy's own middleware
lets the third and later waiters through unjudged.) What was seen is kept in ``Job.robots``; the audit pipeline records
it with the run.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from typing import TYPE_CHECKING

from rori_spiders import retries
from rori_spiders.downloadermiddlewares.robots_files import MAX_DELAY_S, RobotsFiles, is_robots
from rori_spiders.exceptions import JobStopped
from rori_spiders.job import Job
from rori_spiders.ladder import OFFICIAL
from rori_spiders.publishers import permitted_by_documentation
from rori_spiders.refusals import CrawlDelayTooLong, RobotsDisallowed, RobotsUnavailable
from rori_spiders.urls import host_of, origin_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from rori_spiders.robots import RobotsFile

logger = logging.getLogger(__name__)

#: A stop lets requests in the downloader finish: none of them may have longer to wait for its turn.
LONG_WAIT_S = 5.0


class RobotsMiddleware:
    """Judges every request but those for robots.txt itself."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._job = Job.of(crawler)
        self._files = RobotsFiles(crawler)
        self._tries: Counter[str] = Counter()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RobotsMiddleware:
        return cls(crawler)

    async def process_request(self, request: Request) -> Request | None:
        if is_robots(request):
            return None
        if self._must_wait(request):
            return request.replace(dont_filter=True)
        origin = origin_of(request.url)
        if (file := self._files.known(origin)) is None:
            asked = self._files.ask(origin, request)
            if request.meta.get("gated"):
                return request.replace(dont_filter=True)  # no request waits in the downloader for another one
            await asyncio.shield(asked)
            if (file := self._files.known(origin)) is None:
                raise JobStopped("the job stops")
        if file.outcome != "unavailable":
            self._judge(file, request)
        elif not _is_documented(file, request.url):
            return self._retry(file, request)
        elif request.meta.get("tier") != OFFICIAL:  # the way in is the API: nobody knocks at the wall again
            raise RobotsUnavailable(f"robots: {file.reason}: only the publisher's API may be asked")
        return request.replace(dont_filter=True) if self._must_wait(request) else None

    def _judge(self, file: RobotsFile, request: Request) -> None:
        self._tries.pop(file.origin, None)
        if not file.allows(request.url):
            self._crawler.stats.inc_value("rori/robots/disallowed")
            raise RobotsDisallowed(f"robots.txt disallows {request.url}")
        if file.delay_s is not None and file.delay_s > MAX_DELAY_S:
            raise CrawlDelayTooLong(file.delay_s, MAX_DELAY_S)

    def _must_wait(self, request: Request) -> bool:
        """Whether its turn is so far off that the queue is where it waits."""
        group = self._job.group(host_of(request.url))
        return bool(request.meta.get("gated")) and self._job.politeness.due_in(group) > LONG_WAIT_S

    def _retry(self, file: RobotsFile, request: Request) -> Request:
        """The request goes back to the queue, its group held back; after the last try it is refused.

        Raises RobotsUnavailable then.
        """
        row, asked = self._files.failure(file.origin)
        tries = self._tries[file.origin]
        wait = None if row is None or request.meta.get("once") else retries.wait_before(row, tries, asked)
        if wait is None:
            raise RobotsUnavailable(f"robots: {file.reason}: disallowed for now")
        if self._job.robots.get(file.origin) is file:  # the first of those who waited: the others find it retried
            del self._job.robots[file.origin]
            self._tries[file.origin] += 1
            wait = max(wait * self._job.retry_scale(request.url), asked or 0)
            self._job.politeness.pause(self._job.group(host_of(request.url)), wait)
            logger.info(
                "%(reason)s (%(origin)s): asked again in %(wait).0f s",
                {"reason": file.reason, "origin": file.origin, "wait": wait},
            )
        return request.replace(dont_filter=True)


def _is_documented(file: RobotsFile, url: str) -> bool:
    """Whether a wall stands in place of the rules, and the publisher's documentation says that its API may be asked.

    A server that is in trouble (5xx, 429, no answer) is left alone by all tiers.
    """
    return file.is_wall and permitted_by_documentation(url) is not None
