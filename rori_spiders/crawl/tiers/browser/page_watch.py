"""Watch one page: what it may request, where it may go, and how it ends."""

from __future__ import annotations

import asyncio
import re
from base64 import b64decode, b64encode
from dataclasses import dataclass, replace
from http import HTTPStatus
from time import monotonic
from typing import TYPE_CHECKING, Any

from playwright.async_api import CDPSession, Page
from playwright.async_api import Error as PlaywrightError
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)

from rori_spiders.content.encoding import browser_label, decode
from rori_spiders.crawl.tiers.browser.subresources import StoredFile
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
    from rori_spiders.items import PageStep


_RENDERED = frozenset({"text/html", "application/xhtml+xml"})
_FILES = ("application/pdf", "application/msword", "application/rtf", "application/vnd.", "application/zip")
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_BODILESS = frozenset({204, 205, 304})
#: They describe the bytes that came over the wire, not those that are handed on.
_OF_TRANSFER = frozenset({"content-encoding", "transfer-encoding", "content-length", "connection", "proxy-connection"})
UTF8_HTML = "text/html; charset=utf-8"
_END_OF_PAGE = re.compile(rb"</html\s*>\s*(?:<!--[^>]*-->\s*)?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DocumentHead:
    """Status and headers of the document, as its server sent them."""

    status: int
    headers: list[tuple[str, str]]

    @classmethod
    def of_event(cls, event: dict[str, Any]) -> DocumentHead:
        """The head for which Chromium has paused an answer."""
        headers = [(one["name"], one["value"]) for one in event.get("responseHeaders", ())]
        return cls(event["responseStatusCode"], headers)

    def first(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name), "")

    @property
    def is_redirect(self) -> bool:
        return self.status in _REDIRECTS and bool(self.first("location"))

    @property
    def has_body(self) -> bool:
        return self.status not in _BODILESS and not self.is_redirect

    @property
    def promised_bytes(self) -> int | None:
        """The length of the body by its headers; None where they do not say it, or of the packed body only."""
        length = self.first("content-length").strip()
        return int(length) if length.isdecimal() and not self.first("content-encoding") else None

    def check_length(self, body: bytes | bytearray) -> None:
        """Raise ResponseDataLossError for a *body* of another length than was promised."""
        if (promised := self.promised_bytes) is not None and promised != len(body):
            raise ResponseDataLossError(f"received {len(body)} of {promised} bytes")

    def is_whole(self, body: bytes) -> bool:
        """Whether *body* is surely all of the page: as long as promised, or with the end of its markup."""
        if self.promised_bytes is not None:
            return self.promised_bytes == len(body)
        return _END_OF_PAGE.search(body[-200:].replace(b"\0", b"")) is not None  # UTF-16 has NULs

    @property
    def is_page(self) -> bool:
        """Whether it is for rendering: HTML that is to be shown, not saved."""
        kind = self.first("content-type").partition(";")[0].strip().lower()
        is_shown = not self.first("content-disposition").strip().lower().startswith("attachment")
        return self.has_body and is_shown and kind in _RENDERED

    @property
    def is_file(self) -> bool:
        """Whether it is a document of its own, whoever asked for it: a PDF, an office file, what is to be saved."""
        kind = self.first("content-type").partition(";")[0].strip().lower()
        is_saved = self.first("content-disposition").strip().lower().startswith("attachment")
        return self.status == HTTPStatus.OK and (kind.startswith(_FILES) or (is_saved and kind not in _RENDERED))

    def as_handed_on(self, *, rendered: bool) -> dict[str, list[str]]:
        """The headers for a response: without those of the transfer; what was rendered is in UTF-8."""
        headers: dict[str, list[str]] = {}
        for name, value in self.headers:
            if name.lower() not in _OF_TRANSFER and not (rendered and name.lower() == "content-type"):
                headers.setdefault(name, []).extend(value.split("\n"))  # as CDP joins those of one name
        return {**headers, "Content-Type": [UTF8_HTML]} if rendered else headers


