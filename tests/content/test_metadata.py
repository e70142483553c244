"""What a page says about itself, from wherever it says it."""

from __future__ import annotations

import pytest

from rori_spiders.content.html import tree
from rori_spiders.content.metadata.dates import iso_date
from rori_spiders.content.metadata.html_metadata import PageMetadata, read_metadata, title_of
from tests.support.cases import cases

URL = "https://www.example.gov/a/b/"


def metadata_of(head: str, body: str = "<p>x</p>") -> PageMetadata:
    return read_metadata(tree.parse(f"<html><head>{head}</head><body>{body}</body></html>"), URL)


@cases(
    ("text", "day"),
    [
        ("2024-09-15", "2024-09-15"),
        ("2024-03-04T09:30:00-05:00", "2024-03-04"),
        ("2024-03-04T23:30:00Z", "2024-03-04"),
        ("September 15, 2024", "2024-09-15"),
        ("15 Sept. 2024", "2024-09-15"),
        ("Fri, 01 Mar 2024 10:00:00 GMT", "2024-03-01"),
        ("09/15/2024", "2024-09-15"),
        ("September 2024", None),
        ("2024", None),
        ("10:30 AM", None),
        ("soon", None),
        ("", None),
        (None, None),
        ("0001-01-01", None),
        ("99999999999999", None),
        ("March 32, 2024", None),
        ("in 2024 the agency issued 14 rules and 3 notices", None),
    ],
)
def test_metadata_date_is_whole_day_or_none(text: str | None, day: str | None) -> None:
    assert iso_date(text) == day


def test_metadata_open_graph_and_meta_tags_are_read() -> None:
    found = metadata_of(
        "<title> A\n title </title><meta name=Description content=' What  it is '>"
        "<meta name=keywords content='RESPA, fees,RESPA, '>"
        "<meta property='og:title' content=OG><meta property='og:description' content='OG text'>"
        "<meta property='og:image' content='/i.png'><meta name=robots content='index,  follow'>"
        "<meta name=author content=Office>"
        "<link rel=canonical href='../c/'>"
    )
    assert found == PageMetadata(
        title="A title",
        description="What it is",
        keywords=("RESPA", "fees"),
        author="Office",
        og_title="OG",
        og_description="OG text",
        og_image="https://www.example.gov/i.png",
        robots="index, follow",
        canonical_url="https://www.example.gov/a/c/",
    )


def test_metadata_page_without_any_has_none() -> None:
    assert metadata_of("") == PageMetadata()


@cases(
    ("head", "body", "published", "modified"),
    [
        ("<meta property='article:published_time' content='2024-01-02T00:00Z'>", "", "2024-01-02", None),
        (
            "<meta name=DC.date.issued content=2011-12-20><meta name=dcterms.modified content=2024-05-06>",
            "",
            "2011-12-20",
            "2024-05-06",
        ),
        (
            '<script type="application/ld+json">{"@graph": [{"dateModified": "2024-02-03"}]}</script>',
            "",
            None,
            "2024-02-03",
        ),
        ('<script type="application/ld+json">{broken</script>', "", None, None),
        ("", '<time itemprop="datePublished" datetime="2023-04-05">April</time>', "2023-04-05", None),
        ("", "<footer>Page last reviewed: 21-Nov-2025</footer>", None, "2025-11-21"),
        ("", "<p>Last updated on <time>May 6, 2024</time> by staff</p>", None, "2024-05-06"),
        ("", "<p>The rule was updated in 2024 and modified again.</p>", None, None),
        ("<meta name=date content='Spring 2024'>", "", None, None),
    ],
)
def test_metadata_dates_are_read(head: str, body: str, published: str | None, modified: str | None) -> None:
    found = metadata_of(head, body or "<p>x</p>")
    assert (found.published_date, found.modified_date) == (published, modified)


def test_metadata_person_in_json_ld_is_author() -> None:
    assert (
        metadata_of('<script type="application/ld+json">[{"author": [{"name": "Pat  Writer"}]}]</script>').author
        == "Pat Writer"
    )


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title>T</title><svg><title>icon</title></svg><h1>H</h1>", "T"),
        ("<svg><title>icon</title></svg><h1>H  1</h1>", "H 1"),
        ("<meta property='og:title' content=OG><h1>H</h1>", "OG"),
        ("<p>none</p>", None),
    ],
)
def test_metadata_title_is_chosen(html: str, title: str | None) -> None:
    assert title_of(tree.parse(html)) == title
