"""Judge the response; send what another tier may better to the next tier of the URL; and put back a page whose tier
needs a further request.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.tiers import escalation, order
from rori_spiders.crawl.tiers.base import FollowUpRequestNeeded, join_header_values
from rori_spiders.crawl.tiers.browser.budget import BrowserBudget
from rori_spiders.crawl.tiers.order import BROWSER, HTTP
from rori_spiders.crawl.tiers.refusals import BudgetSpent
from rori_spiders.exceptions import ConversionError
from rori_spiders.items import Attempt
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.urls.canonical import origin_of
from rori_spiders.verdicts import PageExpectation, Verdict

if TYPE_CHECKING:
    from typing import Any

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from rori_spiders.content.html.visible_text import Measured
    from rori_spiders.crawl.tiers.escalation import ResponseAssessment
    from rori_spiders.items import FrontierUrl
    from rori_spiders.ledger.pages.page_state import PageState

logger = logging.getLogger(__name__)


#: A short page is kept in memory while the browser is asked, if it may have to stand for itself and is not larger.
_MAX_KEPT_BODY_BYTES = 2**20


class TierMiddleware:
    """Judges pages; robots.txt and sitemaps are judged by their own readers."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._job = Job.of(crawler)
        self._budget = BrowserBudget(self._job)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> TierMiddleware:
        return cls(crawler)

    def process_request(self, request: Request) -> Request | None:
        if (learnt := self._learnt(request)) is not None:
            is_first = not request.meta.get("attempts")
            return escalation.request_for_tier(learnt, request, **({"remembered": True} if is_first else {}))
        if request.meta.get("tier") == BROWSER:
            self._budget.check(request)
        return None

    def _learnt(self, request: Request) -> str | None:
        """The tier further up that works for such pages, as was learnt while *request* waited for its turn."""
        run, ladder, tier = self._job.run_of(request), request.meta.get("ladder", ()), _current_tier(request)
        was_asked = request.meta.keys() & {"remembered", "tried", "former", "once"}
        if run is None or was_asked or request.meta["visit"].kind != "page" or tier not in ladder:
            return None
        learnt = order.remembered_tier(request.meta["visit"].url, run.tiers.remembered)
        return learnt if learnt in ladder[ladder.index(tier) + 1 :] else None

    async def process_response(self, request: Request, response: Response) -> Request | Response:
        visit: FrontierUrl | None = request.meta.get("visit")
        is_judged = response is request.meta.get("kept")
        if (visit is not None and visit.kind != "page") or response.status == 304 or is_judged:
            return response
        held = await self._held(request)
        try:
            weighed = await self._weigh(request, response, held)
        except ConversionError as error:
            self._crawler.stats.inc_value(f"rori/conversion/{error.reason}")
            request.meta["failure"] = Reason(error.reason, error=str(error))  # the bytes go on, as evidence
            return response
        verdict = request.meta["verdict"] = weighed.verdict
        self._crawler.stats.inc_value(f"rori/verdicts/{verdict.kind}")
        following = self._following(request)
        if following is None and verdict.has_only_shrunk:
            # Nobody has more of it: pipelines/change.py holds it, until a person says that the page is so short now.
            request.meta["verdict"] = Verdict("content", None, 0.5, verdict.rules)
            return response
        if following is None or "failure" in request.meta:
            return self._done(request, response, weighed)
        reason = escalation.reason_from_verdict(_current_tier(request), response.status, verdict)
        if reason is not None:
            return self._onward(request, following, reason, status=response.status, kind=verdict.kind)
        if (thin := self._thin(request, weighed.measured, held)) is not None:
            more = self._kept(request, response, weighed.measured)
            return self._onward(request, following, thin, status=response.status, kind=verdict.kind, **more)
        return self._done(request, response, weighed)

    def process_exception(self, request: Request, exception: Exception) -> Request | Response | None:
        """What failed comes here once its retries are spent."""
        visit: FrontierUrl | None = request.meta.get("visit")
        if visit is None or visit.kind != "page":
            return None
        following = self._following(request)
        if isinstance(exception, BudgetSpent):
            following = following if "remembered" in request.meta else None  # never on to what costs money
            reason: Reason | None = exception.reason
        else:
            reason = escalation.reason_from_error(_current_tier(request), exception)
        if reason is not None and following is not None:
            return self._onward(request, following, reason)
        if isinstance(exception, BudgetSpent) or escalation.is_fetch_error(exception):
            failed = Reason(ReasonCode.DOWNLOAD_ERROR, error_type=type(exception).__name__, error=str(exception))
            return self._standing(request, reason or failed)
        return None

    def _following(self, request: Request) -> str | None:
        """The next rung; none where a wall stands in place of robots.txt: only the publisher's API may be asked."""
        visit: FrontierUrl | None = request.meta.get("visit")
        file = self._job.robots.get(origin_of(visit.url)) if visit is not None else None
        return None if file is not None and file.is_wall else _next_tier(request)

    # --- what it is ---------------------------------------------------------------------------------------------------

    async def _held(self, request: Request) -> PageState | None:
        """What is held of the page; None: nothing, or there is no ledger to ask."""
        if self._job.run_of(request) is None or not self._job.storage.is_open:
            return None
        known = await self._job.known.of(request.meta["visit"])
        return known if known is not None and known.held is not None else None

    async def _weigh(self, request: Request, response: Response, held: PageState | None) -> ResponseAssessment:
        kept: Response | None = request.meta.get("kept")
        return await self._job.workers.run(
            len(response.body),
            escalation.assess_response,
            status=response.status,
            url=response.url,
            headers=join_header_values(response.headers),
            body=response.body,
            known=self._known(request, held),
            is_measured=self._following(request) is not None or kept is not None,
            plain=None if kept is None else (kept.body, join_header_values(kept.headers).get("Content-Type")),
        )

    def _known(self, request: Request, held: PageState | None) -> PageExpectation | None:
        run = self._job.run_of(request)
        if run is None:
            return None
        visit: FrontierUrl = request.meta["visit"]
        expect = run.source.scrape_config.expect if visit.found_by == "start" else None
        return PageExpectation(
            must_contain=expect.must_contain if expect is not None else (),
            last_good_chars=held.page.body_chars if held is not None else None,
        )

    def _thin(self, request: Request, measured: Measured | None, held: PageState | None) -> Reason | None:
        """The reason to go on with a page of few words, unless it proves itself short."""
        run = self._job.run_of(request)
        if run is None or measured is None:
            return None
        config, tier = run.source.scrape_config, _current_tier(request)
        reason = escalation.reason_from_size(tier, measured, config.min_content_chars)
        if reason is None:
            return None
        visit: FrontierUrl = request.meta["visit"]
        if order.remembered_tier(visit.url, run.tiers.remembered) == tier:
            return None  # the browser showed no more of such pages
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

    # --- how it goes on -----------------------------------------------------------------------------------------------

    def _done(self, request: Request, response: Response, weighed: ResponseAssessment) -> Response:
        """The tier that worked is remembered, where it was not simply the first."""
        run, ladder, tier = self._job.run_of(request), request.meta.get("ladder", ()), _current_tier(request)
        if run is None or not weighed.verdict.is_content or not ladder:
            return response
        kept: Response | None = request.meta.get("kept")
        if kept is not None and weighed.differs is not None and escalation.adds_nothing_substantial(weighed.differs):
            assert kept.request is not None
            tier = _current_tier(kept.request)
            if escalation.is_identical_rendering(weighed.differs):
                return self._plain(request, response, kept)
        url = request.meta["visit"].url
        if tier != ladder[0] or tier != _current_tier(request):
            request.meta["remember"] = tier
        else:
            run.tiers.note_first_tier(order.host_key(url))
            if order.url_template(url) in run.tiers.remembered or order.remembered_tier(
                url, run.tiers.remembered
            ) not in {
                None,
                tier,
            }:
                request.meta["remember"] = tier
        return response

    def _plain(self, request: Request, response: Response, kept: Response) -> Response:
        """The page as plain HTTP gave it, where the browser showed the same: as served, and asked for so next time."""
        assert kept.request is not None
        tried = self._attempt(request, Reason(ReasonCode.SAME_RENDERED), response.status, "content")
        kept.request.meta["attempts"] = [*request.meta.get("attempts", []), tried]
        kept.request.meta["remember"] = _current_tier(kept.request)
        return kept

    def _kept(self, request: Request, response: Response, measured: Measured | None) -> dict[str, Any]:
        """What the next tier's answer is compared with, and the page itself if it may stand where none comes."""
        run = self._job.run_of(request)
        if run is None or measured is None:
            return {}
        small = len(response.body) <= _MAX_KEPT_BODY_BYTES
        sound = escalation.is_acceptable_short_page(measured, run.source.scrape_config.min_content_chars)
        if not small or (run.usage.is_browser_budget_spent and not sound):
            return {}
        response.request = request
        return {"kept": response, "sound": sound}

    def _standing(self, request: Request, reason: Reason) -> Response | None:
        """The short page that plain HTTP gave, where the browser would say no more of it."""
        kept: Response | None = request.meta.get("kept")
        run = self._job.run_of(request)
        if run is None or kept is None or kept.request is None:
            return None
        is_of_short_ones = order.remembered_tier(request.meta["visit"].url, run.tiers.remembered) == _current_tier(
            kept.request
        )
        if not request.meta["sound"] and not is_of_short_ones:
            return None
        logger.info(
            "%(url)s: %(tier)s gave %(reason)s; the short page stands",
            {"url": request.url, "tier": _current_tier(request), "reason": reason},
        )
        kept.request.meta["attempts"] = [*request.meta.get("attempts", []), self._attempt(request, reason)]
        return kept

    def _onward(
        self,
        request: Request,
        following: str,
        reason: Reason,
        *,
        status: int | None = None,
        kind: str | None = None,
        **more: Any,
    ) -> Request:
        """The same URL by another rung: fresh retries, the original headers, the history kept."""
        tier = _current_tier(request)
        logger.info(
            "%(url)s: %(tier)s gave %(reason)s, now %(next)s",
            {"url": request.url, "tier": tier, "reason": reason, "next": following},
        )
        self._crawler.stats.inc_value(f"rori/tiers/escalated/{tier}-{following}")
        more["attempts"] = [*request.meta.get("attempts", []), self._attempt(request, reason, status, kind)]
        if "remembered" in request.meta and reason.code != ReasonCode.BROWSER_BUDGET_SPENT:
            more["tried"] = tier
        return escalation.request_for_tier(following, request, **more)

    def _attempt(self, request: Request, reason: Reason, status: int | None = None, kind: str | None = None) -> Attempt:
        ms, credits_ = (int(request.meta.get(name, 0)) for name in ("response_ms", "credits"))
        return Attempt(_current_tier(request), self._job.now(), status, kind, reason, ms, credits_)


def _current_tier(request: Request) -> str:
    return str(request.meta.get("tier", HTTP))


def _next_tier(request: Request) -> str | None:
    """The rung after this one; after one that was only remembered, the first of the ladder."""
    tier, ladder = _current_tier(request), request.meta.get("ladder", ())
    if tier not in ladder:
        return None
    if "remembered" in request.meta:
        return str(ladder[0])
    left = [name for name in ladder[ladder.index(tier) + 1 :] if name != request.meta.get("tried")]
    return left[0] if left else None


# A page that takes a tier several requests: each goes through the queue, and through every gate, like any other.


class FollowUpRequestMiddleware:
    """Puts a page whose tier needs a further request back into the queue, before others of its kind."""

    def process_exception(self, request: Request, exception: Exception) -> Request | None:
        if not isinstance(exception, FollowUpRequestNeeded):
            return None
        return request.replace(dont_filter=True, priority=request.priority + 1)
