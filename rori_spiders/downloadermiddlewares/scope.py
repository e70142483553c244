"""Refuse URLs out of scope: scheme, address, and hosts of the source; also for redirects and retries."""

import logging

from scrapy import Request

from rori_spiders.crawl.job.job import JobComponent
from rori_spiders.crawl.page_request import PageRequest, begin_try, has_page_request, page_request, visit_of
from rori_spiders.crawl.tiers.builders import build_tiers
from rori_spiders.crawl.tiers.order import HTTP
from rori_spiders.crawl.tiers.refusals import NoTier, OutOfScope, Refused, refuse_unless_public
from rori_spiders.downloadermiddlewares.robots import is_robots_request
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.urls.canonical import host_of

logger = logging.getLogger(__name__)


class ScopeMiddleware(JobComponent):
    """First of all: what it refuses makes no request, not even for robots.txt."""

    def process_request(self, request: Request) -> None:
        refuse_unless_public(request.url, self._job.addresses)
        visit = visit_of(request)
        if is_robots_request(request):
            return  # it may redirect to a sister host, and no fence keeps us from reading what it forbids
        if not has_page_request(request):  # of the shell, where a person may name the tier in the meta
            tier = request.meta.setdefault("tier", self._of_shell())
            begin_try(request, PageRequest(None, tier))
        self._check_tier(request)
        if visit is None or visit.run_id not in self._job.runs:
            return  # the shell
        if not self._job.runs[visit.run_id].scope.host_in(request.url):
            was_redirected = bool(request.meta.get("redirect_times"))
            code = ReasonCode.REDIRECTED_OFF_SITE if was_redirected else ReasonCode.OUTSIDE_HOSTS
            raise OutOfScope(code, request.url)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """`scrapy shell` would say nothing of a refusal."""
        if isinstance(exception, Refused) and visit_of(request) is None:
            logger.warning("Not requesting %(url)s: %(reason)s", {"url": request.url, "reason": exception.reason})

    def _of_shell(self) -> str:
        """The tier of a request that names none: plain HTTP, unless RORI_TIERS leaves it out."""
        order = build_tiers(self._crawler).order
        return HTTP if HTTP in order or not order else order[0]

    def _check_tier(self, request: Request) -> None:
        """A host that is fenced is reached by the tiers of its fence only, also where a redirect leads to it."""
        page = page_request(request)
        if page.tier_order == ():
            raise NoTier(
                Reason(
                    ReasonCode.NO_TIER,
                    error="none that the source or its domain allows is available; see `scrapy tiers`",
                )
            )
        host, tier = host_of(request.url), page.tier
        fence = self._job.manifests.catalog.rules(host).tiers
        if fence is not None and tier not in fence:
            fenced = f"{host} allows only {', '.join(fence)}, not {tier}"
            raise NoTier(Reason(ReasonCode.NO_TIER, error=fenced))
