"""Judge each response and send what another tier may fetch better to the next tier; put back a page whose tier needs a
further request.
"""

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from rori_spiders.crawl.job.job import JobComponent
from rori_spiders.crawl.page.flow import PageFlow
from rori_spiders.crawl.page_request import page_request, run_visit
from rori_spiders.crawl.tiers import escalation, order
from rori_spiders.crawl.tiers.base import FollowUpRequestNeeded
from rori_spiders.crawl.tiers.browser.budget import BrowserBudget
from rori_spiders.crawl.tiers.order import BROWSER
from rori_spiders.ledger.audit.audit_log import VALIDATOR_HEADERS


class TierMiddleware(JobComponent):
    """Begins with the tier that was learnt for such pages; hands responses and errors to `PageFlow`."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._budget = BrowserBudget.of(self._job)
        self._flow = PageFlow(crawler)

    def process_request(self, request: Request) -> Request | None:
        if (learnt := self._learnt_tier(request)) is not None:
            is_first = not page_request(request).attempts
            return escalation.request_for_tier(learnt, request, is_remembered_tier=is_first)
        if page_request(request).tier == BROWSER:
            self._budget.check(request)
        if page_request(request).is_page and not any(name in request.headers for name in VALIDATOR_HEADERS):
            self._job.workers.pool.warm_up()  # the processes start while the server answers; none for a 304
        return None

    def _learnt_tier(self, request: Request) -> str | None:
        """The tier further up that works for such pages, as was learnt while *request* waited for its turn."""
        run, page = self._job.run_of(request), page_request(request)
        tiers = page.tier_order or ()
        was_asked = page.is_remembered_tier or page.failed_remembered_tier or not page.is_retried
        if run is None or was_asked or not page.is_page or page.tier not in tiers:
            return None
        learnt = order.remembered_tier(run_visit(request).url, run.tiers.remembered)
        return learnt if learnt in tiers[tiers.index(page.tier) + 1 :] else None

    async def process_response(self, request: Request, response: Response) -> Request | Response:
        return await self._flow.assess_response(request, response)

    def process_exception(self, request: Request, exception: Exception) -> Request | Response | None:
        return self._flow.assess_error(request, exception)


# A page that takes a tier several requests: each goes through the queue, and through every gate, like any other.


class FollowUpRequestMiddleware:
    """Puts a page whose tier needs a further request back into the queue, before others of its kind."""

    def process_exception(self, request: Request, exception: Exception) -> Request | None:
        if not isinstance(exception, FollowUpRequestNeeded):
            return None
        return request.replace(dont_filter=True, priority=request.priority + 1)
