"""The flow of one page, from the queue to its audit row. Each step is called here by name, in order.

1. `crawl/transport/downloader.py` releases a request once its group of hosts may be asked again.
2. The downloader middlewares (settings.py lists them) refuse what must not be asked: scope, cooldown, lease,
   robots.txt. They add validators, retry, and follow redirects.
3. `crawl/transport/handler.py` has the request's tier (`crawl/tiers/`) fetch it.
4. `PageFlow.assess_response`: is it content? Otherwise the next tier is asked. A worker converts it in the same call.
5. The walker (`crawl/walkers/`) makes an item of it, and requests of its links.
6. `PageFlow.process_item`: take what was converted, compare, stage, record.

What the steps hand on: `PageRequest` and `Exchange` (`crawl/page_request.py`), then `PageItem` (`items.py`).
"""

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.page.assessment import ResponseAssessor
from rori_spiders.crawl.page.change import ChangeDetector
from rori_spiders.crawl.page.conversion import convert_item
from rori_spiders.crawl.page.staging import stage_envelope
from rori_spiders.crawl.page_request import exchange, page_request
from rori_spiders.crawl.runs.lifecycle import Lifecycle
from rori_spiders.crawl.runs.recorder import Recorder
from rori_spiders.crawl.tiers import escalation
from rori_spiders.exceptions import ConversionError
from rori_spiders.items import PageItem
from rori_spiders.reasons import Reason, ReasonCode


class PageFlow:
    """Called by `TierMiddleware` (4) and `PagePipeline` (6), for every page of a job."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._job = Job.of(crawler)
        self._assessor = ResponseAssessor(crawler)
        self._changes = ChangeDetector(crawler)

    # --- 4. a response ------------------------------------------------------------------------------------------------

    async def assess_response(self, request: Request, response: Response) -> Request | Response:
        """The response, if it is the page or nobody has more of it; otherwise the request to the next tier."""
        assessor = self._assessor
        if not assessor.is_to_be_judged(request, response):
            return response
        held = await assessor.read_held_page(request)
        try:
            assessment = await assessor.assess(request, response, held)
        except ConversionError as error:
            self._crawler.stats.inc_value(f"rori/conversion/{error.reason}")
            exchange(request).failure = Reason(error.reason, error=str(error))  # the bytes go on, as evidence
            return response
        verdict = assessment.verdict
        assessor.note_verdict(request, verdict)
        next_tier = assessor.next_tier(request)
        if next_tier is None and verdict.has_only_shrunk:
            return assessor.accept_shrunk(request, response, verdict)
        if next_tier is None or exchange(request).failure is not None:
            return assessor.accept(request, response, assessment)
        tier, status = page_request(request).tier, response.status
        if (reason := escalation.reason_from_verdict(tier, status, verdict)) is not None:
            return assessor.escalate(request, next_tier, reason, status=status, kind=verdict.kind)
        if (reason := assessor.reason_from_text(request, assessment.measured, held)) is not None:
            short = assessor.keep_short_page(request, response, assessment) or page_request(request).short_page
            return assessor.escalate(request, next_tier, reason, status=status, kind=verdict.kind, short_page=short)
        return assessor.accept(request, response, assessment)

    def assess_error(self, request: Request, error: Exception) -> Request | Response | None:
        """The request to the next tier, or the short page that stands; None: the walker reports *error*."""
        return self._assessor.assess_error(request, error)

    # --- 6. an item ---------------------------------------------------------------------------------------------------

    async def process_item(self, item: PageItem) -> PageItem:
        """The item with its final state, recorded. Raises DropItem where the job stops first: the URL stays pending."""
        run, found = self._job.runs.get(item.visit.run_id), len(item.discovered)
        try:
            return await self._process_item(item)
        finally:
            if run is not None:
                run.frontier.note_recorded(found)

    async def _process_item(self, item: PageItem) -> PageItem:
        if item.is_captured_page:
            await convert_item(self._crawler, item)
        if item.state == "captured" and item.reason.code == ReasonCode.COLLECTED_BY:
            item.state, item.converted = "excluded", None  # another source holds it: it is what this one expects
        if item.visit.kind == "page":
            await self._changes.compare_with_held(item)
        if item.change is not None and item.change.changed:
            await stage_envelope(self._job, item)
        run = self._job.runs.get(item.visit.run_id)
        if run is None:
            return item  # the run was ended without this URL: it stays pending, and the next job fetches it
        with self._job.stopping_on_write_errors(run):
            lifecycle = Lifecycle.of(self._crawler)
            try:
                await Recorder.of(self._job).record(run, item)
            except Exception:
                await lifecycle.ask_for_unrecorded(run, item.discovered)
                raise
            await lifecycle.ask_for_stored(run)
            await lifecycle.end_if_done(run)
        self._crawler.stats.inc_value(f"rori/{item.visit.kind}s/{item.state}")
        item.request = None  # it holds the item: freed now, not by the next look for garbage
        return item
