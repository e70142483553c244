"""The links of a page: which, in what order, made absolute how."""

from __future__ import annotations

import re
from urllib.parse import quote, urldefrag, urljoin, urlsplit

import pytest

from rori_spiders.content.html import tree
from rori_spiders.content.html.links import absolute, by_place, discover, has_pdf, next_in_header
from tests.support.cases import cases

URL = "https://www.example.gov/rules/1099/"


def links_in(html: str) -> tuple[str, ...]:
    return discover(html.encode(), url=URL).links


def test_links_are_in_page_order_once_without_fragments() -> None:
    html = '<a href="b">B</a><a href="/a#x">A</a><area href="c"><a href="b#y">B</a><a href="?p=2">P</a>'
    base = "https://www.example.gov/rules/1099/"
    assert links_in(html) == (f"{base}b", "https://www.example.gov/a", f"{base}c", f"{base}?p=2")


@cases(
    "href",
    [
        "",
        "#top",
        "mailto:a@b.gov",
        "javascript:x()",
        "tel:+1",
        "data:text/html,x",
        "{{ url }}",
        "%7B%7Burl%7D%7D",
        "ftp://x/",
        "http://",
        "http://[bad",
        "about:blank",
    ],
)
def test_links_that_are_not_pages_are_ignored(href: str) -> None:
    assert absolute(href, URL) is None


@pytest.mark.parametrize(
    ("href", "target"),
    [
        (" /a ", "https://www.example.gov/a"),
        ("//other.gov/x", "https://other.gov/x"),
        ("..\\ops\\1.pdf", "https://www.example.gov/rules/ops/1.pdf"),
        ("/a\n/b", "https://www.example.gov/a/b"),
    ],
)
def test_links_are_joined_as_browsers_join_them(href: str, target: str) -> None:
    assert absolute(href, URL) == target


@pytest.mark.parametrize(
    ("html", "following"),
    [
        ('<a rel="next" href="s2">2</a><a href="?page=9">Next</a>', f"{URL}s2"),
        ('<a href="?page=2"><span>Next</span> <b>›</b></a>', f"{URL}?page=2"),
        ('<a href="/news/page/2/" aria-label="Next page"><svg></svg></a>', "https://www.example.gov/news/page/2/"),
        ('<a href="?page=2">2</a><a href="s2">Next</a><a href="?page=9">Next steps</a>', None),
    ],
)
def test_discover_next_page_is_found_by_rel_or_by_text_and_number(html: str, following: str | None) -> None:
    assert discover(html.encode(), url=URL).next == following


@cases(
    ("header", "following"),
    [
        ('<?page=2>; rel="next"', f"{URL}?page=2"),
        ("</a?page=1>; rel=prev, </a?page=3>; title=x; rel=next", "https://www.example.gov/a?page=3"),
        ('</a?page=3>; rel="last next"', "https://www.example.gov/a?page=3"),
        ('</style.css>; rel=preload; as=style, </next>; rel="nextdoor"', None),
        ("<mailto:a@b.gov>; rel=next", None),
    ],
)
def test_next_in_header_names_the_next_page(header: str, following: str | None) -> None:
    assert next_in_header(header, URL) == following


def test_discover_pages_around_by_the_head_are_no_links_of_the_text() -> None:
    html = '<link rel="prev" href="s1"><link rel="up" href="."><link rel="stylesheet" href="x.css"><a href="s2">2</a>'
    found = discover(html.encode(), url=URL)
    assert (found.around, found.links) == ((f"{URL}s1", URL), (f"{URL}s2",))


def test_discover_sitemaps_in_the_head_are_lists_as_feeds_are() -> None:
    html = (
        '<link rel="sitemap" type="application/xml" href="/m.xml"><link rel="alternate" type="text/html" href="/es/">'
    )
    assert discover(html.encode(), url=URL).feeds == ("https://www.example.gov/m.xml",)


def test_links_base_is_used_unless_template_or_invalid() -> None:
    assert links_in('<base href="/other/"><a href="x">x</a>') == ("https://www.example.gov/other/x",)
    assert links_in('<base href="{{ base }}"><a href="x">x</a>') == (f"{URL}x",)
    assert links_in('<base href="javascript:0"><a href="x">x</a>') == (f"{URL}x",)


