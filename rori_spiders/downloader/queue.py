"""The request queue that holds a group back until it may be asked.

At most one request a group waits in the downloader; the others wait here, where they take no place among the requests
in progress and a stop does not have to wait for them.
"""

from __future__ import annotations

from math import inf, isfinite
from typing import TYPE_CHECKING, Any

from scrapy.pqueues import DownloaderAwarePriorityQueue
from scrapy.utils.asyncio import CallLaterResult, call_later

from rori_spiders.job import Job

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler


class GatedPriorityQueue(DownloaderAwarePriorityQueue):
    """Scrapy's queue by slot, asked only for groups whose turn it is."""

    def __init__(self, crawler: Crawler, *args: Any, **kwargs: Any) -> None:
        super().__init__(crawler, *args, **kwargs)
        self._job = Job.of(crawler)
        self._wake_up: CallLaterResult | None = None

    def pop(self) -> Request | None:
        waits = {group: self._job.politeness.ready_in(group) for group in self.pqueues}
        ready = {group for group, wait in waits.items() if wait <= 0}
        if not ready:
            self._wake_in(min(waits.values(), default=inf))
            return None
        held = {group: self.pqueues.pop(group) for group in waits.keys() - ready}
        try:
            request = super().pop()
            while request is not None and self._rests(request):
                request = super().pop()  # its URL stays pending
        finally:
            self.pqueues.update(held)
        if request is not None:
            request.meta["gated"] = True
            self._job.politeness.popped(self._downloader_interface.get_slot_key(request))
        return request

    def _rests(self, request: Request) -> bool:
        visit = request.meta.get("visit")
        return visit is not None and visit.run_id in self._job.resting

    def _wake_in(self, seconds: float) -> None:
        """The engine looks again when the first group's turn comes; it would look only every 5 s by itself."""
        if self._wake_up is not None:
            self._wake_up.cancel()
            self._wake_up = None
        slot = self.crawler.engine._slot if self.crawler.engine else None
        if isfinite(seconds) and slot is not None:
            self._wake_up = call_later(seconds, self._wake, slot)

    def _wake(self, slot: Any) -> None:
        self._wake_up = None
        slot.nextcall.schedule()

    def close(self) -> dict[str, list[int]]:
        self._wake_in(inf)
        return super().close()
