"""The robots.txt files of a job, each asked for once by whoever needs it first; the others find its answer."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

from scrapy import Request, signals
from scrapy.exceptions import StopDownload
from scrapy.http.request import NO_CALLBACK

from rori_spiders import retries, robots
from rori_spiders.downloadermiddlewares import retry_rows
from rori_spiders.exceptions import JobStopped
from rori_spiders.items import Visit
from rori_spiders.job import Job
from rori_spiders.refusals import AddressNotPublic, NotOurs
from rori_spiders.urls import host_of, origin_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Headers, Response

    from rori_spiders.retries import RetryRow
    from rori_spiders.robots import RobotsFile

#: RFC 9309 §2.4: a copy of robots.txt is not used for more than 24 hours.
MAX_AGE = timedelta(hours=24)
#: A site that asks for more between two requests is not asked at all: a person must look. Of 348 robots.txt files of
#: public bodies and others, the longest delays are 300 s, 600 s, and one of 120,000 s (33 hours a page); 2026-11.
MAX_DELAY_S = 900.0


class RobotsFiles:
    """Fetches them, and holds their group back in the queue meanwhile. Kept in ``Job.robots``."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._job = Job.of(crawler)
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._failed: dict[str, tuple[RetryRow | None, float | None]] = {}
        self._refused: dict[str, NotOurs | AddressNotPublic] = {}
        crawler.signals.connect(self._headers_received, signal=signals.headers_received)
        crawler.signals.connect(self._bytes_received, signal=signals.bytes_received)

    def known(self, origin: str) -> RobotsFile | None:
        """The origin's file, unless it is too old. Raises NotOurs or AddressNotPublic when its fetch was refused."""
        if origin in self._refused and origin not in self._tasks:
            raise self._refused.pop(origin)
        file = self._job.robots.get(origin)
        return None if file is not None and self._job.now() - file.at > MAX_AGE else file

    def failure(self, origin: str) -> tuple[RetryRow | None, float | None]:
        """How a file that is unavailable is retried (None: not at all), and what its Retry-After asks for, in s."""
        return self._failed.get(origin, (retries.UNAVAILABLE, None))

    def ask(self, origin: str, request: Request) -> asyncio.Task[None]:
        """The one fetch of the origin's robots.txt, for *request*."""
        if origin not in self._tasks:
            self._job.politeness.pace(self._job.group(host_of(origin))).held_for.add(origin)
            self._tasks[origin] = asyncio.ensure_future(self._fetch(origin, request))
        return self._tasks[origin]

    async def _fetch(self, origin: str, request: Request) -> None:
        group = self._job.group(host_of(origin))
        try:
            file = await self._answer(origin, request)
        except (NotOurs, AddressNotPublic) as error:
            self._refused[origin] = error
        except JobStopped:
            return
        else:
            self._keep(origin, file)
            self._crawler.stats.inc_value(f"rori/robots/{file.outcome}")
        finally:
            self._job.politeness.pace(group).held_for.discard(origin)
            del self._tasks[origin]
            self._job.wake()

    def _keep(self, origin: str, file: RobotsFile) -> None:
        self._job.robots[origin] = file
        for run in self._job.runs.values():
            run.robots_recorded.discard(origin)
        if file.outcome != "unavailable" and (file.delay_s or 0) <= MAX_DELAY_S:
            self._job.politeness.robots_asks(self._job.group(host_of(origin)), origin, file.delay_s)

    async def _answer(self, origin: str, request: Request) -> RobotsFile:
        asked: Visit | None = request.meta.get("visit")
        url = f"{origin}/robots.txt"
        visit = Visit(asked.run_id if asked else "", asked.source_id if asked else "", url, kind="robots")
        # Read as far as robots.MAX_BYTES, whatever its size: only a packed one has a limit of its own.
        meta = {"visit": visit, "download_maxsize": 0}
        robots_request = Request(url, callback=NO_CALLBACK, meta=meta, dont_filter=True)
        try:
            response: Response = await self._crawler.engine.download_async(robots_request)
        except (NotOurs, JobStopped):
            raise
        except Exception as error:
            if isinstance(error, AddressNotPublic) and origin_of(error.url) == origin:
                raise  # not its robots.txt is out of reach, but the host itself
            # The table does not know a redirect loop, say: it stands in the way of the rules as a lost answer does.
            self._failed[origin] = (retry_rows.row_for_error(error, otherwise=retries.DROPPED), None)
            return robots.unreachable(origin, f"{type(error).__name__} {error}".strip(), self._job.now())
        asked_rest = retry_rows.rest_asked(response, self._job.now())
        self._failed[origin] = (retries.row_for_status(response.status) or retries.UNAVAILABLE, asked_rest)
        return robots.read(origin, status=response.status, body=response.body, at=self._job.now())

    def _headers_received(self, headers: Headers, request: Request) -> None:
        if is_robots(request) and headers.get(b"Content-Encoding"):
            request.meta["download_maxsize"] = self._job.settings.getint("RORI_MAX_BYTES")
            request.meta["packed"] = True

    @staticmethod
    def _bytes_received(data: bytes, request: Request) -> None:
        """Stop at the limit: a robots.txt may be endless."""
        if is_robots(request) and not request.meta.get("packed"):
            request.meta["received"] = request.meta.get("received", 0) + len(data)
            if request.meta["received"] > robots.MAX_BYTES:
                raise StopDownload(fail=False)


def is_robots(request: Request) -> bool:
    """Whether *request* asks for a robots.txt on behalf of others."""
    visit: Visit | None = request.meta.get("visit")
    return visit is not None and visit.kind == "robots"
