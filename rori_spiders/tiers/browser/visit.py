"""One page's visit by the browser: opened, waited for, read, left; within the time that a page has."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urldefrag, urlsplit

from playwright.async_api import Error as PlaywrightError
from scrapy.exceptions import DownloadTimeoutError, ResponseDataLossError

from rori_spiders.tiers.browser.answers import Answer, Head
from rori_spiders.tiers.browser.egress import Allowance
from rori_spiders.tiers.browser.errors import of_net
from rori_spiders.tiers.browser.parts import Parts
from rori_spiders.tiers.browser.settling import settled
from rori_spiders.tiers.browser.watch import EMPTY_ERROR, MAX_REQUESTS, Watch
from rori_spiders.tiers.failures import BrowserFailed, RenderTimeout, TooLarge

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Any

    from scrapy import Request
    from scrapy.settings import BaseSettings

    from rori_spiders.job import Job
    from rori_spiders.tiers.browser.renderer import Renderer
    from rori_spiders.tiers.browser.running import Running

#: A page that does not close in this time has its browser killed.
_CLOSE_S = 5.0


class PageVisit:
    """``fetch`` once, and ``leave`` in any case. *name* is the context's."""

    def __init__(
        self,
        running: Running,
        name: str,
        request: Request,
        *,
        selector: str | None,
        settings: BaseSettings,
        job: Job,
    ) -> None:
        self._running = running
        self._egress = running.egress(name)
        self._name = name
        self._url = request.url
        self._selector = selector
        self._seconds = settings.getfloat("RORI_BROWSER_TIMEOUT")
        self._max_bytes = settings.getint("RORI_MAX_BYTES")
        most = max(self._max_bytes, settings.getint("RORI_MAX_PDF_BYTES"))
        self._watch = Watch(
            self._url,
            parts=Parts(job),
            headers=_own(request),
            max_bytes=most,
            on_sent=request.meta.get("on_sent"),
        )
        self._allowance = Allowance(2 * MAX_REQUESTS, 2 * most, self._exceeds)
        self._renderer: Renderer | None = None

    @property
    def latency(self) -> float | None:
        """Seconds from the request for the page to its head: rendering is no fault of the server."""
        sent, came = self._watch.sent_at, self._watch.headers_at
        return came - sent if sent is not None and came is not None else None

    @property
    def peer(self) -> str | None:
        """The address that the page came from."""
        return self._allowance.peers.get(_peer(self._url))

    async def fetch(self) -> Answer:
        """Raises Scrapy's download errors, AddressNotPublic, and those of ``tiers.failures``."""
        self._renderer = await self._running.take(self._watch)
        self._egress.allowance = self._allowance
        try:
            return await self._in_time(self._page(self._renderer))
        except TimeoutError as error:
            if self._watch.head is None:
                raise DownloadTimeoutError(f"no answer within {self._seconds:.0f} s") from error
            raise RenderTimeout(f"not ready within {self._seconds:.0f} s") from error
        except PlaywrightError as error:
            raise self._why(error.message) from error

    async def leave(self, *, context_too: bool) -> None:
        """Close the page and whatever it opened; kill a browser that does not obey."""
        self._watch.forget()
        self._egress.cut()
        renderer = self._renderer
        if renderer is None:
            return
        try:
            async with asyncio.timeout(_CLOSE_S):
                await renderer.close_pages(self._name)
                if context_too:
                    await renderer.close_context(self._name)
        except TimeoutError:
            self._running.kill(renderer)
        finally:
            self._running.give_back(self._watch)

    async def _in_time(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        """The result of *work* within the page's own time. Raises TimeoutError."""
        until = self._watch.clock() + self._seconds
        task = asyncio.ensure_future(self._unless_ended(work))
        try:
            while not task.done():
                left = until - self._watch.clock()
                if left <= 0:
                    raise TimeoutError
                await asyncio.wait({task}, timeout=left)
            return task.result()
        finally:
            task.cancel()
            await asyncio.wait({task}, timeout=_CLOSE_S)

    async def _unless_ended(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        """The result of *work*, or the end that the watch knows of before."""
        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait({task, self._watch.ended}, return_when=asyncio.FIRST_COMPLETED)
            return self._watch.ended.result() if self._watch.ended.done() else task.result()
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await asyncio.wait({task}, timeout=1)
                task.exception()  # asked for: whatever it is, the end is known

    async def _page(self, renderer: Renderer) -> Answer:
        watch = self._watch
        try:
            await renderer.open(watch, self._name, await self._egress.open())
        except PlaywrightError as error:
            if watch.head is not None and EMPTY_ERROR in error.message:
                return Answer(watch.head, b"", self._url)  # an error with no word in it
            if watch.head is None or "navigating" not in error.message:  # it loads itself again: waited for below
                raise
        if watch.page is None or watch.head is None:
            raise BrowserFailed("no document came")
        if watch.head.status == 206:
            raise ResponseDataLossError("HTTP 206: a part of it")
        opened = watch.page.url
        html = await settled(watch, self._selector, self._max_bytes)
        return self._at_end(opened, watch.page.url, watch.head, html)

    def _at_end(self, opened: str, url: str, head: Head, html: str) -> Answer:
        """Scripts may have given the page another address without asking for it: another path is another page."""
        was, now = urlsplit(opened), urlsplit(url)
        if (was.scheme, was.netloc) != (now.scheme, now.netloc):
            raise BrowserFailed(f"the page put {url[:200]} in its place")
        if was.path != now.path:
            return Answer(Head(302, [("Location", urldefrag(url).url)]), b"", self._url)
        body = html.encode("utf-8", "replace")  # half a surrogate pair is no character
        if len(body) > self._max_bytes:
            raise TooLarge(f"rendered, it has more than {self._max_bytes} bytes")
        return Answer(head, body, urldefrag(url).url, is_rendered=True)

    def _exceeds(self, what: str) -> None:
        self._watch.fail(TooLarge(f"the page {what}"))

    def _why(self, message: str) -> Exception:
        """Where the way out failed, it knows better than Chromium why."""
        failed = self._allowance.failures.get(_peer(self._url))
        return failed if failed is not None and self._watch.head is None else of_net(message)


def _own(request: Request) -> dict[str, str]:
    """The headers that the source gives its requests: for the page itself, not for what it loads."""
    given = request.headers.to_unicode_dict()
    return {name: given[name] for name in request.meta.get("own_headers", ()) if name in given}


def _peer(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
