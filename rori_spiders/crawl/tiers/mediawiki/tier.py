"""The `mediawiki` tier: a wiki page by ``api.php?action=parse`` (S3 WC-10), answered as HTML for the page's own URL.

The walker of wikis names the API in the request (`PageRequest.api_url`); for pages of other
sources both are read off the URL and `mediawiki_sites`. The JSON as received is kept as ``raw_body``;
``parse_page_html`` turns it into the same HTML again whenever it is converted anew. The walker's questions for lists of
pages (visits of the kind ``api``) go the same way: what the API says with HTTP 200 becomes a status that is retried or
fails.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from scrapy import Request
from scrapy.http import HtmlResponse, Response

from rori_spiders.content.documents.file_types import kind_of
from rori_spiders.crawl.page_request import exchange, page_request, visit_of
from rori_spiders.crawl.tiers.base import HealthStatus, Requirement, join_header_values
from rori_spiders.crawl.tiers.errors import NoApi
from rori_spiders.crawl.tiers.mediawiki.api_answers import (
    is_api_error,
    is_redirect_loop,
    other_page,
    parse_api_error,
    parse_page_html,
    parse_page_metadata,
    redirect_target,
)
from rori_spiders.crawl.tiers.mediawiki.titles import NotAPage, PageReference, parse_page_url, title_url
from rori_spiders.crawl.tiers.order import MEDIAWIKI
from rori_spiders.crawl.tiers.refusals import Redirected, Refused, RobotsDisallowed, refuse_unless_public
from rori_spiders.items import ApiMetadata
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.urls.canonical import host_of, normalise_url, origin_of, url_hash
from rori_spiders.verdicts import judge

if TYPE_CHECKING:
    from rori_spiders.crawl.job.job import Job
    from rori_spiders.crawl.tiers.http.tier import HttpTier

#: They say that there is no api.php, and nothing of the page: the API itself says what is missing with HTTP 200.
_NOT_ITS_OWN = frozenset({404, 405, 410})
_IN_PLACE_BYTES = 64 * 1024
#: An api.php that answers so often in a row with no API's answer is closed; one that never gave any, at once.
_REFUSALS = 3
_NO_WALL = frozenset({"content", "not_found", "empty"})


class NotAnArticle(Refused):
    """Raised for a URL of a wiki that names no page: a special page, a form, a history."""

    state = "excluded"


def build_parse_query(page: str | PageReference) -> str:
    """The query string that asks for a page, by title as a rule.

    Series of requests, gzip, contact and maxlag are the API's etiquette (https://www.mediawiki.org/wiki/API:Etiquette).
    """
    reference = PageReference("page", page) if isinstance(page, str) else page
    return urlencode(
        {
            "action": "parse",
            reference.by: reference.value,
            "prop": "text|links|categories|revid|displaytitle|properties",
            "redirects": "1",
            "disablelimitreport": "1",  # a timing comment would make each fetch differ
            "disableeditsection": "1",
            "disabletoc": "1",
            "maxlag": "5",
            "format": "json",
            "formatversion": "2",
            "utf8": "1",
        }
    )


class MediaWikiTier:
    """Asks the wiki's API through the `http` tier; the group, its pace and robots are those of the page."""

    name = MEDIAWIKI
    version = "mediawiki-action-api"
    about = "wiki pages by the wiki's own API (api.php), as named in the manifest"

    def __init__(self, http: HttpTier, job: Job) -> None:
        self._http = http
        self._job = job
        self._refusals: Counter[str] = Counter()  # in a row, by api.php
        self._answered: set[str] = set()
        self._refused_with: dict[str, int] = {}  # the last refusal's HTTP status

    def needs(self) -> tuple[Requirement, ...]:
        return ()

    async def check(self) -> HealthStatus:
        return HealthStatus(ok=True, says="no check needed: it requests each wiki's own API")

    async def fetch(self, request: Request) -> Response:
        """Raises NoApi where no api.php answers: the page is somebody else's to bring."""
        tried = exchange(request)  # that of the page before, where that redirected here
        tried.failure, tried.raw_body, tried.api_metadata = None, None, ApiMetadata()
        for name in ("redirect_urls", "redirect_statuses"):
            request.meta.pop(name, None)
        api, listed = self._api_url(request), _requested_list_url(request)
        api_url = listed or f"{api}?{build_parse_query(_requested_page(request))}"
        refuse_unless_public(api_url, self._job.addresses)
        api_request = Request(
            api_url,
            headers={"User-Agent": request.headers.get("User-Agent", b""), "Accept-Encoding": "gzip"},
            meta={"on_sent": request.meta.get("on_sent"), "download_timeout": request.meta.get("download_timeout")},
        )
        answer = await self._http.fetch(api_request)
        request.meta["download_latency"] = api_request.meta.get("download_latency")
        if len(answer.body) <= _IN_PLACE_BYTES:
            return self._build_page_response(request, answer, api)
        return await asyncio.to_thread(self._build_page_response, request, answer, api)

    def _api_url(self, request: Request) -> str:
        api_url = page_request(request).api_url or self._job.manifests.catalog.api_url(host_of(request.url))
        if api_url is None:
            raise NoApi("no api.php is known for this host")
        if self._refusals[api_url] >= (_REFUSALS if api_url in self._answered else 1):
            status = self._refused_with.get(api_url)
            raise NoApi(f"it refused this job with HTTP {status}; not requested again")
        return str(api_url)

    def _build_page_response(self, request: Request, answer: Response, api: str) -> Response:
        """The answer as one for the page's own URL."""
        listed = _requested_list_url(request)
        error = parse_api_error(answer.body, is_list=listed is not None)
        if (error is None and answer.status == 200) or is_api_error(answer.body):  # that, whatever its HTTP status was
            self._answered.add(api)
            del self._refusals[api]
            if error is not None:
                return self._error(request, answer, *error)
            return self._page(request, answer) if listed is None else _answer_at_url(listed, request, answer)
        if answer.status != 429 and answer.status < 500:
            self._refusals[api] += 1
            self._refused_with[api] = answer.status
        if 300 <= answer.status < 400:
            to = (answer.headers.get(b"Location") or b"").decode("latin-1")
            raise NoApi(f"it redirects to {to[:200]}")
        if answer.status == 200:
            return _wall_response(request, answer)
        if answer.status in _NOT_ITS_OWN:
            raise NoApi(f"api.php answered HTTP {answer.status}")
        return _answer_at_url(listed or request.url, request, answer)

    def _error(self, request: Request, answer: Response, status: int, code: str) -> Response:
        exchange(request).raw_body = answer.body
        listed = _requested_list_url(request)
        if code == "maxlag":
            # Whoever asks us to wait is not asked by another door: this is final once its retries are spent.
            exchange(request).failure = Reason(ReasonCode.API_LAG)
        elif listed is not None:
            exchange(request).failure = Reason(ReasonCode.API_ERROR, rule=code)
        return Response(
            listed or request.url,
            status=status,
            body=code.encode("utf-8", "replace"),
            headers={"Retry-After": answer.headers[b"Retry-After"]} if b"Retry-After" in answer.headers else {},
            request=request,
            ip_address=answer.ip_address,
        )

    def _page(self, request: Request, answer: Response) -> Response:
        payload = answer.body
        if is_redirect_loop(payload):
            raise Refused(Reason(ReasonCode.REDIRECT_LOOP, rule="the wiki page redirects in a loop"))
        exchange(request).raw_body = payload
        reference = _requested_page(request)
        if (other := other_page(payload, reference.by, reference.value)) is not None:
            raise Refused(Reason(ReasonCode.BAD_ANSWER, error=f"asked for {reference.value}, it returned {other}"))
        final = self._final(request, redirect_target(payload))
        exchange(request).api_metadata = parse_page_metadata(
            payload, (answer.headers.get(b"Date") or b"").decode("latin-1") or None
        )
        if final is not None:
            # Read by crawl/walkers/page_items.py: the page's own URL, then where it led.
            request.meta["redirect_urls"], request.meta["redirect_statuses"] = [request.url, final], ["wiki redirect"]
        return HtmlResponse(
            final or request.url,
            status=200,
            body=parse_page_html(payload, final).encode("utf-8", "replace"),
            encoding="utf-8",
            request=request,
            headers={"Content-Type": "text/html; charset=utf-8"},
            ip_address=answer.ip_address,
        )

    def _final(self, request: Request, title: str | None) -> str | None:
        """The URL of the page that the asked one redirects to inside the wiki; None where it does not.

        Raises Redirected where that page is, or will be, one of the run's own, and RobotsDisallowed. What the source
        names keeps its address, what a list of the wiki's names is known by the page itself.
        """
        if title is None:
            return None
        final = normalise_url(title_url(title, request.url, page_request(request).wiki_prefix))
        run = self._job.run_of(request)
        if run is None or final == request.url:
            return None if final == request.url else final
        if run.source.method == "crawl" or url_hash(final) in run.frontier.known or _is_listed_page(request):
            raise Redirected(final)
        robots = self._job.robots.get(origin_of(final))
        if robots is not None and not robots.allows(final):
            raise RobotsDisallowed(Reason(ReasonCode.ROBOTS_DISALLOWED_TARGET, target_url=final))
        return final

    async def close(self) -> None:
        """Nothing of its own: the connections are the `http` tier's."""


