"""Every rule: what it must tell, and the good page that shows the same sign."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from rori_spiders.verdicts import KINDS, judge
from rori_spiders.verdicts.judge import RULES
from rori_spiders.verdicts.rule import fold_case, needed_words
from tests.support.cases import cases
from tests.verdicts import pages
from tests.verdicts.samples import SAMPLES

if TYPE_CHECKING:
    from collections.abc import Callable

    from rori_spiders.verdicts.rule import Place, Rule

URL = "https://www.example.gov/rules/1026"
OUTSIDE = ("url", "header")


def sample(rule: Rule) -> tuple[str, str]:
    """The sign and the second sign ("" for none). A second sign in the same place holds the first."""
    found = SAMPLES[rule.name]
    return (found, "") if isinstance(found, str) else found


def response(rule: Rule, body: str = "") -> tuple[str, dict[str, str], bytes]:
    """URL, headers and page that show a rule's sign."""
    first, second = sample(rule)
    also = rule.also[0] if rule.also else None
    if rule.place == "url":
        return first, {}, pages.page(("text", "Words."), body=body)
    if rule.place == "header":
        name, _, value = first.partition(": ")
        return URL, {name: value}, pages.page(("text", second or "Words."), body=body)
    signs: list[tuple[Place, str]] = [(rule.place, first)] if also is None or also != rule.place else []
    if also:
        signs.append((also, second))
    return URL, {}, pages.page(*signs, body=body)


def test_rules_each_have_sample_and_known_kind() -> None:
    assert {rule.name for rule in RULES} == set(SAMPLES)
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert {rule.kind for rule in RULES} <= set(KINDS)


def test_rule_sample_alone_is_detected() -> None:
    for rule in RULES:
        url, headers, body = response(rule)
        verdict = judge(status=200, url=url, headers=headers, body=body)
        fired = {one.rule for one in verdict.rules}
        assert (verdict.kind, verdict.vendor, rule.name in fired) == (rule.kind, rule.vendor, True), rule.name


def test_rule_needed_words_are_in_each_match() -> None:
    with_words = [rule for rule in RULES if rule.needed]
    assert len(with_words) > 150
    for rule in with_words:
        signs = [fold_case(sign) for sign in sample(rule)]
        assert all(rule.may_match(sign) for sign in signs if rule.regex.search(sign)), rule.name


@cases(
    ("pattern", "words"),
    [
        ("access denied", ("access denied",)),
        ("(?m)^access ?denied$|not found", ("access", "not found")),
        (r"http error 404\.\d+ - ", ("http error 404.",)),
        (r"(?:blocked|denied) by[^.]{0,40}", ("blocked", "denied")),
        ("(?:blocked|no) by an administrator", (" by an administrator",)),
        ("paged?|blocked", ("page", "blocked")),
        ("webs?|blocked", ()),  # "web" is too short to be worth a look
        ("(?!never)blocked", ("blocked",)),
        ("(?:blocked)?|denied", ()),
        ("blo+cked", ("cked",)),
        (r"[\]|(]blocked", ("blocked",)),
        ("(?:blocked|denied){0,2}", ()),
        (r"\w+", ()),
    ],
)
def test_needed_words_of_pattern_are_what_every_match_holds(pattern: str, words: tuple[str, ...]) -> None:
    assert needed_words(pattern) == words


def test_rule_sample_within_long_page_is_content() -> None:
    """An article that quotes a wall, a form with a widget, a vendor's script on a good page."""
    within_pages = [rule for rule in RULES if rule.place not in OUTSIDE]
    assert len(within_pages) > 150
    for rule in within_pages:
        url, headers, body = response(rule, pages.LONG)
        assert judge(status=200, url=url, headers=headers, body=body).kind == "content", rule.name


@cases(
    ("name", "value"),
    [
        ("cf-ray", "7a1"),
        ("cf-mitigated", "none"),
        ("set-cookie", "__cf_bm=1; _abck=2; bm_sz=3; datadome=4; TS01=5; rbzid=6"),
        ("x-amzn-requestid", "1"),
        ("x-amzn-waf-action", "count"),
        ("x-sucuri-id", "11"),
        ("x-dd-b", "0"),
        ("mediawiki-api-error", "badtoken"),
        ("server", "AkamaiGHost"),
        ("rimon", "RWC_OK"),
        ("erddap-server", "2.0"),
    ],
)
def test_rules_headers_of_good_pages_are_content(name: str, value: str) -> None:
    assert judge(status=200, url=URL, headers={name: value}, body=pages.page(body=pages.LONG)).kind == "content"


@pytest.mark.parametrize("url", ["https://www.federalregister.gov/d/1", "https://x.gov/?u=unblock.federalregister.gov"])
def test_rules_urls_of_good_pages_are_content(url: str) -> None:
    assert judge(status=200, url=url, headers={}, body=pages.page(body=pages.LONG)).kind == "content"


@cases(
    "body",
    [
        '<h1>§ 1026.62 [Reserved]</h1>',
        "<p>The email is [email protected]</p>",
        '<h1>Contact</h1><form class="g-recaptcha"></form>' + "<p>Office hours.</p>" * 20,
        "<script src='/_Incapsula_Resource?SWJIYLWA=719d34d3'></script><p>" + pages.SENTENCE * 5 + "</p>",
        "<script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'></script><h1>Forms</h1><p>Form A.</p>",
        "<noscript>Please enable JavaScript.</noscript><h1>Rates</h1><p>" + pages.SENTENCE * 3 + "</p>",
        "<a href='/login'>Log in</a><input type='password'><h1>Guide</h1>" + pages.LONG,
        "<div class='cookie-banner'>We use cookies. Accept</div><p>" + pages.SENTENCE * 8 + "</p>",
        "<h1>Site maintenance rules</h1><p>A property under maintenance shall be insured.</p>" + pages.LONG,
    ],
    ids=["reserved", "obfuscated mail", "widget", "imperva", "cloudflare", "noscript", "login link",
         "cookie banner", "about maintenance"],
)  # fmt: skip
def test_rules_good_pages_with_suspicious_words_are_content(body: str) -> None:
    assert judge(status=200, url=URL, headers={}, body=pages.page(body=body)).kind == "content"


def _steps(run: Callable[[], object]) -> float:
    began = time.process_time()
    run()
    return time.process_time() - began


@cases("sign", ["page you requested ", "access to this site ", "доступ к ", "Server Error in '", "| a "])
def test_rules_time_grows_linearly_with_page_size(sign: str) -> None:
    """Four times the menu is not sixteen times the time (processor time, and generously: 10)."""
    short, long = (
        f"<!DOCTYPE html><nav><a href='/'>{sign * (size // len(sign))}</a></nav>".encode() for size in (6_000, 24_000)
    )
    times = [min(_steps(lambda body=body: judge(status=200, url=URL, headers={}, body=body)) for _ in range(3))  # type: ignore[misc]
             for body in (short, long)]  # fmt: skip
    assert times[1] < 10 * times[0] + 0.05
