"""The `http` tier: Scrapy's HTTP/1.1 client, which tells when a request really goes out."""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import scrapy
from scrapy import signals
from scrapy.exceptions import CannotResolveHostError, ResponseDataLossError
from scrapy.http import TextResponse
from scrapy.responsetypes import responsetypes
from scrapy.utils.asyncio import call_later

from rori_spiders.items import PageItem
from rori_spiders.ladder import HTTP
from rori_spiders.refusals import AddressNotPublic
from rori_spiders.tiers import encodings
from rori_spiders.tiers.agents import Handler
from rori_spiders.tiers.base import Health, Need
from rori_spiders.tiers.deadline import Deadline
from rori_spiders.tiers.failures import BadResponse, UnknownEncoding, sorted_out
from rori_spiders.tiers.protocol import GuardedFactory, GuardedParser, RestedPool
from rori_spiders.tiers.room import Room

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Headers, Response
    from twisted.internet.defer import Deferred

#: Smaller bodies are unpacked in place: a thread costs more than they do.
_IN_PLACE_BYTES = 64 * 1024
#: Multi-Status, Already Reported, IM Used (RFC 4918, 5842, 3229).
_NEVER_ASKED_FOR = frozenset({207, 208, 226})
_VALIDATORS = frozenset({b"If-None-Match", b"If-Modified-Since"})
#: Longer than the bodies of all ten requests in progress can take, each converted to its time's end.
_LONGEST_HOLD_S = 1200.0
#: Below the least spacing (2 s): no other request of the group can have left meanwhile.
_QUICK_S = 1.5


class _TellingPool(RestedPool):
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

    def tell(self, host: str, port: int, call: Any) -> None:
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
        self._pool = _TellingPool(reactor, persistent=True)
        self._pool._factory = GuardedFactory
        self._handler = Handler(crawler, self._pool)
        self._timeout_s = crawler.settings.getfloat("DOWNLOAD_TIMEOUT")
        self._room = Room()
        self._deadlines: dict[Hashable, Deadline] = {}
        crawler.signals.connect(self._headers_received, signal=signals.headers_received)
        for ended in (signals.item_scraped, signals.item_dropped, signals.item_error):
            crawler.signals.connect(self._url_ended, signal=ended)

    def needs(self) -> tuple[Need, ...]:
        return ()

    async def check(self) -> Health:
        return Health(ok=True, says="nothing to check: it asks the publishers themselves")

    async def fetch(self, request: Request) -> Response:
        request.meta.setdefault("download_maxsize", self._max_bytes)
        on_sent = request.meta.get("on_sent")
        if on_sent is not None:
            request.meta["asked_at"] = monotonic()
            host, port = _peer(request.url)
            self._pool.tell(host, port, on_sent)
        key, visit, is_kept = _key(request), request.meta.get("visit"), False
        self._room.leave(key)  # of an earlier try
        try:
            response = await self._unpacked(request, await self._answer(request))
            self._room.arrived(key, len(response.body))
            is_kept = visit is not None and visit.kind != "robots"
        finally:
            if not is_kept:
                self._room.leave(key)
        return response

    async def _answer(self, request: Request) -> Response:
        """The response as it came. Scrapy's own clock does not know that we hold bodies back: ours ends it."""
        seconds = request.meta.get("download_timeout") or self._timeout_s
        deadline = self._deadlines[_key(request)] = Deadline(seconds)
        request.meta["download_timeout"] = seconds + _LONGEST_HOLD_S
        try:
            response = await deadline.keep(self._handler.download_request(request))
        except Exception as error:
            raise self._refusal(request.url, error) or sorted_out(error, self._cap(request)) from error
        finally:
            request.meta["download_timeout"] = seconds
            del self._deadlines[_key(request)]
        _refuse_part(request, response)
        return response

    def _refusal(self, url: str, error: Exception) -> AddressNotPublic | None:
        """What to raise when the resolver (``downloader/resolver.py``) knew addresses of the host, and refused them."""
        refusal = getattr(self._pool._reactor.nameResolver, "refusal", None)
        if not isinstance(error, CannotResolveHostError) or refusal is None:
            return None
        why = refusal(*_peer(url))
        return None if why is None else AddressNotPublic(why, url)

    def _cap(self, request: Request) -> int:
        return int(request.meta["download_maxsize"]) or sys.maxsize  # 0: whoever asks bounds it as it comes in

    async def _unpacked(self, request: Request, response: Response) -> Response:
        """The response without its Content-Encoding. An error or a redirect is one without its text, too."""
        is_whole = "download_stopped" not in response.flags
        try:
            codings = encodings.layers(response.headers.getlist("Content-Encoding"))
            if not codings:
                return response
            work = partial(encodings.unpack, response.body, codings, self._cap(request), is_whole=is_whole)
            body = work() if len(response.body) <= _IN_PLACE_BYTES else await asyncio.to_thread(work)
        except (UnknownEncoding, ResponseDataLossError):
            if 200 <= response.status < 300:
                raise
            body = b""
        del response.headers["Content-Encoding"]
        kind = responsetypes.from_args(headers=response.headers, url=response.url, body=body)
        anew: dict[str, Any] = {"encoding": None} if issubclass(kind, TextResponse) else {}
        return response.replace(cls=kind, body=body, **anew)

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
            GuardedParser.telling.gate = partial(self._may_grow, _key(request), size)

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


def _refuse_part(request: Request, response: Response) -> None:
    """Answers to questions that we did not ask: a range, a delta, a comparison with what we hold."""
    if response.status == 206:
        raise ResponseDataLossError("HTTP 206: a part of it")
    if response.status in _NEVER_ASKED_FOR:
        raise BadResponse(f"HTTP {response.status}, which nobody asked for")
    if response.status == 304 and not (_VALIDATORS & request.headers.keys()):
        raise BadResponse("HTTP 304, though nobody asked whether it changed")


def _key(request: Request) -> Hashable:
    """What stands for a request's body until its URL has come to its end."""
    return request.meta.get("visit") or id(request)


def _peer(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
