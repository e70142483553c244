"""Which page of a wiki a URL names, and the URL of a title."""

from __future__ import annotations

import json

import pytest

from rori_spiders.crawl.tiers.mediawiki.api_answers import (
    other_page,
    parse_page_html,
    parse_page_metadata,
    redirect_target,
)
from rori_spiders.crawl.tiers.mediawiki.titles import (
    NotAPage,
    PageReference,
    article_path,
    is_page_url,
    parse_page_url,
    title_url,
)
from rori_spiders.urls.canonical import normalise_url
from tests.support.cases import cases

WIKI = "https://wiki.example.org"


@cases(
    ("path", "title"),
    [
        ("/wiki/Fair_Housing_Act", "Fair Housing Act"),
        ("/wiki/Fair_Housing_Act#History", "Fair Housing Act"),
        ("/wiki/Talk:Fair_Housing_Act", "Talk:Fair Housing Act"),
        ("/wiki/Category:Law", "Category:Law"),
        ("/wiki/Rule:_a_commentary", "Rule: a commentary"),
        ("/wiki/C%2B%2B", "C++"),
        ("/wiki/C++", "C++"),
        ("/wiki/What%3F", "What?"),
        ("/wiki/AT%26T", "AT&T"),
        ("/wiki/50%25_rule", "50% rule"),
        ("/wiki/A/B/C", "A/B/C"),
        ("/wiki/B%C3%B6rse", "Börse"),
        ("/wiki/B%F6rse", "Börse"),
        ("/wiki/:Law", "Law"),
        ("/wiki/Law%23Part", "Law"),
        ("/de/wiki/Gesetz", "Gesetz"),
        ("/w/index.php?title=Fair_Housing_Act", "Fair Housing Act"),
        ("/w/index.php?title=Fair+Housing+Act&printable=yes", "Fair Housing Act"),
        ("/w/index.php?title=C%2B%2B", "C++"),
        ("/w/index.php?title=Law&action=view", "Law"),
        ("/w/index.php?title=Old&title=Law", "Law"),
        ("/w/index.php?title=Law&redirect=no", "Law"),
        ("/w/index.php?title=Law&oldid=0", "Law"),
        ("/index.php/Law/Part", "Law/Part"),
        ("/w/index.php/Talk:Law", "Talk:Law"),
        ("/wiki/index.php?title=Law", "Law"),
        ("/?title=Law", "Law"),
        ("/title/Law", "Law"),
        ("/wiki/", "Main Page"),
        ("/w/index.php", "Main Page"),
    ],
)
def test_parse_page_url_gives_title(path: str, title: str) -> None:
    assert parse_page_url(normalise_url(WIKI + path)) == PageReference("page", title)


@pytest.mark.parametrize(
    ("path", "reference"),
    [
        ("/?curid=12", PageReference("pageid", "12")),
        ("/w/index.php?title=Law&oldid=33", PageReference("oldid", "33")),
        ("/wiki/Law?oldid=33&curid=4", PageReference("oldid", "33")),
    ],
)
def test_parse_page_url_gives_page_and_revision_number(path: str, reference: PageReference) -> None:
    assert parse_page_url(WIKI + path) == reference


@cases(
    "path",
    [
        *(
            "/wiki/Special:RecentChanges",
            "/wiki/special:search",
            "/wiki/Media:Seal.png",
            "/w/index.php?title=Special:Log",
        ),
        *("/wiki/Law?action=raw", "/w/index.php?title=Law&action=edit", "/w/index.php?title=Law&action=history"),
        *("/w/index.php?title=Law&diff=4&oldid=3", "/w/index.php?search=law", "/w/index.php?curid=x"),
        *("/w/api.php?action=parse&page=Law", "/w/load.php?modules=site", "/w/rest.php/v1/page/Law?title=Law"),
    ],
)
def test_parse_page_url_other_url_raises(path: str) -> None:
    if "rest.php/" in path:
        assert parse_page_url(WIKI + path) != PageReference("page", "v1/page/Law")
        return
    with pytest.raises(NotAPage):
        parse_page_url(WIKI + path)
    assert not is_page_url(WIKI + path)


def test_parse_page_url_accepts_only_plain_page_urls() -> None:
    assert parse_page_url(f"{WIKI}/files/act.pdf") is None
    assert parse_page_url(f"{WIKI}/docs/Law", "/docs/") == PageReference("page", "Law")
    assert parse_page_url(f"{WIKI}/", "/wiki/") == PageReference("page", "Main Page")


