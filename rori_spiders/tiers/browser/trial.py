"""A launch that asks nobody anything: does Chromium start on this machine?"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import async_playwright

from rori_spiders.tiers.browser.renderer import launch, launch_options
from rori_spiders.tiers.failures import BrowserFailed

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


class Launched(NamedTuple):
    """A Chromium that started: its version, and whether it had its sandbox."""

    version: str
    has_sandbox: bool


async def launched(program: str, settings: BaseSettings) -> Launched:
    """Launch *program* as a crawl does, ask its version, end it. Raises BrowserFailed."""
    options = launch_options(program, settings["USER_AGENT"], is_root=os.geteuid() == 0)
    try:
        async with async_playwright() as playwright:
            browser, has_sandbox = await launch(playwright.chromium, options)
            found = browser.version
            await browser.close()
    except (PlaywrightError, OSError) as error:
        raise BrowserFailed(f"{program} does not start: {str(error).partition(chr(10))[0]}") from error
    return Launched(found, has_sandbox)
