"""What providers say of a page, held against what can be."""

from __future__ import annotations

import pytest

from rori_spiders.crawl.tiers.errors import ProviderFailed
from rori_spiders.crawl.tiers.providers.response import ProviderPage, is_same_page, parse_credits, validate_page

URL = "https://www.example.gov/rules/1?q=a%20b"


@pytest.mark.parametrize(
    ("told", "amount"),
    [(1, 1.0), (2.5, 2.5), ("10", 10.0), (0, 0.0), (None, None), ("", None), (-1, None), ("free", None), ([1], None)],
)
def test_what_a_call_cost(told: object, amount: float | None) -> None:
    assert parse_credits(told) == amount


@pytest.mark.parametrize("told", ["inf", "nan", "9" * 400, float("inf"), float("nan"), 10**400, 1e12])
def test_a_cost_that_cannot_be_is_none(told: object) -> None:
    assert parse_credits(told) is None


@pytest.mark.parametrize(
    ("told", "same"),
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
def test_whether_it_answers_for_the_page(told: object, same: bool) -> None:
    assert is_same_page(told, URL) is same


@pytest.mark.parametrize("status", [200, 203, 404, 410, 403, 429, 500, 503])
def test_a_status_of_the_site_is_judged_like_any_other(status: int) -> None:
    found = ProviderPage(status, b"<p>text</p>")
    assert validate_page(found) is found


@pytest.mark.parametrize("status", [0, -1, 99, 101, 206, 302, 304, 600, 999])
def test_a_status_that_answers_no_plain_question_is_refused(status: int) -> None:
    with pytest.raises(ProviderFailed) as failed:
        validate_page(ProviderPage(status, b"<p>text</p>"))
    assert failed.value.word == "provider_bad_answer"


def test_a_redirect_says_where_to() -> None:
    found = ProviderPage(301, b"", headers=[("Location", "/elsewhere")])
    assert validate_page(found) is found


def test_a_document_that_was_made_html_is_no_document() -> None:
    with pytest.raises(ProviderFailed) as failed:
        validate_page(ProviderPage(200, b"<embed>", headers=[("content-type", "application/pdf; x=1")], rendered=True))
    assert failed.value.word == "provider_no_document"
    plain = ProviderPage(200, b"%PDF-1.7", headers=[("content-type", "application/pdf")])
    assert validate_page(plain) is plain