@pytest.mark.parametrize(
    ("known", "prefix"),
    [
        ("/wiki/Law", "/wiki/"),
        ("/de/wiki/Law/Part", "/de/wiki/"),
        ("/", "/wiki/"),
        ("/w/index.php?title=Law", "/w/index.php?title="),
        ("/w/index.php/Law", "/w/index.php/"),
        ("/w/index.php?curid=3", "/w/index.php?title="),
        ("/?title=Law", "/?title="),
        ("/docs/Law", "/docs/"),
    ],
)
@pytest.mark.parametrize("title", ["Fair Housing Act", "C++ & D?", "50% rule", "A/B: c;d", "Börse", "日本"])
def test_title_url_round_trips_through_parse(known: str, prefix: str, title: str) -> None:
    assert article_path(WIKI + known) == prefix
    assert parse_page_url(normalise_url(title_url(title, WIKI + known)), prefix) == PageReference("page", title)


def answer(**parsed: object) -> bytes:
    return json.dumps({"parse": {"title": "IShares", "text": "<p>It forbids.</p>", **parsed}}).encode()


def test_wiki_page_metadata_is_read() -> None:
    categories = [{"category": "Acts,_and_bills"}, {"category": "Tracking", "hidden": True}, {"category": "Law"}]
    metadata = parse_page_metadata(answer(revid=11, categories=categories))
    assert (metadata.revision_id, metadata.publisher_version) == (11, "11")
    assert metadata.categories == metadata.keywords == ("Acts, and bills", "Law")


@cases("revision", [None, 0, -1, True, "11", 1.5, []])
def test_wiki_page_revision_must_be_number(revision: object) -> None:
    assert parse_page_metadata(answer(revid=revision)).revision_id is None


def test_wiki_page_metadata_old_format_is_read() -> None:
    old = answer(text={"*": "<p>Old.</p>"}, categories=[{"*": "Law"}, {"*": "X", "hidden": ""}])
    assert "<p>Old.</p>" in parse_page_html(old)
    assert parse_page_metadata(old).categories == ("Law",)


def test_wiki_page_title_is_displayed_one() -> None:
    assert "<h1>iShares</h1>" in parse_page_html(answer(displaytitle="<i>iShares</i>"))
    assert "<h1>IShares</h1>" in parse_page_html(answer(displaytitle="<span></span>"))


def test_wiki_page_redirect_is_reported() -> None:
    redirected = answer(redirects=[{"from": "A", "to": "IShares"}])
    assert redirect_target(redirected) == "IShares"
    assert redirect_target(answer(redirects=[])) is None
    assert f'<link rel="canonical" href="{WIKI}/wiki/IShares">' in parse_page_html(redirected, f"{WIKI}/wiki/IShares")


def test_wiki_page_noindex_is_preserved() -> None:
    assert '<meta name="robots" content="noindex">' in parse_page_html(answer(properties={"noindex": ""}))
    assert "robots" not in parse_page_html(answer(properties={"notoc": ""}))
    assert '<html lang="cy">' in parse_page_html(
        answer(text='<div class="mw-parser-output" lang="cy"><p>Deddf</p></div>')
    )


@cases(
    ("by", "asked", "parsed", "other"),
    [
        ("page", "fair housing Act", {"title": "Fair housing Act"}, None),
        ("page", "WP:Fair use", {"title": "Wikipedia:Fair use"}, None),
        ("page", "AT&amp;T", {"title": "AT&T"}, None),
        ("page", "Cafe\u0301", {"title": "Café"}, None),
        ("page", "Old", {"title": "New", "redirects": [{"from": "Old", "to": "New"}]}, None),
        ("page", "Old", {"title": "New"}, "New"),
        ("page", "Rule 1", {"title": "Rule 11"}, "Rule 11"),
        ("page", "A", {"title": "New", "redirects": [{"from": "Old", "to": "New"}]}, "Old"),
        ("pageid", "7", {"title": "A", "pageid": 7}, None),
        ("pageid", "7", {"title": "A", "pageid": 8}, "pageid 8"),
        ("pageid", "7", {"title": "B", "pageid": 8, "redirects": [{"from": "A", "to": "B"}]}, None),
        ("oldid", "70", {"title": "A", "pageid": 7, "revid": 71}, "revid 71"),
        ("page", "A", {}, None),
    ],
)
def test_api_answer_other_page_is_known_by_title(by: str, asked: str, parsed: dict[str, object], other: str) -> None:
    payload = json.dumps({"parse": {"text": "<p>Text</p>", **parsed}}).encode()
    assert other_page(payload, by, asked) == other
