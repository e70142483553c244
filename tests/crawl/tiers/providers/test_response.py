"""What providers say of a page, held against what can be."""

from __future__ import annotations

import pytest

from rori_spiders.crawl.tiers.errors import ProviderFailed
from rori_spiders.crawl.tiers.providers.response import ProviderPage, is_same_page, parse_credits, validate_page
from tests.support.cases import cases

URL = "https://www.example.gov/rules/1?q=a%20b"


@cases(
    ("reported", "amount"),
    [(1, 1.0), (2.5, 2.5), ("10", 10.0), (0, 0.0), (None, None), ("", None), (-1, None), ("free", None), ([1], None)],
)
def test_provider_credits_are_parsed(reported: object, amount: float | None) -> None:
    assert parse_credits(reported) == amount


@cases("reported", ["inf", "nan", "9" * 400, float("inf"), float("nan"), 10**400, 1e12])
def test_provider_credits_implausible_are_none(reported: object) -> None:
    assert parse_credits(reported) is None


@cases(
    ("reported", "same"),
    [
        (URL, True),
        ("HTTPS://WWW.EXAMPLE.GOV:443/rules/1?q=a%20b#top", True),
        ("https://www.example.gov/rules/2?q=a%20b", False),
        ("https://example.gov/rules/1?q=a%20b", False),
        ("http://[::1", False),
        (None, False),
        (7, False),
    ],
)
def test_provider_response_must_be_for_requested_page(reported: object, same: bool) -> None:
    assert is_same_page(reported, URL) is same


@cases("status", [200, 203, 404, 410, 403, 429, 500, 503])
def test_provider_response_status_of_site_is_judged(status: int) -> None:
    found = ProviderPage(status, b"<p>text</p>")
    assert validate_page(found) is found


@cases("status", [0, -1, 99, 101, 206, 302, 304, 600, 999])
def test_provider_response_impossible_status_is_refused(status: int) -> None:
    with pytest.raises(ProviderFailed) as failed:
        validate_page(ProviderPage(status, b"<p>text</p>"))
    assert failed.value.word == "provider_bad_answer"


def test_provider_response_redirect_has_location() -> None:
    found = ProviderPage(301, b"", headers=[("Location", "/elsewhere")])
    assert validate_page(found) is found


def test_provider_response_document_as_html_is_refused() -> None:
    with pytest.raises(ProviderFailed) as failed:
        validate_page(ProviderPage(200, b"<embed>", headers=[("content-type", "application/pdf; x=1")], rendered=True))
    assert failed.value.word == "provider_no_document"
    plain = ProviderPage(200, b"%PDF-1.7", headers=[("content-type", "application/pdf")])
    assert validate_page(plain) is plain
