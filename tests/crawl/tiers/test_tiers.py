"""The ladder of a URL, and pages made again from what a tier received."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs

import pytest

from rori_spiders.crawl.tiers.mediawiki.api_answers import is_redirect_loop, parse_api_error, parse_page_html
from rori_spiders.crawl.tiers.mediawiki.tier import build_parse_query
from rori_spiders.crawl.tiers.order import HTTP, MEDIAWIKI, restore_page, tier_order
from tests.support.cases import cases

BOTH = (MEDIAWIKI, HTTP)


@cases(
    ("own", "fence", "has_api", "tier_names"),
    [
        (None, None, False, (HTTP,)),
        (None, None, True, (MEDIAWIKI, HTTP)),
        ((HTTP,), None, True, (HTTP,)),
        ((HTTP, MEDIAWIKI), None, True, (HTTP, MEDIAWIKI)),
        (None, (HTTP,), True, (HTTP,)),
        (None, (MEDIAWIKI,), True, (MEDIAWIKI,)),
        (None, (MEDIAWIKI,), False, ()),
        ((MEDIAWIKI,), (HTTP,), True, ()),
        (("browser",), None, True, ()),
        (("browser", HTTP), None, True, (HTTP,)),
        ((), None, True, (MEDIAWIKI, HTTP)),
    ],
)
def test_tiers_are_in_order(
    own: tuple[str, ...] | None, fence: tuple[str, ...] | None, has_api: bool, tier_names: tuple[str, ...]
) -> None:
    assert tier_order(BOTH, own=own, fence=fence, has_api=has_api) == tier_names


def test_tiers_unconfigured_is_absent() -> None:
    assert tier_order((HTTP,), own=BOTH, fence=None, has_api=True) == (HTTP,)


def answer(**parsed: Any) -> bytes:
    page = {"title": "Fair Housing Act", "text": "<p>It forbids.</p>", **parsed}
    return json.dumps({"parse": page}).encode()


def test_wiki_tier_rebuilds_page_from_stored_answer() -> None:
    body, content_type = restore_page(MEDIAWIKI, answer(), "application/json")
    assert body.decode() == parse_page_html(answer())
    assert content_type == "text/html; charset=utf-8"


def test_received_page_is_returned_for_other_tiers() -> None:
    assert restore_page(HTTP, b"<p>", "text/html") == (b"<p>", "text/html")


def test_wiki_tier_requests_expected_parameters() -> None:
    parameters = {name: values[0] for name, values in parse_qs(build_parse_query("AT&T (1968)")).items()}
    assert parameters["page"] == "AT&T (1968)"
    assert (parameters["action"], parameters["format"], parameters["formatversion"]) == ("parse", "json", "2")
    assert (parameters["redirects"], parameters["maxlag"], parameters["disablelimitreport"]) == ("1", "5", "1")


def test_wiki_tier_page_has_title_text_and_categories() -> None:
    html = parse_page_html(
        answer(
            title="A <b> & C",
            categories=[{"category": "Housing_law"}, {"category": "Hidden", "hidden": True}, {"category": 'Q"t'}],
        )
    )
    assert "<title>A &lt;b&gt; &amp; C</title>" in html
    assert "<h1>A &lt;b&gt; &amp; C</h1><p>It forbids.</p>" in html
    assert 'content="Housing law, Q&quot;t"' in html


@pytest.mark.parametrize("categories", [None, [], ["plain text"], [{}]])
def test_wiki_tier_unusual_categories_are_accepted(categories: object) -> None:
    assert "<p>It forbids.</p>" in parse_page_html(answer(categories=categories))


@cases(
    ("error", "status"),
    [
        ({"code": "missingtitle"}, 404),
        ({"code": "nosuchpageid"}, 404),
        ({"code": "invalidtitle"}, 404),
        ({"code": "pagecannotexist"}, 404),
        ({"code": "maxlag", "lag": 7}, 503),
        ({"code": "readonly"}, 503),
        ({"code": "ratelimited"}, 429),
        ({"code": "readapidenied"}, 403),
        ({"code": "permissiondenied"}, 403),
        ({"code": "somethingnew"}, 502),
        ({}, None),
        ({"info": "no code"}, 502),
        ("a sentence", 502),
    ],
)
def test_wiki_tier_api_errors_become_statuses(error: object, status: int | None) -> None:
    found = parse_api_error(json.dumps({"error": error, "parse": {"text": "x"}}).encode())
    assert (found[0] if found else None) == status


def test_wiki_tier_new_error_format_is_read() -> None:
    assert parse_api_error(b'{"errors": [{"code": "missingtitle", "text": "..."}]}') == (404, "missingtitle")


@cases(
    "payload",
    [
        *(b"", b"\xff", b"<!DOCTYPE html>", b"{", b"[]", b"null", b'"text"', b"1e999", b"{}"),
        *(b'{"parse": []}', b'{"parse": {}}', b'{"parse": {"text": null}}', b'{"parse": {"text": {"*": ["x"]}}}'),
        *(b'{"errors": null}', b'{"errors": []}', b"[" * 100_000),
    ],
)
def test_wiki_tier_invalid_answer_is_refused(payload: bytes) -> None:
    found = parse_api_error(payload)
    assert found is not None
    assert found[0] == 502
    with pytest.raises(ValueError, match=r"."):
        parse_page_html(payload)


def test_wiki_tier_page_is_not_error() -> None:
    assert parse_api_error(answer()) is None


def test_wiki_tier_circular_redirect_is_refused() -> None:
    stub = answer(text='<div class="redirectMsg"><p>Redirect to:</p></div>')
    assert is_redirect_loop(stub)
    assert not is_redirect_loop(
        answer(text='<p>A <code>&lt;div class="redirectMsg"&gt;</code>.</p><div class="redirectMsg">x</div>')
    )
