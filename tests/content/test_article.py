"""Which part of a page is taken, and what is left out of it."""

from __future__ import annotations

import pytest

from rori_spiders.content.convert import convert
from rori_spiders.content.options import Options
from tests.content.pages import page_text
from tests.support.cases import cases

LAW = "<p>The creditor shall give the consumer the disclosures of this section, in writing, before settlement.</p>"
NAV = '<nav><ul><li><a href="/a">Home</a></li><li><a href="/b">Rules</a></li></ul></nav>'


@cases(
    "html",
    [
        f"{NAV}<main><h1>T</h1>{LAW}</main><footer>Foot line</footer>",
        f'{NAV}<div role="main"><h1>T</h1>{LAW}</div><footer>Foot line</footer>',
        f'{NAV}<div id="content"><h1>T</h1>{LAW}</div><div class="site-footer">Foot line</div>',
        f'<div class="all">{NAV}<div class="main-content"><h1>T</h1>{LAW}</div></div><div id="footer">Foot line</div>',
        f'{NAV}<h1>T</h1>{LAW}<div class="footer">Foot line</div>',
        f'<form id="aspnetForm" action="x">{NAV}<div id="c"><h1>T</h1>{LAW}</div></form><footer>Foot line</footer>',
    ],
    ids=["main", "role", "id", "class", "bare body", "a form around it all"],
)
def test_main_content_is_extracted_without_boilerplate(html: str) -> None:
    text = page_text(html)
    assert text.startswith("# T\n\nThe creditor shall give")
    assert "Home" not in text
    assert "Foot line" not in text


@cases(
    "boilerplate",
    [
        '<div class="breadcrumb"><a href="/">Start</a> / XX</div>',
        '<ul class="menu"><li><a href="/x">XX</a></li></ul>',
        '<div class="social-share"><a href="/x">XX</a></div>',
        '<div id="cookie-banner"><p>XX We use cookies.</p></div>',
        '<a class="skip-link" href="#c">XX</a>',
        '<div class="pager"><a href="?p=2">XX</a></div>',
        '<div role="navigation"><a href="/x">XX</a></div>',
        '<div class="related-links"><h3>XX</h3><a href="/x">Other</a></div>',
        '<span class="mw-editsection">[<a href="/e">XX</a>]</span>',
        '<form action="/s"><label>XX</label><input type="text"></form>',
        '<div class="usa-banner">XX An official website</div>',
        '<div style="display: none">XX</div>',
        "<p hidden>XX</p>",
        '<span class="sr-only">XX opens in a new window</span>',
        '<i aria-hidden="true">XX</i>',
        "<button>XX</button>",
        "<select><option>XX</option></select>",
        '<div class="collapse"><a href="/1">XX one</a><a href="/2">XX two</a><a href="/3">XX three</a></div>',
    ],
)
def test_main_content_boilerplate_inside_is_removed(boilerplate: str) -> None:
    text = page_text(f"<main><h1>Title</h1>{boilerplate}{LAW}{LAW}</main>")
    assert "XX" not in text
    assert text.count("The creditor shall give") == 2


@cases(
    "content",
    [
        f'<div class="menu-page content has-sidebar">{LAW}</div>',
        f'<div id="navigation-wrapper"><h1>Kept</h1>{LAW}</div>',
        f"<article><header><h1>Kept</h1><p>By order of the Director</p></header>{LAW}</article>",
        f"<section>{LAW}<footer>[80 FR 12345, March 1, 2015]</footer></section>",
        f'<form><p>{"Section 4 asks for the income of the applicant. " * 15}</p><input type="text"></form>',
        '<div class="footnotes"><p>1. See § 1024.2, as amended.</p></div>' + LAW,
    ],
    ids=[
        "a wrapper's class",
        "a heading inside",
        "an article's header",
        "a section's footer",
        "a long form",
        "footnotes",
    ],
)
def test_main_content_boilerplate_lookalikes_stay(content: str) -> None:
    words = page_text(f"<body>{content}</body>")
    for phrase in ("Kept", "By order of the Director", "80 FR 12345", "income of the applicant", "1024.2, as amended"):
        assert (phrase in words) == (phrase in content)
    assert ("The creditor shall give" in words) == ("The creditor shall give" in content)


def test_main_content_title_far_from_text_comes_first() -> None:
    text = page_text(f'<div class="hero"><h1>Far away</h1></div><div><p>x</p></div><main><h2>Part</h2>{LAW}</main>')
    assert text.startswith("# Far away\n\n## Part\n\n")


def test_main_content_panel_opened_by_control_is_content() -> None:
    text = page_text(
        f'<main><h2><button aria-controls="p">Who?</button></h2><div id="p" hidden>{LAW}</div>'
        f'<div id="q" hidden>{LAW.replace("creditor", "nobody")}</div></main>'
    )
    assert text.startswith("## Who?\n\nThe creditor shall give")
    assert "nobody" not in text


def test_main_content_page_of_links_preserves_them() -> None:
    links = "".join(f'<li><a href="/{n}">§ 1024.{n} Section number {n}</a></li>' for n in range(30))
    assert page_text(f"{NAV}<main><h1>Part 1024</h1><ul>{links}</ul></main>").count("§ 1024.") == 30


def test_main_content_page_of_boilerplate_only_is_used_whole() -> None:
    assert "Only this" in page_text("<nav><p>Only this is here</p></nav>")


NEWS = (
    '<html><head><meta property="og:type" content="article">'
    '<script type="application/ld+json">{"@type": "NewsArticle"}</script></head>'
    '<body><div class="page"><div class="story">'
    + "".join(
        f"<p>Paragraph {n} of a story that goes on for a while, with commas, clauses, and a full stop.</p>"
        for n in range(9)
    )
    + '</div><div class="more"><h3>More stories</h3><p><a href="/1">One</a></p></div></div></body></html>'
)


