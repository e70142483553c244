"""Render one page: from opening it until its selector is there, or nothing has changed for a while."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from html import escape
from http import HTTPStatus
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urldefrag, urlsplit

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout
from scrapy.exceptions import DownloadTimeoutError, ResponseDataLossError

from rori_spiders.content.encoding import browser_label
from rori_spiders.content.html.links import rest_route
from rori_spiders.content.html.page_states import keep_replaced_text
from rori_spiders.crawl.page_request import has_page_request, page_request
from rori_spiders.crawl.tiers.browser.composed_tree import COMPOSED_HTML, LOADING_MARK, LOOKS_LIKE
from rori_spiders.crawl.tiers.browser.egress_proxy import Allowance
from rori_spiders.crawl.tiers.browser.interactions import (
    MARK_DIALOGS,
    SCROLL_ON,
    STEPS_SHARE,
    VIRTUAL_ROWS,
    describe_file,
    take_steps,
)
from rori_spiders.crawl.tiers.browser.overlays import HIDE_PROMPTS, View
from rori_spiders.crawl.tiers.browser.page_watch import (
    EMPTY_ERROR,
    MAX_REQUESTS,
    UTF8_HTML,
    BrowserResult,
    DocumentHead,
    PageWatch,
    ReceivedFile,
    translate_net_error,
)
from rori_spiders.crawl.tiers.browser.screenshot import take_screenshot
from rori_spiders.crawl.tiers.browser.subresources import SubresourceQueue
from rori_spiders.crawl.tiers.errors import BrowserFailed, RenderTimeout, TooLarge
from rori_spiders.exceptions import ConversionError
from rori_spiders.items import PageStep
from rori_spiders.verdicts import judge
from rori_spiders.verdicts.rule import WITHIN

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from scrapy import Request
    from scrapy.settings import BaseSettings

    from rori_spiders.crawl.job.job import Job
    from rori_spiders.crawl.tiers.browser.browser_process import BrowserManager, Renderer
    from rori_spiders.manifest.models import Interaction


#: Of the time that a page has, the share after which its steps are left as they are: what was seen before is read.
_STEPS_END_SHARE = 0.85
#: A page that does not close in this time has its browser killed.
_CLOSE_S = 5.0


class PageVisit:
    """``fetch`` once, and ``leave`` in any case. *name* is the context's."""

    def __init__(
        self,
        running: BrowserManager,
        name: str,
        request: Request,
        *,
        selector: str | None,
        settings: BaseSettings,
        job: Job,
        patience: Patience | None,
        interactions: Sequence[Interaction] = (),
        wants_screenshot: bool = False,
    ) -> None:
        self._interactions = interactions
        self._wants_screenshot = wants_screenshot
        self._steps: list[PageStep] = []
        #: How long a page of this application is waited for; as learnt of this one when it has ended.
        self.patience = patience or Patience()
        self._running = running
        self._workers = job.workers
        state = running.state_of(name)
        self._egress = state.egress
        self._name = name
        self._url = request.url
        self._selector = selector
        self._seconds = settings.getfloat("RORI_BROWSER_TIMEOUT")
        self._max_bytes = settings.getint("RORI_MAX_BYTES")
        most = max(self._max_bytes, settings.getint("RORI_MAX_PDF_BYTES"))
        self._watch = PageWatch(
            self._url,
            parts=SubresourceQueue(job, self._url, running.gates, state.cache),
            headers=_source_headers(request),
            max_bytes=most,
            charset=_charset_of(request),
            on_sent=request.meta.get("on_sent"),
        )
        self._allowance = Allowance(2 * MAX_REQUESTS, 2 * most, self._exceeds)
        self._renderer: Renderer | None = None
        self._is_in_order = False
        self._began = 0.0

    @property
    def latency(self) -> float | None:
        """Seconds from the request for the page to its head: the server is not at fault for slow rendering."""
        sent, came = self._watch.sent_at, self._watch.headers_at
        return came - sent if sent is not None and came is not None else None

    @property
    def peer(self) -> str | None:
        """The address that the page came from."""
        return self._allowance.peers.get(_peer_address(self._url))

    async def fetch(self) -> BrowserResult:
        """Raises Scrapy's download errors, AddressNotPublic, and those of ``tiers.failures``."""
        self._renderer = await self._running.take(self._watch)
        self._egress.allowance = self._allowance
        self._began = monotonic()
        try:
            async with asyncio.timeout(self._seconds):
                result = await self._unless_ended(self._page(self._renderer))
        except TimeoutError as error:
            if self._watch.head is None:
                raise DownloadTimeoutError(f"no answer within {self._seconds:.0f} s") from error
            raise RenderTimeout(f"not ready within {self._seconds:.0f} s") from error
        except PlaywrightError as error:
            raise self._why(error.message) from error
        self._is_in_order = result.is_rendered
        return result if result.steps else replace(result, steps=tuple(self._steps))

    async def leave(self, *, context_too: bool) -> None:
        """Clear the page, and close what it opened; kill a browser that does not obey."""
        self._watch.forget()
        self._egress.cut()
        renderer = self._renderer
        if renderer is None:
            return
        try:
            async with asyncio.timeout(_CLOSE_S):
                await renderer.clear_pages(self._name, keep=self._is_in_order and not context_too)
                if context_too:
                    await renderer.close_context(self._name)
        except TimeoutError:
            self._running.kill(renderer)
        finally:
            self._running.give_back(self._watch)

    async def _unless_ended(self, work: Coroutine[Any, Any, BrowserResult]) -> BrowserResult:
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

    async def _page(self, renderer: Renderer) -> BrowserResult:
        watch = self._watch
        try:
            await renderer.open(watch, self._name, await self._egress.open())
        except PlaywrightError as error:
            if watch.head is not None and EMPTY_ERROR in error.message:
                return BrowserResult(watch.head, b"", self._url)  # an error with no word in it
            if watch.head is None or "navigating" not in error.message:  # it loads itself again: waited for below
                raise
        if watch.page is None or watch.head is None:
            raise BrowserFailed("the server sent no document")
        if watch.head.status == 206:
            raise ResponseDataLossError("HTTP 206: partial content")
        opened = watch.page.url
        settled = await wait_until_settled(watch, self._selector, self._max_bytes)
        settled, is_shell = await self._wait_for_text(watch, watch.head, settled)
        now = watch.page.url  # what a step makes of it is no other page
        settled, file = await self._interact(watch, watch.head, settled, is_shell=is_shell)
        if file is not None:
            return self._of_file(file)
        result = self._at_end(opened, now, watch.head, settled.html)
        return await self._as_read(watch, result, settled.view, is_shell=is_shell)

    async def _as_read(self, watch: PageWatch, result: BrowserResult, view: View, *, is_shell: bool) -> BrowserResult:
        """*result* with what is to be known of the page, and its picture where the source asks for one."""
        picture = None
        if self._wants_screenshot and result.is_rendered and watch.cdp is not None:
            picture, of_picture = await take_screenshot(watch.cdp)
            self._steps += of_picture
        if result.is_rendered and not is_shell and result.head.status < HTTPStatus.BAD_REQUEST:
            if rest := await self._rest_of(watch):
                self._steps.append(PageStep("see", "page", f"{rest}: not read"))
                link = f'<link rel="section" href="{escape(rest_route(result.url, rest))}">'
                result = replace(result, body=result.body.replace(b"</head>", link.encode() + b"</head>", 1))
            if view.is_drawn:
                drawn = f"{view.drawn:.0%} of the view; {view.shown} characters stand beside it"
                self._steps.append(PageStep("see", "canvas", drawn))
        removed = (PageStep("remove_overlay", one["target"], one["text"]) for one in view.removed)
        return replace(
            result,
            steps=(*removed, *self._steps),
            shown=view.shown,
            is_behind_prompt=is_shell and (view.is_behind_prompt or view.asks_for_consent),
            is_drawn=not is_shell and view.is_drawn,
            screenshot=picture,
        )

    async def _rest_of(self, watch: PageWatch) -> str:
        """By what the page shows that more comes when it is scrolled, of which nothing was read; '' for nothing."""
        observer = DocumentObserver(watch)
        if virtual := str(await observer.ask(VIRTUAL_ROWS) or ""):
            return virtual
        if not await observer.ask(_MAY_GROW, among_scripts=True):
            return ""
        watch.stays = True
        try:
            before = await observer.ask(SCROLL_ON)
            until = min(monotonic() + _GROW_S, self._began + STEPS_SHARE * self._seconds)
            while True:
                await wait_until_changed(watch, min(monotonic() + _GROW_LOOK_S, until))
                after = await observer.ask(SCROLL_ON)
                if isinstance(before, int) and isinstance(after, int) and after - before >= _LEAST_GROWN:
                    return "more comes when it is scrolled"
                is_to_come = watch.under_way or await _seconds_to_last_timer(observer, _GROW_S)
                if monotonic() >= until or not is_to_come:
                    return ""
        finally:
            watch.stays, watch.refused_step = False, ""

    def _of_file(self, file: ReceivedFile) -> BrowserResult:
        """The document as the page's answer: it has the page's own address. Raises TooLarge."""
        if file.error is not None:
            raise file.error
        return BrowserResult(file.head, file.body, self._url, steps=tuple(self._steps))

    async def _interact(
        self, watch: PageWatch, head: DocumentHead, settled: Settled, *, is_shell: bool
    ) -> tuple[Settled, ReceivedFile | None]:
        """The page after the steps that its source asks for, and the document that one of them brought.

        Or that is all that the page shows.
        """
        if is_shell and len({one.url for one in watch.files}) == 1:
            self._steps.append(PageStep("download", "page", describe_file(watch.files[-1])))
            return settled, watch.files[-1]
        if is_shell or not self._interactions or head.status >= HTTPStatus.BAD_REQUEST:
            return settled, None

        async def settle() -> None:
            nonlocal settled
            after = await wait_until_settled(watch, None, self._max_bytes)
            waits_until = min(monotonic() + self.patience.text_s, until)
            while after.loading and monotonic() < waits_until:
                await wait_until_changed(watch, waits_until)
                after = await wait_until_settled(watch, None, self._max_bytes)
            # Where a step has done something, timers of a page that had some before may be a carousel's.
            if after.view.shown == settled.view.shown or not settled.timers_s:
                after = await self._wait_for_timers(watch, after)
            if await ask(f"{MARK_DIALOGS}('step')"):
                after = await wait_until_settled(watch, None, self._max_bytes)
            settled = after._replace(html=await self._with_replaced_text(settled.html, after.html))

        removed = settled.view.removed
        until = self._began + STEPS_SHARE * self._seconds
        ask, file = DocumentObserver(watch).ask, None
        await ask(f"{MARK_DIALOGS}('page')")
        with suppress(TimeoutError):  # the step says so
            async with asyncio.timeout(self._began + _STEPS_END_SHARE * self._seconds - monotonic()):
                file = await take_steps(self._interactions, ask, settle, until=until, watch=watch, taken=self._steps)
        before, mark, rest = settled.html.partition("</head>")
        links = "".join(f'<link rel="section" href="{escape(url)}">' for url in dict.fromkeys(watch.led_to) if mark)
        view = replace(settled.view, prompts=removed or settled.view.prompts)
        return settled._replace(html=f"{before}{links}{mark}{rest}", view=view), file

    async def _with_replaced_text(self, before: str, after: str) -> str:
        """*after* with what a step replaced. Raises TooLarge."""
        size = len(before) + len(after)
        try:
            html = await self._workers.run(size, keep_replaced_text, before, after)
        except ConversionError as error:
            self._steps.append(PageStep("keep", "page", f"not compared with what it showed before: {error}"))
            return after
        if len(html.encode("utf-8", "replace")) > self._max_bytes:
            raise TooLarge(f"all that it showed has more than {self._max_bytes} bytes")
        return html

    async def _is_shell(self, head: DocumentHead, settled: Settled) -> bool:
        """Whether its scripts have written no text yet. What shows little is judged in a worker, as it will be."""
        view, html = settled.view, settled.html
        if head.status >= HTTPStatus.BAD_REQUEST or view.shown >= _ENOUGH_SHOWN:
            return False
        if view.is_behind_prompt:
            return True
        headers, body = {"Content-Type": UTF8_HTML}, html.encode("utf-8", "replace")
        judging = self._workers.run(len(body), judge, status=head.status, url=self._url, headers=headers, body=body)
        try:
            return (await judging).kind in _SHELLS
        except ConversionError:  # it will be said of the page itself
            return False

    async def _wait_for_text(self, watch: PageWatch, head: DocumentHead, settled: Settled) -> tuple[Settled, bool]:
        """The page when text has come, however long it had looked ready; at the latest when patience has an end.

        And whether none has come. So is a page that shows that a part of it is still to come.
        """
        is_shell = await self._is_shell(head, settled)
        if not is_shell and not settled.loading and head.status < HTTPStatus.BAD_REQUEST:
            settled = await self._wait_for_timers(watch, settled)
        if not is_shell and (not settled.loading or head.status >= HTTPStatus.BAD_REQUEST):
            return settled, is_shell
        since = monotonic()
        until = since + self.patience.text_s
        while (is_shell or settled.loading) and monotonic() < until:
            await wait_until_changed(watch, until)
            settled = await wait_until_settled(watch, None, self._max_bytes)
            is_shell = await self._is_shell(head, settled)
        waited_s = monotonic() - since
        if settled.loading:
            self._steps.append(PageStep("wait", settled.loading, f"still shown after {waited_s:.0f} s"))
        took_s = 0.0 if is_shell or settled.loading else waited_s
        self.patience = self.patience._replace(text_s=min(max(_SHORT_PATIENCE_S, 2 * took_s), MAX_PATIENCE_S))
        return settled, is_shell

    async def _wait_for_timers(self, watch: PageWatch, settled: Settled) -> Settled:
        """The page when the timers that its scripts have set were due, as far as they change what it shows."""
        since, came_s = monotonic(), 0.0
        until = since + self.patience.timers_s
        while settled.timers_s and (now := monotonic()) < until:
            if not await wait_until_changed(watch, min(until, now + settled.timers_s + _LOOK_S)):
                if await _seconds_to_last_timer(DocumentObserver(watch), most_s=0):
                    continue
                last = await wait_until_settled(watch, None, self._max_bytes)  # other words may be as many
                if last.html == settled.html and not came_s:
                    self.patience = self.patience._replace(timers_s=_SHORT_PATIENCE_S)
                return last
            came_s = monotonic() - since
            settled = await wait_until_settled(watch, None, self._max_bytes)
        return settled

    def _at_end(self, opened: str, url: str, head: DocumentHead, html: str) -> BrowserResult:
        """Scripts may have given the page another address without asking for it: another path is another page."""
        was, now = urlsplit(opened), urlsplit(url)
        if (was.scheme, was.netloc) != (now.scheme, now.netloc):
            raise BrowserFailed(f"the page navigated to {url[:200]}")
        if was.path != now.path:
            return BrowserResult(DocumentHead(302, [("Location", urldefrag(url).url)]), b"", self._url)
        body = html.encode("utf-8", "replace")  # half a surrogate pair is not a character
        if len(body) > self._max_bytes:
            raise TooLarge(f"the rendered page has more than {self._max_bytes} bytes")
        return BrowserResult(head, body, urldefrag(url).url, is_rendered=True)

    def _exceeds(self, what: str) -> None:
        self._watch.fail(TooLarge(f"the page {what}"))

    def _why(self, message: str) -> Exception:
        """Where the way out failed, it knows better than Chromium why."""
        failed = self._allowance.failures.get(_peer_address(self._url))
        return failed if failed is not None and self._watch.head is None else translate_net_error(message)


