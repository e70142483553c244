"""An add-on by which a job logs the most pages of a run that were out at once, when it closes.

For ``-s ADDONS={"tests.crawl.runs.queue_addon.Counting": 0}``.
"""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

from rori_spiders.crawl.runs.lifecycle import Lifecycle

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy import Request
    from scrapy.settings import BaseSettings

    from rori_spiders.crawl.runs.run import Run

ADDONS = json.dumps({"tests.crawl.runs.queue_addon.Counting": 0})
#: What the log says then, before the number.
MOST_OUT = "TEST: most pages out: "


class Counting:
    """The add-on."""

    def update_settings(self, settings: BaseSettings) -> None:
        most = [0]
        crawl, end = Lifecycle._crawl, Lifecycle.end

        def crawl_and_count(lifecycle: Lifecycle, requests: Iterable[Request]) -> None:
            crawl(lifecycle, requests)
            most[0] = max(most[0], *(len(run.frontier.outstanding) for run in lifecycle._job.runs.values()))

        async def end_and_log(lifecycle: Lifecycle, run: Run) -> None:
            logging.getLogger(__name__).warning("%s%d", MOST_OUT, most[0])
            await end(lifecycle, run)

        Lifecycle._crawl = crawl_and_count  # type: ignore[method-assign, assignment]
        Lifecycle.end = end_and_log  # type: ignore[method-assign, assignment]
