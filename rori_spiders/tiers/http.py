"""The `http` tier: Scrapy's HTTP/1.1 client, which tells when a request really goes out."""

from __future__ import annotations

import zlib
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import scrapy
from scrapy import signals
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.exceptions import ResponseDataLossError
from scrapy.utils.asyncio import call_later
from twisted.web.client import HTTPConnectionPool

from rori_spiders.tiers.base import HTTP

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Headers, Response
    from twisted.internet.defer import Deferred

#: What unpacks to more than this is refused for its size, whole or not: above RORI_MAX_BYTES and RORI_MAX_PDF_BYTES.
_UNPACKED_AT_MOST = 128 * 2**20
_CHUNK = 2**20
#: Below the least spacing (2 s): no other request of the group can have left meanwhile.
_QUICK_S = 1.5


class _TellingPool(HTTPConnectionPool):
    """A connection pool that says when a request goes out over a connection that stands.

    Twisted writes it in its loop's next round, so that is when it is said: what the loop was busy with until then
    counts as not yet sent.
    ``retryAutomatically`` is off: a request that a dead connection swallowed is repeated by our retries, with their
    waits, never at once behind our back.
    """

    retryAutomatically = False  # noqa: N815 (Twisted's name)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[no-untyped-call]  # Twisted's is untyped
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

    def __init__(self, crawler: Crawler) -> None:
        self._handler = HTTP11DownloadHandler.from_crawler(crawler)
        self._max_pdf_bytes = crawler.settings.getint("RORI_MAX_PDF_BYTES")
        old = self._handler._pool
        self._pool = _TellingPool(old._reactor, persistent=True)
        self._pool.maxPersistentPerHost = old.maxPersistentPerHost
        self._pool._factory = old._factory
        self._handler._pool = self._pool
        crawler.signals.connect(self._headers_received, signal=signals.headers_received)

    async def fetch(self, request: Request) -> Response:
        on_sent = request.meta.get("on_sent")
        if on_sent is not None:
            request.meta["asked_at"] = monotonic()
            host, port = _peer(request.url)
            self._pool.tell(host, port, on_sent)
        response = await self._handler.download_request(request)
        if _is_torn(response):
            raise ResponseDataLossError("its gzip body ends before its end")
        return response

    async def close(self) -> None:
        await self._handler.close()

    def _headers_received(self, headers: Headers, request: Request) -> None:
        self._note_arrival(request)
        if b"pdf" in (headers.get(b"Content-Type") or b"").lower():
            request.meta["download_maxsize"] = self._max_pdf_bytes

    @staticmethod
    def _note_arrival(request: Request) -> None:
        """A quick answer counts as the moment of its request: by then the server has noted it, however late it was.

        A TLS handshake, or a server short of time, may have held it back after we wrote it. A slow answer says nothing
        of that: the next request may be under way already.
        """
        on_sent, asked_at = request.meta.get("on_sent"), request.meta.get("asked_at")
        if on_sent is not None and asked_at is not None and monotonic() - asked_at < _QUICK_S:
            on_sent()


def _is_torn(response: Response) -> bool:
    """Whether a gzip body is incomplete or damaged: unpacked as far as it goes, it would pass for a whole page."""
    encodings = b",".join(response.headers.getlist("Content-Encoding")).lower().replace(b"x-", b"").split(b",")
    if [one.strip() for one in encodings] != [b"gzip"] or not response.body:
        return False
    unpacker, rest, unpacked = zlib.decompressobj(zlib.MAX_WBITS | 16), response.body, 0
    try:
        while rest and not unpacker.eof and unpacked < _UNPACKED_AT_MOST:
            unpacked += len(unpacker.decompress(rest, _CHUNK))
            rest = unpacker.unconsumed_tail
    except zlib.error:
        return True
    return not unpacker.eof and unpacked < _UNPACKED_AT_MOST


def _peer(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
