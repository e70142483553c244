"""Pages that call themselves articles: all of the article, and nothing of what stands beside it."""

from __future__ import annotations

import pytest

from rori_spiders.content.convert import convert

URL = "https://news.example.com/a"
STORY = "".join(
    f"<p>Paragraph {n} of a story, long enough to run on, with commas, and a full stop.</p>" for n in range(8)
)
NEWS = '<meta property="og:type" content="article">'
BYLINE = '<p class="byline">By A. Writer</p>'
TEASERS = "".join(
    f"<div><p>Another story, number {n}, that is told elsewhere, with a lead that runs on for a line.</p></div>"
    for n in range(12)
)


def page(body: str, head: str = NEWS, url: str = URL) -> tuple[str, str]:
    converted = convert(f"<html><head>{head}</head><body>{body}</body></html>".encode(), url=url)
    return converted.extraction.way, converted.markdown


def test_news_other_stories_are_removed_where_page_names_its_article() -> None:
    river = f'<div><div class="river">{TEASERS}</div></div>'
    way, text = page(f'{BYLINE}<div><div class="article-body">{STORY}</div></div>{river}')
    assert way == "readability"
    assert text.count("Paragraph") == 8
    assert "Another story" not in text


@pytest.mark.parametrize("head", ["", NEWS], ids=["says nothing", "has no byline"])
def test_news_possible_article_stays_whole(head: str) -> None:
    _, text = page(f'<div class="article-body">{STORY}</div><div class="river">{TEASERS}</div>', head)
    assert text.count("Another story") == 12


def test_news_article_in_pieces_stays_whole() -> None:
    pieces = "".join(f'<div class="story-body">{STORY}</div><div class="ad"></div>' for _ in range(3))
    _, text = page(f"{BYLINE}<article>{pieces}</article>")
    assert text.count("Paragraph") == 24


def test_news_asides_are_removed_and_law_stays() -> None:
    share = '<div class="share-tools"><a href="/f">Send it</a></div>'
    related = '<div class="related-box"><a href="/1">Read this</a> <a href="/2">Read that</a></div>'
    law = '<div class="related-box"><p>(a) The lender shall pay.</p></div>'
    _, text = page(f'{BYLINE}<div class="article-body">{STORY[:400]}{share}{related}{law}{STORY}</div>')
    assert "Send it" not in text
    assert "Read this" not in text
    assert "(a) The lender shall pay." in text


def test_news_link_lists_inside_article_stay() -> None:
    links = "<ul>" + "".join(f'<li><a href="/s{n}">Source number {n}</a></li>' for n in range(4)) + "</ul>"
    _, text = page(f'{BYLINE}<div class="article-body">{STORY}{links}</div>')
    assert text.count("Source number") == 4


def test_news_page_of_public_body_is_never_cut() -> None:
    body = f'{BYLINE}<div class="article-body">{STORY}</div><div class="river">{TEASERS}</div>'
    way, text = page(body, url="https://www.hud.gov/a")
    assert way != "readability"
    assert text.count("Another story") == 12


def test_news_attachment_of_article_stays() -> None:
    link = '<a href="/r/2014-30405.pdf">PDF of document 2014-30405</a>'
    printed = f'<section class="pdf"><h2>Printed version</h2><p>{link}</p></section>'
    _, text = page(f'<div class="article-body">{STORY}{printed}</div>')
    assert "## Printed version\n\n[PDF of document 2014-30405](" in text
