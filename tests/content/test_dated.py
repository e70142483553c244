"""What a page is dated with, what that was read from, and what is not believed."""

from __future__ import annotations

import json

from rori_spiders.content.html import tree
from rori_spiders.content.metadata.dates import Dated, believed, doubt
from rori_spiders.content.metadata.html_metadata import PageMetadata, read_metadata
from tests.support.cases import cases

URL = "https://www.example.gov/a/b/"


def dates_of(head: str, body: str = "<p>x</p>") -> tuple[Dated, ...]:
    page = f"<html><head>{head}</head><body>{body}</body></html>"
    return read_metadata(tree.parse(page), URL).dates


def linked(*items: dict[str, str]) -> str:
    return f'<script type="application/ld+json">{json.dumps(items)}</script>'


@cases(
    ("head", "body", "found"),
    [
        (
            "<meta property='article:published_time' content='2024-01-02T00:00Z'>",
            "",
            ("published_date", "2024-01-02", "meta article:published_time"),
        ),
        ("<meta name=DC.date.issued content=2011-12-20>", "", ("published_date", "2011-12-20", "meta dc.date.issued")),
        (
            "<meta property='dcterms:issued' content=2011-12-20>",
            "",
            ("published_date", "2011-12-20", "meta dcterms.issued"),
        ),
        (linked({"dateModified": "2024-02-03"}), "", ("modified_date", "2024-02-03", "json-ld dateModified")),
        (
            "",
            '<time itemprop="datePublished" datetime="2023-04-05">April</time>',
            ("published_date", "2023-04-05", "microdata datePublished"),
        ),
        (
            "",
            "<footer>Page last reviewed: 21-Nov-2025</footer>",
            ("modified_date", "2025-11-21", "text: Page last reviewed: 21-Nov-2025"),
        ),
        (
            "",
            "<p><span>Published on:</span> <b>March 4, 2024</b></p>",
            ("published_date", "2024-03-04", "text: Published on: March 4, 2024"),
        ),
        (
            "",
            "<div>Release Date: 03/04/2024 | News</div>",
            ("published_date", "2024-03-04", "text: Release Date: 03/04/2024 | News"),
        ),
    ],
)
def test_page_date_has_its_source(head: str, body: str, found: tuple[str, str, str]) -> None:
    assert [tuple(dated) for dated in dates_of(head, body)] == [found]


@cases(
    ("head", "body"),
    [
        ("<meta name=date content='Spring 2024'>", ""),
        (linked({"datePublished": "2024-01-01"}, {"datePublished": "2024-01-02"}), ""),
        ("", "<p itemprop=datePublished content=2024-01-01></p><p itemprop=datePublished content=2024-01-02></p>"),
        ("", "<p>Posted March 4, 2024</p><p>Posted March 5, 2024</p>"),
        ("", "<p>Published in the Federal Register of March 4, 2024, and effective at once.</p>"),
        ("", "<p>The rule was updated in 2024 and modified again.</p>"),
        ("", "<p>Posted March 4, 2024</p>" * 401),
        ("<meta name=date content='06.05.2024'>", ""),
        ("", "<p>The rule last modified January 5, 2020 remains in force.</p>"),
        ("", "<p>The HUD form last revised 1/5/2020</p>"),
    ],
    ids=[
        *(
            "no day",
            "a list as JSON-LD",
            "a list as microdata",
            "a list as text",
            "a sentence",
            "a year",
            "a long list",
        ),
        *("two readings", "a rule", "a form"),
    ],
)
def test_page_date_of_other_content_is_ignored(head: str, body: str) -> None:
    assert dates_of(head, body) == ()


def test_page_date_of_article_named_as_page_is_used() -> None:
    items = ({"datePublished": "2024-01-01", "url": URL + "other/"}, {"datePublished": "2024-01-02", "url": URL + "#x"})
    assert dates_of(linked(*items)) == (Dated("published_date", "2024-01-02", "json-ld datePublished"),)


def test_page_date_in_text_is_read_only_without_markup() -> None:
    stamp = "<p>Last updated: May 6, 2024</p>"
    assert [dated.date for dated in dates_of("<meta name=last-modified content=2023-01-01>", stamp)] == ["2023-01-01"]
    in_doubt = dates_of("<meta name=last-modified content=1899-12-31>", stamp)
    assert [dated.date for dated in in_doubt] == ["1899-12-31", "2024-05-06"]
    assert PageMetadata(dates=in_doubt).modified_date == "2024-05-06"


@cases(
    ("date", "why"),
    [
        ("1899-12-31", "before_1900"),
        ("1900-01-01", None),
        ("2026-02-13", None),
        ("2026-02-14", "future"),
        ("2199-01-01", "future"),
    ],
)
def test_page_date_implausible_is_doubted(date: str, why: str | None) -> None:
    assert doubt(date, "2026-02-13") == why


def test_page_date_best_undoubted_is_believed() -> None:
    dates = [Dated("modified_date", day, "x") for day in ("2099-01-01", "2024-01-01", "2023-01-01")]
    best = believed(dates, "modified_date", "2026-02-13")
    assert best is not None and best.date == "2024-01-01"
    assert believed(dates, "published_date") is None


def test_page_date_page_of_stamps_ends() -> None:
    page = "<div>" * 200 + "<p>Last updated: no day</p>" * 20_000
    assert dates_of("", page) == ()
