"""The order of the judgement: statuses, proof, demands, shapes, and bytes of any kind."""

from __future__ import annotations

import random

import pytest

from rori_spiders.verdicts import PageExpectation, judge
from tests.content.documents import pdfs
from tests.support.cases import cases
from tests.verdicts import pages

URL = "https://www.example.gov/rules/1026"
GOOD = pages.page(("title", "Rules"), body=pages.LONG)
CHALLENGE = pages.page(("title", "Just a moment..."), ("script", "window._cf_chl_opt={}"))
DENIED = pages.page(("title", "403 Forbidden"), ("heading", "403 Forbidden"))


@cases(
    ("status", "body", "kind"),
    [
        (200, GOOD, "content"),
        (203, GOOD, "content"),
        (404, GOOD, "not_found"),
        (410, GOOD, "not_found"),
        (404, b"", "not_found"),
        (401, GOOD, "login_wall"),
        (403, DENIED, "denied"),
        (403, b"", "denied"),
        (403, CHALLENGE, "challenge"),
        (404, CHALLENGE, "challenge"),
        (503, CHALLENGE, "challenge"),
        (405, DENIED, "denied"),
        (451, GOOD, "denied"),
        (407, GOOD, "filtered"),
        (511, GOOD, "filtered"),
        (429, GOOD, "rate_limited"),
        (429, b'{"error": "slow down"}', "rate_limited"),
        (400, GOOD, "server_error"),
        (500, GOOD, "server_error"),
        (502, b"", "server_error"),
        (503, pages.page(("title", "Site under maintenance")), "maintenance"),
        (503, GOOD, "server_error"),
        (522, GOOD, "server_error"),
        (301, b"", "redirect_stub"),
        (302, GOOD, "redirect_stub"),
        (204, b"", "empty"),
        (200, b"  \n", "empty"),
        (418, GOOD, "unknown"),
        (999, GOOD, "server_error"),
    ],
)
def test_judge_error_status_gives_its_kind(status: int, body: bytes, kind: str) -> None:
    assert judge(status=status, url=URL, headers={}, body=body).kind == kind


def test_judge_503_with_retry_after_is_maintenance() -> None:
    verdict = judge(status=503, url=URL, headers={"Retry-After": "3600"}, body=GOOD)
    assert verdict.kind == "maintenance"


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (pdfs.pdf(["Text"]), "application/pdf"),
        (b"<?xml version='1.0'?><RULE><P>Words</P></RULE>", "text/xml"),
        (b'{"count": 3}', "application/json"),
        (b'{"code": 404, "title": "Liens of mechanics"}', "application/json"),  # a chapter of a code
        (b'{"status": 404, "message": "gone", "pages": 3}', "application/json"),
        (b"User-agent: *\nDisallow: /search\n", "text/plain"),
    ],
)
def test_judge_documents_are_content(body: bytes, content_type: str) -> None:
    assert judge(status=200, url=URL, headers={"Content-Type": content_type}, body=body).kind == "content"


def test_judge_html_served_as_document_is_read_as_html() -> None:
    verdict = judge(status=200, url=URL, headers={"content-type": "application/pdf"}, body=CHALLENGE)
    assert (verdict.kind, verdict.vendor) == ("challenge", "cloudflare")


def test_judge_file_of_unknown_type_is_unknown() -> None:
    assert judge(status=200, url=URL, headers={}, body=b"PK\x03\x04" + bytes(100)).kind == "unknown"


# Proof and demands


def test_judge_page_with_expected_text_overrides_strong_rule() -> None:
    body = pages.page(("title", "Access to this page has been denied"), ("text", "§ 1026.43 Minimum standards"))
    assert judge(status=200, url=URL, headers={}, body=body).kind == "captcha"
    known = PageExpectation(anchors=("§ 1026.43 minimum standards",))
    assert judge(status=200, url=URL, headers={}, body=body, known=known).kind == "content"


def test_judge_expected_text_does_not_override_error_status() -> None:
    known = PageExpectation(anchors=("third business day",))
    assert judge(status=404, url=URL, headers={}, body=GOOD, known=known).kind == "not_found"


def test_judge_missing_expected_text_is_unknown() -> None:
    verdict = judge(status=200, url=URL, headers={}, body=GOOD, known=PageExpectation(must_contain=("Regulation Z",)))
    assert verdict.kind == "unknown"
    assert [(fired.rule, fired.where) for fired in verdict.rules] == [("expected-text-missing", "Regulation Z")]


