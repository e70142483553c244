"""An article's lead, told beside its title; pages that say by whom and when; rows and words that articles keep."""

from __future__ import annotations

import pytest

from rori_spiders.content.convert import convert
from rori_spiders.content.html.main_content.element_weights import weigh
from rori_spiders.content.html.main_content.news_article import lead_before
from tests.content.pages import body_of, page_text
from tests.support.cases import cases

STORY = "".join(
    f"<p>Paragraph {n} of a story that goes on for a while, with commas, clauses, and a full stop.</p>"
    for n in range(20)
)
NEWS = '<meta property="og:type" content="article"><script type="application/ld+json">{"@type": "NewsArticle"}</script>'
LEAD = "What the agency decided, and why lenders must act on it before the end of the year."
TEASERS = '<h3>More</h3><ul><li><a href="/1">Another story</a></li><li><a href="/2">Yet another story</a></li></ul>'


def news(body: str, head: str = NEWS) -> tuple[str, str]:
    """How the main content was found, and the text."""
    html = f"<html><head>{head}</head><body>{body}</body></html>"
    page = convert(html.encode(), url="https://news.example.com/a")
    return page.extraction.way, page.markdown


@pytest.mark.parametrize(
    "header",
    [f"<h1>T</h1><p>{LEAD}</p>", f"<h1>T</h1><h2>{LEAD}</h2>", f"<h1>T</h1><div class=dek>{LEAD}</div><p>By A. B.</p>"],
    ids=["paragraph", "heading", "dek"],
)
def test_lead_between_title_and_text_stays(header: str) -> None:
    way, text = news(f"<div><header>{header}</header><div class=story>{STORY}</div></div><div>{TEASERS}</div>")
    assert way == "readability"
    assert text.index("# T") < text.index(LEAD) < text.index("Paragraph 0")
    assert "Another story" not in text


@cases(
    "header",
    [
        f"<p>{LEAD}</p><h1>T</h1>",
        f"<h1>T</h1><p class=byline>{LEAD}</p>",
        f"<h1>T</h1><div class=related-box><p>{LEAD}</p></div>",
        f"<h1>T</h1><p><a href=/x>{LEAD}</a></p>",
        f"<h1>T</h1><h1>T</h1><p>{LEAD}</p>",
        "<h1>T</h1><p>By A. B.</p>",
    ],
    ids=["before", "byline", "beside", "link", "which heading", "short"],
)
def test_lead_lookalikes_are_removed(header: str) -> None:
    body = body_of(f"<header>{header}</header><div id=story>{STORY}</div>")
    assert lead_before(body.get_element_by_id("story"), body, weigh(body)) == []


@pytest.mark.parametrize(
    ("head", "way"),
    [
        ("<meta name=author content='A. B.'><meta name=pubdate content=2026-01-02>", "readability"),
        ("<meta name=DC.creator content='A. B.'><meta name=date content=2026-01-02>", "readability"),
        ("<meta name=author content='A. B.'>", "region"),
        ("<meta name=author content=''><meta name=date content=2026-01-02>", "region"),
    ],
)
def test_lead_page_with_author_and_date_is_article(head: str, way: str) -> None:
    body = f"<div class=page><div class=c1>{STORY}</div><div class=c2>{TEASERS}</div></div>"
    found, text = news(body, head)
    assert found == way
    assert ("Another story" in text) == (way == "region")


def test_lead_linked_name_stays_in_its_row() -> None:
    rows = "".join(f"<tr><td><div><a href=/{n}>Lender {n}</a></div><td>{n} percent<tr>" for n in range(4))
    text = news(f"<div class=story>{STORY}<table>{rows}</table></div>")[1]
    assert "Lender 3" in text


def test_lead_picture_gallery_is_removed() -> None:
    pictures = f"<div class=photo-gallery>{STORY.replace('Paragraph', 'Picture') * 4}</div>"
    text = news(f"<div class=story><h1>T</h1>{STORY * 2}{pictures}</div>")[1]
    assert "Paragraph 19" in text
    assert "Picture" not in text


SENTENCE = "who regularly extends credit that is subject to a finance charge, or is payable by agreement"


@pytest.mark.parametrize(
    "words",
    [
        f"<p><a class=popup href=/g>Creditor</a> means a person {SENTENCE}.</p>",
        f"<p>A person {SENTENCE}, is a <span class=popup>Creditor</span>, but for others.</p>",
        f"<p>A person {SENTENCE}: <a class=popup href=/g>Creditor</a></p>",
        "<table><tr><th>Share<th>Of<tr><td class=share>Creditor 5 percent<td>all</table>",
    ],
    ids=["first", "within", "last", "cell"],
)
def test_lead_boilerplate_name_removes_no_word_of_text(words: str) -> None:
    assert "Creditor" in page_text(f"<main><h1>T</h1>{STORY}{words}</main>")


@pytest.mark.parametrize(
    "words",
    [
        f"<p>A person {SENTENCE}. <a class=print-link href=/p>Print this page</a></p>",
        "<h2>Creditors <span class=mw-editsection>[<a href=/e>Print</a>]</span></h2>",
    ],
    ids=["order", "edit"],
)
def test_lead_instructions_to_page_are_removed(words: str) -> None:
    text = page_text(f"<main><h1>T</h1>{STORY}{words}</main>")
    assert "Print" not in text
