"""What a page says of those that it links."""

from __future__ import annotations

from rori_spiders.content.html.links import MAX_CHARS, Linked, read

URL = "https://www.example.gov/guide/"
PAGE = """<html><head><title> The
 Guide </title><meta name="Description" content=" What  a lender does. ">
<link rel="contents" href="toc.html"><link rel="next" href="1"></head><body>
<a href="1">next</a> <a href="1#top">1. Scope of the guide</a> <a href="2"><img src="x.png" alt=""></a>
<a href="3" title="Three"></a> <a rel="toc" href="all.html">All of it</a> <a href="mailto:a@b">Mail</a>
<a href="{{item.url}}">Unrendered</a></body></html>"""


def test_linked_page_names_titles_texts_contents_and_next() -> None:
    found = read(PAGE.encode(), url=URL)
    assert (found.title, found.description, found.next) == ("The Guide", "What a lender does.", f"{URL}1")
    assert dict(found.texts) == {f"{URL}1": "1. Scope of the guide", f"{URL}3": "Three", f"{URL}all.html": "All of it"}
    assert found.contents == (f"{URL}toc.html", f"{URL}all.html")


def test_linked_page_itself_is_named_before_its_parts() -> None:
    found = read(
        b'<a href="/a">Scope</a> <a href="/a#b">(b) Coverage of the scope</a> <a href="/c#d">Part</a>', url=URL
    )
    site = "https://www.example.gov"
    assert dict(found.texts) == {f"{site}/a": "Scope", f"{site}/c": "Part"}


def test_linked_texts_are_bounded_and_garbage_gives_none() -> None:
    long = read(f'<a href="/a">{"law " * 1000}</a>'.encode(), url=URL)
    assert [len(text) for _, text in long.texts] == [MAX_CHARS]
    assert read(b"", url=URL) == Linked()
    assert read(b"\x00\xff\xfe", url=URL).texts == ()
