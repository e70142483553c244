"""An add-on by which a job logs how many pages are still in memory when its first run ends, with no look for garbage.

For ``-s ADDONS={"tests.crawl.page.count_addon.Counting": 0}``.
"""

from __future__ import annotations

import gc
import json
import logging
from typing import TYPE_CHECKING

from rori_spiders.crawl.runs.lifecycle import Lifecycle
from rori_spiders.items import PageItem

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from rori_spiders.crawl.runs.run import Run

ADDONS = json.dumps({"tests.crawl.page.count_addon.Counting": 0})
#: What the log says then, before the number.
PAGES_IN_MEMORY = "TEST: pages in memory: "


class Counting:
    """The add-on."""

    def update_settings(self, settings: BaseSettings) -> None:
        gc.disable()
        end = Lifecycle.end

        async def end_and_count(lifecycle: Lifecycle, run: Run) -> None:
            number = sum(isinstance(one, PageItem) for one in gc.get_objects())
            logging.getLogger(__name__).warning("%s%d", PAGES_IN_MEMORY, number)
            await end(lifecycle, run)

        Lifecycle.end = end_and_count  # type: ignore[method-assign, assignment]
