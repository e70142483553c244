"""The one Chromium of a job: launched when needed, replaced when worn or dead, ended with all its processes.

Worn: after PAGES pages, or when it holds more than half of what it may. Above what it may hold at all, its largest
page is killed.
"""

from __future__ import annotations

import asyncio
import logging
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError

from rori_spiders.tiers.browser.egress import Egress
from rori_spiders.tiers.browser.lookup import passed_addresses
from rori_spiders.tiers.browser.renderer import Renderer, launch_options
from rori_spiders.tiers.failures import BrowserFailed

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from rori_spiders.tiers.browser.watch import Watch

logger = logging.getLogger(__name__)

#: Playwright's own objects grow with every page, and a fresh Chromium costs 2 s.
PAGES = 60
#: What ends in order ends sooner; what does not is killed.
END_S = 5.0
_LOOK_S = 0.5
#: What was killed has given its memory back by then.
_FREED_S = 2.0
_MIB = 2**20


class Running:
    """Hands out the browser; several pages may use it at once."""

    def __init__(self, crawler: Crawler, program: str) -> None:
        self._crawler = crawler
        self._program = program
        self._most = crawler.settings.getint("RORI_BROWSER_MEMORY") * _MIB
        self._egresses: dict[str, Egress] = {}
        self.watches: set[Watch] = set()
        self.version = ""
        self._renderer: Renderer | None = None
        self._pages = 0
        self._is_worn = False
        self._launching: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()
        self._unused = asyncio.Event()
        self._unused.set()

    def egress(self, context: str) -> Egress:
        """The way out of *context*, which no other has."""
        return self._egresses.setdefault(context, Egress(passed_addresses))

    async def take(self, watch: Watch) -> Renderer:
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

    def give_back(self, watch: Watch) -> None:
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
        if context in self._egresses:
            self._egresses.pop(context).close()

    def kill(self, renderer: Renderer) -> None:
        """End a browser that does not obey; its other pages go with it."""
        logger.info("Chromium does not close a page, and is ended")
        if renderer is self._renderer:
            self._is_worn = True
        if renderer.tree is not None:
            renderer.tree.kill()

    async def rest(self) -> None:
        """End the browser, unless somebody uses it; whoever needs one launches it anew."""
        async with self._turn:
            if not self.watches:
                await self._end()

    async def close(self) -> None:
        if self._launching is not None:
            with suppress(BrowserFailed):
                await self._launching
        await self._end()
        for egress in self._egresses.values():
            egress.close()

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
            await _ended(renderer)
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
                    watch.why_crashed = f"killed: its browser took more than {self._most // _MIB} MiB of memory"
                renderer.tree.kill_largest()
                await asyncio.sleep(_FREED_S)

    async def _end(self) -> None:
        renderer, self._renderer = self._renderer, None
        if self._looking is not None:
            self._looking.cancel()
        if renderer is not None:
            await _ended(renderer)


async def _ended(renderer: Renderer) -> None:
    tree = renderer.tree
    try:
        async with asyncio.timeout(END_S):
            await renderer.close()
    except (PlaywrightError, TimeoutError, OSError):
        if tree is not None:
            tree.kill_driver()
    if tree is not None:
        tree.kill()
