"""When the next tier is asked: by what the answer is, by how little it says, by how it failed."""

from __future__ import annotations

from typing import Any

import pytest
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
)

from rori_spiders.content.html.visible_text import Measured
from rori_spiders.crawl.tiers import escalation
from rori_spiders.crawl.tiers.errors import BrowserCrashed, ProviderFailed, RenderTimeout, TooLarge
from rori_spiders.manifest.models import Expectation
from rori_spiders.verdicts import FiredRule, Verdict
from rori_spiders.workers.assessment import assess_response
from tests.support.cases import cases

HEADERS = {"Content-Type": "text/html"}


@cases(
    ("tier", "status", "kind", "vendor", "goes_on"),
    [
        *(("http", 200, kind, None, True) for kind in ("challenge", "captcha", "js_shell", "empty", "unknown")),
        ("http", 200, "redirect_stub", None, True),
        ("http", 302, "redirect_stub", None, False),
        ("http", 403, "challenge", "cloudflare", True),
        ("http", 503, "challenge", "cloudflare", True),
        ("http", 403, "denied", None, False),
        ("http", 403, "denied", "akamai", True),
        *(
            ("http", 200, kind, None, False)
            for kind in ("content", "not_found", "soft_404", "rate_limited", "filtered")
        ),
        *(("http", 200, kind, None, False) for kind in ("login_wall", "consent_wall", "age_wall", "parked")),
        *(("http", 503, kind, None, False) for kind in ("maintenance", "server_error")),
        *(("mediawiki", 403, kind, None, True) for kind in ("denied", "server_error", "challenge", "unknown")),
        *(("mediawiki", 404, kind, None, False) for kind in ("not_found", "rate_limited", "content")),
        ("official", 502, "server_error", None, True),
        ("browser", 200, "js_shell", None, True),
    ],
)
def test_escalation_follows_verdict(tier: str, status: int, kind: Any, vendor: str | None, goes_on: bool) -> None:
    reason = escalation.reason_from_verdict(tier, status, Verdict(kind, vendor, 0.9))
    assert (reason and reason.code) == (kind if goes_on else None)


def test_escalation_unknown_file_type_is_not_for_browser() -> None:
    verdict = Verdict("unknown", None, 0.7, (FiredRule("document-binary", "body:0"),))
    assert escalation.reason_from_verdict("http", 200, verdict) is None


@cases(
    ("tier", "error", "goes_on"),
    [
        *((tier, DownloadTimeoutError("30 s"), True) for tier in ("official", "mediawiki", "http", "browser", "zyte")),
        ("browser", RenderTimeout("60 s"), True),
        *(("http", kind("x"), False) for kind in (DownloadFailedError, CannotResolveHostError, TooLarge)),
        ("browser", BrowserCrashed("x"), False),
        *(("mediawiki", kind("x"), True) for kind in (DownloadFailedError, DownloadConnectionRefusedError)),
        ("mediawiki", TooLarge("x"), False),
        ("zyte", ProviderFailed("provider_error", "x"), True),
        ("http", ValueError("a fault of ours"), False),
    ],
)
def test_escalation_follows_kind_of_failure(tier: str, error: Exception, goes_on: bool) -> None:
    assert (escalation.reason_from_error(tier, error) is not None) is goes_on


@cases(
    ("tier", "chars", "least", "is_thin"),
    [
        ("http", 499, 500, True),
        ("http", 500, 500, False),
        ("http", 0, 0, False),
        ("browser", 79, 500, True),
        ("browser", 80, 500, False),
        ("browser", 50, 40, False),
        ("zyte", 79, 500, True),
        ("mediawiki", 3, 500, False),
        ("official", 3, 500, False),
    ],
)
def test_escalation_follows_amount_of_text(tier: str, chars: int, least: int, is_thin: bool) -> None:
    assert (escalation.reason_from_size(tier, Measured(main_chars=chars), least) is not None) is is_thin


@cases(
    ("tier", "unfilled", "goes_on"),
    [("http", "Loading...", True), ("http", "", False), ("browser", "Loading...", False)],
)
def test_escalation_page_with_an_unfilled_part_is_rendered(tier: str, unfilled: str, goes_on: bool) -> None:
    assert (escalation.reason_from_unfilled(tier, Measured(main_chars=900, unfilled=unfilled)) is not None) is goes_on


