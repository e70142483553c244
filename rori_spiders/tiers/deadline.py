"""The time that a download may take, without the time in which we keep it waiting ourselves."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from scrapy.exceptions import DownloadTimeoutError
from scrapy.utils.asyncio import call_later

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from scrapy.utils.asyncio import CallLaterResult

T = TypeVar("T")


class Deadline:
    """Runs from `keep` on, but not between `hold` and `go_on`."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._left = seconds
        self._since = 0.0
        self._call: CallLaterResult | None = None
        self._work: asyncio.Task[object] | None = None
        self._is_over = False

    async def keep(self, work: Coroutine[object, object, T]) -> T:
        """What *work* returns. Raises DownloadTimeoutError, and ends *work*, when the time is over."""
        task = asyncio.ensure_future(work)
        self._work = task
        self.go_on()
        try:
            return await task
        except asyncio.CancelledError:
            if self._is_over:
                raise DownloadTimeoutError(f"took longer than {self.seconds:g} seconds") from None
            raise
        finally:
            self.hold()

    def hold(self) -> None:
        if self._call is not None:
            self._call.cancel()
            self._call = None
            self._left -= monotonic() - self._since

    def go_on(self) -> None:
        if self._call is None and self._work is not None and not self._work.done():
            self._since = monotonic()
            self._call = call_later(max(0.0, self._left), self._expire)

    def _expire(self) -> None:
        self._call = None
        self._is_over = True
        if self._work is not None:
            self._work.cancel()
