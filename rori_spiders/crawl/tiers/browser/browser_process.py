"""The one Chromium of a job: launched when needed, replaced when worn or dead, ended with all its processes.

Worn: after PAGES pages, or when it holds more than half of what it may. Above what it may hold at all, its largest
page is killed.
"""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import playwright
from playwright.async_api import Browser, BrowserContext, BrowserType, CDPSession, Page, async_playwright
from playwright.async_api import Error as PlaywrightError
from scrapy.exceptions import DownloadFailedError
from scrapy_playwright.handler import Config, ScrapyPlaywrightDownloadHandler  # type: ignore[import-untyped]
from scrapy_playwright.provider import PlaywrightBrowserProvider  # type: ignore[import-untyped]

from rori_spiders.crawl.tiers.browser.chromium import ProcessTree, chromium_arguments, chromium_environment
from rori_spiders.crawl.tiers.browser.composed_tree import NOTE_TIMERS
from rori_spiders.crawl.tiers.browser.egress_proxy import EgressProxy, resolve_public_addresses
from rori_spiders.crawl.tiers.browser.subresources import FileCache
from rori_spiders.crawl.tiers.errors import BrowserFailed

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from rori_spiders.crawl.tiers.browser.page_watch import PageWatch

logger = logging.getLogger(__name__)


#: Playwright's own objects grow with every page, and a fresh Chromium costs 2 s.
PAGES = 60
#: What ends in order ends sooner; what does not is killed.
END_S = 5.0
_LOOK_S = 0.5
#: What was killed has given its memory back by then.
_FREED_S = 2.0
_MIB = 2**20
_NODE_S = 30.0


class ContextState(NamedTuple):
    """What outlives a context, and the browser: a run's way out, and the scripts and style sheets of its site."""

    egress: EgressProxy
    cache: FileCache


class BrowserManager:
    """Hands out the browser; several pages may use it at once."""

    def __init__(self, crawler: Crawler, program: str) -> None:
        self._crawler = crawler
        self._program = program
        self._most = crawler.settings.getint("RORI_BROWSER_MEMORY") * _MIB
        self._states: dict[str, ContextState] = {}
        self.gates: dict[str, asyncio.Semaphore] = {}
        self.watches: set[PageWatch] = set()
        self.version = ""
        self._renderer: Renderer | None = None
        self._pages = 0
        self._is_worn = False
        self._launching: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()
        self._unused = asyncio.Event()
        self._unused.set()

    def state_of(self, context: str) -> ContextState:
        """What *context* has that no other has, until it is forgotten."""
        if context not in self._states:
            self._states[context] = ContextState(EgressProxy(resolve_public_addresses), FileCache())
        return self._states[context]

    async def take(self, watch: PageWatch) -> Renderer:
        """The browser for the page of *watch*; to be given back. Raises BrowserFailed when it cannot be launched."""
        async with self._turn:
            if self._renderer is not None and (self._is_worn or not self._renderer.is_alive):
                await self._unused.wait()
                await asyncio.shield(self._end())
            if self._renderer is None:
                await self._launched()
            assert self._renderer is not None
            self.watches.add(watch)
            self._unused.clear()
            return self._renderer

    def give_back(self, watch: PageWatch) -> None:
        self.watches.discard(watch)
        self._pages += 1
        tree = self._renderer.tree if self._renderer is not None else None
        if self._pages >= PAGES or (tree is not None and tree.memory() > self._most / 2):
            self._is_worn = True
        if not self.watches:
            self._unused.set()

    async def forget(self, context: str) -> None:
        """Close *context*: its source has no more pages."""
        if self._renderer is not None:
            await self._renderer.close_context(context)
        if context in self._states:
            self._states.pop(context).egress.close()

    def kill(self, renderer: Renderer) -> None:
        """End a browser that does not obey; its other pages go with it, through no fault of theirs."""
        logger.info("Chromium did not close a page and was killed")
        for watch in self.watches:
            watch.fail(DownloadFailedError("Chromium was killed because it did not close another page"))
        if renderer is self._renderer:
            self._is_worn = True
        if renderer.tree is not None:
            renderer.tree.kill()

    async def rest(self) -> None:
        """End the browser, unless it is in use; the next page launches it again."""
        async with self._turn:
            if not self.watches:
                await self._end()

    async def close(self) -> None:
        if self._launching is not None:
            with suppress(BrowserFailed):
                await self._launching
        await self._end()
        for state in self._states.values():
            state.egress.close()

    async def _launched(self) -> None:
        """A launch that nobody waits for any more is finished all the same: half a browser could not be ended."""
        if self._launching is None:
            self._launching = asyncio.ensure_future(self._launch())
        try:
            await asyncio.shield(self._launching)
        finally:
            if self._launching.done():
                self._launching = None

    async def _launch(self) -> None:
        agent = self._crawler.settings["USER_AGENT"]
        options = launch_options(self._program, agent, is_root=os.geteuid() == 0)
        renderer = Renderer(self._crawler, options)
        try:
            self.version = f"chromium/{await renderer.start()}"
        except (PlaywrightError, OSError) as error:
            await _end_renderer(renderer)
            raise BrowserFailed(f"{self._program} does not start: {str(error).partition(chr(10))[0]}") from error
        self._renderer, self._pages, self._is_worn = renderer, 0, False
        self._looking = asyncio.ensure_future(self._bound(renderer))

    async def _bound(self, renderer: Renderer) -> None:
        """Look after the memory of the browser's processes for as long as it lives."""
        assert renderer.tree is not None
        while renderer.is_alive:
            await asyncio.sleep(_LOOK_S)
            if self.watches and renderer.tree.memory() > self._most:
                for watch in self.watches:
                    watch.why_crashed = f"killed: the browser used more than {self._most // _MIB} MiB of memory"
                renderer.tree.kill_largest()
                await asyncio.sleep(_FREED_S)

    async def _end(self) -> None:
        renderer, self._renderer = self._renderer, None
        if self._looking is not None:
            self._looking.cancel()
        if renderer is not None:
            await _end_renderer(renderer)


