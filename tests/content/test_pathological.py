"""Whatever a server sends gives a page or a ConversionError, and loses no word without saying so."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest

from rori_spiders.content.convert import Converted, digest
from rori_spiders.content.html.links import discover
from rori_spiders.content.html.visible_text import shown_words
from rori_spiders.exceptions import ConversionError
from tests.content.pages import URL


def read(body: bytes) -> Converted:
    return digest(body, url=URL, content_type="text/html")


@pytest.mark.parametrize(
    "tag", ["div", "font", "b", "i", "span", "ul><li", "blockquote", "table><tr><td", "dl><dd", "form"]
)
def test_convert_5000_unclosed_tags_ends(tag: str) -> None:
    body = "<html><body>" + "".join(f"<{tag}>w{n} " for n in range(5000)) + "<p>last words</p>"
    page = read(body.encode())
    missing = [n for n in range(5000) if f"w{n}" not in page.markdown]
    assert not missing
    assert "last words" in page.markdown


def test_convert_10000_links_ends() -> None:
    page = read(b"<main>" + b"".join(b'<p><a href="/%d">link %d</a></p>' % (n, n) for n in range(10_000)))
    assert len(page.links_internal) == 10_000
    assert page.markdown.count("](") == 10_000


def test_convert_table_of_2_mb_ends() -> None:
    rows = b"".join(b"<tr><td>%d</td><td>case number %d</td><td>$%d</td></tr>" % (n, n, n) for n in range(38_000))
    body = b"<main><table><tr><th>No</th><th>Case</th><th>Fee</th></tr>" + rows + b"</table></main>"
    assert len(body) > 2_000_000
    assert read(body).markdown.count("\n") >= 38_000


@pytest.mark.parametrize(
    "body",
    [
        b"<p>a\x00b\x00</p>" * 100,
        b"<p>text" + b"<!--" * 5000,
        b"<p>text" + b"<" * 20_000,
        b"<p>text" + b"&#x" * 20_000,
        b"<p>text</p>" + b"</div>" * 20_000,
        b"<p" + b" a=b" * 20_000 + b">text",
        b"<p>" + b" " * 1_000_000 + b"text",
        b"<p>" + b"x" * 1_000_000,
        b"<p>" + b"**_`[]()" * 20_000,
        b"<p><b>" * 3000 + b"text",
        b'<p>text<a href="http://[::1">bad</a><a href="//">worse</a><base href="http://[">',
        b"<p>text</p>" + b"<table>" * 300,
        b"<svg><p>text</p></svg><p>out</p>",
        b"<html><frameset><frame src=a><noframes><p>text</p></noframes></frameset></html>",
        b"<plaintext>text <b>here",
        b"<p>&#55357;&#0;&#xFFFFFFFF;text</p>",
        b"<li>text<td>x<tr>y<option>z<dd>q",
    ],
)
def test_convert_broken_markup_gives_page_or_conversion_error(body: bytes) -> None:
    with suppress(ConversionError):
        page = read(body)
        assert page.markdown.strip()
        page.markdown.encode("utf-8")


@pytest.mark.parametrize("seed", range(20))
def test_convert_binary_garbage_gives_page_or_conversion_error(seed: int) -> None:
    body = random.Random(seed).randbytes(4000)
    for prefix in (b"", b"<html><body><p>", b"\xff\xfe", b"<?xml version='1.0'?><html>"):
        shown_words(prefix + body)
        discover(prefix + body, url=URL)
        with suppress(ConversionError):
            read(prefix + body).markdown.encode("utf-8")


def test_convert_truncated_page_gives_page_or_conversion_error() -> None:
    page = (
        "<html><head><title>T</title></head><body><main><h1>§ 1</h1>"
        "<table><tr><td rowspan=2>a<td>b</tr></table><ol type=a><li>x"
        "<pre>y</pre></ol><script>z()</script><p>end &amp; “quote”</p></main></body></html>"
    ).encode()
    for end in range(len(page)):
        with suppress(ConversionError):
            read(page[:end])