def test_links_canonical_next_and_nofollow_are_read() -> None:
    found = discover(
        b'<head><link rel="canonical" href="/c"><link rel="next" href="?page=2"></head>'
        b'<a rel="nofollow noopener" href="/n">n</a>',
        url=URL,
    )
    assert found.canonical == "https://www.example.gov/c"
    assert found.next == f"{URL}?page=2"
    assert found.nofollow == {"https://www.example.gov/n"}
    assert found.links == (f"{URL}?page=2", "https://www.example.gov/n")


def test_links_contents_and_frames_are_distinguished() -> None:
    found = discover(
        b'<link rel="contents" href="/toc"><a rel="TOC" href="/toc2">C</a><frame src="f"><iframe src="/i#x"></iframe>'
        b'<iframe src="about:blank"></iframe>',
        url=URL,
    )
    assert found.contents == ("https://www.example.gov/toc", "https://www.example.gov/toc2")
    assert found.frames == (f"{URL}f", "https://www.example.gov/i")
    assert found.links == ("https://www.example.gov/toc2",)


@cases(
    "html,target",
    [
        # as on saved pages of courts, counties and cities
        ("<button onclick=\"window.open('/opinions/187111','_blank')\">2024 ND 12</button>", "/opinions/187111"),
        ('<span onClick="window.document.location.href=&quot;/programs&quot;">Programs</span>', "/programs"),
        (
            "<input type=button onclick=\"parent.location='/cgi-bin/show.pl?id=76&amp;nums=3'\">",
            "/cgi-bin/show.pl?id=76&nums=3",
        ),
        ("<tr onclick=\"location.assign('/a/9')\"><td>9</td></tr>", "/a/9"),
        ("<a href=\"javascript:void(0)\" onclick=\"open('item.asp?n=1', 'w')\">Item</a>", "/rules/1099/item.asp?n=1"),
        ("<a href=\" JavaScript:window.open('..\\/m\\/2.htm');\">Minutes</a>", "/rules/m/2.htm"),
        (
            "<a href=\"javascript:OpenWindow('/Citizens/SplitView.aspx?ID=4370');\">Minutes</a>",
            "/Citizens/SplitView.aspx?ID=4370",
        ),
        ("<a href=# onClick=\"MM_goToURL('parent','../x.htm');return x\">X</a>", "/rules/x.htm"),
        ("<a href=# onClick=\"MM_openBrWindow('y.htm','y','width=9')\">Y</a>", "/rules/1099/y.htm"),
        (
            '<select><option value="/bza/agenda/2019/AGENDA09042019.pdf">September 4</select>',
            "/bza/agenda/2019/AGENDA09042019.pdf",
        ),
        ('<embed src="judges/Ledet.pdf">', "/rules/1099/judges/Ledet.pdf"),
        ('<object type="application/pdf" data="/o?id=3"></object>', "/o?id=3"),
        ('<svg><a xlink:href="/district/4"><path/></a></svg>', "/district/4"),
    ],
)
def test_links_indirect_by_click_choice_or_document_is_found(html: str, target: str) -> None:
    found = discover(html.encode(), url=URL)
    assert found.indirect == (f"https://www.example.gov{target}",)
    assert found.links == ()


def test_links_list_that_a_postback_turns_has_its_next_page_as_route() -> None:
    pages = "".join(f"<a href=\"javascript:__doPostBack('c$gvDecisions','Page${n}')\">{n}</a>" for n in (2, 3))
    assert discover(pages.encode(), url=URL).routes == (f"{URL}#/Page$2",)
    coded = "<a href=\"javascript:__doPostBack('c%24gvResults','Page%24Last')\">&gt;&gt;</a>"
    assert discover(coded.encode(), url=URL).routes == (f"{URL}#/Page$Last",)
    day = "<a href=\"javascript:__doPostBack('calendar','8765')\">2</a>"
    assert discover(day.encode(), url=URL).routes == ()


_LIST = f"<main><ul>{'<li>An opinion</li>' * 8}</ul>%s</main>"


