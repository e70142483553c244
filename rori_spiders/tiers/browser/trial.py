"""A launch that asks nobody anything: does Chromium start on this machine?"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import async_playwright

from rori_spiders.tiers.browser.renderer import launch_options
from rori_spiders.tiers.failures import BrowserFailed

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


async def launched_version(program: str, settings: BaseSettings) -> str:
    """Launch *program*, ask its version, end it. Raises BrowserFailed."""
    options = launch_options(program, settings["USER_AGENT"], is_root=os.geteuid() == 0)
    try:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(**options)
            found = browser.version
            await browser.close()
    except (PlaywrightError, OSError) as error:
        raise BrowserFailed(f"{program} does not start: {str(error).partition(chr(10))[0]}") from error
    return found