def test_judge_text_shorter_than_expected_is_unknown() -> None:
    body = pages.page(body="<p>Short.</p>")
    assert judge(status=200, url=URL, headers={}, body=body, known=PageExpectation(min_chars=100)).kind == "unknown"
    assert judge(status=200, url=URL, headers={}, body=body).kind == "content"


def test_judge_tenth_of_previous_text_is_unknown() -> None:
    body = pages.page(body=f"<p>{pages.SENTENCE}</p>")
    assert (
        judge(status=200, url=URL, headers={}, body=body, known=PageExpectation(last_good_chars=50_000)).kind
        == "unknown"
    )
    assert (
        judge(status=200, url=URL, headers={}, body=body, known=PageExpectation(last_good_chars=200)).kind == "content"
    )


def test_judge_complete_expectation_overrides_weak_rule() -> None:
    body = pages.page(("title", "Access denied"), ("text", "Appeals of denied access: Form 12"))
    assert judge(status=200, url=URL, headers={}, body=body).kind == "denied"
    known = PageExpectation(must_contain=("form\u00a012", "appeals  of"))
    verdict = judge(status=200, url=URL, headers={}, body=body, known=known)
    assert (verdict.kind, verdict.rules[0].rule) == ("content", "expected-text")


def test_judge_expectation_does_not_override_strong_rule() -> None:
    body = pages.page(("script", "window._cf_chl_opt={}"), ("text", "An Agency"))
    assert (
        judge(status=200, url=URL, headers={}, body=body, known=PageExpectation(must_contain=("An Agency",))).kind
        == "challenge"
    )


def test_judge_expected_text_at_end_of_long_page_counts() -> None:
    text = f"{pages.SENTENCE * 20_000} The last word."
    known = PageExpectation(must_contain=("The last word",))
    for body in (f"<html><p>{text}</p></html>", text):
        assert judge(status=200, url=URL, headers={}, body=body.encode(), known=known).is_content


def test_judge_length_of_previous_text_overrides_weak_rules() -> None:
    body = pages.page(body=f"<p>{pages.SENTENCE * 3}</p><p>This site is temporarily unavailable.</p>")
    short, long = (PageExpectation(last_good_chars=chars) for chars in (390, 500))
    assert judge(status=200, url=URL, headers={}, body=body, known=short).kind == "maintenance"
    assert judge(status=200, url=URL, headers={}, body=body, known=long).kind == "content"


def test_judge_missing_expectation_is_explained_by_rule() -> None:
    body = pages.page(("text", "This site is temporarily unavailable."))
    assert judge(status=200, url=URL, headers={}, body=body, known=PageExpectation(min_chars=400)).kind == "maintenance"


# Shapes

_AROUND = "<nav><a href=/>Office</a> <a href=/rules>Rules</a></nav><footer>Office of Weights, 12 Mill Road</footer>"


@cases(
    ("body", "kind"),
    [
        ('<div id="root"></div><script src="/app.js"></script>', "js_shell"),
        (f"{_AROUND}<main id=m></main><script>draw()</script>", "js_shell"),
        (f"{_AROUND}<div role=main><x-page></x-page></div><script>draw()</script>", "js_shell"),
        (f"{_AROUND}<main><p>Loading the register, please wait…</p></main><script>draw()</script>", "js_shell"),
        (f"{_AROUND}<main></main>", "content"),  # nothing will fill it
        (f"{_AROUND}<main><img src=/notice.png></main><script>draw()</script>", "content"),
        (f"{_AROUND}<main>Rule 9 is repealed.</main><script>draw()</script>", "content"),
        (f"{_AROUND}<main id=top></main><p>{'A lender keeps its records. ' * 8}</p><script>draw()</script>", "content"),
        ("<app-root></app-root><script src='/main.js'></script>", "js_shell"),
        ('<p>Loading...</p><script src="/app.js"></script>', "js_shell"),
        (
            "<noscript>You need to enable JavaScript to run this app.</noscript><script src='/a.js'></script>",
            "js_shell",
        ),
        ("<div></div>", "empty"),
        ("<p style='display: none'>hidden</p>", "empty"),
        ('<meta http-equiv="refresh" content="0; url=/new">Moved.', "redirect_stub"),
        ("<script>window.location.replace('/login')</script>", "redirect_stub"),
        ('<meta http-equiv="refresh" content="600; url=/same"><p>' + pages.SENTENCE * 6 + "</p>", "content"),
        ("<h1>Sign in</h1><form><input name=u><input type=password></form>", "login_wall"),
        ("<form><input type=password></form>", "login_wall"),
        (f"<h1>Rules</h1><form><input type=password></form>{pages.LONG}", "content"),
    ],
)
def test_judge_shape_of_page_gives_kind(body: str, kind: str) -> None:
    html = f"<!DOCTYPE html><html><head></head><body>{body}</body></html>".encode()
    assert judge(status=200, url=URL, headers={}, body=html).kind == kind


