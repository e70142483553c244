"""The stop of a job: asked for, noticed, and not waited for by what is in progress."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, TypeVar

from rori_spiders.crawl.scrapy_internals import engine
from rori_spiders.exceptions import JobStopped

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

#: How soon a stop is noticed, seconds: Scrapy has no signal for the beginning of its closing.
_POLL_S = 0.2
_STOP_REASON = "the job stopped; the next one continues with it"

T = TypeVar("T")


class StopControl:
    """Stops one job by closing its engine."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._closing: asyncio.Future[None] | None = None
        self._is_cut_short = False
        self._cancellable: set[asyncio.Timeout] = set()
        self.has_begun = False  # nothing waits for more to come

    def close_engine(self, reason: str) -> None:
        """Ask the engine to close; requests in progress are finished first."""
        if self._crawler.engine is not None:
            self._closing = asyncio.ensure_future(self._crawler.engine.close_spider_async(reason=reason))

    @property
    def is_engine_closing(self) -> bool:
        """Whether the engine starts nothing any more, and waits for what is in progress."""
        return engine.is_closing(self._crawler)

    async def watch(self, grace_s: float = 0.0) -> None:
        """Wait for a stop, then ``cut_short`` what is in progress *grace_s* seconds later."""
        while not self.is_engine_closing:
            await asyncio.sleep(_POLL_S)
        self.has_begun = True
        if grace_s:
            await asyncio.sleep(grace_s)
            logger.info("Requests in progress are cancelled; the next job repeats them")
        self.cut_short()

    def cut_short(self) -> None:
        """Cancel what is in progress, downloads and work in the pool: a stop does not wait for a slow server."""
        self._is_cut_short = True
        while self._cancellable:
            self._cancellable.pop().reschedule(0)

    async def unless_stopped(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of *work*; raises JobStopped, and cancels it, when ``cut_short`` comes first."""
        if self._is_cut_short:
            work.close()
            raise JobStopped(_STOP_REASON)
        until_stop = asyncio.timeout(None)
        try:
            async with until_stop:
                self._cancellable.add(until_stop)
                return await work
        except TimeoutError:
            if not until_stop.expired():
                raise
            raise JobStopped(_STOP_REASON) from None
        finally:
            self._cancellable.discard(until_stop)
