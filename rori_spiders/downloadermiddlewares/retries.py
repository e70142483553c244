"""S0 §7.1: wait and ask again. The whole group is held back in the queue; nothing sleeps, no other group waits.

Where a server asks for more rest than a job waits for, or answers nothing but 429 to the end, its group cools down:
what is still to be asked of it ends without being asked.
"""

import logging
from dataclasses import replace

from scrapy import Request
from scrapy.http import Response

from rori_spiders.crawl.job.job import JobComponent
from rori_spiders.crawl.page_request import begin_try, exchange, page_request
from rori_spiders.crawl.tiers.refusals import RateLimited
from rori_spiders.downloadermiddlewares import retry_errors
from rori_spiders.downloadermiddlewares.robots import is_robots_request
from rori_spiders.items import Attempt
from rori_spiders.politeness import retries
from rori_spiders.politeness.retries import RetryRow
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.urls.canonical import host_of

logger = logging.getLogger(__name__)


class CooldownMiddleware(JobComponent):
    """Refuses requests for a group that is cooling down, robots.txt too.

    The queue lets such a group's requests go at once, so that their URLs end now and not when the rest is over.
    """

    def process_request(self, request: Request) -> None:
        group = self._job.manifests.group(host_of(request.url))
        run = self._job.run_of(request)
        limited = run.limits.rate_limited_groups.get(group) if run is not None else None
        reason = limited or self._job.politeness.left_alone(group)
        if reason is None:
            return
        if run is not None:
            run.limits.leave_unasked(reason)
        raise RateLimited(reason)


class RetryMiddleware(JobComponent):
    """Asks ``retries`` and holds the group back. robots.txt is retried by its own middleware."""

    async def process_response(self, request: Request, response: Response) -> Request | Response:
        group = self._job.manifests.group(host_of(request.url))
        if response.status != 429:
            self._job.politeness.pace(group).spent_in_row = 0
        row = retries.retry_row_for_status(response.status)
        if row is None:
            return response
        retry_after = retry_errors.parse_retry_after(response, self._job.now())
        if retry_after is not None and retries.exceeds_max_wait(retry_after):
            pause_s = min(retry_after, retries.MAX_REST_S)
            longer = "longer than " if retry_after > pause_s else ""
            await self._leave_alone(request, f"the server requested a pause of {longer}{pause_s:.0f} s", pause_s)
            return response
        again = self._again(request, row, retry_after, Reason(ReasonCode.HTTP_ERROR, http_status=response.status))
        if again is None and row is retries.RATE_LIMITED and row.name in page_request(request).retries:
            await self._spent(request, group)
        return again or response

    def process_exception(self, request: Request, exception: Exception) -> Request | None:
        row = retry_errors.retry_row_for_error(exception)
        return None if row is None else self._again(request, row, None, Reason.of_error(exception))

    def _again(self, request: Request, row: RetryRow, retry_after: float | None, why: Reason) -> Request | None:
        page = page_request(request)
        if page.visit is None or is_robots_request(request):
            return None
        done = page.retries.get(row.name, 0)
        wait = retries.wait_before_retry(row, done, retry_after) if page.is_retried else None
        if wait is None:
            if retry_after:  # the URL has had its retries, the others of its group wait all the same
                self._job.politeness.pause(self._job.manifests.group(host_of(request.url)), retry_after)
            return None
        wait = max(wait * self._job.retry_scale(request.url), retry_after or 0)
        self._job.politeness.pause(self._job.manifests.group(host_of(request.url)), wait)
        self._crawler.stats.inc_value(f"rori/retries/{row.name}")
        logger.info(
            "%(what)s: %(url)s is asked again in %(wait).0f s (%(done)d of %(all)d)",
            {"what": why, "url": request.url, "wait": wait, "done": done + 1, "all": len(row.waits)},
        )
        again = request.replace(dont_filter=True, priority=request.priority + 1)
        attempts = (*page.attempts, self._attempt(request, row, why))
        begin_try(again, replace(page, retries={**page.retries, row.name: done + 1}, attempts=attempts))
        return again

    def _attempt(self, request: Request, row: RetryRow, why: Reason) -> Attempt:
        tried = exchange(request)
        status = why.detail.get("http_status")
        return Attempt(
            page_request(request).tier, self._job.now(), status, row.name, why, tried.response_ms, tried.credits
        )

    # --- to the end -----------------------------------------------------------------------------------------------

    async def _spent(self, request: Request, group: str) -> None:
        """A URL has been answered 429 to the end. So many in a row, and the group will not have us today."""
        pace = self._job.politeness.pace(group)
        pace.spent_in_row += 1
        if pace.spent_in_row >= retries.MAX_RATE_LIMITED_IN_ROW:
            rest = retries.RATE_LIMITED.waits[-1] * self._job.retry_scale(request.url)
            await self._leave_alone(request, f"HTTP 429 on every attempt for {pace.spent_in_row} URLs in a row", rest)

    async def _leave_alone(self, request: Request, why: str, seconds: float) -> None:
        """Ask nothing more of the group in the runs of now; no job asks before *seconds* are over."""
        group, reason = self._job.manifests.group(host_of(request.url)), Reason(ReasonCode.COOLING_DOWN, error=why)
        self._job.politeness.leave_alone(group, seconds, reason)
        exchange(request).failure = reason
        for run in self._job.runs.values():
            if group in {self._job.manifests.group(host) for host in run.scope.hosts}:
                run.limits.rate_limit(group, reason)
        if (own := self._job.run_of(request)) is not None:
            own.limits.leave_unasked(reason)
        await self._job.leasing.note(group)  # a job that is killed now must not have heard it for nothing
        logger.warning("%(group)s: %(why)s; its remaining URLs are not requested now", {"group": group, "why": why})
        self._job.schedule_next_request()
