"""When is a page ready? When its selector is there, or else when nothing has changed in it for a while."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from rori_spiders.tiers.failures import BrowserFailed, RenderTimeout, TooLarge

if TYPE_CHECKING:
    from rori_spiders.tiers.browser.watch import Watch

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
_LOOKS_LIKE = (
    "document.readyState + ' ' + document.getElementsByTagName('*').length + ' '"
    " + (document.documentElement ? document.documentElement.textContent.length : 0)"
)
_SIZE = "document.documentElement ? document.documentElement.outerHTML.length : 0"


class Observer:
    """Asks the page's document in a world of its own, where the page's scripts have changed nothing."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._world: int | None = None

    async def ask(self, expression: str) -> Any:
        """The value of *expression*; None while the page is between two documents. Raises Playwright's errors."""
        cdp = self._watch.cdp
        assert cdp is not None
        try:
            if self._world is None:
                made = await cdp.send("Page.createIsolatedWorld", {"frameId": self._watch.frame_id})
                self._world = made["executionContextId"]
            answer = await cdp.send("Runtime.evaluate", {"expression": expression, "contextId": self._world})
        except PlaywrightError as error:
            self._world = None  # it went with its document
            if "context" in error.message.lower() and "closed" not in error.message:
                return None
            raise
        return answer["result"].get("value")


async def settled(watch: Watch, selector: str | None, max_bytes: int) -> str:
    """The document's HTML once it is ready. The caller bounds the whole.

    Raises RenderTimeout for a selector that does not come, TooLarge, BrowserFailed, Playwright's errors.
    """
    assert watch.page is not None
    observer = Observer(watch)
    if selector:
        await _selected(watch, selector)
    while True:  # the caller's time has an end, and so have the times that a page may load itself
        await _quiet(watch, observer)
        size = await observer.ask(_SIZE)
        if isinstance(size, int) and size > max_bytes:
            raise TooLarge(f"rendered, it has more than {max_bytes} bytes")
        try:
            return await watch.page.content()
        except PlaywrightError as error:
            if "navigating" not in error.message:
                raise


async def _selected(watch: Watch, selector: str) -> None:
    assert watch.page is not None
    until = watch.clock() + SELECTOR_S
    try:
        while (left := until - watch.clock()) > 0:
            with suppress(PlaywrightTimeout):  # the page's clock may have stood meanwhile
                await watch.page.wait_for_selector(f"css={selector}", state="attached", timeout=left * 1000)
                return
    except PlaywrightError as error:
        if "while parsing" in error.message:
            raise BrowserFailed(f"wait_for_selector: {selector!r} is no CSS selector") from error
        raise
    raise RenderTimeout(f"nothing matches {selector!r} within {SELECTOR_S:.0f} s")


async def _quiet(watch: Watch, observer: Observer) -> None:
    """Until the document has arrived, and then until it is quiet, or for SETTLE_S."""
    looked, since, until = None, watch.clock(), watch.clock() + SETTLE_S
    while True:
        looks = await observer.ask(_LOOKS_LIKE)
        now = watch.clock()
        if looks is None or looks != looked or watch.under_way:
            looked, since = looks, now
        has_arrived = looks is not None and not str(looks).startswith("loading")
        if has_arrived and (now - since >= await _quiet_s(watch, observer) or now >= until):
            return
        await asyncio.sleep(_LOOK_S)


async def _quiet_s(watch: Watch, observer: Observer) -> float:
    is_wall = watch.head is not None and watch.head.status in _WALLS
    return WALL_QUIET_S if is_wall and await observer.ask("document.scripts.length") else QUIET_S