@cases(
    ("html", "sign"),
    [
        ("<button>Load more</button>", "Load more"),
        ("<div class=pager><a href='#'>Show more results</a></div>", "Show more results"),
        ("<input type=button value='View more'>", "View more"),
        ("<span role=button>Load next 20</span>", "Load next 20"),
        ("<p>Showing <b>1</b> to <b>20</b> of <b>1,240</b> entries</p>", "Showing 1 to 20 of 1,240 entries"),
        ("<p>1–20 of 240 results</p>", "1–20 of 240 results"),
        ("<div role=grid aria-rowcount=500><div role=row>a</div></div>", "1 of 500 rows"),
        ("<ul><li aria-setsize=90>a</li><li aria-setsize=90>b</li></ul>", "2 of 90 rows"),
    ],
)
def test_links_list_in_part_has_its_rest_as_route(html: str, sign: str) -> None:
    assert discover((_LIST % html).encode(), url=URL).routes == (f"{URL}#/more/{quote(sign, safe='')}",)


@cases(
    "html",
    [
        "<a href='?page=2'>Load more</a>",
        "<p>Showing 1-20 of 240</p><a href='?page=2'>2</a>",
        "<p>Showing 1-20 of 240</p><link rel=next href='/second'>",
        "<p>Showing 1-20 of 240</p><p>Showing 221-240 of 240</p>",  # a step has shown the last
        "<p>Showing 1-4 of 8</p>",  # all are there, and a script shows four
        "<button disabled>Load more</button><button hidden>Load more</button>",
        "<button aria-expanded=false>Show more</button><button>More information</button>",
        "<nav><button>Show more</button></nav><p>Some text.</p>",
        "<div role=tablist><b role=tab aria-setsize=9>a</b></div>",
        "<p>Rule 1 to 3 of 5 applies.</p><p>Page 1 of 12</p><p>Title 20 of 42</p>",
        "<p>5 of 12 decisions were reversed.</p><p>1 to 3 of 12 decisions were reversed.</p>",
    ],
)
def test_links_list_in_part_is_not_guessed(html: str) -> None:
    assert discover((_LIST % html).encode(), url=URL).routes == ()


@cases(
    "html",
    [
        "<button onclick=\"location.href='/search?q=' + term\">Search</button>",  # a part of an address
        "<button onclick=\"if (location.href == '/a') go()\">Go</button>",
        "<button onclick=\"popup('popUpDiv')\">Terms</button>",
        "<button onclick=\"xhr.open('GET', '/api/rows')\">Load</button>",
        "<button onclick=\"ga('send', 'event', '/virtual/page')\">Count</button>",
        "<a href=\"javascript:__doPostBack('grid','Page$2')\">2</a>",
        "<a href=\"javascript:window.open('/a\\u0026b')\">A</a>",
        "<select><option value=12>12<option value='a/b'>a/b<option value='/'>Any<option value='//'>x</select>",
        '<object type="image/svg+xml" data="/logo.svg"></object><embed src="/clip.swf">',
    ],
)
def test_links_indirect_is_not_guessed(html: str) -> None:
    assert discover(html.encode(), url=URL).indirect == ()


def test_links_queries_are_in_charset_of_page() -> None:
    html = '<a href="/é?q=é%20—λ&x=1">q</a><link rel=next href="?p=é">'
    in_latin = discover(html.encode("cp1252", "xmlcharrefreplace"), url=URL, content_type="text/html; charset=cp1252")
    assert in_latin.links == ("https://www.example.gov/é?q=%E9%20%97%26%23955%3B&x=1", f"{URL}?p=%E9")
    assert in_latin.next == f"{URL}?p=%E9"
    assert discover(html.encode(), url=URL).links[0] == "https://www.example.gov/é?q=é%20—λ&x=1"


def test_discover_all_urls_are_in_charset_of_page() -> None:
    html = '<a rel="nofollow contents" href="/?q=é">q</a><iframe src="/?f=é"></iframe>'
    in_latin = discover(html.encode("cp1252"), url=URL, content_type="text/html; charset=cp1252")
    assert in_latin.nofollow == set(in_latin.links) == set(in_latin.contents) == {"https://www.example.gov/?q=%E9"}
    assert in_latin.frames == ("https://www.example.gov/?f=%E9",)