def _source_headers(request: Request) -> dict[str, str]:
    """The headers that the source gives its requests: for the page itself, not for what it loads."""
    headers = request.headers.to_unicode_dict()
    return {name: headers[name] for name in page_request(request).own_headers if name in headers}


def _charset_of(request: Request) -> str | None:
    """The charset that plain HTTP found, by the name that browsers know; None for none, and for one they do not know.

    A page that is asked of the browser first has none: its watch reads the bytes.
    """
    short = page_request(request).short_page if has_page_request(request) else None
    return None if short is None or short.charset is None else browser_label(short.charset)


def _peer_address(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


# When is a page ready? When its selector is there, or else when nothing has changed in it for a while.

#: Neither a change in the document nor a request for so long: it is ready.
QUIET_S = 0.75
#: A refusal that runs a script may let the browser in by itself: "allow up to 5 seconds", says Cloudflare's own page.
WALL_QUIET_S = 6.0
_WALLS = frozenset({403, 429, 503})
#: Clocks and polls never come to rest: a document that has arrived is not waited for longer.
SETTLE_S = 10.0
#: A selector that the source names is waited for longer: without it there is nothing to read.
SELECTOR_S = 30.0
_LOOK_S = 0.15
#: A page that is still a shell when it looks ready is looked at for so long: timers draw text after seconds without a
#: request. The next of its source for twice as long as its text took, or only shortly, when none came.
MAX_PATIENCE_S = 15.0
_SHORT_PATIENCE_S = 2.0
#: Timers that are due later do not draw what a reader came for, but ask for his opinion or sign him out. Of those of a
#: whole page, the next of its application are waited for only shortly, when they drew nothing.
MAX_TIMERS_S = 6.0
_SHELLS = frozenset({"js_shell", "empty", "redirect_stub"})
#: With more characters outside menus no rule of such a verdict counts (`verdicts.rule.WITHIN`): it is judged once, when
#: it is assessed.
_ENOUGH_SHOWN = WITHIN["medium"]
#: Whether scripts wait for the page to be scrolled: for something without text to come into view, or for any move.
_MAY_GROW = """document.scrollingElement?.scrollHeight > 1.1 * innerHeight && (window[Symbol.for('awaited')]?.()
  || [window, document].some(one => getEventListeners(one).scroll))"""
#: What a page grows by when it is scrolled begins within so long, and comes within that; as characters, a few rows.
_GROW_LOOK_S, _GROW_S = 0.5, 2.0
_LEAST_GROWN = 40
_SIZE = "document.documentElement ? document.documentElement.outerHTML.length : 0"


class Patience(NamedTuple):
    """Seconds that a page is waited for: while it has no text, and for the timers of one that has."""

    text_s: float = MAX_PATIENCE_S
    timers_s: float = MAX_TIMERS_S


class DocumentObserver:
    """Asks the page's document in a world of its own, where the page's scripts have changed nothing."""

    def __init__(self, watch: PageWatch) -> None:
        self._watch = watch
        self._world: int | None = None

    async def ask(self, expression: str, *, among_scripts: bool = False) -> Any:
        """The value of *expression*; None while the page is between two documents. Raises Playwright's errors.

        *among_scripts*: in the world of the page's own scripts, which may have changed what answers.
        """
        cdp = self._watch.cdp
        assert cdp is not None
        try:
            if self._world is None and not among_scripts:
                made = await cdp.send("Page.createIsolatedWorld", {"frameId": self._watch.frame_id})
                self._world = made["executionContextId"]
            world = {"includeCommandLineAPI": True} if among_scripts else {"contextId": self._world}
            answer = await cdp.send("Runtime.evaluate", {"expression": expression, **world})
        except PlaywrightError as error:
            self._world = None  # it went with its document
            if "navigated or closed" in error.message:  # of a closed one the watch hears, too
                return None
            if "context" in error.message.lower() and "closed" not in error.message:
                return None
            raise
        return answer["result"].get("value")


class Settled(NamedTuple):
    """A document that is ready, as HTML, and what it shows."""

    html: str
    view: View
    loading: str = ""  # by what it shows that a part of it is still to come
    timers_s: float = 0.0  # until the last timer is due that its scripts have set


async def wait_until_settled(watch: PageWatch, selector: str | None, max_bytes: int) -> Settled:
    """The document once it is ready, without its prompts for consent. The caller bounds the whole.

    Raises RenderTimeout for a selector that does not come, TooLarge, BrowserFailed, Playwright's errors.
    """
    assert watch.page is not None
    observer = DocumentObserver(watch)
    if selector:
        await _wait_for_selector(watch, selector)
    while True:  # the caller's time has an end, and so have the times that a page may load itself
        await _wait_until_quiet(watch, observer)
        size = await observer.ask(_SIZE)
        if isinstance(size, int) and size > max_bytes:
            raise TooLarge(f"the rendered page has more than {max_bytes} bytes")
        view = View.of(await observer.ask(HIDE_PROMPTS))
        loading = str(await observer.ask(LOADING_MARK) or "")
        timers_s = await _seconds_to_last_timer(observer)
        try:
            return Settled(await observer.ask(COMPOSED_HTML) or await watch.page.content(), view, loading, timers_s)
        except PlaywrightError as error:
            if "navigating" not in error.message:
                raise


async def wait_until_changed(watch: PageWatch, until: float) -> bool:
    """Until the document looks different, or it is *until*, on the monotonic clock; whether it does."""
    observer = DocumentObserver(watch)
    looked = await observer.ask(LOOKS_LIKE)
    while (is_same := await observer.ask(LOOKS_LIKE) == looked) and monotonic() < until:
        await asyncio.sleep(_LOOK_S)
    return not is_same


async def _seconds_to_last_timer(observer: DocumentObserver, most_s: float = MAX_TIMERS_S) -> float:
    """Until the last timer is due that may draw text, of those that are due within *most_s*; 0 for none.

    What a page's scripts have made of the answer is bounded.
    """
    answer = await observer.ask(f"window[Symbol.for('timers')]?.({1000 * most_s:.0f})", among_scripts=True)
    return min(answer / 1000, MAX_TIMERS_S) if isinstance(answer, int | float) and answer > 0 else 0.0


async def _wait_for_selector(watch: PageWatch, selector: str) -> None:
    assert watch.page is not None
    try:
        await watch.page.wait_for_selector(f"css={selector}", state="attached", timeout=SELECTOR_S * 1000)
    except PlaywrightTimeout as error:
        raise RenderTimeout(f"no element matched {selector!r} within {SELECTOR_S:.0f} s") from error
    except PlaywrightError as error:
        if "while parsing" in error.message:
            raise BrowserFailed(f"wait_for_selector: {selector!r} is not a valid CSS selector") from error
        raise


async def _wait_until_quiet(watch: PageWatch, observer: DocumentObserver) -> None:
    """Until the document has arrived, and then until it is quiet, or for SETTLE_S."""
    looked, since, until = None, monotonic(), 0.0
    while True:
        looks = await observer.ask(LOOKS_LIKE)
        now = monotonic()
        if looks is None or looks != looked or watch.under_way:
            looked, since = looks, now
        has_arrived = looks is not None and not str(looks).startswith("loading")
        if has_arrived:
            until = until or now + SETTLE_S
        if has_arrived and (now - since >= await _quiet_period(watch, observer) or now >= until):
            return
        await asyncio.sleep(_LOOK_S)


async def _quiet_period(watch: PageWatch, observer: DocumentObserver) -> float:
    is_wall = watch.head is not None and watch.head.status in _WALLS
    return WALL_QUIET_S if is_wall and await observer.ask("document.scripts.length") else QUIET_S
