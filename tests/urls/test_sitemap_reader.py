"""Sitemaps in every form that publishers have, and what is none."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from rori_spiders.urls.sitemap_reader import MAX_BYTES, MAX_URLS, Sitemap, is_url_list, read_sitemap

URL = "https://www.hud.gov/maps/sitemap.xml"
FIXTURES = Path(__file__).parent / "fixtures" / "sitemaps"
URLSET = b"<urlset><url><loc>https://www.hud.gov/1</loc></url></urlset>"


def packed(body: bytes) -> bytes:
    """*body* in gzip, without the time of day that would be in it."""
    return gzip.compress(body, mtime=0)


ONE = Sitemap(pages=("https://www.hud.gov/1",))


@pytest.mark.parametrize("case", sorted(FIXTURES.iterdir()), ids=lambda case: case.name)
def test_read_sitemap_formats(case: Path) -> None:
    [given] = case.glob("sitemap.*")
    expected = (case / "expected.txt").read_text(encoding="utf-8").splitlines()
    found = read_sitemap(given.read_bytes(), URL)
    assert [f"page {url}" for url in found.pages] + [f"sitemap {url}" for url in found.sitemaps] == expected


@pytest.mark.parametrize(
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


def test_read_sitemap_empty() -> None:
    assert read_sitemap(b"", URL) == Sitemap()
    assert read_sitemap(b"<urlset/>", URL) == Sitemap()


@pytest.mark.parametrize(
    "body",
    [
        b"<!DOCTYPE html><html><body>Not found</body></html>",
        b"<html/>",
        b"<?xml version='1.0'?>",
        b"<!-- nothing -->",
        b"<",
        b"<error>access denied</error>",
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
