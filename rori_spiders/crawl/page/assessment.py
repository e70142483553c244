"""Judge a response; decide whether the next tier is asked, and make its request. The steps that `flow.py` calls."""

import logging
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from rori_spiders.content.html.visible_text import Measured
from rori_spiders.content.options import Options
from rori_spiders.crawl.conversion_options import conversion_options
from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.page_request import (
    AssessedBody,
    ShortPage,
    exchange,
    page_request,
    run_visit,
    update_request,
    visit_of,
)
from rori_spiders.crawl.tiers import escalation, order
from rori_spiders.crawl.tiers.base import join_header_values
from rori_spiders.crawl.tiers.refusals import BudgetSpent
from rori_spiders.exceptions import ConversionCrashed, ConversionError, ConversionTimeout
from rori_spiders.items import Attempt, PageStep
from rori_spiders.ledger.pages.page_state import PageState
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.urls.canonical import origin_of
from rori_spiders.urls.sitemap_reader import is_url_list
from rori_spiders.verdicts import PageExpectation, Verdict
from rori_spiders.workers.assessment import SAME_AS_UNKNOWN, RenderDiff, ResponseAssessment, assess_response
from rori_spiders.workers.conversion import conversion_weight

logger = logging.getLogger(__name__)


#: A short page is kept in memory while the browser is asked, if it may have to stand for itself and is not larger.
_MAX_HELD_BODY_BYTES = 2**20


