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
from rori_spiders.verdicts.verdict import FiredRule, Kind, Verdict
from tests.support.cases import cases

AT = datetime(2026, 2, 13, tzinfo=UTC)
URL = "https://www.hud.gov/program"


def visit(kind: str = "page") -> FrontierUrl:
    return FrontierUrl("run-1", "hud", URL, kind=kind)


def facts(status: int = 200) -> Fetched:
    return Fetched(URL, URL, status, {}, b"", AT, "http", "scrapy/2.19", 120)


def verdict(kind: Kind, vendor: str | None = None) -> Verdict:
    return Verdict(kind, vendor, 1.0, ())


@cases(
    ("status", "judged", "state", "reason"),
    [
        (200, verdict("content"), "captured", ""),
        (404, verdict("not_found"), "failed", Reason("not_found", http_status=404)),
        (200, verdict("challenge", "akamai"), "failed", Reason("challenge", vendor="akamai", http_status=200)),
        (503, verdict("server_error"), "failed", Reason("server_error", http_status=503)),
        (
            200,
            Verdict("unknown", None, 0.5, (FiredRule("doubt-wording", "main"),)),
            "failed",
            Reason("unknown", http_status=200, rule="doubt-wording"),
        ),
        (304, None, "unchanged", Reason("not_modified")),
        (302, None, "failed", Reason("redirect_without_target", http_status=302)),
        (300, verdict("content"), "failed", Reason("redirect_without_target", http_status=300)),
        (200, None, "failed", Reason("not_judged")),
    ],
)
def test_page_item_state_follows_verdict(status: int, judged: Verdict | None, state: str, reason: str) -> None:
    item = page_items.item_from_response(facts(status), page_request_of(judged=judged))
    assert (item.state, item.reason) == (state, reason)
    assert item.verdict is judged
    assert [one.reason for one in item.attempts] == [reason]


@pytest.mark.parametrize("kind", ["sitemap", "api"])
@pytest.mark.parametrize(
    ("status", "state", "reason"),
    [
        (200, "captured", ""),
        (204, "captured", ""),
        (304, "failed", Reason("http_error", http_status=304)),
        (404, "failed", Reason("http_error", http_status=404)),
    ],
)
def test_page_item_error_state_follows_status(kind: str, status: int, state: str, reason: str) -> None:
    item = page_items.item_from_response(facts(status), page_request_of(kind=kind))
    assert (item.state, item.reason) == (state, reason)


def test_page_item_earlier_attempts_are_included() -> None:
    before = Attempt("mediawiki", AT, 503, "server_error", Reason(ReasonCode.SERVER_ERROR, http_status=503), 80)
    item = page_items.item_from_response(facts(), page_request_of(judged=verdict("content"), attempts=(before,)))
    assert [one.tier for one in item.attempts] == ["mediawiki", "http"]


@cases(
    ("error", "state", "reason"),
    [
        (DownloadTimeoutError("30 s"), "failed", Reason("timeout", error="30 s")),
        (DownloadTimeoutError(), "failed", Reason("timeout")),
        (CannotResolveHostError("www.hud.gov"), "failed", Reason("name_not_resolved", error="www.hud.gov")),
        (DownloadConnectionRefusedError("no"), "failed", Reason("connection_refused", error="no")),
        (ResponseDataLossError("cut"), "failed", Reason("truncated", error="cut")),
        (DownloadCancelledError("33 MiB"), "failed", Reason("too_large", error="33 MiB")),
        (DownloadFailedError("reset"), "failed", Reason("connection_failed", error="reset")),
        (TooLarge("more than 9 bytes"), "failed", Reason("too_large", error="more than 9 bytes")),
        (BadResponse("HTTP 226"), "failed", Reason("bad_response", error="HTTP 226")),
        (DamagedEncoding("labelled gzip"), "failed", Reason("bad_encoding", error="labelled gzip")),
        (UnknownEncoding("'foo'"), "failed", Reason("bad_encoding", error="'foo'")),
        (TlsFailed("expired"), "failed", Reason("tls_failed", error="expired")),
        (IgnoreRequest("why ever"), "failed", Reason("download_error", error_type="IgnoreRequest", error="why ever")),
        (
            ZeroDivisionError("by zero"),
            "failed",
            Reason("download_error", error_type="ZeroDivisionError", error="by zero"),
        ),
        (Refused(Reason(ReasonCode.MANY_REDIRECTS, limit=5)), "failed", Reason("many_redirects", limit=5)),
        (OutOfScope(ReasonCode.REDIRECTED_OFF_SITE, "x"), "excluded", Reason("redirected_off_site", target_url="x")),
        (AddressNotPublic("x", "http://x/"), "failed", Reason("address_not_public", error="x")),
        (
            RobotsDisallowed(Reason(ReasonCode.ROBOTS_DISALLOWED, target_url="x")),
            "excluded",
            Reason("robots_disallowed", target_url="x"),
        ),
        (
            RobotsUnavailable(Reason(ReasonCode.ROBOTS_UNAVAILABLE, error="HTTP 503")),
            "failed",
            Reason("robots_unavailable", error="HTTP 503"),
        ),
        (Redirected("https://www.hud.gov/new"), "excluded", Reason("redirected", target_url="https://www.hud.gov/new")),
    ],
)
def test_page_item_failure_has_reason_code(error: Exception, state: str, reason: str) -> None:
    item = page_items.item_from_error(error, page_request_of(tier="http"), AT)
    assert item is not None
    assert (item.state, item.reason, item.at) == (state, reason, AT)
    assert [(one.tier, one.status, one.reason) for one in item.attempts] == [("http", None, reason)]
    assert item.alias_of == (error.url if isinstance(error, Redirected) else None)


def test_page_item_of_unleased_group_stays_pending() -> None:
    assert (
        page_items.item_from_error(
            NotOurs(Reason(ReasonCode.NOT_OURS, error="hud.gov is held by another job")), page_request_of(), AT
        )
        is None
    )


def page_request_of(*, kind: str = "page", judged: Verdict | None = None, **details: Any) -> Request:
    request = Request(URL, meta=request_meta(PageRequest(visit(kind), **details)))
    exchange(request).verdict = judged
    return request


def test_page_item_has_facts_of_response() -> None:
    request = page_request_of(tier="mediawiki", retries={"timeout": 1, "rate_limited": 2}).replace(
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


def test_page_item_of_response_without_history_has_defaults() -> None:
    request = page_request_of()
    found = page_items.build_fetched(Response(URL, body=b"<p>", request=request), AT)
    assert (found.redirects, found.retry_count, found.tier, found.received) == ((), 0, "http", b"<p>")
    assert found.header("content-type") is None