def test_judge_block_page_with_long_warnings_is_detected() -> None:
    form = "<form><input type='password'></form>"
    body = pages.page(("title", "An Agency - Sign In"), body=form + pages.LONG)
    assert judge(status=200, url=URL, headers={}, body=body).kind == "login_wall"


# Bytes of any kind


def test_judge_fired_rule_names_its_place() -> None:
    verdict = judge(status=200, url=URL, headers={}, body=pages.page(("title", "Error: 403 Forbidden")))
    assert [(fired.rule, fired.where) for fired in verdict.rules] == [("denied-title", "title:7")]


def test_judge_agreeing_rules_raise_confidence() -> None:
    one = judge(status=200, url=URL, headers={}, body=pages.page(("title", "Access denied")))
    two = judge(status=200, url=URL, headers={}, body=DENIED)
    assert one.confidence < two.confidence < 1


@pytest.mark.parametrize(
    "body",
    [
        b"<",
        b"\x00" * 50,
        b"<html" * 5_000,
        b"<div>" * 50_000,
        b"\xff\xfe<\x00h\x00",
        b"<title>" + b"A" * 200_000,
        b"<script>" * 3_000,
        b"<p hidden>x<!-- y --></p><![CDATA[z]]>&bogus;<?php ?>",
        "<meta charset='utf-16'><p>Stra\u00dfe</p>".encode(),
        b"%PDF-",
        b'{"a":',
    ],
)
@pytest.mark.parametrize("content_type", ["text/html; charset=no-such", "", "application/json"])
def test_judge_arbitrary_bytes_raise_nothing(body: bytes, content_type: str) -> None:
    for status in (0, 200, 403, 503):
        assert judge(status=status, url="", headers={"Content-Type": content_type}, body=body).kind


def test_judge_random_noise_raises_nothing() -> None:
    noise = random.Random(4)  # the same noise every time
    for _ in range(60):
        start = noise.choice([b"", b"<html>", b"<?xml ", b"<!DOCTYPE html><body>"])
        assert judge(status=200, url=URL, headers={}, body=start + noise.randbytes(noise.randint(0, 3000))).kind


_LONG = "<p>" + "The lender shall disclose the terms of the loan. " * 400 + "</p>"


@cases(
    ("known", "kind"),
    [
        (PageExpectation(), "content"),
        (PageExpectation(min_chars=15_000), "content"),
        (PageExpectation(min_chars=25_000), "unknown"),
        (PageExpectation(last_good_chars=190_000), "content"),
        (PageExpectation(last_good_chars=250_000), "unknown"),
        (PageExpectation(must_contain=("the end of it",)), "content"),
        (PageExpectation(must_contain=("no end of it",)), "unknown"),
    ],
)
def test_judge_long_page_is_read_as_far_as_expectations_ask(known: PageExpectation, kind: str) -> None:
    body = f"<html><title>Loans</title><body>{_LONG}<p>The end of it.</p></body></html>".encode()
    assert judge(status=200, url="https://a.gov/", headers={}, body=body, known=known).kind == kind


def test_judge_long_page_with_password_field_at_its_end_is_a_sign_in() -> None:
    body = f"<html><title>Sign in</title><body>{_LONG}<form><input type='Password'></form></body></html>".encode()
    assert judge(status=200, url="https://a.gov/", headers={}, body=body).kind == "login_wall"


def test_judge_text_behind_comment_is_read() -> None:
    body = b"<html><head><script>location.replace('/x')</script></head><body><!-- - -->\nFile Not Found\n</body></html>"
    verdict = judge(status=200, url="https://a.example.gov/x", headers={"Content-Type": "text/html"}, body=body)
    assert verdict.kind == "soft_404"