@dataclass(frozen=True, slots=True)
class BrowserResult:
    """The data from which ``fetch`` makes a response. *url* is the page's final URL."""

    head: DocumentHead
    body: bytes
    url: str
    is_rendered: bool = False
    steps: tuple[PageStep, ...] = ()  # that were taken on it
    shown: int = 0  # characters outside menus
    is_behind_prompt: bool = False  # it shows a prompt for consent, and no page
    is_drawn: bool = False  # a script draws what it shows: hardly any of it is text
    screenshot: bytes | None = None  # of it as it was read


@dataclass(frozen=True, slots=True)
class ReceivedFile:
    """A document that a script of the page asked for. *error*: it is too large."""

    url: str
    head: DocumentHead
    body: bytes = b""
    error: TooLarge | ResponseDataLossError | None = None


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
    error_text = found[1] if found else message.partition("\n")[0]
    for codes, kind in _NET:
        if found and re.match(f".*({codes})", error_text):
            return kind(error_text.lower().replace("_", " "))
    if any(word in message for word in ("crash", "closed", "Connection closed", "disconnected")):
        return BrowserCrashed(error_text)
    return BrowserFailed(error_text)


# One page under watch: what it may ask for, where it may go, and how it ends. Chromium pauses each of its requests
# before it leaves and when its head has arrived (CDP's Fetch domain, for the whole browser: `browser_process`). Its
# document is judged at the head: a redirect is passed on unfollowed, anything but HTML is passed on as received, and
# neither is rendered. Playwright's own routes would do the same for three times the CPU.

#: What a reader of text does not need, or what is only meant to be counted.
NOT_LOADED = frozenset(
    {"Image", "Media", "Font", "TextTrack", "Ping", "Manifest", "CSPViolationReport", "Prefetch", "SignedExchange"}
)
#: Requests of one page, its document included: what we ask of a server for one page has an end.
MAX_REQUESTS = 200
#: What a page's scripts ask for themselves: they may give up waiting for it, and write that in its place.
_DATA = frozenset({"Fetch", "XHR"})
#: Shorter waits than any that a script would give up for.
_HELD_BACK_S = 0.1
#: Asked for once a run, as are the redirects that lead to it and the news that it is missing.
_STORED = frozenset({"Script", "Stylesheet"})
_STORED_STATUSES = frozenset({200, 404, 410}) | _REDIRECTS
#: Headers of the bytes over the wire, not of those that are stored; and a cookie that is set already.
_NOT_STORED = _OF_TRANSFER | {"set-cookie"}
_ASKED_TOO_MUCH = frozenset({429, 503})
#: A page may set a cookie and load itself again; more often it only goes round.
MAX_RELOADS = 2
#: Chromium's word for a 404 and the like with an empty body.
EMPTY_ERROR = "ERR_HTTP_RESPONSE_CODE_FAILURE"
#: What CDP says of a page or a request that is gone: it asks for nothing any more.
_GONE = ("closed", "InterceptionId")
#: As in crawl/tiers/http/tier.py: until then no other request of the group can have left.
_QUICK_S = 1.5
_CHUNK = 256 * 1024
#: Chromium learns of the bytes of an answer and of how they ended in two ways. Where it is told to go on between them,
#: it takes a body that broke off for a whole one (one run of the tests in five, 2026-11).
_END_S = 0.25


