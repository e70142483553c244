"""The engine's private slot, and the maker of log formatters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.utils import log

from rori_spiders.runtime.log_formatters import build_formatter, format_uncaught_error
from rori_spiders.runtime.redacted_output import set_uncaught_formatter

if TYPE_CHECKING:
    from collections.abc import Collection
    from logging import Formatter, Handler

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings, Settings


def is_closing(crawler: Crawler) -> bool:
    """Whether the engine starts nothing any more, and waits for what is in progress.

    ``spider_closed`` is sent only when all of it has ended; no signal tells that the closing begins.
    """
    slot = crawler.engine._slot if crawler.engine is not None else None
    return slot is None or slot.closing is not None


def requests_in_progress(crawler: Crawler) -> Collection[Request]:
    """The requests that have left the queue, and whose items have not passed the pipelines: Scrapy shows no list."""
    slot = crawler.engine._slot if crawler.engine is not None else None
    return slot.inprogress if slot is not None else ()


def schedule_next_request(crawler: Crawler) -> None:
    """Have the engine ask the queue again. By itself it does so after a download, and every 5 seconds."""
    engine = crawler._engine  # not `engine`, which raises where there is none yet
    slot = engine._slot if engine is not None else None
    if slot is not None:
        slot.nextcall.schedule()


def is_held_back(crawler: Crawler) -> bool:
    """Whether no request leaves the queue, because of the bytes of responses whose items have not ended yet."""
    engine = crawler._engine
    slot = engine.scraper.slot if engine is not None else None
    return slot is not None and slot.needs_backout()


def install_log_format(settings: BaseSettings) -> None:
    """Have Scrapy's handlers write as RORI_LOG_FORMAT says: for LOG_FILE, Scrapyd's jobs, the shell and our commands.

    Scrapy's settings name a format only, no class of formatters. To be called before it sets up its logging.
    """
    log._get_formatter = _build_formatter
    if settings["RORI_LOG_FORMAT"] == "json":
        set_uncaught_formatter(format_uncaught_error)


def _build_formatter(handler: Handler, settings: Settings) -> Formatter:
    return build_formatter(settings["RORI_LOG_FORMAT"], settings.get("LOG_FORMAT"), settings.get("LOG_DATEFORMAT"))
