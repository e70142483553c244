"""The engine's private slot, and the maker of log formatters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.utils import log

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from logging import Formatter, Handler

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.settings import Settings


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


def set_log_formatter(build: Callable[[Handler, Settings], Formatter]) -> None:
    """Have Scrapy build its handlers' formatters with *build*: for LOG_FILE, Scrapyd's jobs and the shell alike.

    The settings name a format only, no class of formatters.
    """
    log._get_formatter = build  # type: ignore[assignment]  # mypy wants the same names of arguments