def test_links_robots_meta_makes_every_link_nofollow() -> None:
    found = discover(b'<meta name="robots" content="noindex, NOFOLLOW"><a href="/n">n</a>', url=URL)
    assert found.nofollow == set(found.links)


def test_links_own_host_is_internal_with_and_without_www() -> None:
    found = by_place(
        (
            "https://example.gov/a?b=1",
            "https://www.example.gov",
            "https://sub.example.gov/",
            "https://www.example.gov/a?b=1",
        ),
        URL,
    )
    assert found.internal == ("/a?b=1", "/")
    assert found.outbound == ("https://sub.example.gov/",)


@cases(
    ("html", "has"),
    [
        ('<a href="/f.PDF?v=2">f</a>', True),
        ('<embed src="/f.pdf">', True),
        ('<object type="application/pdf" data="/f">', True),
        ('<iframe src="/f.pdf#page=2"></iframe>', True),
        ('<a href="/pdf/">f</a><p>a.pdf</p>', False),
    ],
)
def test_links_pdfs_are_detected(html: str, has: bool) -> None:
    root = tree.parse(html)
    assert has_pdf(root, links_in(html)) is has


def test_links_unreadable_body_has_none() -> None:
    assert discover(b"", url=URL).links == ()


def test_links_placeholders_are_ignored_and_distinguished() -> None:
    found = discover(
        b'<a href="/{{item.url}}">x</a><a href="${y}">y</a><a href="/z">z</a><a href="#{{a}}">a</a>', url=URL
    )
    assert [link.rpartition("/")[2] for link in found.links] == ["z"]
    assert [link.rpartition("/")[2] for link in found.unrendered] == ["{{item.url}}", "${y}"]


def test_links_routes_of_single_page_application_are_distinguished() -> None:
    found = discover(
        b'<a href="#/rates">x</a><a href="/app/#!/a/1?b=2">y</a><a href="#top">z</a><a href="#/">z</a>'
        b'<a href="/doc#/{{id}}">z</a><a href=" #/rates ">x</a>',
        url=URL,
    )
    assert found.routes == (f"{URL}#/rates", f"{urljoin(URL, '/app/')}#!/a/1?b=2")
    assert found.links == (urljoin(URL, "/app/"),)


BASES = (
    "https://a.gov/x/y.html",
    "https://a.gov",
    "http://A.gov:8080/x/?q#f",
    "http://user@[::1]/x",
    "https://a.gov;p/x/",
    "HTTPS://a.gov/x/",
)
HREFS = (
    *("/a/b-c_1.html#x", "https://b.gov/a/?q=1#", "/a/?x", "/a?", "http://b.gov:8080/a", "/a//b", "/a/..", "/a./..b"),
    *("/z", "/", "//b.gov/z", "/\\b.gov", "z/../w", "?q=1", "/z;p?q#f", "/a:b", "/../z", "/./z/"),
    *(
        "https://b.gov",
        "http://b.gov/z#f",
        "HTTP://b.gov/z",
        "https:z",
        "https:///z",
        "http://\tb.gov",
        "http://@",
        "https://:80/z",
    ),
    *(
        "http://[::1/z",
        "https://b.gov\\z",
        "/z\t\n",
        "/\tz",
        "#f",
        "mailto:a@b.gov",
        "javascript:void(0)",
        "/z?u=http://c.gov",
    ),
)


@cases("base", BASES)
def test_links_absolute_url_equals_join_to_whole_base(base: str) -> None:
    """A link is joined to what of the base counts alone, which pages of one site share."""
    for href in HREFS:
        assert absolute(href, base) == _joined_to_whole_base(href, base), href


def _joined_to_whole_base(href: str, base: str) -> str | None:
    if href.startswith(("#", "mailto:", "javascript:")):
        return None
    try:
        joined = urldefrag(urljoin(base, re.sub(r"[\t\r\n]", "", href.strip()).replace("\\", "/"))).url
        parts = urlsplit(joined)
        is_reachable = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        return None
    return joined if is_reachable else None
