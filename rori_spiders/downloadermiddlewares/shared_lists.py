"""Responses without a request. Sitemaps: each is requested once by a job, whichever of its sources name it, and
conditionally by the next job. Start pages that another source holds.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response

from rori_spiders.crawl.job.job import JobComponent
from rori_spiders.crawl.page_request import StoredPage, exchange, page_request, visit_of
from rori_spiders.crawl.tiers.order import HTTP
from rori_spiders.crawl.walkers.echoed_secrets import repeats_secret_bytes
from rori_spiders.downloadermiddlewares.revalidation import request_if_changed
from rori_spiders.exceptions import StagingError
from rori_spiders.items import FrontierUrl
from rori_spiders.reasons import Reason, ReasonCode

#: How long a source waits for a sitemap that another one has asked for: two timeouts, then it asks itself.
_LONGEST_WAIT_S = 60.0
_ABSENT = frozenset({404, 410})
#: The address, and the headers that the source has of its own.
_Key = tuple[str, tuple[tuple[str, tuple[bytes, ...]], ...]]


@dataclass(slots=True)
class _Asking:
    """A sitemap that a run has asked for. ``stored_bytes``: those that a 304 confirms."""

    run_id: str
    stored_bytes: bytes | None = None
    ended: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(frozen=True, slots=True)
class _ReadList:
    """A sitemap that this job has read: the response without its bytes, which are an object."""

    response: Response
    digest: str
    source_id: str
    at: datetime


class SharedListMiddleware(JobComponent):
    """Answers requests for sitemaps that the job has read already, and for pages that another source holds."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._asking: dict[_Key, _Asking] = {}
        self._read: dict[_Key, _ReadList] = {}
        self._absent: dict[_Key, _ReadList] = {}  # of which the server says that there is none

    async def process_request(self, request: Request) -> Response | None:
        if visit_of(request) is not None and (stored := page_request(request).stored_page) is not None:
            return await self._stored_response(request, stored)
        visit = self._shared_visit(request)
        if visit is None:
            return None
        key = _request_key(request)
        if request.meta.get("redirect_times"):
            if self._answered(request)[1] is not None:
                self._end(key)  # what stands elsewhere is each source's own to follow
            return None
        while (asking := self._asking.get(key)) is not None and asking.run_id != visit.run_id:
            await self._job.stop.unless_stopped(_wait(asking))
            if not asking.ended.is_set():
                break
        if (absent := self._absent.get(key)) is not None:
            tried = exchange(request)
            tried.failure = Reason(ReasonCode.HTTP_ERROR, http_status=absent.response.status, source=absent.source_id)
            tried.fetched_at = absent.at
            return absent.response.replace()  # each request's own
        if (read := self._read.get(key)) is not None and (
            body := await self._job.storage.load_object(read.digest)
        ) is not None:
            tried = exchange(request)
            tried.known_bytes, tried.fetched_at = Reason(ReasonCode.LIST_SHARED, source=read.source_id), read.at
            return read.response.replace(body=body)
        if key not in self._asking:
            self._asking[key] = asking = _Asking(visit.run_id)
            asking.stored_bytes = await request_if_changed(self._job, request, visit.kind)
        return None

    async def _stored_response(self, request: Request, stored: StoredPage) -> Response | None:
        """The page as the other source stored it; None where its bytes are gone meanwhile."""
        body = await self._job.storage.load_object(stored.raw_object)
        if body is None:
            return None
        exchange(request).known_bytes = Reason(ReasonCode.COLLECTED_BY, source=stored.source_id)
        headers = {} if stored.content_type is None else {"Content-Type": stored.content_type}
        return HtmlResponse(request.url, status=200, headers=headers, body=body, request=request)

    async def process_response(self, request: Request, response: Response) -> Response:
        visit, asking = self._answered(request)
        if visit is None or asking is None:
            return response
        tried, key = exchange(request), _request_key(request)
        if response.status == 304 and asking.stored_bytes is not None:
            tried.known_bytes, response = Reason(ReasonCode.NOT_MODIFIED), response.replace(body=asking.stored_bytes)
        is_whole = response.status == 200 or tried.known_bytes is not None
        try:
            if is_whole and response.body and tried.raw_body is None:
                await self._share(response, key, visit.source_id)
            if response.status in _ABSENT:
                self._absent[key] = _ReadList(response.replace(body=b""), "", visit.source_id, self._job.now())
        finally:
            self._end(key)
        return response

    async def _share(self, response: Response, key: _Key, source_id: str) -> None:
        """Keep the bytes for the other sources, unless they repeat a secret: then none of them may be kept."""
        if await repeats_secret_bytes(self._job, response.body):
            return
        with suppress(StagingError):  # the recorder meets it too, and says so
            digest = await self._job.storage.run(partial(self._job.storage.store.put_object, response.body))
            self._read[key] = _ReadList(response.replace(body=b""), digest, source_id, self._job.now())

    def process_exception(self, request: Request, exception: Exception) -> None:
        if self._answered(request)[1] is not None:
            self._end(_request_key(request))

    def _answered(self, request: Request) -> tuple[FrontierUrl | None, _Asking | None]:
        """The visit of *request*, and what is asked for, where it is this request that asks."""
        visit = self._shared_visit(request)
        asking = self._asking.get(_request_key(request)) if visit is not None else None
        return (visit, asking) if visit is not None and asking and asking.run_id == visit.run_id else (None, None)

    def _end(self, key: _Key) -> None:
        """Let those that wait go on: only now, as what was read is there."""
        self._asking.pop(key).ended.set()

    def _shared_visit(self, request: Request) -> FrontierUrl | None:
        """The visit of a sitemap that a run asks for by plain HTTP; None for all else."""
        visit = visit_of(request)
        if visit is None or visit.kind != "sitemap":
            return None
        run = self._job.run_of(request)
        is_plain = run is not None and run.is_in_ledger and page_request(request).tier == HTTP
        return visit if is_plain else None


async def _wait(asking: _Asking) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(asking.ended.wait(), _LONGEST_WAIT_S)


def _request_key(request: Request) -> _Key:
    own = ((name, tuple(request.headers.getlist(name))) for name in page_request(request).own_headers)
    urls: list[str] = request.meta.get("redirect_urls") or [request.url]
    return urls[0], tuple(sorted(own))
