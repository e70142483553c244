"""Print a document of ours as PDF by the Chromium that renders pages. Nothing is requested: it is offline."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import async_playwright

from rori_spiders.crawl.tiers.browser.browser_process import launch_chromium, launch_options
from rori_spiders.crawl.tiers.browser.chromium import find_chromium
from rori_spiders.exceptions import ActionRefused

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


#: Chromium fills in the two numbers; without a size of its own the text is not seen.
_PAGE_NUMBERS = (
    '<div style="width: 100%; font: 8pt serif; text-align: center">'
    '<span class="pageNumber"></span> / <span class="totalPages"></span></div>'
)


async def print_pdf(document: str, settings: BaseSettings) -> bytes:
    """The PDF of an HTML page without scripts. Raises ActionRefused where no Chromium starts."""
    program = find_chromium(settings["RORI_CHROMIUM"])
    if program is None:
        raise ActionRefused("A PDF is printed by Chromium, which is not installed. Write .html, or install it.")
    options = launch_options(program, settings["USER_AGENT"], is_root=os.geteuid() == 0)
    try:
        async with async_playwright() as playwright:
            browser, _ = await launch_chromium(playwright.chromium, options)
            context = await browser.new_context(offline=True, java_script_enabled=False)
            page = await context.new_page()
            await page.set_content(document)
            margins = {"top": "15mm", "bottom": "15mm", "left": "12mm", "right": "12mm"}
            printed = await page.pdf(
                format="Letter",
                landscape=True,
                print_background=True,
                margin=margins,  # type: ignore[arg-type]
                display_header_footer=True,
                header_template="<span></span>",
                footer_template=_PAGE_NUMBERS,
            )
            await browser.close()
    except (PlaywrightError, OSError) as error:
        raise ActionRefused(f"{program} did not print the PDF: {str(error).partition(chr(10))[0]}") from error
    return printed
