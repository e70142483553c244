"""Watch one page: what it may request, where it may go, and how it ends."""

from __future__ import annotations

import asyncio
import re
from base64 import b64decode
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag

from playwright.async_api import CDPSession, Page, Request, Response, Route
from playwright.async_api import Error as PlaywrightError
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)

from rori_spiders.crawl.tiers.errors import (
    BadResponse,
    BrowserCrashed,
    BrowserFailed,
    DamagedEncoding,
    RenderTimeout,
    TlsFailed,
    TooLarge,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from rori_spiders.crawl.tiers.browser.subresources import SubresourceQueue


_RENDERED = frozenset({"text/html", "application/xhtml+xml"})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_BODILESS = frozenset({204, 205, 304})
#: They describe the bytes that came over the wire, not those that are handed on.
_OF_TRANSFER = frozenset({"content-encoding", "transfer-encoding", "content-length", "connection", "proxy-connection"})
UTF8_HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class DocumentHead:
    """Status and headers of the document, as its server sent them."""

    status: int
    headers: list[tuple[str, str]]

    def first(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name), "")

    @property
    def is_redirect(self) -> bool:
        return self.status in _REDIRECTS and bool(self.first("location"))

    @property
    def has_body(self) -> bool:
        return self.status not in _BODILESS and not self.is_redirect

    @property
    def is_page(self) -> bool:
        """Whether it is for rendering: HTML that is to be shown, not saved."""
        kind = self.first("content-type").partition(";")[0].strip().lower()
        is_shown = not self.first("content-disposition").strip().lower().startswith("attachment")
        return self.has_body and is_shown and kind in _RENDERED

    def as_handed_on(self, *, rendered: bool) -> dict[str, list[str]]:
        """The headers for a response: without those of the transfer; what was rendered is in UTF-8."""
        kept: dict[str, list[str]] = {}
        for name, value in self.headers:
            if name.lower() not in _OF_TRANSFER and not (rendered and name.lower() == "content-type"):
                kept.setdefault(name, []).extend(value.split("\n"))  # as CDP joins those of one name
        return {**kept, "Content-Type": [UTF8_HTML]} if rendered else kept


@dataclass(frozen=True, slots=True)
class BrowserResult:
    """The data from which ``fetch`` makes a response. *url* is the page's final URL."""

    head: DocumentHead
    body: bytes
    url: str
    is_rendered: bool = False


# Playwright's errors, sorted into those that we report by name.

# https://source.chromium.org/chromium/chromium/src/+/main:net/base/net_error_list.h; the first that fits.
_NET: tuple[tuple[str, type[Exception]], ...] = (
    ("CONTENT_LENGTH_MISMATCH|INCOMPLETE_CHUNKED", ResponseDataLossError),
    ("CONTENT_DECODING|ZSTD|BROTLI", DamagedEncoding),
    ("CERT_|SSL_|TLS", TlsFailed),
    ("NAME_NOT_RESOLVED|NAME_RESOLUTION", CannotResolveHostError),
    ("TIMED_OUT", DownloadTimeoutError),
    ("INVALID_HTTP_RESPONSE|RESPONSE_HEADERS|INVALID_CHUNKED|INVALID_RESPONSE", BadResponse),
    ("CONNECTION|EMPTY_RESPONSE|TUNNEL|PROXY|SOCKET|ADDRESS|NETWORK|HTTP2", DownloadFailedError),
)
_CODE = re.compile(r"net::ERR_(\w+)")


def translate_net_error(message: str) -> Exception:
    """The error to raise for what Chromium says of a request."""
    found = _CODE.search(message)
    said = found[1] if found else message.partition("\n")[0]
    for codes, kind in _NET:
        if found and re.match(f".*({codes})", said):
            return kind(said.lower().replace("_", " "))
    if any(word in message for word in ("crash", "closed", "Connection closed", "disconnected")):
        return BrowserCrashed(said)
    return BrowserFailed(said)


# One page under watch: what it may ask for, where it may go, and how it ends. Its document is judged when its head
# arrives (CDP's Fetch domain, at the stage of the response): a redirect is handed on unfollowed, what is no HTML is
# handed on as received, and neither is rendered.