class ResponseAssessor:
    """Judges pages; robots.txt, sitemaps and feeds are judged by their own readers."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._job = Job.of(crawler)

    def is_to_be_judged(self, request: Request, response: Response) -> bool:
        """Whether *response* is a page's, and new: not a 304, nor a page that was judged before."""
        page = page_request(request)
        is_judged = page.short_page is not None and response is page.short_page.response
        if page.visit is None:
            return not (response.status == 304 or is_judged)
        is_judged = is_judged or exchange(request).known_bytes is not None  # for the source that holds it
        is_list = response.status == 200 and is_url_list(response.body)
        return page.is_page and not (response.status == 304 or is_judged or is_list)

    def assess_error(self, request: Request, exception: Exception) -> Request | Response | None:
        """The request to the next tier, or the short page that stands, once the retries are spent."""
        if visit_of(request) is None or not (page := page_request(request)).is_page:
            return None
        following = self.next_tier(request)
        if isinstance(exception, BudgetSpent):
            following = following if page.is_remembered_tier else None  # never on to what costs money
            reason: Reason | None = exception.reason
        else:
            reason = escalation.reason_from_error(page.tier, exception)
        if reason is not None and following is not None:
            return self.escalate(request, following, reason)
        if isinstance(exception, BudgetSpent) or escalation.is_fetch_error(exception):
            return self._accept_short_page(request, reason or Reason.of_error(exception))
        return None

    def next_tier(self, request: Request) -> str | None:
        """The next tier; none where a wall stands in place of robots.txt: only the publisher's API may be asked."""
        page = page_request(request)
        file = self._job.robots.get(origin_of(page.visit.url)) if page.visit is not None else None
        return None if file is not None and file.is_wall else page.next_tier

    # --- what it is ---------------------------------------------------------------------------------------------------

    async def read_held_page(self, request: Request) -> PageState | None:
        """What is held of the page; None: nothing, or there is no ledger to ask."""
        if self._job.run_of(request) is None or not self._job.storage.is_open:
            return None
        known = await self._job.page_states.of(run_visit(request))
        return known if known is not None and known.held is not None else None

    async def assess(self, request: Request, response: Response, held: PageState | None) -> ResponseAssessment:
        """What the response is and, should it be the page, the page: in one call of a worker."""
        options = self._options(request, response)
        try:
            made = await self._assess(request, response, held, options)
        except (ConversionCrashed, ConversionTimeout) as error:
            if options is None:
                raise
            # Whether it was the judging or the conversion, nobody can tell: without the conversion it is a page still.
            made = (await self._assess(request, response, held, None))._replace(converted=error)
        exchange(request).assessed = AssessedBody(response.body, options, made)
        return made

    async def _assess(
        self, request: Request, response: Response, held: PageState | None, options: Options | None
    ) -> ResponseAssessment:
        short = page_request(request).short_page
        return await self._job.workers.run(
            len(response.body) if options is None else conversion_weight(response.body),
            assess_response,
            status=response.status,
            url=response.url,
            headers=join_header_values(response.headers),
            body=response.body,
            known=self._expectation(request, held),
            is_measured=self.next_tier(request) is not None or short is not None,
            plain=None
            if short is None
            else (short.response.body, join_header_values(short.response.headers).get("Content-Type")),
            options=options,
            is_behind_prompt=exchange(request).is_behind_prompt,
            is_drawn=exchange(request).is_drawn,
            unknown=exchange(request).unknown_address,
        )

    def _options(self, request: Request, response: Response) -> Options | None:
        """How the response is to be converted, if it is the page; None where nobody will ask for that."""
        run = self._job.run_of(request)
        is_collected = run is not None and run.is_in_ledger and not page_request(request).is_previous_tier_check
        # Several types are one for the verdict, and the first for the conversion.
        if run is None or not is_collected or len(response.headers.getlist("Content-Type")) > 1:
            return None
        return conversion_options(run.source)

    def _expectation(self, request: Request, held: PageState | None) -> PageExpectation | None:
        run = self._job.run_of(request)
        if run is None:
            return None
        visit = run_visit(request)
        expect = run.source.scrape_config.expect if visit.found_by == "start" else None
        return PageExpectation(
            must_contain=expect.must_contain if expect is not None else (),
            last_good_chars=held.page.body_chars if held is not None else None,
        )

    def reason_from_text(self, request: Request, measured: Measured | None, held: PageState | None) -> Reason | None:
        """The reason to go on with a page that is not whole, or of few words, unless it proves itself short."""
        run = self._job.run_of(request)
        if run is None or measured is None:
            return None
        config, tier = run.source.scrape_config, page_request(request).tier
        unfilled = escalation.reason_from_unfilled(tier, measured)
        reason = unfilled or escalation.reason_from_size(tier, measured, config.min_content_chars)
        if reason is None:
            return None
        visit = run_visit(request)
        if order.remembered_tier(visit.url, run.tiers.remembered) == tier:
            return None  # the browser showed no more of such pages
        if unfilled is not None:
            return unfilled
        if (
            config.expect is not None
            and visit.found_by == "start"
            and escalation.meets_expectation(config.expect, measured)
        ):
            return None
        if held is not None and held.text is not None:
            is_same_tier = held.text.tier == tier
            if escalation.matches_last_size(measured, held.page.body_chars, is_same_tier=is_same_tier):
                return None
        return reason

    def note_verdict(self, request: Request, verdict: Verdict) -> None:
        tried = exchange(request)
        tried.verdict = verdict
        if (unknown := tried.unknown_address) is not None:
            is_same = any(fired.rule == SAME_AS_UNKNOWN for fired in verdict.rules)
            compared = "the same text" if is_same else "another text"
            step = PageStep(
                "compare_unknown_address", unknown.url, compared if unknown.words else "nothing shown there"
            )
            tried.steps = (*tried.steps, step)
        if page_request(request).visit is None:
            request.meta["verdict"] = verdict  # for who looks at it in `scrapy shell`
        self._crawler.stats.inc_value(f"rori/verdicts/{verdict.kind}")

    # --- how it goes on -----------------------------------------------------------------------------------------------

    def accept_shrunk(self, request: Request, response: Response, verdict: Verdict) -> Response:
        """A page that lost most of its text, of which no tier has more: change.py holds it for a person."""
        exchange(request).verdict = Verdict("content", None, 0.5, verdict.rules)
        return response

    def accept(self, request: Request, response: Response, assessment: ResponseAssessment) -> Response:
        """The tier that worked is remembered, where it was not simply the first."""
        run, page = self._job.run_of(request), page_request(request)
        tier, tried = page.tier, exchange(request)
        if run is None or not assessment.verdict.is_content or not page.tier_order:
            return response
        short = page.short_page
        if short is not None and assessment.differs is not None and assessment.differs.garbled:
            return self._accept_plain(request, response, short.response, _garbled_reason(assessment.differs))
        if (
            short is not None
            and assessment.differs is not None
            and escalation.adds_nothing_substantial(assessment.differs)
        ):
            assert short.response.request is not None
            tier = page_request(short.response.request).tier
            if escalation.is_identical_rendering(assessment.differs):
                return self._accept_plain(request, response, short.response, Reason(ReasonCode.SAME_RENDERED))
        url = run_visit(request).url
        if tier != page.tier_order[0] or tier != page.tier:
            tried.tier_to_remember = tier
        else:
            run.tiers.note_first_tier(order.host_key(url))
            if order.url_template(url) in run.tiers.remembered or order.remembered_tier(
                url, run.tiers.remembered
            ) not in {
                None,
                tier,
            }:
                tried.tier_to_remember = tier
        return response

    def _accept_plain(self, request: Request, response: Response, short: Response, reason: Reason) -> Response:
        """The page as plain HTTP gave it, where the browser showed no better one: as served, and so next time."""
        assert short.request is not None
        attempt = self._attempt(request, reason, response.status, "content")
        short_page = update_request(short.request, attempts=(*page_request(request).attempts, attempt))
        exchange(short.request).tier_to_remember = short_page.tier
        return short

    def keep_short_page(self, request: Request, response: Response, assessment: ResponseAssessment) -> ShortPage | None:
        """What the next tier's answer is compared with, and the page itself if it may stand where none comes."""
        run, measured, converted = self._job.run_of(request), assessment.measured, assessment.converted
        if run is None or measured is None:
            return None
        is_small = len(response.body) <= _MAX_HELD_BODY_BYTES
        may_stand = escalation.is_acceptable_short_page(measured, run.source.scrape_config.min_content_chars)
        if not is_small or (run.usage.is_browser_budget_spent and not may_stand):
            return None
        response.request = request
        charset = None if converted is None or isinstance(converted, ConversionError) else converted.encoding
        return ShortPage(response, may_stand, charset)

    def _accept_short_page(self, request: Request, reason: Reason) -> Response | None:
        """The short page that plain HTTP gave, where the browser would say no more of it."""
        page, run = page_request(request), self._job.run_of(request)
        short = page.short_page
        if run is None or short is None or short.response.request is None:
            return None
        short_tier = page_request(short.response.request).tier
        remembered = order.remembered_tier(run_visit(request).url, run.tiers.remembered)
        if not short.may_stand and remembered != short_tier:
            return None
        logger.info(
            "%(url)s: %(tier)s gave %(reason)s; keeping the short page",
            {"url": request.url, "tier": page.tier, "reason": reason},
        )
        update_request(short.response.request, attempts=(*page.attempts, self._attempt(request, reason)))
        return short.response

    def escalate(
        self,
        request: Request,
        following: str,
        reason: Reason,
        *,
        status: int | None = None,
        kind: str | None = None,
        **changes: Any,
    ) -> Request:
        """The same URL by another tier: fresh retries, the original headers, the history kept."""
        page = page_request(request)
        tier = page.tier
        logger.info(
            "%(url)s: %(tier)s gave %(reason)s; trying %(next)s",
            {"url": request.url, "tier": tier, "reason": reason, "next": following},
        )
        self._crawler.stats.inc_value(f"rori/tiers/escalated/{tier}-{following}")
        changes["attempts"] = (*page.attempts, self._attempt(request, reason, status, kind))
        if page.is_remembered_tier and reason.code != ReasonCode.BROWSER_BUDGET_SPENT:
            changes["failed_remembered_tier"] = tier
        return escalation.request_for_tier(following, request, **changes)

    def _attempt(self, request: Request, reason: Reason, status: int | None = None, kind: str | None = None) -> Attempt:
        tier, tried = page_request(request).tier, exchange(request)
        return Attempt(tier, self._job.now(), status, kind, reason, tried.response_ms, tried.credits, tried.steps)


def _garbled_reason(differs: RenderDiff) -> Reason:
    return Reason(
        ReasonCode.GARBLED_RENDERED, count=len(differs.garbled), rule=differs.garbled[0][:40], name=differs.charset
    )
