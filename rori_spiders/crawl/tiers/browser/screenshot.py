"""A picture of a page as it was read: after the source's steps, without prompts, without images, which are not loaded.

It is taken when the page's text is in hand, so it changes nothing of that; a page whose picture fails is read all the
same, and its audit says why it has none.
"""

from __future__ import annotations

import asyncio
from base64 import b64decode
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError

from rori_spiders.items import PageStep

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

#: Of a page that is longer the upper part is shown, and the audit says so. Chromium paints at most 16,384 pixels.
MAX_HEIGHT = 12_000
MAX_BYTES = 3 * 2**20
#: Some 200 ms on one core for the longest.
_MOST_S = 10.0
#: JPEG's, the next where a picture is too large.
_QUALITIES = (70, 35, 15)


async def take_screenshot(cdp: CDPSession) -> tuple[bytes | None, tuple[PageStep, ...]]:
    """The picture as JPEG, in full width and down to MAX_HEIGHT; and what is to be known of it, where anything is."""
    try:
        async with asyncio.timeout(_MOST_S):
            size = (await cdp.send("Page.getLayoutMetrics"))["cssContentSize"]
            width, height = max(1, round(size["width"])), max(1, round(size["height"]))
            clip = {"x": 0, "y": 0, "width": width, "height": min(height, MAX_HEIGHT), "scale": 1}
            for quality in _QUALITIES:
                options = {"format": "jpeg", "quality": quality, "captureBeyondViewport": True, "clip": clip}
                picture = b64decode((await cdp.send("Page.captureScreenshot", options))["data"])
                if len(picture) <= MAX_BYTES:
                    break
            else:
                return None, (PageStep("screenshot", "page", f"none: it has more than {MAX_BYTES:,} bytes"),)
    except TimeoutError:
        return None, (PageStep("screenshot", "page", f"none: it was not painted within {_MOST_S:.0f} s"),)
    except PlaywrightError as error:
        return None, (PageStep("screenshot", "page", f"none: {error.message.partition(chr(10))[0]}"),)
    if height > MAX_HEIGHT:
        return picture, (PageStep("screenshot", "page", f"the upper {MAX_HEIGHT:,} of {height:,} pixels"),)
    return picture, ()
