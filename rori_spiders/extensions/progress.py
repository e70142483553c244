"""Show progress at a terminal, one line per source. Elsewhere the log reports it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from rori_spiders.extensions.progress_display import ProgressDisplay


def should_show_progress(setting: str, log_file: str | None) -> bool:
    """Whether progress is drawn: `always`, `never`, or by itself (`auto`) at a terminal without a log file."""
    return setting == "always" or (setting == "auto" and not log_file and sys.stderr.isatty())


def quiet_logging_at_terminal(settings: BaseSettings, *, log_asked_for: bool) -> None:
    """Turn logging off where a progress display is shown; the display prints warnings itself."""
    if not log_asked_for and should_show_progress(settings.get("RORI_PROGRESS"), settings.get("LOG_FILE")):
        settings.set("LOG_ENABLED", False, priority="cmdline")


class ProgressExtension:
    """Draws from the first request to the last, where somebody looks."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        if not should_show_progress(settings.get("RORI_PROGRESS"), settings.get("LOG_FILE")):
            raise NotConfigured
        self._crawler = crawler
        self._display: ProgressDisplay | None = None
        crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ProgressExtension:
        return cls(crawler)

    def spider_opened(self) -> None:
        from rori_spiders.crawl.job.job import Job  # a command that only asks whether it is shown needs no job
        from rori_spiders.extensions.progress_display import ProgressDisplay

        self._display = ProgressDisplay(Job.of(self._crawler))
        self._display.begin()

    def spider_closed(self) -> None:
        if self._display is not None:
            self._display.end()
