"""The `http` tier: Scrapy's HTTP/1.1 client, which tells when a request really goes out."""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import scrapy
from scrapy import signals
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.exceptions import CannotResolveHostError, DownloadTimeoutError, ResponseDataLossError
from scrapy.http import TextResponse
from scrapy.responsetypes import responsetypes
from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import maybe_deferred_to_future

from rori_spiders.crawl.page_request import visit_of
from rori_spiders.crawl.scrapy_internals.http_client import (
    BindAddressAgent,
    ScrapyAgent,
    normalize_bind_address,
    wrap_twisted_exceptions,
)
from rori_spiders.crawl.tiers.base import HealthStatus, Requirement, connect_url_ended
from rori_spiders.crawl.tiers.errors import BadResponse, UnknownEncoding, translate_error
from rori_spiders.crawl.tiers.http import content_encoding
from rori_spiders.crawl.tiers.http.connections import GuardedParser, QuietPeriodPool
from rori_spiders.crawl.tiers.http.memory_budget import MemoryBudget
from rori_spiders.crawl.tiers.order import HTTP
from rori_spiders.crawl.tiers.refusals import AddressNotPublic
from rori_spiders.items import PageItem

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Hashable

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Headers, Response
    from twisted.internet.defer import Deferred
    from twisted.web.client import URI, Agent, HTTPConnectionPool


#: Smaller bodies are unpacked in place: a thread costs more than they do.
_IN_PLACE_BYTES = 64 * 1024
#: Multi-Status, Already Reported, IM Used (RFC 4918, 5842, 3229).
_NEVER_REQUESTED = frozenset({207, 208, 226})
_VALIDATORS = frozenset({b"If-None-Match", b"If-Modified-Since"})
#: Longer than the bodies of all ten requests in progress can take, each converted to its time's end.
_LONGEST_HOLD_S = 1200.0
#: Below the least spacing (2 s): no other request of the group can have left meanwhile.
_QUICK_S = 1.5


class _NotifyingPool(QuietPeriodPool):
    """A connection pool that says when a request goes out over a connection that stands.

    Twisted writes it in its loop's next round, so that is when it is said: what the loop was busy with until then
    counts as not yet sent.
    ``retryAutomatically`` is off: a request that a dead connection swallowed is repeated by our retries, with their
    waits, never at once behind our back.
    """

    retryAutomatically = False  # noqa: N815 (Twisted's name)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._waiting: dict[tuple[bytes, int], list[Any]] = {}

    def on_sending(self, host: str, port: int, call: Any) -> None:
        """Have *call* called when the next connection to *host*:*port* stands."""
        self._waiting.setdefault((host.encode("idna"), port), []).append(call)

    def getConnection(self, key: Any, endpoint: Any) -> Deferred[Any]:  # noqa: N802 (Twisted's name)
        calls = self._waiting.get((key[1], key[2]), [])
        call = calls.pop(0) if calls else None
        deferred: Deferred[Any] = super().getConnection(key, endpoint)
        return deferred.addCallback(self._stands, call)

    @staticmethod
    def _stands(connection: Any, call: Any) -> Any:
        if call is not None:
            call_later(0, call)
        return connection