def test_readability_is_used_on_news_page() -> None:
    page = convert(NEWS.encode(), url="https://news.example.com/a")
    assert page.extraction.way == "readability"
    assert 0.9 < page.extraction.kept_share < 1
    assert "Paragraph 8" in page.markdown
    assert "More stories" not in page.markdown


def test_readability_is_rejected_where_it_loses_law() -> None:
    lost = '<div class="comment-box"><p>(b) The lender shall not require more than one-twelfth of the total.</p></div>'
    page = convert(
        NEWS.replace('<div class="more">', lost + '<div class="more">').encode(), url="https://news.example.com/a"
    )
    assert "(b) The lender shall not require" in page.markdown


def test_readability_is_not_used_for_public_bodies() -> None:
    page = convert(NEWS.encode(), url="https://www.hud.gov/a")
    assert page.extraction.way != "readability"
    assert "More stories" in page.markdown


@cases(
    ("html", "options", "way", "share"),
    [
        (f"{NAV}<main>{LAW * 9}</main>", Options(), "region", 0.98),
        (f"<main>{LAW}</main>", Options(), "region", 1.0),
        (f"<div>{LAW}</div><div>{LAW}</div>", Options(), "body", 1.0),
        (f"<div id=a>{LAW}</div><div id=b>{LAW * 3}</div>", Options(content_selector="#a"), "selector", 0.25),
        (f"<main>{LAW}<div id=b>{LAW * 3}</div></main>", Options(remove_selectors=("#b",)), "region", 0.25),
    ],
    ids=["region", "all of it", "body", "selector", "removed"],
)
def test_extraction_reports_way_and_share(html: str, options: Options, way: str, share: float) -> None:
    page = convert(f"<html><body>{html}</body></html>".encode(), url="https://www.example.gov/a", options=options)
    assert page.extraction.way == way
    assert page.extraction.kept_share == pytest.approx(share, abs=0.02)
    assert page.markdown.count("The creditor shall give") == round(share * html.count("The creditor shall give"))


def test_main_content_page_of_boilerplate_only_is_cut_by_source_rules() -> None:
    links = b"<html><body><nav><a href=/a>One</a> <a id=b href=/b>Two</a></nav></body></html>"
    page = convert(links, url="https://www.example.gov/", options=Options(remove_selectors=("#b",)))
    assert page.markdown == "[One](https://www.example.gov/a)\n"
    assert page.extraction == ("body", 0.5)


def test_extraction_share_counts_rows_set_aside() -> None:
    table = "<table>" + "<tr><td>Lender<td>5 percent" * 2_500 + "</table>"
    page = convert(
        f"<html><body><nav>{LAW * 20}</nav><main>{table}</main></body></html>".encode(), url="https://x.gov/"
    )
    assert page.extraction.kept_share == pytest.approx(0.96, abs=0.01)


def test_main_content_text_below_distant_title_is_included() -> None:
    head = "<div><h1>Far away</h1><p>Effective January 1, 2026</p><p>Share</p><p><a href=/5>5</a></p></div>"
    text = page_text(f"{head}<div><p>x</p></div><main><h2>Part</h2>{LAW * 2}</main>")
    assert text.startswith("# Far away\n\nEffective January 1, 2026\n\n## Part\n\n")


def test_main_content_distant_title_is_included_once() -> None:
    head = "<div><h1>Far away</h1><p>Effective January 1, 2026</p></div>"
    text = page_text(f"{head}<main><p>Effective January 1, 2026</p>{LAW * 4}</main>")
    assert text.count("Effective January 1, 2026") == 1


@pytest.mark.parametrize("state", ["Withdrawn", "Rescinded May 5", "Proposed rule"])
def test_main_content_status_of_rule_is_included_with_title(state: str) -> None:
    assert page_text(f"<header><h1>Rule</h1><p>{state}</p></header><main>{LAW * 5}</main>").startswith(
        f"# Rule\n\n{state}\n\n"
    )


STORY = "<p>The council approved the budget on Monday after a debate of four hours, its clerk said.</p>" * 8
THREAD = (
    "<div id=comments class=comment-list><h2>2 comments</h2><div class=comment><b>Ann</b> 5:12 pm<p>"
    + "I disagree with all that was decided there. " * 60
    + "<a href=#r>Reply</a></div></div>"
)


def test_comments_of_readers_are_left_out_however_long_they_are() -> None:
    body = f"<div id=page><h1>Budget</h1>{STORY}{THREAD}</div>"
    page = convert(f"<html><body>{body}</body></html>".encode(), url="https://news.example.com/budget")
    assert "I disagree" not in page.markdown
    assert page.markdown.count("The council approved") == 8


@pytest.mark.parametrize(
    ("url", "thread"),
    [
        ("https://www.agency.gov/docket/5", THREAD),
        ("https://law.example.com/5", THREAD.replace("<p>", "<p>(a) Official interpretation of a credit. ")),
        ("https://law.example.com/5", f"<div class=comments><p>{'Comment 5 explains what a lender does. ' * 9}</div>"),
    ],
    ids=["a docket of an agency", "enumerated paragraphs", "no words of readers"],
)
def test_comments_that_are_content_stay(url: str, thread: str) -> None:
    body = f"<html><body><div id=page><h1>Rule</h1>{STORY}{thread}</div></body></html>"
    page = convert(body.encode(), url=url)
    assert ("I disagree" if "I disagree" in thread else "Comment 5 explains") in page.markdown
