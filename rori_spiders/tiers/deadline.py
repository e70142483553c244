"""The time that a download may take, without the time in which we keep it waiting ourselves."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from scrapy.exceptions import DownloadTimeoutError

if TYPE_CHECKING:
    from collections.abc import Awaitable

T = TypeVar("T")


class Deadline:
    """Runs from `keep` on, but not between `hold` and `go_on`."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._left = seconds  # while it is held
        self._running: asyncio.Timeout | None = None

    async def keep(self, work: Awaitable[T]) -> T:
        """What *work* returns. Raises DownloadTimeoutError, and ends *work*, when the time is over."""
        try:
            async with asyncio.timeout(self._left) as running:
                self._running = running
                return await work
        except TimeoutError:
            if not running.expired():
                raise
            raise DownloadTimeoutError(f"took longer than {self.seconds:g} seconds") from None
        finally:
            self._running = None

    def hold(self) -> None:
        running = self._running
        if running is not None and (until := running.when()) is not None and not running.expired():
            self._left = until - asyncio.get_running_loop().time()
            running.reschedule(None)

    def go_on(self) -> None:
        if self._running is not None and self._running.when() is None:
            self._running.reschedule(asyncio.get_running_loop().time() + max(0.0, self._left))
