"""Sitemaps in every form that publishers have, and what is none."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from rori_spiders.urls.sitemap_reader import MAX_BYTES, MAX_URLS, Sitemap, is_url_list, read_sitemap
from tests.support.cases import cases

URL = "https://www.hud.gov/maps/sitemap.xml"
FIXTURES = Path(__file__).parent / "fixtures" / "sitemaps"
URLSET = b"<urlset><url><loc>https://www.hud.gov/1</loc></url></urlset>"


def packed(body: bytes) -> bytes:
    """*body* in gzip, without the time of day that would be in it."""
    return gzip.compress(body, mtime=0)


ONE = Sitemap(pages=("https://www.hud.gov/1",))


@cases("case", sorted(FIXTURES.iterdir()), ids=lambda case: case.name)
def test_read_sitemap_formats(case: Path) -> None:
    [given] = case.glob("sitemap.*")
    expected = (case / "expected.txt").read_text(encoding="utf-8").splitlines()
    found = read_sitemap(given.read_bytes(), URL)
    assert [f"page {url}" for url in found.pages] + [f"sitemap {url}" for url in found.sitemaps] == expected


@cases(
    "body",
    [
        URLSET,
        b"\xef\xbb\xbf" + URLSET,
        b"\n \t" + URLSET,
        b"<?xml version='1.0' encoding='UTF-8'?>" + URLSET,
        b"<?xml version='1.0' encoding='ISO-8859-1'?>" + URLSET,
        b"<?xml-stylesheet href='s.xsl'?><!-- made today -->" + URLSET,
        ('<?xml version="1.0" encoding="utf-16"?>' + URLSET.decode()).encode("utf-16"),
        URLSET.decode().encode("utf-16"),
        packed(URLSET),
        packed(b"\xef\xbb\xbf" + URLSET),
        packed(URLSET)[:-5],
        URLSET.replace(b"<loc>", b"<loc>\n    ").replace(b"</loc>", b"\n  </loc>"),
        URLSET.replace(b"https://www.hud.gov/1", b"<![CDATA[https://www.hud.gov/1]]>"),
        URLSET.replace(b"https://www.hud.gov/1", b"/1"),
        URLSET.replace(b"https://www.hud.gov/1", b"../1"),
        URLSET.replace(b"</urlset>", b"<url><loc> </loc></url><url/></urlset>"),
        URLSET.replace(b"</urlset>", b"<url><loc>http://[::1</loc></url></urlset>"),
        URLSET.replace(b"<urlset>", b"<urlset>\x00"),
        URLSET[:-9],
        b"https://www.hud.gov/1\n",
        b"https://www.hud.gov/1\r\n\r\nnot a URL\r\nftp://www.hud.gov/2",
        "https://www.hud.gov/1\n".encode("utf-16"),
    ],
)
def test_read_sitemap_spellings_of_one_page_are_one(body: bytes) -> None:
    assert replace(read_sitemap(body, URL), is_torn=False) == ONE


def test_read_sitemap_escapes_are_undone() -> None:
    body = URLSET.replace(b"/1", b"/1?a=1&amp;b=2")
    assert read_sitemap(body, URL).pages == ("https://www.hud.gov/1?a=1&b=2",)


def test_read_sitemap_urlset_without_entries() -> None:
    assert read_sitemap(b"<urlset/>", URL) == Sitemap()


@cases(
    ("loc", "path"),
    [
        ("<![CDATA[/1?a=1&b=2]]>", "/1?a=1&b=2"),
        ("<![CDATA[/1?a=1&amp;b=2]]>", "/1?a=1&amp;b=2"),
        ("/1?a=1&b=2", "/1?a=1&b=2"),
        ("/1?a=1&#38;b=2", "/1?a=1&b=2"),
        ("/caf&eacute;s", "/cafés"),
        ("/1\n    2", "/12"),
    ],
)
def test_read_sitemap_ampersands_and_entities_an_address_stays_itself(loc: str, path: str) -> None:
    body = f"<urlset><url><loc>{loc}</loc></url></urlset>".encode()
    assert read_sitemap(body, URL).pages == (f"https://www.hud.gov{path}",)


@pytest.mark.timeout(10)
def test_read_sitemap_cdata_never_closed_is_read_once() -> None:
    assert read_sitemap(b"<urlset>" + b"<![CDATA[" * 200_000, URL).pages == ()


def test_read_sitemap_several_gzip_files_in_one_names_all() -> None:
    halves = packed(b"https://www.hud.gov/1\n") + packed(b"https://www.hud.gov/2\n")
    assert read_sitemap(halves, URL) == Sitemap(("https://www.hud.gov/1", "https://www.hud.gov/2"))
    assert read_sitemap(halves[:-12], URL).is_torn
    assert read_sitemap(packed(b"https://www.hud.gov/1\n") * 200, URL).is_torn  # more than are unpacked


def test_read_sitemap_a_second_list_behind_the_first_is_torn() -> None:
    assert read_sitemap(URLSET + URLSET, URL) == replace(ONE, is_torn=True)
    assert read_sitemap(URLSET + b"<!-- made by hand --><script>x()</script>", URL) == ONE


def test_read_sitemap_entries_of_the_other_kind_are_told_by_their_tag() -> None:
    both = b"<url><loc>/1</loc></url><sitemap><loc>/s.xml</loc></sitemap>"
    for root in (b"urlset", b"sitemapindex"):
        found = read_sitemap(b"<" + root + b">" + both + b"</" + root + b">", URL)
        assert (found.pages, found.sitemaps) == (("https://www.hud.gov/1",), ("https://www.hud.gov/s.xml",))


ATOM = '<feed xmlns="http://www.w3.org/2005/Atom"{base}>{inside}</feed>'
RSS = '<rss xmlns:a="http://www.w3.org/2005/Atom"><channel><link>/news</link>{inside}</channel></rss>'


@cases(
    ("body", "pages", "further"),
    [
        (
            ATOM.format(base="", inside='<link rel="next" href="?p=2"/><entry><link href="/1"/></entry>'),
            ["/1"],
            ["/f?p=2"],
        ),
        (ATOM.format(base="", inside='<link rel="prev-archive" href="/2019"/>'), [], ["/2019"]),
        (ATOM.format(base="", inside='<link rel="self" href="/f"/><link href="/"/>'), [], []),
        (ATOM.format(base=' xml:base="/b/"', inside='<entry><link href="1"/></entry>'), ["/b/1"], []),
        (ATOM.format(base="", inside='<entry><content src="/1"/><id>https://www.hud.gov/2</id></entry>'), ["/1"], []),
        (ATOM.format(base="", inside="<entry><id>https://www.hud.gov/1</id></entry>"), ["/1"], []),
        (ATOM.format(base="", inside="<entry><id>urn:uuid:1</id></entry>"), [], []),
        (RSS.format(inside='<a:link rel="next" href="/f?p=2"/><item><link>/1</link></item>'), ["/1"], ["/f?p=2"]),
        (RSS.format(inside='<item><a:link href="/1"/></item>'), ["/1"], []),
        (RSS.format(inside='<item><enclosure url="/1.pdf" type="application/pdf"/></item>'), ["/1.pdf"], []),
        (RSS.format(inside='<item><link>/1</link><enclosure url="/1.mp3"/></item>'), ["/1"], []),
        (
            (
                '{"version": "https://jsonfeed.org/version/1.1", "next_url": "/f?p=2",'
                ' "items": [{"url": "/1"}, {"id": "2"}, 3]}'
            ),
            ["/1"],
            ["/f?p=2"],
        ),
    ],
)
def test_read_sitemap_feeds_name_items_and_where_they_go_on(body: str, pages: list[str], further: list[str]) -> None:
    found = read_sitemap(body.encode(), "https://www.hud.gov/f")
    assert list(found.pages) == [f"https://www.hud.gov{path}" for path in pages]
    assert list(found.further) == [f"https://www.hud.gov{path}" for path in further]
    assert is_url_list(body.encode())


def test_is_url_list_json_of_another_kind_is_none() -> None:
    assert not is_url_list(b'{"version": "1.1", "items": [{"url": "https://jsonfeed.org/version/1.1"}]}')


@cases(
    "body",
    [
        b"<!DOCTYPE html><html><body>Not found</body></html>",
        b"<html/>",
        b"<?xml version='1.0'?>",
        b"<!-- nothing -->",
        b"<",
        b"<error>access denied</error>",
        b"",
        b"Service unavailable",
        b'{"error": "https://www.hud.gov/1"}',
        b"Notice: undefined index\n" + URLSET,
        b'{"version": "https://jsonfeed.org/version/1.1", "items": [{"url": "https://www.hud.gov/1"}, {"ur',
        b'{"version": "https://jsonfeed.org/version/1.1", "items": null}',
        b"\x1f\x8b",
        packed(URLSET)[:12],
        packed(URLSET)[:10] + b"\xff" * 400,
    ],
)
def test_read_sitemap_other_document_is_refused(body: bytes) -> None:
    with pytest.raises((ValueError, OSError), match=r"."):
        read_sitemap(body, URL)


def test_read_sitemap_decompression_bomb_is_refused() -> None:
    with pytest.raises(ValueError, match="maximum"):
        read_sitemap(packed(b" " * (MAX_BYTES + 1)), URL)


def test_read_sitemap_entities_are_not_expanded() -> None:
    body = (
        b'<!DOCTYPE urlset [<!ENTITY f SYSTEM "file:///etc/passwd"><!ENTITY a "aaaaaaaaaa">'
        b'<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><urlset><url><loc>https://www.hud.gov/&f;&b;</loc></url></urlset>'
    )
    for url in read_sitemap(body, URL).pages:
        assert url == "https://www.hud.gov/"


def test_read_sitemap_deep_nesting_is_harmless() -> None:
    assert read_sitemap(b"<urlset>" + b"<a>" * 100_000, URL) == Sitemap()


@pytest.mark.slow
def test_read_sitemap_urls_over_limit_are_dropped() -> None:
    text = b"https://www.hud.gov/1\n" * (MAX_URLS + 5)
    assert len(read_sitemap(text, URL).pages) == MAX_URLS
    entries = b"".join(b"<url><loc>/%d</loc></url>" % number for number in range(MAX_URLS + 5))
    assert len(read_sitemap(b"<urlset>" + entries + b"</urlset>", URL).pages) == MAX_URLS


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "start",
    [b" " * 60 + b"text", b"<!-- x -->" * 60 + b"<html>", b"<?x ?>\n" * 60 + b"text"],
    ids=["spaces", "comments", "both"],
)
def test_is_url_list_what_stands_before_a_wrong_root_is_read_once(start: bytes) -> None:
    """Each part more doubled the time that this takes: the event loop stood still for ever."""
    assert not is_url_list(start)
    assert is_url_list(start.removesuffix(b"text").removesuffix(b"<html>") + URLSET)