def _requested_page(request: Request) -> PageReference:
    try:
        reference = parse_page_url(request.url, page_request(request).wiki_prefix)
    except NotAPage as error:
        raise NotAnArticle(Reason(ReasonCode.NOT_AN_ARTICLE, error=str(error))) from error
    if reference is None:
        raise NoApi("the URL is not a wiki page")
    return reference


def _requested_list_url(request: Request) -> str | None:
    """The address of the list that is asked for; robots.txt and pace are those of ``request.url``, a page."""
    visit = visit_of(request)
    return visit.url if visit is not None and visit.kind == "api" else None


def _is_listed_page(request: Request) -> bool:
    visit = visit_of(request)
    return visit is not None and visit.found_by == "api" and visit.found_on is not None


def _answer_at_url(url: str, request: Request, answer: Response) -> Response:
    return answer.replace(url=url, request=request)


def _wall_response(request: Request, answer: Response) -> Response:
    """Something else where data was asked for: what a wall for people is the verdict says, if only it is not content.

    Nor is it "not found": api.php itself may not be there, which says nothing of the page.
    """
    headers = join_header_values(answer.headers)
    is_html = kind_of(answer.body, headers.get("Content-Type")) == "html"
    is_list = _requested_list_url(request) is not None  # its 200 would count as an answer
    if (
        is_list
        or not is_html
        or judge(status=answer.status, url=answer.url, headers=headers, body=answer.body).kind in _NO_WALL
    ):
        raise NoApi("its URL is not a MediaWiki API")
    return _answer_at_url(request.url, request, answer)