#: What a reader of text does not need, or what is only meant to be counted. Chromium calls a prefetch "other".
NOT_LOADED = frozenset(
    {"image", "media", "font", "texttrack", "ping", "manifest", "cspviolationreport", "prefetch", "other"}
)
#: Requests of one page, its document included: what we ask of a server for one page has an end.
MAX_REQUESTS = 200
#: What a page's scripts ask for themselves: they may give up waiting for it, and write that in its place.
_DATA = frozenset({"fetch", "xhr"})
_ENDLESS = frozenset({"websocket", "eventsource"})
_ASKED_TOO_MUCH = frozenset({429, 503})
#: A page may set a cookie and load itself again; more often it only goes round.
MAX_RELOADS = 2
#: Chromium's word for a 404 and the like with an empty body.
EMPTY_ERROR = "ERR_HTTP_RESPONSE_CODE_FAILURE"
#: As in crawl/tiers/http/tier.py: until then no other request of the group can have left.
_QUICK_S = 1.5
_CHUNK = 256 * 1024


class PageWatch:
    """Guards the page that it is begun for. ``ended`` is set as soon as its end is known, good or bad."""

    def __init__(
        self,
        url: str,
        *,
        parts: SubresourceQueue,
        headers: dict[str, str],
        max_bytes: int,
        on_sent: Callable[[], object] | None = None,
    ) -> None:
        self.url = url
        self.head: DocumentHead | None = None
        self.ended: asyncio.Future[BrowserResult] = asyncio.get_running_loop().create_future()
        self.page: Page | None = None
        self.cdp: CDPSession | None = None
        self.frame_id = ""
        self.why_crashed = "the page crashed"
        self.sent_at: float | None = None
        self.headers_at: float | None = None
        self.under_way: set[Request] = set()
        self.clock = parts.clock
        self._parts = parts
        self._waiting: set[Request] = set()
        self._headers = headers
        self._max_bytes = max_bytes
        self._on_sent = on_sent
        self._document: Request | None = None
        self._own = ""
        self._loads = 0
        self._requests = 0
        self._tasks: set[asyncio.Task[None]] = set()

    async def begin(self, page: Page) -> None:
        """Called before anything leaves. Raises Playwright's errors; then nothing may leave."""
        page.on("crash", lambda _: self.fail(BrowserCrashed(self.why_crashed)))
        page.on("close", lambda _: self.fail(BrowserCrashed("the page was closed, or the browser ended")))
        page.on("popup", lambda popup: self._start(popup.close()))
        page.on("request", self._asks)
        page.on("requestfinished", self._came)
        page.on("response", self._answered)
        page.on("requestfailed", self._failed)
        self.cdp = await page.context.new_cdp_session(page)
        tree = await self.cdp.send("Page.getFrameTree")
        self.frame_id = tree["frameTree"]["frame"]["id"]
        self.cdp.on("Fetch.requestPaused", lambda event: self._start(self._document_arrives(event)))
        await self.cdp.send("Fetch.enable", {"patterns": [{"resourceType": "Document", "requestStage": "Response"}]})
        await page.route("**", self._route)
        self.page = page

    def end(self, answer: BrowserResult) -> None:
        if not self.ended.done():
            self.ended.set_result(answer)

    def fail(self, error: Exception) -> None:
        if not self.ended.done():
            self.ended.set_exception(error)

    def forget(self) -> None:
        """Nobody waits for it any more."""
        self._parts.leave()
        self.fail(BrowserFailed("left"))
        self.ended.exception()  # asked for, so that nobody is told that it was not

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        async def guarded() -> None:
            try:
                await work
            except PlaywrightError as error:
                if "closed" not in error.message:  # a page that is gone asks for nothing
                    self.fail(translate_net_error(error.message))

        task = asyncio.ensure_future(guarded())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- what it asks for -----------------------------------------------------------------------------------------

    def _asks(self, request: Request) -> None:
        if request.resource_type not in _ENDLESS:
            self.under_way.add(request)
        if request.redirected_from is not None and not self._is_own_navigation(request):
            self._parts.follows(request.url)

    def _came(self, request: Request) -> None:
        self.under_way.discard(request)
        self._parts.came(request)

    def _answered(self, response: Response) -> None:
        if response.status in _ASKED_TOO_MUCH and response.request is not self._document:
            self._parts.refused(response.url, response.status, response.headers.get("retry-after"))

    def _failed(self, request: Request) -> None:
        self._came(request)
        if request in self._waiting and request.resource_type in _DATA and self.head is not None:
            self.fail(RenderTimeout(f"its scripts did not wait for {request.url}, which was delayed by the rate limit"))
        if request is self._document:
            why = request.failure or ""
            if self.head is not None and EMPTY_ERROR not in why:
                self.fail(translate_net_error(why))  # what has arrived of it looks like a page

    async def _route(self, route: Route, request: Request) -> None:
        try:
            if self._is_own_navigation(request):
                await self._navigates(route, request)
            elif request.resource_type in NOT_LOADED:
                await route.abort("blockedbyclient")
            elif self._requests >= MAX_REQUESTS:
                self.fail(TooLarge(f"the page requested more than {MAX_REQUESTS} files"))
                await route.abort("blockedbyclient")
            else:
                self._requests += 1
                await self._leaves(route, request)
        except PlaywrightError as error:
            if "closed" not in error.message:
                self.fail(translate_net_error(error.message))

    async def _leaves(self, route: Route, request: Request) -> None:
        """A part of the page leaves when its turn comes; one that nobody wants any more does not."""
        loads = self._loads
        self._waiting.add(request)
        try:
            may_leave = await self._parts.turn(request, request.url)
        finally:
            self._waiting.discard(request)
        if may_leave and loads == self._loads and not self.ended.done():
            if request.resource_type in _ENDLESS:
                self._parts.came(request)  # it would keep its place for as long as the page is open
            await route.continue_()
        else:
            self._parts.came(request)
            await route.abort("blockedbyclient")

    def _is_own_navigation(self, request: Request) -> bool:
        if not request.is_navigation_request():
            return False
        try:
            return request.frame.parent_frame is None
        except PlaywrightError:  # it has no frame yet: the page's own
            return True

    async def _navigates(self, route: Route, request: Request) -> None:
        """The document itself. Where its scripts lead elsewhere, that is a redirect, for others to judge."""
        if request.method != "GET":
            await route.abort("aborted")  # no form is sent
        elif self._loads and urldefrag(request.url).url != self._own:
            self.end(BrowserResult(DocumentHead(302, [("Location", request.url)]), b"", self.url))
            await route.abort("aborted")
        elif self._loads > MAX_RELOADS:
            self.fail(BrowserFailed("the page reloads itself repeatedly"))
            await route.abort("aborted")
        else:
            self._loads += 1
            self._requests += 1
            self._waiting.clear()  # they are of the document that goes
            self._own = urldefrag(request.url).url  # as Chromium spells it
            self._document = request
            self.wake_waiters()
            self.sent_at = self.sent_at or monotonic()
            await route.continue_(headers={**request.headers, **self._headers})

    def wake_waiters(self) -> None:
        """The request for the page leaves now, or a quick answer shows that it has only just left."""
        if self._on_sent is not None and (self.sent_at is None or monotonic() - self.sent_at < _QUICK_S):
            self._on_sent()

    # --- what it is answered --------------------------------------------------------------------------------------

    async def _document_arrives(self, event: dict[str, Any]) -> None:
        status = event.get("responseStatusCode")
        if event["frameId"] != self.frame_id or status is None:
            await self._send("Fetch.continueResponse", event)
            return
        self.wake_waiters()
        self.headers_at = monotonic()
        head = DocumentHead(status, [(one["name"], one["value"]) for one in event.get("responseHeaders", ())])
        self.head = head
        if head.is_page:
            await self._send("Fetch.continueResponse", event)
            return
        try:
            body = await self._received(event) if head.has_body else b""
            self.end(BrowserResult(head, body, self.url))
        except TooLarge as error:
            self.fail(error)
        await self._send("Fetch.failRequest", event, errorReason="BlockedByClient")

    async def _received(self, event: dict[str, Any]) -> bytes:
        """The body as Chromium received it, unpacked. Raises TooLarge, and Playwright's error for one that is torn."""
        assert self.cdp is not None
        stream = (await self._send("Fetch.takeResponseBodyAsStream", event))["stream"]
        body = bytearray()
        while True:
            part = await self.cdp.send("IO.read", {"handle": stream, "size": _CHUNK})
            body += b64decode(part["data"]) if part.get("base64Encoded") else part["data"].encode()
            if len(body) > self._max_bytes:
                raise TooLarge(f"more than {self._max_bytes} bytes")
            if part["eof"]:
                return bytes(body)

    async def _send(self, method: str, event: dict[str, Any], **more: Any) -> dict[str, Any]:
        assert self.cdp is not None
        sent: dict[str, Any] = await self.cdp.send(method, {"requestId": event["requestId"], **more})
        return sent
