"""Check every request against robots.txt: each tier, each redirect hop, each sitemap. The robots.txt files of a job
are each requested once, by whichever request needs them first.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import StopDownload
from scrapy.http import Headers, Response
from scrapy.http.request import NO_CALLBACK

from rori_spiders.crawl.job.job import Job, JobComponent
from rori_spiders.crawl.page_request import PageRequest, page_request, request_meta, visit_of
from rori_spiders.crawl.tiers.official.registry import permitted_by_documentation
from rori_spiders.crawl.tiers.order import OFFICIAL
from rori_spiders.crawl.tiers.refusals import (
    AddressNotPublic,
    CrawlDelayTooLong,
    NotOurs,
    RobotsDisallowed,
    RobotsUnavailable,
)
from rori_spiders.downloadermiddlewares import retry_errors
from rori_spiders.downloadermiddlewares.revalidation import request_if_changed
from rori_spiders.exceptions import JobStopped
from rori_spiders.items import FrontierUrl
from rori_spiders.ledger.audit.audit_log import VALIDATOR_HEADERS
from rori_spiders.politeness import retries, robots_policy
from rori_spiders.politeness.retries import RetryRow
from rori_spiders.politeness.robots_policy import RobotsFile
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.urls.canonical import host_of, origin_of

logger = logging.getLogger(__name__)


#: A stop lets requests in the downloader finish: none of them may have longer to wait for its turn.
LONG_WAIT_S = 5.0


class RobotsMiddleware(JobComponent):
    """Judges every request but those for robots.txt itself."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._files = RobotsFileFetcher(crawler)
        self._tries: Counter[str] = Counter()

    async def process_request(self, request: Request) -> Request | None:
        if is_robots_request(request):
            return None
        if self._must_wait(request):
            return request.replace(dont_filter=True)
        origin = origin_of(request.url)
        if (file := self._files.known(origin)) is None:
            answer = self._files.ask(origin, request)
            if request.meta.get("gated"):
                return request.replace(dont_filter=True)  # no request waits in the downloader for another one
            await asyncio.shield(answer)
            if (file := self._files.known(origin)) is None:
                raise JobStopped("the job stops")
        if file.outcome != "unavailable":
            self._judge(file, request)
        elif not _is_documented(file, request.url):
            return self._retry(file, request)
        elif page_request(request).tier != OFFICIAL:  # the way in is the API: nobody knocks at the wall again
            raise RobotsUnavailable(Reason(ReasonCode.ROBOTS_WALL, error=file.reason, http_status=file.status))
        return request.replace(dont_filter=True) if self._must_wait(request) else None

    def _judge(self, file: RobotsFile, request: Request) -> None:
        self._tries.pop(file.origin, None)
        if not file.allows(request.url):
            self._crawler.stats.inc_value("rori/robots/disallowed")
            code = (
                ReasonCode.ROBOTS_DISALLOWED_TARGET
                if request.meta.get("redirect_times")
                else ReasonCode.ROBOTS_DISALLOWED
            )
            raise RobotsDisallowed(Reason(code, target_url=request.url))
        if file.delay_s is not None and file.delay_s > MAX_DELAY_S:
            raise CrawlDelayTooLong(file.delay_s, MAX_DELAY_S)

    def _must_wait(self, request: Request) -> bool:
        """Whether its turn is so far off that the queue is where it waits."""
        group = self._job.manifests.group(host_of(request.url))
        return bool(request.meta.get("gated")) and self._job.politeness.due_in(group) > LONG_WAIT_S

    def _retry(self, file: RobotsFile, request: Request) -> Request:
        """The request goes back to the queue, its group held back; after the last try it is refused.

        Raises RobotsUnavailable then.
        """
        row, retry_after = self._files.failure(file.origin)
        tries = self._tries[file.origin]
        wait = (
            None
            if row is None or page_request(request).is_single_try
            else retries.wait_before_retry(row, tries, retry_after)
        )
        if wait is None:
            raise RobotsUnavailable(Reason(ReasonCode.ROBOTS_UNAVAILABLE, error=file.reason, http_status=file.status))
        if self._job.robots.get(file.origin) is file:  # the first of those who waited: the others find it retried
            del self._job.robots[file.origin]
            self._tries[file.origin] += 1
            wait = max(wait * self._job.retry_scale(request.url), retry_after or 0)
            self._job.politeness.pause(self._job.manifests.group(host_of(request.url)), wait)
            logger.info(
                "%(reason)s (%(origin)s): asked again in %(wait).0f s",
                {"reason": file.reason, "origin": file.origin, "wait": wait},
            )
        return request.replace(dont_filter=True)


def _is_documented(file: RobotsFile, url: str) -> bool:
    """Whether a wall stands in place of the rules, and the publisher's documentation says that its API may be asked.

    A server that is in trouble (5xx, 429, no answer) is not requested by any tier.
    """
    return file.is_wall and permitted_by_documentation(url) is not None


# The robots.txt files of a job, each requested once, by the first page that needs it; the others use its answer.

