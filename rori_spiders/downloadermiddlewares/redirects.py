"""Redirects, followed only inside the source's hosts; anything else ends as an explicit outcome, never silently."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import (
    BaseRedirectMiddleware,
    MetaRefreshMiddleware,
    RedirectMiddleware,
)
from scrapy.http import HtmlResponse, Response

from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.page_request import page_request, visit_of
from rori_spiders.crawl.tiers.refusals import AddressNotPublic, OutOfScope, Redirected, Refused
from rori_spiders.downloadermiddlewares.robots import is_robots_request
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.urls.canonical import normalise_url

#: Bytes that hold 4096 characters in any encoding.
_HEAD_BYTES = 4 * 4096
#: RFC 9309 §2.3.1.2: at least five redirects of robots.txt.
MAX_ROBOTS_REDIRECTS = 5


class _ScopedRedirects(BaseRedirectMiddleware):
    """The common base of both kinds of redirect."""

    def _engine_started(self) -> None:
        """Nothing: no Referer is ever sent."""

    @staticmethod
    @contextmanager
    def _answer_kept(request: Request, response: Response) -> Iterator[None]:
        """What is refused keeps the answer that redirects: a page that we hold may be missing by it."""
        try:
            yield
        except (OutOfScope, Redirected) as error:
            error.response = response.replace(request=request)
            raise

    def _build_redirect_request(self, source_request: Request, response: Response, *, url: str, **kwargs: Any) -> Any:
        """The request for *url* in its one spelling: credentials that stand in it are neither sent nor kept.

        Raises AddressNotPublic for what is neither http nor https, and ValueError if it is not a URL.
        """
        scheme = url.partition(":")[0].lower()
        if scheme not in {"http", "https"}:
            raise AddressNotPublic(f"redirects to {scheme}: only http and https are supported", url)
        return super()._build_redirect_request(source_request, response, url=normalise_url(url), **kwargs)

    def _redirect(self, redirected: Request, request: Request, reason: Any) -> Request:
        visit = visit_of(request)
        run, of_robots = Job.of(self.crawler).run_of(request), is_robots_request(request)
        if run is not None and visit is not None and not of_robots:
            status = reason if isinstance(reason, int) else None
            if not run.scope.host_in(redirected.url):
                raise OutOfScope(ReasonCode.REDIRECTED_OFF_SITE, redirected.url, status=status)
            if run.source.method == "crawl" and visit.kind == "page":
                raise Redirected(redirected.url, status=status)
        if Job.of(self.crawler).redactor.url(redirected.url) != redirected.url:
            raise Refused(Reason(ReasonCode.SECRET_IN_REDIRECT))
        limit = MAX_ROBOTS_REDIRECTS if of_robots else self.max_redirect_times
        if request.meta.get("redirect_times", 0) >= limit:
            raise Refused(Reason(ReasonCode.MANY_REDIRECTS, limit=limit))
        # Validators and the source's own headers were the first URL's: they never travel.
        for name in ("If-None-Match", "If-Modified-Since", *page_request(request).own_headers):
            redirected.headers.pop(name, None)
        redirected.meta["redirect_statuses"] = [*request.meta.get("redirect_statuses", []), reason]
        followed = super()._redirect(redirected, request, reason)
        followed.dont_filter = True  # the frontier knows each URL once; Scrapy's filter would drop a target silently
        return followed


class ScopedRedirectMiddleware(_ScopedRedirects, RedirectMiddleware):
    """3xx with a Location."""

    def process_response(  # type: ignore[override]  # without Scrapy's deprecated argument
        self, request: Request, response: Response
    ) -> Request | Response:
        try:
            with self._answer_kept(request, response):
                return super().process_response(request, response)
        except ValueError as error:
            invalid = Reason(ReasonCode.REDIRECT_INVALID, http_status=response.status, error=str(error))
            raise Refused(invalid) from error


def _may_refresh(head: bytes) -> bool:
    """Whether the word is there, or the text is in a charset without ASCII; most pages are read no further for it."""
    return b"refresh" in head.lower() or b"\0" in head


class ScopedMetaRefreshMiddleware(_ScopedRedirects, MetaRefreshMiddleware):
    """``<meta http-equiv=refresh>`` of at most METAREFRESH_MAXDELAY seconds; one without a target is not a redirect."""

    def process_response(  # type: ignore[override]  # without Scrapy's deprecated argument
        self, request: Request, response: Response
    ) -> Request | Response:
        if not isinstance(response, HtmlResponse) or not _may_refresh(response.body[:_HEAD_BYTES]):
            return response
        # Scrapy would decode the whole of a body of 32 MiB, and keep it, to read its first 4096 characters.
        head = HtmlResponse(
            response.url,
            status=response.status,
            headers=response.headers,
            body=response.body[:_HEAD_BYTES],
            request=request,
        )
        try:
            with self._answer_kept(request, response):
                result = super().process_response(request, head)
        except (AddressNotPublic, ValueError):
            return response
        return response if result is head else result