class PageWatch:
    """Guards the page that it is begun for. ``ended`` is set as soon as its end is known, good or bad."""

    def __init__(
        self,
        url: str,
        *,
        parts: SubresourceQueue,
        headers: dict[str, str],
        max_bytes: int,
        charset: str | None = None,
        on_sent: Callable[[], object] | None = None,
    ) -> None:
        self.url = url
        self.head: DocumentHead | None = None
        self.ended: asyncio.Future[BrowserResult] = asyncio.get_running_loop().create_future()
        self.page: Page | None = None
        self.cdp: CDPSession | None = None
        self.frame_id = ""
        self.frames: set[str] = set()
        self.why_crashed = "the page crashed"
        self.sent_at: float | None = None
        self.headers_at: float | None = None
        self.under_way: set[str] = set()
        self.files: list[ReceivedFile] = []
        self.stays = False  # it is read where it is: what would lead elsewhere is refused, and noted
        self.refused_step = ""  # why what a step began was not followed
        self.led_to: list[str] = []  # where steps would have led
        self.takes_windows = False  # what a click opens in another window is what the source asked for
        self._parts = parts
        self._browser: CDPSession | None = None
        self._listening: list[tuple[Page | CDPSession, str, Callable[[Any], None]]] = []
        self._announced: dict[str, float] = {}  # when, by Chromium's clock
        self._held_back: dict[str, str] = {}  # data, until its head is here
        self._headers = headers
        self._max_bytes = max_bytes
        self._charset = charset
        self._on_sent = on_sent
        self._document = ""
        self._own = ""
        self._loads = 0
        self._requests = 0
        self._tasks: set[asyncio.Task[None]] = set()

    async def begin(self, page: Page, session: CDPSession, browser: CDPSession) -> None:
        """Called before anything leaves. *session* says when the page's requests end; *browser* pauses them, by the
        same ids. Raises Playwright's errors.
        """
        self._listen(page, "crash", lambda _: self.fail(BrowserCrashed(self.why_crashed)))
        self._listen(page, "close", lambda _: self.fail(BrowserCrashed("the page was closed, or the browser ended")))
        self._listen(page, "popup", lambda popup: self._start(popup.close()))
        self._listen(session, "Network.requestWillBeSent", self._announce)
        self._listen(session, "Network.loadingFinished", lambda event: self._came(event["requestId"]))
        self._listen(session, "Network.loadingFailed", self._failed)
        self._browser, self.cdp = browser, session
        self.frame_id = (await session.send("Target.getTargetInfo"))["targetInfo"]["targetId"]
        self.frames = {self.frame_id}
        self.page = page

    def _listen(self, source: Page | CDPSession, event: str, handler: Callable[[Any], None]) -> None:
        source.on(event, handler)  # type: ignore[call-overload]
        self._listening.append((source, event, handler))

    async def find_frames(self) -> set[str]:
        """The frames that the page has now; those of other hosts, which run in other processes, are not loaded."""
        if self.cdp is not None and not self.ended.done():
            try:
                pending = [(await self.cdp.send("Page.getFrameTree"))["frameTree"]]
            except PlaywrightError:
                return self.frames
            while pending:
                tree = pending.pop()
                self.frames.add(tree["frame"]["id"])
                pending += tree.get("childFrames", ())
        return self.frames

    def end(self, answer: BrowserResult) -> None:
        if not self.ended.done():
            self.ended.set_result(answer)

    def fail(self, error: Exception) -> None:
        if not self.ended.done():
            self.ended.set_exception(error)

    def _stop(self, error: Exception) -> None:
        """What a step began ends so, and the page is read without it; a page that is still to come fails."""
        if self.stays:
            self.refused_step = str(error)
        else:
            self.fail(error)

    def forget(self) -> None:
        """Nobody waits for it any more."""
        self.fail(BrowserFailed("left"))
        self.ended.exception()  # read, so that asyncio does not report it as unread
        for source, event, handler in self._listening:
            source.remove_listener(event, handler)
        self._listening.clear()
        for task in self._tasks:
            task.cancel()
        self._parts.leave()

    def pauses(self, event: dict[str, Any]) -> None:
        """Chromium has paused a request of the page, or its answer, until it is told how to go on.

        Data is noted at once: a busy machine reads this together with the news that its script has given up.
        """
        is_data = event["resourceType"] in _DATA and not {"responseErrorReason", "responseStatusCode"} & event.keys()
        if is_data and self._is_wanted(event):
            self._held_back[_key_of(event)] = event["request"]["url"]
        self._start(self._judge(event))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        async def guarded() -> None:
            try:
                await work
            except PlaywrightError as error:
                if not any(word in error.message for word in _GONE):
                    self.fail(translate_net_error(error.message))

        task = asyncio.ensure_future(guarded())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _judge(self, event: dict[str, Any]) -> None:
        if "responseErrorReason" in event:
            await self._send("Fetch.continueRequest", event)
        elif "responseStatusCode" in event:
            await (self._document_arrives(event) if self._is_own_navigation(event) else self._part_arrives(event))
        elif self._is_own_navigation(event):
            await self._navigates(event)
        elif self.ended.done() or not self._is_wanted(event):
            await self._refuse(event)
        elif (stored := self._stored(event)) is not None:
            answer = {"responseCode": stored.status, "responseHeaders": stored.headers, "body": stored.body}
            await self._send("Fetch.fulfillRequest", event, **answer)
        elif self._requests >= MAX_REQUESTS:
            self._held_back.pop(_key_of(event), None)
            self._stop(TooLarge(f"the page requested more than {MAX_REQUESTS} files"))
            await self._refuse(event)
        else:
            self._requests += 1
            await self._leaves(event)

    # --- what it asks for -----------------------------------------------------------------------------------------

    def _is_own_navigation(self, event: dict[str, Any]) -> bool:
        return bool(event["resourceType"] == "Document" and event["frameId"] == self.frame_id)

    def _is_wanted(self, event: dict[str, Any]) -> bool:
        kind, url = event["resourceType"], event["request"]["url"]
        if kind in NOT_LOADED or "Sec-Purpose" in event["request"]["headers"] or not self._parts.is_wanted(url):
            return False  # that purpose is "prefetch"
        if kind == "Document":  # of a frame
            return self._parts.may_frame(url)
        # A worker's script has the name of the worker; the page's icon is numbered.
        return kind != "Other" or "." not in event.get("networkId", ".")

    def _stored(self, event: dict[str, Any]) -> StoredFile | None:
        is_stored = event["resourceType"] in _STORED and event["request"]["method"] == "GET"
        return self._parts.cache.find(event["request"]["url"]) if is_stored else None

    async def _leaves(self, event: dict[str, Any]) -> None:
        """A part of the page leaves when its turn comes; one that nobody wants any more does not."""
        loads, url, key = self._loads, event["request"]["url"], _key_of(event)
        self.under_way.add(key)
        since = monotonic()
        may_leave = await self._parts.turn(key, url)
        was_held_back = monotonic() - since >= _HELD_BACK_S
        if may_leave and loads == self._loads and not self.ended.done():
            await self._send("Fetch.continueRequest", event)  # raises when its script has given up already
            if not was_held_back:
                self._held_back.pop(key, None)
        else:
            if not was_held_back:
                self._held_back.pop(key, None)
            self._came(key)
            await self._refuse(event)

    def opens_window(self, event: dict[str, Any]) -> None:
        """A script of the page opens a window, which asks for nothing. Its address is a redirect where it was asked."""
        url = event["request"]["url"]
        if self.takes_windows and event["request"]["method"] == "GET" and url.startswith(("http:", "https:")):
            self.end(BrowserResult(DocumentHead(302, [("Location", url)]), b"", self.url))

    async def _navigates(self, event: dict[str, Any]) -> None:
        """The document itself. Where its scripts lead elsewhere, that is a redirect, for others to judge."""
        request = event["request"]
        url = request["url"] + request.get("urlFragment", "")
        if self.stays:
            self.refused_step = f"it leads to {url[:200]}: not followed"
        if request["method"] != "GET":
            self.refused_step = "it sends a form: not sent" if self.stays else ""
            await self._refuse(event, "Aborted")
        elif self.stays:
            self.led_to.append(url)
            await self._refuse(event, "Aborted")
        elif self._loads and request["url"] != self._own:
            self.end(BrowserResult(DocumentHead(302, [("Location", url)]), b"", self.url))
            await self._refuse(event, "Aborted")
        elif self._loads > MAX_RELOADS:
            self.fail(BrowserFailed("the page reloads itself repeatedly"))
            await self._refuse(event, "Aborted")
        else:
            self._loads += 1
            self._requests += 1
            self._held_back.clear()  # they are of the document that goes
            self._own = request["url"]  # as Chromium spells it
            self._document = event["networkId"]
            self.wake_waiters()
            self._parts.document_leaves()
            self.sent_at = self.sent_at or monotonic()
            own = {name.lower() for name in self._headers}
            sent = {name: value for name, value in request["headers"].items() if name.lower() not in own}
            headers = [{"name": name, "value": value} for name, value in {**sent, **self._headers}.items()]
            await self._send("Fetch.continueRequest", event, headers=headers)

    def wake_waiters(self) -> None:
        """The request for the page leaves now, or a quick answer shows that it has only just left."""
        if self._on_sent is not None and (self.sent_at is None or monotonic() - self.sent_at < _QUICK_S):
            self._on_sent()

    # --- what it is answered --------------------------------------------------------------------------------------

    def _announce(self, event: dict[str, Any]) -> None:
        self._announced[event["requestId"]] = event["timestamp"]

    def _came(self, key: str) -> None:
        self.under_way.discard(key)
        self._parts.came(key)

    def _failed(self, event: dict[str, Any]) -> None:
        key, why = event["requestId"], event.get("errorText", "")
        self._came(key)
        if self.head is None:
            return
        waited_s = event["timestamp"] - self._announced.get(key, 0.0)
        if (url := self._held_back.get(key)) is not None and waited_s >= _HELD_BACK_S:
            self._stop(
                RenderTimeout(
                    f"its scripts did not wait for {url}, which was delayed by us: rate limit, or a busy machine"
                )
            )
        if key == self._document and EMPTY_ERROR not in why:
            self.fail(translate_net_error(why))  # what has arrived of it looks like a page

    async def _part_arrives(self, event: dict[str, Any]) -> None:
        kind, request, head, key = event["resourceType"], event["request"], DocumentHead.of_event(event), _key_of(event)
        self._held_back.pop(key, None)
        is_of_worker = kind == "Other" or key not in self._announced  # its end is not announced to the page
        if head.status in _ASKED_TOO_MUCH:
            self._parts.refused(request["url"], head.status, head.first("retry-after") or None)
        if kind in _DATA and head.is_file and self._parts.may_read(request["url"]):
            await self._file_arrives(event, head)
            if is_of_worker:
                self._came(key)
            return
        if kind in _STORED and request["method"] == "GET" and head.status in _STORED_STATUSES:
            await self._store(event, head)
        elif head.first("content-type").startswith("text/event-stream"):
            self._came(key)  # it would keep its place for as long as the page is open
        elif is_of_worker and head.has_body:
            await self._send("Fetch.getResponseBody", event)
        if is_of_worker:
            self._came(key)
        await self._send("Fetch.continueResponse", event)

    async def _file_arrives(self, event: dict[str, Any], head: DocumentHead) -> None:
        """Note the document, and let the script have it. One that is too large is noted, and refused.

        So is, unnoted, what a page asks for beyond a document of the largest size: all of them are held until it ends.
        """
        url = event["request"]["url"]
        if sum(len(one.body) for one in self.files) >= self._max_bytes:
            await self._refuse(event)
            return
        try:
            body = await self._received(event)
        except (TooLarge, ResponseDataLossError) as error:
            self.files.append(ReceivedFile(url, head, error=error))
            await self._refuse(event)
            return
        self.files.append(ReceivedFile(url, head, body))
        await self._fulfil(event, head, body)

    async def _store(self, event: dict[str, Any], head: DocumentHead) -> None:
        if "no-store" in head.first("cache-control").lower():
            return
        body = (await self._send("Fetch.getResponseBody", event))["body"] if head.has_body else ""
        headers = [{"name": name, "value": value} for name, value in head.headers if name.lower() not in _NOT_STORED]
        self._parts.cache.keep(event["request"]["url"], StoredFile(head.status, headers, body))

    async def _document_arrives(self, event: dict[str, Any]) -> None:
        self.wake_waiters()
        self.headers_at = monotonic()
        self.head = head = DocumentHead.of_event(event)
        try:
            if head.is_page:
                await self._page_arrives(event, head)
                return
            body = await self._received(event) if head.has_body else b""
            self.end(BrowserResult(head, body, self.url))
        except (TooLarge, ResponseDataLossError) as error:
            self.fail(error)
        await self._refuse(event)

    async def _page_arrives(self, event: dict[str, Any], head: DocumentHead) -> None:
        """Let Chromium read the page by the charset that plain HTTP found, or else that the bytes show.

        Chromium believes a header, whatever the bytes are, and takes a page without any charset for Windows-1252. It
        keeps the charset of the first header when only the headers are changed: it is given the bytes, too. A page of
        no stated length that may be torn it takes from the server: only Chromium learns of that.
        """
        named = head.first("content-type")
        if self._charset is None or self._charset not in named.lower():
            answer = await self._send("Fetch.getResponseBody", event)
            body = b64decode(answer["body"]) if answer["base64Encoded"] else answer["body"].encode()
            head.check_length(body)  # where its bytes were read, Chromium does not always say so itself
            charset = self._charset or browser_label((await asyncio.to_thread(decode, body, named)).encoding)
            if charset is not None and charset not in named.lower() and head.is_whole(body):
                content_type = f"{named.partition(';')[0].strip()}; charset={charset}"
                others = [one for one in head.headers if one[0].lower() != "content-type"]
                await self._fulfil(event, replace(head, headers=[*others, ("Content-Type", content_type)]), body)
                return
            if not head.is_whole(body):
                await asyncio.sleep(_END_S)
        await self._send("Fetch.continueResponse", event)

    async def _fulfil(self, event: dict[str, Any], head: DocumentHead, body: bytes) -> None:
        """Give Chromium *body*, which was taken over, with the headers of *head*."""
        headers = [{"name": name, "value": value} for name, value in head.headers if name.lower() not in _OF_TRANSFER]
        answer = {"responseCode": head.status, "responseHeaders": headers, "body": b64encode(body).decode()}
        await self._send("Fetch.fulfillRequest", event, **answer)

    async def _received(self, event: dict[str, Any]) -> bytes:
        """The body as Chromium received it, unpacked. Raises TooLarge, and ResponseDataLossError for one that is torn.

        Chromium itself says nothing of a body that is torn where its bytes are taken over.
        """
        assert self._browser is not None
        stream = (await self._send("Fetch.takeResponseBodyAsStream", event))["stream"]
        body = bytearray()
        while True:
            part = await self._browser.send("IO.read", {"handle": stream, "size": _CHUNK})
            body += b64decode(part["data"]) if part.get("base64Encoded") else part["data"].encode()
            if len(body) > self._max_bytes:
                raise TooLarge(f"more than {self._max_bytes} bytes")
            if part["eof"]:
                break
        DocumentHead.of_event(event).check_length(body)
        return bytes(body)

    async def _refuse(self, event: dict[str, Any], reason: str = "BlockedByClient") -> None:
        await self._send("Fetch.failRequest", event, errorReason=reason)

    async def _send(self, method: str, event: dict[str, Any], **more: Any) -> dict[str, Any]:
        assert self._browser is not None
        sent: dict[str, Any] = await self._browser.send(method, {"requestId": event["requestId"], **more})
        return sent


def _key_of(event: dict[str, Any]) -> str:
    """By which a page announces the end of the request that is paused; those of workers have none of a page."""
    return str(event.get("networkId") or event["requestId"])