async def _end_renderer(renderer: Renderer) -> None:
    """In order where it obeys. Else Chromium is killed first: the driver sees it end, and tidies up after it."""
    tree = renderer.tree
    try:
        async with asyncio.timeout(END_S):
            await renderer.close()
    except (PlaywrightError, TimeoutError, OSError):
        if tree is not None:
            tree.kill()
            try:
                async with asyncio.timeout(END_S):
                    await renderer.browser_provider.close()
            except (PlaywrightError, TimeoutError, OSError):
                tree.kill_driver()
    if tree is not None:
        tree.kill()
        await asyncio.to_thread(tree.remove_folders)


# scrapy-playwright as we use it: our Chromium, our way out, no retries of its own, no page that is not watched.


LAUNCH_S = 60.0


class _ChromiumProvider(PlaywrightBrowserProvider):  # type: ignore[misc]
    """Chromium in its sandbox, where the machine has one."""

    async def launch_browser(self) -> Browser:
        options = self.config.launch_options
        browser, has_sandbox = await launch_chromium(self.browser_type, options)
        if options["chromium_sandbox"] and not has_sandbox:
            logger.warning("Chromium runs without a sandbox, because this machine provides none")
        return browser


async def launch_chromium(launcher: BrowserType, options: dict[str, Any]) -> tuple[Browser, bool]:
    """The browser, and whether it has its sandbox: where the machine has none for it, it is launched without."""
    try:
        return await launcher.launch(**options), bool(options["chromium_sandbox"])
    except PlaywrightError as error:
        if not options["chromium_sandbox"] or "sandbox" not in error.message:
            raise
        return await launcher.launch(**{**options, "chromium_sandbox": False}), False


def launch_options(program: str, user_agent: str, *, is_root: bool) -> dict[str, Any]:
    """For ``BrowserType.launch``. A stop is ours to make: Chromium does not see Ctrl-C."""
    return {
        "executable_path": program,
        "headless": True,
        "args": chromium_arguments(user_agent),
        "env": chromium_environment(),
        "chromium_sandbox": not is_root,  # it has none for root
        "handle_sigint": False,
        "handle_sigterm": False,
        "handle_sighup": False,
        "timeout": LAUNCH_S * 1000,
    }