#: RFC 9309 §2.4: a copy of robots.txt is not used for more than 24 hours.
MAX_ROBOTS_AGE = timedelta(hours=24)
#: A site that asks for more between two requests is not asked at all: a person must look. Of 348 robots.txt files of
#: public bodies and others, the longest delays are 300 s, 600 s, and one of 120,000 s (33 hours a page); 2026-11.
MAX_DELAY_S = 900.0


class RobotsFileFetcher:
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
        return None if file is not None and self._job.now() - file.at > MAX_ROBOTS_AGE else file

    def failure(self, origin: str) -> tuple[RetryRow | None, float | None]:
        """How a file that is unavailable is retried (None: not at all), and what its Retry-After asks for, in s."""
        return self._failed.get(origin, (retries.UNAVAILABLE, None))

    def ask(self, origin: str, request: Request) -> asyncio.Task[None]:
        """The one fetch of the origin's robots.txt, for *request*."""
        if origin not in self._tasks:
            self._job.politeness.pace(self._job.manifests.group(host_of(origin))).held_for.add(origin)
            self._tasks[origin] = asyncio.ensure_future(self._fetch(origin, request))
        return self._tasks[origin]

    async def _fetch(self, origin: str, request: Request) -> None:
        group = self._job.manifests.group(host_of(origin))
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
            self._job.schedule_next_request()

    def _keep(self, origin: str, file: RobotsFile) -> None:
        self._job.robots[origin] = file
        if file.outcome != "unavailable" and (file.delay_s or 0) <= MAX_DELAY_S:
            self._job.politeness.robots_asks(self._job.manifests.group(host_of(origin)), origin, file.delay_s)

    async def _answer(self, origin: str, request: Request) -> RobotsFile:
        page_visit = visit_of(request)
        url = f"{origin}/robots.txt"
        visit = FrontierUrl(
            page_visit.run_id if page_visit else "", page_visit.source_id if page_visit else "", url, kind="robots"
        )
        # Read as far as robots.MAX_BYTES, whatever its size: only a packed one has a limit of its own.
        meta = request_meta(PageRequest(visit)) | {"download_maxsize": 0}
        robots_request = Request(url, callback=NO_CALLBACK, meta=meta, dont_filter=True)
        run, stored = self._job.run_of(request), None
        if run is not None and run.is_in_ledger:
            stored = await request_if_changed(self._job, robots_request, visit.kind)
        try:
            response: Response = await self._crawler.engine.download_async(robots_request)
        except (NotOurs, JobStopped):
            raise
        except Exception as error:
            if isinstance(error, AddressNotPublic) and origin_of(error.url) == origin:
                raise  # not its robots.txt is out of reach, but the host itself
            # The table does not know a redirect loop, say: it stands in the way of the rules as a lost answer does.
            self._failed[origin] = (retry_errors.retry_row_for_error(error, otherwise=retries.DROPPED), None)
            return robots_policy.unreachable_robots_txt(
                origin, f"{type(error).__name__} {error}".strip(), self._job.now()
            )
        retry_after = retry_errors.parse_retry_after(response, self._job.now())
        self._failed[origin] = (retries.retry_row_for_status(response.status) or retries.UNAVAILABLE, retry_after)
        return self._interpret(origin, response, stored)

    def _interpret(self, origin: str, response: Response, stored: bytes | None) -> RobotsFile:
        """What the response says; a 304 says that the *stored* bytes are the rules of this moment."""
        at = self._job.now()
        if response.status == 304 and stored is not None:
            file = robots_policy.read_robots_txt(origin, status=200, body=stored, at=at)
            file = replace(file, status=304, reason=file.reason or str(Reason(ReasonCode.NOT_MODIFIED)))
        else:
            file = robots_policy.read_robots_txt(origin, status=response.status, body=response.body, at=at)
        request = response.request
        if request is None or request.meta.get("redirect_times"):
            return file  # the validators are those of another address
        return replace(
            file,
            request_validators=_decode_headers(request.headers, VALIDATOR_HEADERS),
            response_validators=_decode_headers(response.headers, VALIDATOR_HEADERS.values()),
        )

    def _headers_received(self, headers: Headers, request: Request) -> None:
        if is_robots_request(request) and headers.get(b"Content-Encoding"):
            request.meta["download_maxsize"] = self._job.settings.getint("RORI_MAX_BYTES")
            request.meta["packed"] = True

    @staticmethod
    def _bytes_received(data: bytes, request: Request) -> None:
        """Stop at the limit: a robots.txt may be endless."""
        if is_robots_request(request) and not request.meta.get("packed"):
            request.meta["received"] = request.meta.get("received", 0) + len(data)
            if request.meta["received"] > robots_policy.MAX_BYTES:
                raise StopDownload(fail=False)


def _decode_headers(headers: Headers, names: Iterable[str]) -> dict[str, list[str]]:
    found = {name: headers.getlist(name) for name in names}
    return {name: [value.decode("latin-1") for value in values] for name, values in found.items() if values}


def is_robots_request(request: Request) -> bool:
    """Whether *request* asks for a robots.txt on behalf of others."""
    visit = visit_of(request)
    return visit is not None and visit.kind == "robots"