class HttpTier:
    """Plain HTTP with our own User-Agent."""

    name = HTTP
    version = f"scrapy/{scrapy.__version__}"
    about = "plain HTTP with our own User-Agent"

    def __init__(self, crawler: Crawler) -> None:
        from twisted.internet import reactor  # whoever imports it chooses it, so not before there is a crawler

        self._max_bytes = crawler.settings.getint("RORI_MAX_BYTES")
        self._max_pdf_bytes = crawler.settings.getint("RORI_MAX_PDF_BYTES")
        self._reactor: Any = reactor
        self._pool = _NotifyingPool(reactor, persistent=True)
        self._handler = SharedAgentHandler(crawler, self._pool, reactor)
        self._timeout_s = crawler.settings.getfloat("DOWNLOAD_TIMEOUT")
        self._room = MemoryBudget()
        self._deadlines: dict[Hashable, Deadline] = {}
        crawler.signals.connect(self._headers_received, signal=signals.headers_received)
        connect_url_ended(crawler, self._url_ended)

    def needs(self) -> tuple[Requirement, ...]:
        return ()

    async def check(self) -> HealthStatus:
        return HealthStatus(ok=True, says="no check needed: it requests the publishers directly")

    async def fetch(self, request: Request) -> Response:
        request.meta.setdefault("download_maxsize", self._max_bytes)
        on_sent = request.meta.get("on_sent")
        if on_sent is not None:
            request.meta["asked_at"] = monotonic()
            host, port = _peer_address(request.url)
            self._pool.on_sending(host, port, on_sent)
        key, visit, is_held = _body_key(request), visit_of(request), False
        self._room.leave(key)  # of an earlier try
        try:
            response = await self._unpacked(request, await self._answer(request))
            self._room.arrived(key, len(response.body))
            is_held = visit is not None and visit.kind != "robots"
        finally:
            if not is_held:
                self._room.leave(key)
        return response

    async def _answer(self, request: Request) -> Response:
        """The response as it came. Scrapy's own clock does not know that we hold bodies back: ours ends it."""
        seconds = request.meta.get("download_timeout") or self._timeout_s
        deadline = self._deadlines[_body_key(request)] = Deadline(seconds)
        request.meta["download_timeout"] = seconds + _LONGEST_HOLD_S
        try:
            response = await deadline.keep(self._handler.download_request(request))
        except Exception as error:
            raise self._refusal(request.url, error) or translate_error(error, self._cap(request)) from error
        finally:
            request.meta["download_timeout"] = seconds
            del self._deadlines[_body_key(request)]
        # Answers to questions that we did not ask: a range, a delta, a comparison with what we hold.
        if response.status == 206:
            raise ResponseDataLossError("HTTP 206: partial content")
        if response.status in _NEVER_REQUESTED:
            raise BadResponse(f"unexpected HTTP {response.status}")
        if response.status == 304 and not (_VALIDATORS & request.headers.keys()):
            raise BadResponse("HTTP 304 to a request without a validator")
        return response

    def _refusal(self, url: str, error: Exception) -> AddressNotPublic | None:
        """Return what to raise when the resolver found addresses of the host and refused them."""
        refusal = getattr(self._reactor.nameResolver, "refusal", None)
        if not isinstance(error, CannotResolveHostError) or refusal is None:
            return None
        why = refusal(*_peer_address(url))
        return None if why is None else AddressNotPublic(why, url)

    def _cap(self, request: Request) -> int:
        return int(request.meta["download_maxsize"]) or sys.maxsize  # 0: the caller limits it as it arrives

    async def _unpacked(self, request: Request, response: Response) -> Response:
        """The response without its Content-Encoding. An error or a redirect is one without its text, too."""
        is_whole = "download_stopped" not in response.flags
        try:
            codings = content_encoding.parse_content_encoding(response.headers.getlist("Content-Encoding"))
            if not codings:
                return response
            work = partial(content_encoding.decode_body, response.body, codings, self._cap(request), is_whole=is_whole)
            body = work() if len(response.body) <= _IN_PLACE_BYTES else await asyncio.to_thread(work)
        except (UnknownEncoding, ResponseDataLossError):
            if 200 <= response.status < 300:
                raise
            body = b""
        del response.headers["Content-Encoding"]
        kind = responsetypes.from_args(headers=response.headers, url=response.url, body=body)
        changes: dict[str, Any] = {"encoding": None} if issubclass(kind, TextResponse) else {}
        return response.replace(cls=kind, body=body, **changes)

    async def close(self) -> None:
        self._room.close()
        await self._handler.close()

    def _url_ended(self, item: object) -> None:
        if isinstance(item, PageItem):
            self._room.leave(item.visit)

    def _headers_received(self, headers: Headers, body_length: int, request: Request) -> None:
        self._note_arrival(request)
        if b"pdf" in (headers.get(b"Content-Type") or b"").lower():
            request.meta["download_maxsize"] = self._max_pdf_bytes
        if GuardedParser.telling is not None:
            is_known = isinstance(body_length, int) and b"Content-Encoding" not in headers
            size = body_length if is_known else self._cap(request)
            GuardedParser.telling.gate = partial(self._may_grow, _body_key(request), size)

    def _may_grow(self, key: Hashable, size: int, go_on: Callable[[], object]) -> bool:
        """Whether a large body may come in now; if not, it goes on when there is room, and its time with it."""
        deadline = self._deadlines[key]

        def admitted() -> None:
            deadline.go_on()
            go_on()

        has_room = self._room.enter(key, size, admitted)
        if not has_room:
            deadline.hold()
        return has_room

    @staticmethod
    def _note_arrival(request: Request) -> None:
        """A quick answer counts as the moment of its request: by then the server has noted it, however late it was.

        A TLS handshake, or a server short of time, may have held it back after we wrote it. A slow answer says nothing
        of that: the next request may be under way already.
        """
        on_sent, asked_at = request.meta.get("on_sent"), request.meta.get("asked_at")
        if on_sent is not None and asked_at is not None and monotonic() - asked_at < _QUICK_S:
            on_sent()