class Renderer(ScrapyPlaywrightDownloadHandler):  # type: ignore[misc]
    """One Chromium, from its launch to its end."""

    tree: ProcessTree | None = None

    def __init__(self, crawler: Crawler, options: dict[str, Any]) -> None:
        super().__init__(crawler)
        logging.getLogger("scrapy-playwright").setLevel(logging.ERROR)  # we report failures, once
        self.config: Config = replace(
            Config.from_settings(crawler.settings),
            cdp_url=None,
            connect_url=None,
            browser_type_name="chromium",
            launch_options=options,
            startup_context_kwargs={},
            max_contexts=None,
        )
        self.browser_provider_cls = _ChromiumProvider
        self._watches: dict[str, PageWatch] = {}  # by context: one page each
        self._pages: dict[str, tuple[Page, CDPSession]] = {}
        self._lookups: set[asyncio.Task[None]] = set()

    async def start(self) -> str:
        """Launch it; returns its version. Raises Playwright's errors."""
        await self._launch()
        await self._maybe_launch_browser()
        self._session = await self.browser.new_browser_cdp_session()
        processes = (await self._session.send("SystemInfo.getProcessInfo"))["processInfo"]
        self.tree = ProcessTree.of(next(int(one["id"]) for one in processes if one["type"] == "browser"))
        self._session.on("Fetch.requestPaused", self._paused)
        await self._session.send(
            "Fetch.enable", {"patterns": [{"requestStage": "Request"}, {"requestStage": "Response"}]}
        )
        return str(self.browser.version)

    @property
    def is_alive(self) -> bool:
        return hasattr(self, "browser") and self.browser.is_connected()

    async def open(self, watch: PageWatch, context: str, proxy: str) -> None:
        """Open ``watch.url`` in the page of *context*, until its document's head is here.

        Raises BrowserFailed and Playwright's errors. The page is left to the caller, in ``watch.page``.
        """
        wrapper = self.context_wrappers.get(context) or await self._create_browser_context(
            context,
            {
                "accept_downloads": False,
                "permissions": [],  # all are denied
                "service_workers": "block",
                "locale": "en-US",
                "timezone_id": "UTC",  # the same page reads the same on every machine
                "proxy": {"server": proxy},
            },
        )
        try:
            page, session = self._pages.get(context) or await self._new_page(wrapper.context)
            self._pages[context] = page, session
            await watch.begin(page, session, self._session)
        except PlaywrightError as error:
            raise BrowserFailed(f"its requests could not be monitored: {error.message}") from error
        self._watches[context] = watch
        await page.goto(watch.url, wait_until="commit", timeout=0)

    async def _new_page(self, context: BrowserContext) -> tuple[Page, CDPSession]:
        """A page, and the session that says when its requests end. Nothing is cached but by us: FileCache."""
        page = await context.new_page()
        await page.add_init_script(NOTE_TIMERS)
        session = await context.new_cdp_session(page)
        await session.send("Network.enable", {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0})
        await session.send("Network.setCacheDisabled", {"cacheDisabled": True})
        return page, session

    def _paused(self, event: dict[str, Any]) -> None:
        """Whatever asks for something waits here: a page, a frame in it, a worker, a window that it opened."""
        frame = event["frameId"]
        watch = next((one for one in self._watches.values() if frame in one.frames), None)
        if watch is not None:
            watch.pauses(event)
            return
        task = asyncio.ensure_future(self._paused_elsewhere(event))
        self._lookups.add(task)
        task.add_done_callback(self._lookups.discard)

    async def _paused_elsewhere(self, event: dict[str, Any]) -> None:
        """A frame that is new; all others (windows, shared workers, what is rendered in advance) ask for nothing."""
        for watch in tuple(self._watches.values()):
            if event["frameId"] in await watch.find_frames():
                watch.pauses(event)
                return
        with suppress(PlaywrightError):  # it is gone
            if (opener := await self._opener_of(event["frameId"])) is not None:
                opener.opens_window(event)
            refusal = {"requestId": event["requestId"], "errorReason": "BlockedByClient"}
            await self._session.send("Fetch.failRequest", refusal)

    async def _opener_of(self, frame: str) -> PageWatch | None:
        """The watch of the page that opened the window with this frame, if any did."""
        if not any(watch.takes_windows for watch in self._watches.values()):
            return None
        targets = (await self._session.send("Target.getTargets"))["targetInfos"]
        opener = next((one.get("openerId") for one in targets if one["targetId"] == frame), None)
        return next((watch for watch in self._watches.values() if watch.frame_id == opener), None)

    async def close_context(self, name: str) -> None:
        self._pages.pop(name, None)
        wrapper = self.context_wrappers.get(name)
        if wrapper is not None:
            with suppress(PlaywrightError):  # it went with its browser
                await wrapper.context.close()

    async def clear_pages(self, name: str, *, keep: bool) -> None:
        """Close every page of *context*, its pop-ups too; *keep*: but for its own, which is left blank for the next.

        A new process for each page, and its scripts compiled anew, cost more CPU than many a page.
        """
        self._watches.pop(name, None)
        wrapper, own = self.context_wrappers.get(name), self._pages.get(name)
        if not keep:
            self._pages.pop(name, None)
        for page in list(wrapper.context.pages) if wrapper is not None else ():
            with suppress(PlaywrightError):  # it has crashed, or closed itself
                await (page.goto("about:blank") if keep and own is not None and page is own[0] else page.close())


# A launch that asks nobody anything: does Chromium start on this machine?


class LaunchResult(NamedTuple):
    """A Chromium that started: its version, and whether it had its sandbox."""

    version: str
    has_sandbox: bool


def _find_node_problem() -> str:
    """What Playwright's Node says when it is started; the last line, empty where it starts."""
    node = os.environ.get("PLAYWRIGHT_NODEJS_PATH") or Path(playwright.__file__).parent / "driver" / "node"
    done = subprocess.run([node, "--version"], capture_output=True, text=True, check=False, timeout=_NODE_S)  # noqa: S603
    return done.stderr.strip().rpartition("\n")[2] if done.returncode else ""


async def try_launch(program: str, settings: BaseSettings) -> LaunchResult:
    """Launch *program* as a crawl does, ask its version, end it. Raises BrowserFailed."""
    options = launch_options(program, settings["USER_AGENT"], is_root=os.geteuid() == 0)
    try:
        async with async_playwright() as driver:
            browser, has_sandbox = await launch_chromium(driver.chromium, options)
            found = browser.version
            await browser.close()
    except (PlaywrightError, OSError) as error:
        raise BrowserFailed(f"{program} does not start: {str(error).partition(chr(10))[0]}") from error
    except Exception as error:
        if type(error) is not Exception:
            raise
        # Playwright raises no other when its Node ends before it answers.
        raise BrowserFailed(f"Playwright's own Node does not start: {_find_node_problem() or error}") from error
    return LaunchResult(found, has_sandbox)
