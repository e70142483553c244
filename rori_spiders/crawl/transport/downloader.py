"""The downloader with one slot a politeness group, whatever source, tier, retry, redirect or robots.txt asks; and
the request queue that holds a group back until its next request is due.  Spacing is measured from when a request
is really sent: until the connection of the previous one is established (or has failed), no other leaves for that
group.
"""

from collections.abc import Generator
from math import inf, isfinite
from typing import Any

from scrapy import Request, Spider
from scrapy.core.downloader import Downloader, Slot
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.pqueues import DownloaderAwarePriorityQueue
from scrapy.utils.asyncio import CallLaterResult, call_later
from twisted.internet.defer import Deferred, inlineCallbacks

from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.page_request import visit_of
from rori_spiders.urls.canonical import host_of


class GroupDownloader(Downloader):
    """Scrapy's downloader, keyed by group, reporting to ``Politeness`` what happens to each request."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._job = Job.of(crawler)
        self._opening: set[Request] = set()

    def needs_backout(self) -> bool:
        # Those under way are limited by permits, and a host that is slow to answer takes no place from the others.
        return 0 < self.total_concurrency <= len(self.active) - self._job.permits.under_way

    def get_slot_key(self, request: Request) -> str:
        # Never from meta: a redirect keeps the slot of the host it came from.
        return self._job.manifests.group(host_of(request.url))

    def _get_slot(self, request: Request, spider: Spider | None = None) -> tuple[str, Slot]:
        group = self.get_slot_key(request)
        pace = self._job.politeness.pace(group)
        if group not in self.slots:
            slot = Slot(pace.concurrency, pace.spacing, 0.0)
            slot.lastseen = pace.last_at  # Scrapy forgets a slot after 60 s; its last request still counts
            self.slots[group] = slot
            self._start_slot_gc()
        slot = self.slots[group]
        slot.delay = pace.spacing
        return group, slot

    @inlineCallbacks
    def fetch(
        self, request: Request, spider: Spider | None = None
    ) -> Generator[Deferred[Any], Any, Response | Request]:
        try:
            result: Response | Request = yield super().fetch(request)
            return result
        finally:
            if self._no_longer_waits(request):
                self._job.schedule_next_request()

    def _process_queue(self, slot: Slot) -> None:
        if any(request in self._opening for request in slot.transferring):
            return  # processed again by on_sent, or when that request has failed
        super()._process_queue(slot)

    async def _download(self, slot: Slot, request: Request) -> Response:
        group = self.get_slot_key(request)
        self._no_longer_waits(request)
        self._job.politeness.started(group)
        self._opening.add(request)
        request.meta["on_sent"] = lambda: self._on_sent(group, slot, request)
        try:
            return await super()._download(slot, request)
        finally:
            request.meta.pop("on_sent", None)
            self._opened(group, request)
            self._job.politeness.left(group)
            self._process_queue(slot)
            self._job.schedule_next_request()

    def _on_sent(self, group: str, slot: Slot, request: Request) -> None:
        """The transport tells: the connection stands, and the request goes out now."""
        self._job.politeness.sent(group)
        slot.lastseen = max(slot.lastseen, self._job.politeness.pace(group).last_at)
        if self._opened(group, request):
            self._process_queue(slot)
            self._job.schedule_next_request()

    def _opened(self, group: str, request: Request) -> bool:
        if request not in self._opening:
            return False
        self._opening.discard(request)
        self._job.politeness.pace(group).opening -= 1
        return True

    def _no_longer_waits(self, request: Request) -> bool:
        if not request.meta.pop("gated", None):
            return False
        self._job.politeness.arrived(self.get_slot_key(request))
        return True


# The request queue that holds a group back until it may be asked. At most one request a group waits in the
# downloader; the others wait here, where they take no place among the requests in progress and a stop does not have
# to wait for them.


class RateLimitedPriorityQueue(DownloaderAwarePriorityQueue):
    """Scrapy's queue by slot, asked only for groups whose turn it is."""

    def __init__(self, crawler: Crawler, *args: Any, **kwargs: Any) -> None:
        super().__init__(crawler, *args, **kwargs)
        self._job = Job.of(crawler)
        self._wake_up: CallLaterResult | None = None

    def pop(self) -> Request | None:
        waits = {group: self._job.politeness.ready_in(group) for group in self.pqueues}
        ready = {group for group, wait in waits.items() if wait <= 0}
        if self._job.permits.is_registered and self._job.permits.free <= self._job.politeness.waiting:
            ready = self._without_permit(ready)
        if not ready:
            self._wake_in(min((wait for wait in waits.values() if wait > 0), default=inf))
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

    def _without_permit(self, ready: set[str]) -> set[str]:
        """Those of the groups *ready* that need no permit: they are refused. The others' requests wait here."""
        refused = {group for group in ready if self._job.politeness.left_alone(group) is not None}
        if waiting := ready - refused:
            self._job.permits.want(self._job.politeness.waiting + len(waiting))
        return refused

    def _rests(self, request: Request) -> bool:
        visit = visit_of(request)
        return visit is not None and visit.run_id in self._job.runs_outside_window

    def _wake_in(self, seconds: float) -> None:
        """The engine looks again when the first group's turn comes; it would look only every 5 s by itself."""
        if self._wake_up is not None:
            self._wake_up.cancel()
            self._wake_up = None
        if isfinite(seconds) and self.crawler.engine is not None:
            self._wake_up = call_later(seconds, self._wake)

    def _wake(self) -> None:
        self._wake_up = None
        self._job.schedule_next_request()

    def close(self) -> dict[str, list[int]]:
        self._wake_in(inf)
        return super().close()