def _body_key(request: Request) -> Hashable:
    """What stands for a request's body until its URL has come to its end."""
    return visit_of(request) or id(request)


def _peer_address(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


# The time that a download may take, without the time in which we keep it waiting ourselves.

T = TypeVar("T")


class Deadline:
    """Runs from `keep` on, but not between `hold` and `go_on`."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._left = seconds  # while it is held
        self._running: asyncio.Timeout | None = None

    async def keep(self, work: Awaitable[T]) -> T:
        """What *work* returns. Raises DownloadTimeoutError, and ends *work*, when the time is over."""
        try:
            async with asyncio.timeout(self._left) as running:
                self._running = running
                return await work
        except TimeoutError:
            if not running.expired():
                raise
            raise DownloadTimeoutError(f"took longer than {self.seconds:g} seconds") from None
        finally:
            self._running = None

    def hold(self) -> None:
        running = self._running
        if running is not None and (until := running.when()) is not None and not running.expired():
            self._left = until - asyncio.get_running_loop().time()
            running.reschedule(None)

    def go_on(self) -> None:
        if self._running is not None and self._running.when() is None:
            self._running.reschedule(asyncio.get_running_loop().time() + max(0.0, self._left))


# Scrapy's HTTP/1.1 handler, with one Twisted agent for all requests, which knows its servers again. Scrapy makes an
# agent for each request, and that an endpoint for each, name and all (IDNA), also where a connection of the pool is
# used and nothing is connected to: a twentieth of the CPU of a page (second visits to 2,000 pages, 2026-11).

#: Servers whose endpoints are kept; with more, all are forgotten.
_SERVERS = 1000
_NEVER_S = 3600.0


class _EndpointCachingAgent(BindAddressAgent):
    """Keeps the endpoint of each server: it is a description of whom to connect to, made anew it is the same."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._endpoints: dict[tuple[bytes, bytes, int], Any] = {}

    def _getEndpoint(self, uri: URI) -> Any:  # noqa: N802 (Twisted's name)
        key = (uri.scheme, uri.host, uri.port)
        if key not in self._endpoints:
            if len(self._endpoints) >= _SERVERS:
                self._endpoints.clear()
            self._endpoints[key] = super()._getEndpoint(uri)  # type: ignore[no-untyped-call]
        return self._endpoints[key]


class _SharedAgentDownload(ScrapyAgent):
    """One request's download, by the agent of all."""

    def __init__(self, agent: Agent, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._agent = agent

    def _get_agent(self, request: Request, timeout: float) -> Agent:
        return self._agent


class SharedAgentHandler(HTTP11DownloadHandler):
    """For requests without proxy or bind address of their own. The caller ends what takes too long to connect."""

    def __init__(self, crawler: Crawler, pool: HTTPConnectionPool, reactor: Any) -> None:
        super().__init__(crawler)
        pool.maxPersistentPerHost = self._pool.maxPersistentPerHost
        self._pool = pool
        bound_to = normalize_bind_address(self._bind_address)
        self._agent = _EndpointCachingAgent(reactor, self._contextFactory, _NEVER_S, bound_to, pool)

    async def download_request(self, request: Request) -> Response:
        agent = _SharedAgentDownload(
            self._agent,
            contextFactory=self._contextFactory,
            pool=self._pool,
            maxsize=self._default_maxsize,
            warnsize=self._default_warnsize,
            fail_on_dataloss=self._fail_on_dataloss,
            crawler=self._crawler,
            tls_verbose_logging=self._tls_verbose_logging,
        )
        with wrap_twisted_exceptions():
            return await maybe_deferred_to_future(agent.download_request(request))
