"""Make the item that ends a URL from its response or failure: the only place that decides its outcome."""

from datetime import datetime

from scrapy import Request
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)
from scrapy.http import Headers, Response

from rori_spiders.crawl.page_request import exchange, page_request, run_visit
from rori_spiders.crawl.tiers.errors import (
    BadResponse,
    BrowserCrashed,
    BrowserFailed,
    DamagedEncoding,
    NoApi,
    ProviderFailed,
    TlsFailed,
    UnknownEncoding,
)
from rori_spiders.crawl.tiers.order import BROWSER, MEDIAWIKI, OFFICIAL
from rori_spiders.crawl.tiers.refusals import Redirected, Refused
from rori_spiders.exceptions import JobStopped
from rori_spiders.items import ApiMetadata, Attempt, Fetched, PageItem
from rori_spiders.manifest.models import Expectation
from rori_spiders.reasons import CAPTURED, Reason, ReasonCode
from rori_spiders.urls.sitemap_reader import is_url_list

# The order matters: those from `tiers` are kinds of Scrapy's.
_ERROR_CODES: tuple[tuple[type[Exception], ReasonCode], ...] = (
    (NoApi, ReasonCode.NO_API),
    (BadResponse, ReasonCode.BAD_RESPONSE),
    (DamagedEncoding, ReasonCode.BAD_ENCODING),
    (UnknownEncoding, ReasonCode.BAD_ENCODING),
    (TlsFailed, ReasonCode.TLS_FAILED),
    (BrowserCrashed, ReasonCode.BROWSER_CRASHED),
    (BrowserFailed, ReasonCode.BROWSER_FAILED),
    (DownloadTimeoutError, ReasonCode.TIMEOUT),
    (CannotResolveHostError, ReasonCode.NAME_NOT_RESOLVED),
    (DownloadConnectionRefusedError, ReasonCode.CONNECTION_REFUSED),
    (ResponseDataLossError, ReasonCode.TRUNCATED),
    (DownloadCancelledError, ReasonCode.TOO_LARGE),
    (DownloadFailedError, ReasonCode.CONNECTION_FAILED),
)


def build_fetched(response: Response, at: datetime) -> Fetched:
    """The facts of a response, as audit and envelope want them."""
    request = response.request
    assert request is not None
    page, tried = page_request(request), exchange(request)
    return Fetched(
        url=run_visit(request).url,
        final_url=response.url,
        status=response.status,
        headers=_decode_headers(response.headers),
        body=response.body,
        raw=tried.raw_body,
        screenshot=tried.screenshot if page.tier == BROWSER else None,
        at=at,
        tier=page.tier,
        engine_version=tried.engine_version,
        response_time_ms=tried.response_ms,
        retry_count=sum(page.retries.values()),
        credits=tried.credits,
        redirects=_redirect_history(request),
        ip_address=str(response.ip_address) if response.ip_address else None,
        request_headers=_decode_headers(request.headers),
        api_metadata=tried.api_metadata if page.tier in {OFFICIAL, MEDIAWIKI} else ApiMetadata(),
    )


def _decode_headers(headers: Headers) -> dict[str, list[str]]:
    # As they are kept: Scrapy's own `items` looks each name up again, twice.
    stored = dict.items(headers)
    return {name.decode("latin-1"): [value.decode("latin-1") for value in values] for name, values in stored}


def _redirect_history(request: Request) -> tuple[tuple[int, str], ...]:
    statuses = [code if isinstance(code, int) else 200 for code in request.meta.get("redirect_statuses", [])]
    urls = [*request.meta.get("redirect_urls", []), request.url][1:]
    return tuple(zip(statuses, urls, strict=False))


def item_from_response(facts: Fetched, request: Request) -> PageItem:
    """`captured` when the verdict says content (or a 304 confirms it), else `failed` with the verdict's kind."""
    page, tried = page_request(request), exchange(request)
    visit, verdict = run_visit(request), tried.verdict
    if tried.failure is not None:  # a middleware has said what it is
        state, reason = "failed", tried.failure
    elif visit.kind != "page":
        good = 200 <= facts.status < 300 or tried.known_bytes is not None
        state = "captured" if good else "failed"
        as_received = tried.known_bytes or CAPTURED
        reason = as_received if good else Reason(ReasonCode.HTTP_ERROR, http_status=facts.status)
    elif tried.known_bytes is not None:
        state, reason = "captured", tried.known_bytes  # as far as it is read and checked: then it is excluded
    elif facts.status == 304:
        state, reason = "unchanged", Reason(ReasonCode.NOT_MODIFIED)
    elif 300 <= facts.status < 400:
        state, reason = "failed", Reason(ReasonCode.REDIRECT_WITHOUT_TARGET, http_status=facts.status)
    elif verdict is None and facts.status == 200 and is_url_list(facts.body):
        state, reason = "captured", CAPTURED  # as far as it can be read: by the walker
    elif verdict is None:
        state, reason = "failed", Reason(ReasonCode.NOT_JUDGED)
    elif verdict.kind == "content":
        state, reason = "captured", CAPTURED
    else:
        state = "failed"
        rule = verdict.rules[0].rule if verdict.kind == "unknown" and verdict.rules else None
        reason = Reason(verdict.kind, vendor=verdict.vendor or None, http_status=facts.status, rule=rule)
    last = Attempt(
        facts.tier,
        facts.at,
        facts.status,
        verdict.kind if verdict else None,
        reason,
        facts.response_time_ms,
        facts.credits,
        tried.steps,
    )
    return PageItem(
        visit,
        state,
        reason,
        fetched=facts,
        verdict=verdict,
        attempts=(*page.attempts, last),
        at=facts.at,
        remember=tried.tier_to_remember,
    )


def explain_unmet_expectation(item: PageItem, expect: Expectation) -> None:
    """Say of a page that is not known for what it is which expected text it lacks, and why that is expected."""
    if item.state != "failed" or item.verdict is None or item.verdict.kind != "unknown":
        return
    missing = [fired.where for fired in item.verdict.rules if fired.rule == "expected-text-missing"]
    if missing:
        item.reason = Reason(
            ReasonCode.EXPECTATION, error=f"the text {missing[0]!r} is missing", note=expect.why or None
        )


def item_from_error(error: BaseException, request: Request, at: datetime) -> PageItem | None:
    """The item of a request that got no response; None when the URL stays pending.

    It does when its group is not ours any more, and when a stop cut it short.
    """
    page, tried = page_request(request), exchange(request)
    if isinstance(error, JobStopped) or (isinstance(error, Refused) and error.state == "pending"):
        return None
    state = error.state if isinstance(error, Refused) else "failed"
    reason = _error_reason(error)
    status = error.status if isinstance(error, Refused) else None
    last = Attempt(page.tier or "none", at, status, None, reason, tried.response_ms, tried.credits, tried.steps)
    item = PageItem(run_visit(request), state, reason, attempts=(*page.attempts, last), at=at)
    if isinstance(error, Redirected):
        item.alias_of = error.url
    if isinstance(error, Refused) and error.response is not None:
        item.led_away_by = build_fetched(error.response, at)
    return item


def _error_reason(error: BaseException) -> Reason:
    if isinstance(error, Refused):
        return error.reason
    if isinstance(error, ProviderFailed):
        return Reason(error.word, error=str(error))
    for kind, code in _ERROR_CODES:
        if isinstance(error, kind):
            return Reason(code, error=str(error) or None)
    return Reason.of_error(error)
