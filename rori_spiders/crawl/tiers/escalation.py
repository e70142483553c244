"""Decide whether the next tier is tried for a URL, and why; build the request for that tier. Steps."""

from dataclasses import replace
from typing import Any

from scrapy import Request
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)

from rori_spiders.content.html.visible_text import Measured
from rori_spiders.crawl.page_request import begin_try, page_request, run_visit
from rori_spiders.crawl.tiers.errors import BrowserFailed, ProviderFailed
from rori_spiders.crawl.tiers.order import BROWSER, HTTP, MEDIAWIKI, OFFICIAL
from rori_spiders.manifest.models import Expectation
from rori_spiders.manifest.vocabulary import PROVIDERS
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.verdicts import Verdict
from rori_spiders.workers.assessment import RenderDiff

#: Another way to fetch may bring more. The rest is the publisher's word, whoever asks: not there (404, 410, soft 404),
#: not for us (denied, walls that want a login, an age, agreement), not now (429, maintenance, 5xx), not here (parked);
#: or it is our own network's (filtered).
_WORTH_ANOTHER = frozenset({"challenge", "captcha", "js_shell", "empty", "redirect_stub", "unknown"})
#: An API that refuses says nothing of the page; one that asks for less does, since both are the same server's.
_FINAL_OF_API = frozenset({"content", "not_found", "rate_limited"})
#: They give text as text: however short it is, it is all that there is.
_APIS = frozenset({OFFICIAL, MEDIAWIKI})
#: After the browser so many characters of text suffice (S4, pattern 2: ``markdown.length >= 80``).
RENDERED_CHARS = 80
#: A list of links is 3 to 6 times as long in markdown as its text is: shorter by more than this is shorter.
_SAME_TIER, _OTHER_TIER = 8, 2
#: The browser shows "no more" up to this share of new words: a banner.
_MORE_SHARE = 0.2
_LOST = (DownloadFailedError, DownloadConnectionRefusedError, CannotResolveHostError, ResponseDataLossError)
_OF_FETCHING = (*_LOST, DownloadTimeoutError, BrowserFailed, ProviderFailed)


def reason_from_verdict(tier: str, status: int, verdict: Verdict) -> Reason | None:
    """The reason, from what the response of *tier* is."""
    if tier in _APIS:
        goes_on = verdict.kind not in _FINAL_OF_API
    elif verdict.kind == "denied":
        goes_on = verdict.vendor is not None  # a plain 403 is the publisher's no
    elif verdict.kind == "redirect_stub":
        goes_on = status < 300
    else:
        is_file = any(fired.rule.startswith("document-") for fired in verdict.rules)
        goes_on = verdict.kind in _WORTH_ANOTHER and not is_file
    return Reason(verdict.kind, http_status=status) if goes_on else None


def reason_from_error(tier: str, error: Exception) -> Reason | None:
    """The reason, from how *tier* failed once its retries were spent.

    What connects us to an API or a provider says nothing of the page; what connects us to the page's own server does.
    """
    if isinstance(error, ProviderFailed):
        return Reason(error.word, error=str(error))
    if isinstance(error, DownloadTimeoutError):
        return Reason(ReasonCode.TIMEOUT, error=str(error))
    if tier not in {HTTP, BROWSER} and isinstance(error, _LOST):
        return Reason.of_error(error)
    return None


def is_fetch_error(error: Exception) -> bool:
    """Whether *error* says that nothing was brought; not a refusal of ours, nor a stop."""
    return isinstance(error, _OF_FETCHING)


def reason_from_size(tier: str, measured: Measured | None, least: int) -> Reason | None:
    """The reason, from how few characters of main text there are; *least*: the source's `min_content_chars`."""
    if measured is None or tier in _APIS:
        return None
    least = min(least, RENDERED_CHARS) if tier == BROWSER or tier in PROVIDERS else least
    if measured.main_chars >= least:
        return None
    return Reason(ReasonCode.THIN, chars=measured.main_chars, limit=least)


def reason_from_unfilled(tier: str, measured: Measured) -> Reason | None:
    """The reason, from a part of the page that says itself that scripts are to fill it."""
    return Reason(ReasonCode.UNFILLED, rule=measured.unfilled) if tier == HTTP and measured.unfilled else None


def meets_expectation(expect: Expectation, measured: Measured) -> bool:
    """Whether a start page, which was judged to be content, is what its source expects of it.

    That it holds `must_contain` is part of that judgement.
    """
    says_something = bool(expect.must_contain) or expect.min_chars is not None
    return says_something and measured.chars >= (expect.min_chars or 0)


def matches_last_size(measured: Measured, body_chars: int | None, *, is_same_tier: bool) -> bool:
    """Whether a page is about as long as when its text (*body_chars* of markdown) was last good."""
    slack = _SAME_TIER if is_same_tier else _OTHER_TIER
    return bool(body_chars) and _text_chars(measured) * slack >= (body_chars or 0)


def is_acceptable_short_page(measured: Measured, least: int) -> bool:
    """Whether a short page may stand where the browser cannot be asked: it has no script, or is a list of links."""
    return measured.scripts == 0 or _text_chars(measured) >= least


def adds_nothing_substantial(differs: RenderDiff) -> bool:
    """Whether the browser showed what plain HTTP had shown: such pages are short by themselves.

    A banner may have come. But where a word went, it was "Loading" or "{{rate}}": plain HTTP does not show the page.
    """
    return differs.vanished == 0 and differs.added <= _MORE_SHARE * differs.of


def is_identical_rendering(differs: RenderDiff) -> bool:
    return differs.vanished == 0 and differs.added == 0


def _text_chars(measured: Measured) -> int:
    return measured.main_chars + measured.main_link_chars


# The same URL by another tier.

#: What one tier leaves in a request, and the next must not find.
_SCRAPY_META_KEYS = (
    "download_latency",
    "download_slot",
    "redirect_times",
    "redirect_ttl",
    "redirect_urls",
    "redirect_reasons",
    "redirect_statuses",
    "gated",
)


def request_for_tier(tier: str, request: Request, **changes: Any) -> Request:
    """*request* for the page's own URL by *tier*: fresh retries, the original headers, and *changes*."""
    before = page_request(request)
    fresh: dict[str, Any] = {"retries": {}, "learnt": {}, "provider_turns": {}}
    fresh |= {"is_unconditional": False, "is_remembered_tier": False}
    own = {name: request.headers[name] for name in before.own_headers if name in request.headers}
    meta = {name: value for name, value in request.meta.items() if name not in _SCRAPY_META_KEYS}
    again = request.replace(url=run_visit(request).url, headers=own, meta=meta, dont_filter=True)
    begin_try(again, replace(before, **(fresh | {"tier": tier} | changes)))
    return again
