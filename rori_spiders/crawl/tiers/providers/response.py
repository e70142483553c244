"""Convert a provider's answer to a response, after checking that it answers the request."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http import HtmlResponse, Response
from scrapy.http.headers import Headers
from scrapy.responsetypes import responsetypes

from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.page_request import visit_of
from rori_spiders.crawl.tiers.errors import ProviderFailed
from rori_spiders.crawl.tiers.refusals import AddressNotPublic, refuse_unless_public
from rori_spiders.urls.canonical import normalise_url, origin_of

_UTF8_HTML = "text/html; charset=utf-8"
_OF_TRANSFER = frozenset({"content-encoding", "transfer-encoding", "content-length", "connection", "set-cookie"})
#: The dearest call of any provider costs 125.
_MOST_CREDITS = 10_000
_HTML = frozenset({"", "text/html", "application/xhtml+xml"})


@dataclass(frozen=True, slots=True)
class ProviderPage:
    """A page as the provider returns it. *status* is the site's; *url* the page's final one, if it is given.

    *rendered*: the body is HTML that the provider wrote anew, in UTF-8. *credits*: what the call cost, if it is given.
    """

    status: int
    body: bytes
    url: str | None = None
    headers: list[tuple[str, str]] = field(default_factory=list)
    rendered: bool = False
    credits: float | None = None

    @property
    def content_type(self) -> str:
        content_types = (value for name, value in self.headers if name.lower() == "content-type")
        return next(content_types, "").partition(";")[0].strip().lower()

    @property
    def leads_on(self) -> bool:
        return 300 <= self.status < 400 and any(name.lower() == "location" for name, _ in self.headers)


def parse_credits(value: object) -> float | None:
    """What a provider says that a call cost, where it is a number that can be; else None."""
    try:
        amount = float(value) if isinstance(value, (int, float, str)) else -1.0
    except (ValueError, OverflowError):
        return None
    return amount if 0 <= amount <= _MOST_CREDITS else None


def is_same_page(reported: object, requested: str) -> bool:
    """Whether the URL that a provider repeats is the one that it was asked for."""
    try:
        return isinstance(reported, str) and normalise_url(reported) == normalise_url(requested)
    except ValueError:
        return False


def validate_page(found: ProviderPage) -> ProviderPage:
    """*found*, if it can be the answer of a site to a plain question. Raises ProviderFailed."""
    plausible = 200 <= found.status < 300 and found.status != 206
    if not (plausible or found.leads_on or 400 <= found.status < 600):
        raise ProviderFailed("provider_bad_answer", f"a page with HTTP {found.status}", charged=True)
    if plausible and not found.body.strip():
        raise ProviderFailed("provider_bad_answer", "a page without content", charged=True)
    if found.rendered and found.content_type not in _HTML:
        says = f"a document ({found.content_type[:60]}), which this provider does not return unchanged"
        raise ProviderFailed("provider_no_document", says, charged=True)
    return found


def build_response(found: ProviderPage, request: Request, job: Job) -> Response:
    """The response for *request*; where the provider was led elsewhere, a redirect, unless it may be kept.

    It is judged like any other redirect then: scope, robots.txt, and whether it is another page of the run.
    Raises ProviderFailed for an end that is no URL.
    """
    end = _final_url(found, request.url)
    if end != request.url and not found.leads_on and not _may_keep_final_url(end, request, job):
        return Response(request.url, status=302, headers={"Location": end}, request=request)
    page_headers: dict[str, list[str]] = {}
    for name, value in found.headers:
        if name.lower() not in _OF_TRANSFER and not (found.rendered and name.lower() == "content-type"):
            page_headers.setdefault(name, []).append(value)
    if found.rendered:
        headers = Headers({**page_headers, "Content-Type": [_UTF8_HTML]})
        return HtmlResponse(end, found.status, headers, found.body, encoding="utf-8", request=request)
    headers = Headers(page_headers)
    kind = responsetypes.from_args(headers=headers, url=end, body=found.body)
    return kind(end, found.status, headers, found.body, request=request)


def _final_url(found: ProviderPage, requested: str) -> str:
    if found.url is None or is_same_page(found.url, requested):
        return requested
    try:
        if urlsplit(found.url).scheme in {"http", "https"}:
            return normalise_url(found.url)
    except ValueError:
        pass
    raise ProviderFailed("provider_wrong_page", "the response is for an invalid URL", charged=True)


def _may_keep_final_url(end: str, request: Request, job: Job) -> bool:
    """Whether a page that was read at *end* is that of the source all the same, and we could have read it ourselves."""
    run = job.run_of(request)
    if run is None:
        return visit_of(request) is None  # in a shell a person judges
    robots = job.robots.get(origin_of(end))
    try:
        refuse_unless_public(end, job.addresses)
    except AddressNotPublic:
        return False
    return (
        run.source.method != "crawl"
        and run.scope.host_in(end)
        and robots is not None
        and robots.allows(end)
        and job.redactor.url(end) == end
    )
