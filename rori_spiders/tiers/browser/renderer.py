"""scrapy-playwright as we use it: our Chromium, our way out, no retries of its own, no page that is not watched."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError
from scrapy import Request
from scrapy_playwright.handler import Config, ScrapyPlaywrightDownloadHandler  # type: ignore[import-untyped]
from scrapy_playwright.provider import PlaywrightBrowserProvider  # type: ignore[import-untyped]

from rori_spiders.tiers.browser.chromium import Tree, arguments, environment
from rori_spiders.tiers.failures import BrowserFailed

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, BrowserType, Page
    from scrapy.crawler import Crawler

    from rori_spiders.tiers.browser.watch import Watch

logger = logging.getLogger(__name__)

LAUNCH_S = 60.0


class _Provider(PlaywrightBrowserProvider):  # type: ignore[misc]
    """Chromium in its sandbox, where the machine has one."""

    async def launch_browser(self) -> Browser:
        options = self.config.launch_options
        browser, has_sandbox = await launch(self.browser_type, options)
        if options["chromium_sandbox"] and not has_sandbox:
            logger.warning("Chromium finds no sandbox on this machine, and runs without")
        return browser


async def launch(launcher: BrowserType, options: dict[str, Any]) -> tuple[Browser, bool]:
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
        "args": arguments(user_agent),
        "env": environment(),
        "chromium_sandbox": not is_root,  # it has none for root
        "handle_sigint": False,
        "handle_sigterm": False,
        "handle_sighup": False,
        "timeout": LAUNCH_S * 1000,
    }


class Renderer(ScrapyPlaywrightDownloadHandler):  # type: ignore[misc]
    """One Chromium, from its launch to its end."""

    tree: Tree | None = None

    def __init__(self, crawler: Crawler, options: dict[str, Any]) -> None:
        super().__init__(crawler)
        logging.getLogger("scrapy-playwright").setLevel(logging.ERROR)  # failures are told once, by us
        self.config: Config = replace(
            Config.from_settings(crawler.settings),
            cdp_url=None,
            connect_url=None,
            browser_type_name="chromium",
            launch_options=options,
            startup_context_kwargs={},
            max_contexts=None,
            download_timeout_secs=1,
            target_closed_max_retries=0,  # it would ask the server again at once
        )
        self.browser_provider_cls = _Provider
        self.process_request_headers = None
        self.abort_request = lambda _: True  # what Watch does not answer does not leave

    async def start(self) -> str:
        """Launch it; returns its version. Raises Playwright's errors."""
        await self._launch()
        await self._maybe_launch_browser()
        session = await self.browser.new_browser_cdp_session()
        processes = (await session.send("SystemInfo.getProcessInfo"))["processInfo"]
        self.tree = Tree.of(next(int(one["id"]) for one in processes if one["type"] == "browser"))
        await session.detach()
        return str(self.browser.version)

    @property
    def is_alive(self) -> bool:
        return hasattr(self, "browser") and self.browser.is_connected()

    async def open(self, watch: Watch, context: str, proxy: str) -> None:
        """Open ``watch.url`` in a new page of *context*, until its document's head is here.

        Raises Playwright's errors. The page is left to the caller, in ``watch.page``.
        """

        async def begin(page: Page, _: Request) -> None:
            try:
                await self._guard(page.context)
                await watch.begin(page)
            except Exception as error:  # whatever it is: an unwatched page asks for nothing, and says why
                watch.fail(BrowserFailed(f"it could not be watched: {error}"))
                raise

        asked = Request(
            watch.url,
            meta={
                "playwright": True,
                "playwright_context": context,
                "playwright_context_kwargs": {
                    "accept_downloads": False,
                    "service_workers": "block",
                    "locale": "en-US",
                    "timezone_id": "UTC",  # the same page reads the same on every machine
                    "proxy": {"server": proxy},
                },
                "playwright_include_page": True,
                "playwright_page_init_callback": begin,
                "playwright_page_goto_kwargs": {"wait_until": "commit", "timeout": 0},
            },
        )
        await self.download_request(asked)

    async def _guard(self, context: BrowserContext) -> None:
        """Pages that nobody watches, pop-ups above all, ask for nothing."""
        await context.unroute("**")
        await context.route("**", lambda route: route.abort("blockedbyclient"))
        await context.grant_permissions([])  # all others are denied

    async def close_context(self, name: str) -> None:
        wrapper = self.context_wrappers.get(name)
        if wrapper is not None:
            with suppress(PlaywrightError):  # it went with its browser
                await wrapper.context.close()

    async def close_pages(self, name: str) -> None:
        """Close every page of *context*, its pop-ups too."""
        wrapper = self.context_wrappers.get(name)
        for page in list(wrapper.context.pages) if wrapper is not None else ():
            with suppress(PlaywrightError):  # it has crashed, or closed itself
                await page.close()
