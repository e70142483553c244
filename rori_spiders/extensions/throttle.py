"""AutoThrottle that only slows down: never below the group's minimum delay, and ignoring browser rendering time."""

from scrapy import Request, Spider
from scrapy.core.downloader import Slot
from scrapy.extensions.throttle import AutoThrottle
from scrapy.http import Response

from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.page_request import page_request
from rori_spiders.crawl.tiers.order import HTTP, MEDIAWIKI, OFFICIAL

#: Tiers whose latency is that of the publisher's own server.
_OWN_LATENCY = {OFFICIAL, MEDIAWIKI, HTTP}
#: Who answers within this, seconds, is not slow. It matters where a manifest asks for less than that between two
#: requests, which it may for the operator's own servers only.
MIN_SLOW_LATENCY_S = 0.1
_GOOD_STATUSES = frozenset({200, 304})


class GroupAutoThrottle(AutoThrottle):
    """Scrapy's own falls back to DOWNLOAD_DELAY as its floor, below what the manifest or robots.txt ask for."""

    def _spider_opened(self, spider: Spider) -> None:
        self.mindelay, self.maxdelay = 0.0, self._max_delay()

    def _response_downloaded(self, response: Response, request: Request, spider: Spider) -> None:
        if page_request(request).tier in _OWN_LATENCY:
            super()._response_downloaded(response, request, spider)

    def _get_slot(self, request: Request, spider: Spider) -> tuple[str | None, Slot | None]:
        downloader = self.crawler.engine.downloader
        group = downloader.get_slot_key(request)
        return group, downloader.slots.get(group)

    def _adjust_delay(self, slot: Slot, latency: float, response: Response) -> None:
        """Adjust the delay by Scrapy's rule, but count a 304 as a response, or a visit of 304s would only slow down."""
        group = next((name for name, one in self.crawler.engine.downloader.slots.items() if one is slot), None)
        if group is None:
            return
        politeness = Job.of(self.crawler).politeness
        pace = politeness.pace(group)
        target = 0.0 if latency < MIN_SLOW_LATENCY_S else latency / self.target_concurrency
        # A group may ask for more than AUTOTHROTTLE_MAX_DELAY: that is a limit for us, not for it.
        delay = min(max(target, (pace.spacing + target) / 2, pace.delay), max(self.maxdelay, pace.delay))
        if delay < pace.spacing and response.status not in _GOOD_STATUSES:
            return  # an error is quick because there is little in it
        slot.delay = delay
        # Scrapy forgets a slot after 60 s of silence, and a request that waits in one cannot be stopped: it is the
        # queue that holds the group back.
        politeness.throttle(group, delay)
