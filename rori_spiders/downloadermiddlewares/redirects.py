"""Redirects, followed only inside the source's hosts; anything else ends as an explicit outcome, never silently."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.downloadermiddlewares.redirect import (
    BaseRedirectMiddleware,
    MetaRefreshMiddleware,
    RedirectMiddleware,
)

from rori_spiders.job import Job
from rori_spiders.refusals import OutOfScope, Refused

if TYPE_CHECKING:
    from scrapy import Request

    from rori_spiders.items import Visit

#: RFC 9309 §2.3.1.2: at least five redirects of robots.txt.
ROBOTS_HOPS = 5


class _Scoped(BaseRedirectMiddleware):
    """What both kinds of redirect share."""

    def _engine_started(self) -> None:
        """Nothing: no Referer is ever sent."""

    def _redirect(self, redirected: Request, request: Request, reason: Any) -> Request:
        visit: Visit | None = request.meta.get("visit")
        job = Job.of(self.crawler)
        if visit is not None and visit.kind != "robots" and visit.run_id in job.runs:
            if not job.runs[visit.run_id].scope.host_in(redirected.url):
                raise OutOfScope(f"redirected to other domain: {redirected.url}")
            # Validators and source headers were the first URL's; they never travel.
            for name in ("If-None-Match", "If-Modified-Since", *request.meta.get("own_headers", ())):
                redirected.headers.pop(name, None)
        hops = request.meta.get("redirect_times", 0) + 1
        limit = ROBOTS_HOPS if visit is not None and visit.kind == "robots" else self.max_redirect_times
        if hops > limit:
            raise Refused(f"redirect_loop: more than {limit} redirects")
        redirected.meta["redirect_statuses"] = [*request.meta.get("redirect_statuses", []), reason]
        followed = super()._redirect(redirected, request, reason)
        followed.dont_filter = True  # the frontier knows each URL once; Scrapy's filter would drop a target silently
        return followed


class ScopedRedirectMiddleware(_Scoped, RedirectMiddleware):
    """3xx with a Location."""


class ScopedMetaRefreshMiddleware(_Scoped, MetaRefreshMiddleware):
    """``<meta http-equiv=refresh>`` of at most METAREFRESH_MAXDELAY seconds."""
