"""What a wiki says of many pages at once, and of its changes: read in all forms, trusted for no more than it says."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from rori_spiders.crawl.tiers.mediawiki import api_answers as wiki_answers
from rori_spiders.crawl.tiers.mediawiki import api_queries as wiki_changes
from rori_spiders.crawl.tiers.mediawiki import api_queries as wiki_info
from rori_spiders.crawl.tiers.mediawiki import api_queries as wiki_lists
from rori_spiders.crawl.tiers.mediawiki.titles import title_url
from rori_spiders.crawl.walkers.wiki_updates import is_same_revision
from rori_spiders.ledger.pages.page_state import ConfirmablePage
from rori_spiders.urls.canonical import host_of, normalise_url
from tests.support.cases import cases

_TOUCHED = "2026-11-01T10:00:00Z"


def page_info(query: dict[str, Any], **more: Any) -> wiki_info.PageInfoAnswer:
    return wiki_info.parse_page_info_answer(json.dumps({"query": query, **more}).encode())


def page(title: str = "A", **facts: Any) -> dict[str, Any]:
    return {"ns": 0, "title": title, "lastrevid": 11, "touched": _TOUCHED, **facts}


def test_wiki_page_info_titles_are_batched_by_fifty_and_url_length() -> None:
    assert [len(batch) for batch in wiki_info.batch_titles(f"Rule {number}" for number in range(120))] == [50, 50, 20]
    long = [f"{chr(0x3042 + number)}" * 85 for number in range(50)]
    batches = list(wiki_info.batch_titles(long))
    assert sum(batches, ()) == tuple(long)
    assert max(len(wiki_info.page_info_url("https://wiki.example/w/api.php", batch)) for batch in batches) < 8000


def test_wiki_page_info_titles_are_found_by_normalisation_and_redirects() -> None:
    found = page_info(
        {
            "normalized": [{"from": "a_b", "to": "A b"}, {"from": "Cafe%CC%81", "to": "Café", "fromencoded": True}],
            "redirects": [{"from": "A b", "to": "Old"}, {"from": "Old", "to": "New", "tofragment": "Top"}],
            "pages": [page("New"), page("Café")],
        }
    )
    assert found.of("a_b") == found.of("New") and found.is_redirect("a_b")
    assert found.of("Cafe\u0301") is not None and not found.is_redirect("Cafe\u0301")
    assert found.of("Other") is None


def test_wiki_page_info_circular_redirects_are_ignored() -> None:
    round_ = [{"from": "A", "to": "B"}, {"from": "B", "to": "A"}]
    assert page_info({"redirects": round_}).of("A") is None


def test_wiki_page_info_old_format_is_read() -> None:
    found = page_info({"pages": {"7": page(), "-1": {"ns": 0, "title": "B", "missing": ""}}})
    a, b = found.of("A"), found.of("B")
    assert a is not None and a.revision == 11 and not a.is_missing
    assert b is not None and b.is_missing


@pytest.mark.parametrize(
    "fields",
    [
        {"ns": -1, "title": "A", "special": True, "missing": True},
        {"title": "A", "invalid": True, "invalidreason": "bad"},
        {"ns": 6, "title": "A", "missing": True, "known": True},
    ],
)
def test_wiki_page_info_invalid_title_is_not_missing(fields: dict[str, Any]) -> None:
    found = page_info({"pages": [fields]}).of("A")
    assert found is not None and not found.is_missing and not found.is_whole


@cases("payload", [b"", b"[]", b"<html>", b'{"query": {"pages": 3}}', b'{"query": {"pages": [1]}}'])
def test_wiki_page_info_invalid_answer_is_refused(payload: bytes) -> None:
    with pytest.raises(ValueError, match=r"API|JSON|Expecting"):
        wiki_info.parse_page_info_answer(payload)


@cases(
    ("facts", "read", "expected"),
    [
        ({}, "Sun, 01 Nov 2026 10:01:01 GMT", True),
        ({}, "Sun, 01 Nov 2026 10:00:59 GMT", False),  # within the margin: a database may have lagged
        ({}, "Sun, 01 Nov 2026 09:00:00 GMT", False),  # a template changed
        ({"lastrevid": 12}, "Mon, 02 Nov 2026 10:00:00 GMT", False),
        ({"touched": "soon"}, "Mon, 02 Nov 2026 10:00:00 GMT", False),
        ({}, None, False),
        ({}, "yesterday", False),
    ],
)
def test_wiki_page_info_compares_revision_and_touch_time(
    facts: dict[str, Any], read: str | None, expected: bool
) -> None:
    held = ConfirmablePage(
        "https://wiki.example/wiki/A",
        "11",
        read,
        datetime(2026, 11, 2, tzinfo=UTC),
        datetime(2026, 11, 2, tzinfo=UTC),
        None,
    )
    info = page_info({"pages": [page(**facts)]}).of("A")
    assert info is not None and is_same_revision(info, held) is expected


def test_wiki_changes_name_both_titles_of_move_and_templates() -> None:
    entries = [
        {"type": "edit", "ns": 0, "title": "A"},
        {"type": "edit", "ns": 10, "title": "Template:Rate"},
        {"type": "log", "ns": 0, "title": "B", "logtype": "move", "logparams": {"target_ns": 0, "target_title": "C"}},
    ]
    found = wiki_changes.parse_changes_answer(json.dumps({"query": {"recentchanges": entries}}).encode())
    assert {one.text for one in found.titles} == {"A", "B", "C", "Template:Rate"}
    assert dict(found.moved) == {"B": "C"}
    assert set(found.templates) == {"Template:Rate"}


def test_wiki_changes_hidden_entry_invalidates_list() -> None:
    with pytest.raises(ValueError, match="without a page title"):
        wiki_changes.parse_changes_answer(
            json.dumps({"query": {"recentchanges": [{"type": "log", "actionhidden": True}]}}).encode()
        )


@cases(
    "path",
    ["//evil.example/$1", "https://evil.example/$1", "/\\evil.example/$1", "/../../@evil.example/$1", "/wiki/$1"],
)
def test_wiki_site_info_article_path_stays_on_host(path: str) -> None:
    site_info = {"query": {"general": {"articlepath": path, "server": "//evil.example", "wikiid": "x"}}}
    prefix = wiki_lists.parse_article_prefix(json.dumps(site_info).encode())
    assert host_of(normalise_url(title_url("A", "https://wiki.example/wiki/B", prefix))) == "wiki.example"


@cases(
    ("title", "path"),
    [
        ("O'Brien v. Authority", "/wiki/O%27Brien_v._Authority"),
        ("C++ (language)", "/wiki/C%2B%2B_(language)"),
        ("Talk:Reg/2025/1", "/wiki/Talk:Reg/2025/1"),
        ("50% rule", "/wiki/50%25_rule"),
        ("規則", "/wiki/%E8%A6%8F%E5%89%87"),
        ("What? & why#Section", "/wiki/What%3F_%26_why"),
    ],
)
def test_wiki_titles_in_urls_are_encoded_as_wiki_does(title: str, path: str) -> None:
    assert normalise_url(title_url(title, "https://wiki.example/wiki/Main_Page")) == f"https://wiki.example{path}"


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({"disambiguation": ""}, True),
        ([{"name": "disambiguation", "*": ""}], True),
        ({"noindex": ""}, False),
        ([], False),
    ],
)
def test_wiki_page_info_disambiguation_is_reported(properties: object, expected: bool) -> None:
    parsed = {"title": "Mercury", "revid": 11, "text": "<p>Planet or metal</p>", "properties": properties}
    metadata = wiki_answers.parse_page_metadata(json.dumps({"parse": parsed}).encode(), "Sun, 01 Nov 2026 10:00:00 GMT")
    assert (metadata.disambiguation, metadata.revision_id, metadata.as_of) == (
        expected,
        11,
        "Sun, 01 Nov 2026 10:00:00 GMT",
    )
