"""From a response or a failure to the item that ends a URL."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from scrapy import Request
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
)
from scrapy.http import Response

from rori_spiders.crawl.page_request import PageRequest, exchange, request_meta
from rori_spiders.crawl.tiers.errors import BadResponse, DamagedEncoding, TlsFailed, TooLarge, UnknownEncoding
from rori_spiders.crawl.tiers.refusals import (
    AddressNotPublic,
    NotOurs,
    OutOfScope,
    Redirected,
    Refused,
    RobotsDisallowed,
    RobotsUnavailable,
)
from rori_spiders.crawl.walkers import page_items
from rori_spiders.items import Attempt, Fetched, FrontierUrl
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.verdicts.verdict import Kind, Verdict

AT = datetime(2026, 2, 13, tzinfo=UTC)
URL = "https://www.hud.gov/program"


def visit(kind: str = "page") -> FrontierUrl:
    return FrontierUrl("run-1", "hud", URL, kind=kind)


def facts(status: int = 200) -> Fetched:
    return Fetched(URL, URL, status, {}, b"", AT, "http", "scrapy/2.19", 120)


def verdict(kind: Kind, vendor: str | None = None) -> Verdict:
    return Verdict(kind, vendor, 1.0, ())


@pytest.mark.parametrize(
    ("status", "judged", "state", "reason"),
    [
        (200, verdict("content"), "captured", ""),
        (404, verdict("not_found"), "failed", "not_found: HTTP 404"),
        (200, verdict("challenge", "akamai"), "failed", "challenge (akamai): HTTP 200"),
        (503, verdict("server_error"), "failed", "server_error: HTTP 503"),
        (304, None, "unchanged", "not modified (304)"),
        (302, None, "failed", "redirect_stub: HTTP 302 that leads nowhere"),
        (300, verdict("content"), "failed", "redirect_stub: HTTP 300 that leads nowhere"),
        (200, None, "failed", "unknown: the response was not judged"),
    ],
)
def test_a_page_ends_as_its_verdict_says(status: int, judged: Verdict | None, state: str, reason: str) -> None:
    item = page_items.item_from_response(facts(status), asked(judged=judged))
    assert (item.state, item.reason) == (state, reason)
    assert item.verdict is judged
    assert [one.reason for one in item.attempts] == [reason]


@pytest.mark.parametrize("kind", ["sitemap", "api"])
@pytest.mark.parametrize(
    ("status", "state", "reason"),
    [(200, "captured", ""), (204, "captured", ""), (304, "failed", "HTTP 304"), (404, "failed", "HTTP 404")],
)
def test_what_is_no_page_ends_by_its_status(kind: str, status: int, state: str, reason: str) -> None:
    item = page_items.item_from_response(facts(status), asked(kind=kind))
    assert (item.state, item.reason) == (state, reason)


def test_earlier_attempts_are_kept() -> None:
    before = Attempt("mediawiki", AT, 503, "server_error", Reason(ReasonCode.SERVER_ERROR, http_status=503), 80)
    item = page_items.item_from_response(facts(), asked(judged=verdict("content"), attempts=(before,)))
    assert [one.tier for one in item.attempts] == ["mediawiki", "http"]


@pytest.mark.parametrize(
    ("error", "state", "reason"),
    [
        (DownloadTimeoutError("30 s"), "failed", "timeout: 30 s"),
        (DownloadTimeoutError(), "failed", "timeout"),
        (CannotResolveHostError("www.hud.gov"), "failed", "name_not_resolved: www.hud.gov"),
        (DownloadConnectionRefusedError("no"), "failed", "connection_refused: no"),
        (ResponseDataLossError("cut"), "failed", "truncated: cut"),
        (DownloadCancelledError("33 MiB"), "failed", "too_large: 33 MiB"),
        (DownloadFailedError("reset"), "failed", "connection_failed: reset"),
        (TooLarge("more than 9 bytes"), "failed", "too_large: more than 9 bytes"),
        (BadResponse("HTTP 226"), "failed", "bad_response: HTTP 226"),
        (DamagedEncoding("labelled gzip"), "failed", "bad_encoding: labelled gzip"),
        (UnknownEncoding("'foo'"), "failed", "bad_encoding: 'foo'"),
        (TlsFailed("expired"), "failed", "tls_failed: expired"),
        (IgnoreRequest("why ever"), "failed", "IgnoreRequest: why ever"),
        (ZeroDivisionError("division by zero"), "failed", "ZeroDivisionError: division by zero"),
        (Refused(Reason(ReasonCode.MANY_REDIRECTS, limit=5)), "failed", "many_redirects: over 5 in a row"),
        (OutOfScope(ReasonCode.REDIRECTED_OFF_SITE, "x"), "excluded", "redirected to other domain: x"),
        (AddressNotPublic("x", "http://x/"), "failed", "address refused: x"),
        (RobotsDisallowed(Reason(ReasonCode.ROBOTS_DISALLOWED, target_url="x")), "excluded", "robots.txt disallows x"),
        (
            RobotsUnavailable(Reason(ReasonCode.ROBOTS_UNAVAILABLE, error="HTTP 503")),
            "failed",
            "robots: HTTP 503: disallowed for now",
        ),
        (Redirected("https://www.hud.gov/new"), "excluded", "redirected to https://www.hud.gov/new"),
    ],
)
def test_a_failure_says_in_a_word_what_it_was(error: Exception, state: str, reason: str) -> None:
    item = page_items.item_from_error(error, asked(tier="http"), AT)
    assert item is not None
    assert (item.state, item.reason, item.at) == (state, reason, AT)
    assert [(one.tier, one.status, one.reason) for one in item.attempts] == [("http", None, reason)]
    assert item.alias_of == (error.url if isinstance(error, Redirected) else None)


def test_a_url_whose_group_is_not_ours_stays_pending() -> None:
    assert (
        page_items.item_from_error(
            NotOurs(Reason(ReasonCode.NOT_OURS, error="hud.gov is held by another job")), asked(), AT
        )
        is None
    )


def asked(*, kind: str = "page", judged: Verdict | None = None, **details: Any) -> Request:
    request = Request(URL, meta=request_meta(PageRequest(visit(kind), **details)))
    exchange(request).verdict = judged
    return request


def test_the_facts_of_a_response() -> None:
    request = asked(tier="mediawiki", retries={"timeout": 1, "rate_limited": 2}).replace(
        url="https://www.hud.gov/three", headers={"User-Agent": "RORI"}
    )
    request.meta["redirect_urls"] = [URL, "https://www.hud.gov/two"]
    request.meta["redirect_statuses"] = [301, "meta refresh"]
    tried = exchange(request)
    tried.engine_version, tried.response_ms, tried.raw_body = "mediawiki-action-api", 245, b"{}"
    response = Response(request.url, status=200, headers={"Set-Cookie": ["a", "b"]}, body=b"<p>", request=request)
    found = page_items.build_fetched(response, AT)
    assert (found.url, found.final_url) == (URL, "https://www.hud.gov/three")
    assert found.redirects == ((301, "https://www.hud.gov/two"), (200, "https://www.hud.gov/three"))
    assert found.headers == {"Set-Cookie": ["a", "b"]}
    assert found.request_headers == {"User-Agent": ["RORI"]}
    assert (found.tier, found.engine_version, found.response_time_ms) == ("mediawiki", "mediawiki-action-api", 245)
    assert (found.retry_count, found.received, found.ip_address) == (3, b"{}", None)


def test_a_response_without_history() -> None:
    request = asked()
    found = page_items.build_fetched(Response(URL, body=b"<p>", request=request), AT)
    assert (found.redirects, found.retry_count, found.tier, found.received) == ((), 0, "http", b"<p>")
    assert found.header("content-type") is None