def test_escalation_document_is_never_thin() -> None:
    assert escalation.reason_from_size("http", None, 500) is None
    weighed = assess_response(
        status=200,
        url="https://a.gov/x.json",
        headers={"Content-Type": "application/json"},
        body=b"{}",
        known=None,
        is_measured=True,
    )
    assert (weighed.verdict.kind, weighed.measured) == ("content", None)


def test_escalation_measures_page_only_where_it_may_matter() -> None:
    body = b"<html><body><main><h1>Rule</h1><p>It is short, and it is the whole rule.</p></main></body></html>"
    arguments: dict[str, Any] = {
        "status": 200,
        "url": "https://a.gov/",
        "headers": HEADERS,
        "body": body,
        "known": None,
    }
    assert assess_response(**arguments, is_measured=False).measured is None
    measured = assess_response(**arguments, is_measured=True).measured
    assert measured is not None
    assert measured.main_chars == 42


@cases(
    ("expect", "chars", "met"),
    [
        ({"must_contain": ["x"]}, 10, True),
        ({"min_chars": 100}, 99, False),
        ({"min_chars": 100}, 100, True),
        ({"must_contain": ["x"], "min_chars": 100}, 99, False),
        ({"min_pages": 3}, 10_000, False),
    ],
)
def test_escalation_respects_expectations_of_source(expect: dict[str, Any], chars: int, met: bool) -> None:
    assert escalation.meets_expectation(Expectation.model_validate(expect), Measured(chars=chars)) is met


@cases(
    ("main", "links", "before", "is_same_tier", "holds"),
    [
        (300, 0, 400, True, True),
        (300, 0, 2500, True, False),
        (20, 1500, 9000, True, True),
        (300, 0, 700, False, False),
        (300, 0, 600, False, True),
        (300, 0, None, True, False),
        (0, 0, 0, True, False),
    ],
)
def test_escalation_respects_previous_text_length(
    main: int, links: int, before: int | None, is_same_tier: bool, holds: bool
) -> None:
    measured = Measured(main_chars=main, main_link_chars=links)
    assert escalation.matches_last_size(measured, before, is_same_tier=is_same_tier) is holds


@pytest.mark.parametrize(
    ("main", "links", "scripts", "sound"), [(100, 0, 0, True), (100, 0, 1, False), (100, 400, 1, True)]
)
def test_escalation_short_page_may_be_accepted(main: int, links: int, scripts: int, sound: bool) -> None:
    assert (
        escalation.is_acceptable_short_page(Measured(main_chars=main, main_link_chars=links, scripts=scripts), 500)
        is sound
    )


_SHORT = "<html><body><main><h1>Rate</h1><p>The rate in force on this day, as set, is {}.</p></main>{}</body>"


@cases(
    ("plain", "rendered", "no_more", "the_same"),
    [
        (("5 percent", "<script>1</script>"), ("5 percent", ""), True, True),
        (("5 percent", ""), ("5 percent", "<p>Cookies used.</p>"), True, False),
        (("5 percent", ""), ("5 percent", "<p>And much more follows of it.</p>" * 9), False, False),
        (("{{rate}}", ""), ("5 percent", ""), False, False),
        (("5 percent", ""), ("6 percent", ""), False, False),
        (("Loading...", ""), ("", ""), False, False),
    ],
)
def test_escalation_page_same_in_browser_is_accepted(
    plain: tuple[str, str], rendered: tuple[str, str], no_more: bool, the_same: bool
) -> None:
    weighed = assess_response(
        status=200,
        url="https://a.gov/",
        headers=HEADERS,
        body=_SHORT.format(*rendered).encode(),
        known=None,
        is_measured=True,
        plain=(_SHORT.format(*plain).encode(), "text/html"),
    )
    assert weighed.differs is not None
    assert escalation.adds_nothing_substantial(weighed.differs) is no_more
    assert escalation.is_identical_rendering(weighed.differs) is the_same
