"""Text of a rule that stands in boxes, cards, steps and folds whose names say boilerplate stays; what steers goes."""

from __future__ import annotations

from rori_spiders.content.convert import convert
from tests.support.cases import cases

DUTY = "The lender must keep the record of the appraisal within 93 days before the sale of the loan."
PROSE = (
    "The record of an appraisal was kept for as long as the loan was, and for two years more, in each of the offices."
)
BODY = f"<h1>Rule 3</h1><p>{PROSE}</p>" * 1 + "".join(f"<p>{PROSE} Part {number}.</p>" for number in range(8))


def text_of(box: str) -> str:
    page = f"<html><body><div id='w'><div id='c'>{BODY}{box}<p>{PROSE} End.</p></div></div></body></html>"
    return " ".join(convert(page.encode(), url="https://www.example.gov/rule").markdown.split())


@cases(
    ("box",),
    [
        (f"<div class='sidebar-box'><h4>Duties</h4><p>{DUTY}</p></div>",),
        (f"<aside class='law-sidebar' role='complementary'><p>{DUTY}</p></aside>",),
        (f"<form action='/c'><p class='help'>{DUTY}</p><label for='q'>Amount</label><input id='q'></form>",),
        (f"<div class='footer-notes'><p>{DUTY}</p></div>",),
        (f"<div class='slds-card'><h3>Term</h3><p>Text</p><footer class='slds-card__footer'>{DUTY}</footer></div>",),
        (f"<footer class='footnotes'><ol><li id='n1'>{DUTY}</li></ol></footer>",),
        (f"<header class='entry-header'><p>{DUTY} {DUTY}</p></header>",),
        (f"<div class='step on'><p>{PROSE}</p></div><div class='step' style='display:none'><p>{DUTY}</p></div>",),
        (f"<h3>Fold</h3><div role='region' hidden><p>{DUTY}</p></div>",),
        (f"<div role='button' aria-expanded='false'>Fold</div><div style='display:none'><p>{DUTY}</p></div>",),
        (f"<p>{PROSE}<span class='more' style='display:none'> {DUTY}</span></p>",),
    ],
)
def test_convert_text_of_rule_in_box_stays(box: str) -> None:
    assert DUTY in text_of(box)


@cases(
    ("box", "gone"),
    [
        (
            "<div class='sidebar-box'><p>You must enable JavaScript to use all parts of this site.</p></div>",
            "JavaScript",
        ),
        (
            "<div class='sidebar'><p>Readers must register an account before they may leave comments here.</p></div>",
            "regis",
        ),
        (
            "<div class='alert-row on'>x</div><div class='message' hidden><p>The session has expired.</p></div>",
            "session",
        ),
        (
            "<button aria-expanded='false'>Menu</button><ul hidden><li><a href='/a'>Agencies</a></li></ul>",
            "Agenc",
        ),
    ],
)
def test_convert_words_of_site_in_box_go(box: str, gone: str) -> None:
    assert gone not in text_of(box)


def test_convert_names_of_tabs_in_navigation_stay() -> None:
    names = "<ul class='tab-navigation'><li><a href='#a'>Fixed rates</a></li><li><a href='#b'>Other rates</a></li></ul>"
    text = text_of(f"{names}<section id='a'>{PROSE}</section><section id='b'>{PROSE}</section>")
    assert "Fixed rates" in text and "Other rates" in text


def test_convert_cell_that_is_a_block_of_the_page_and_binds_is_converted() -> None:
    table = f"<table><tr><td class='left-nav'>Comments are due March 3, 2026.</td><td>{BODY}</td></tr></table>"
    page = f"<html><body>{table}</body></html>"
    assert "March 3" in convert(page.encode(), url="https://www.example.gov/rule").markdown


def test_convert_picture_of_rate_at_end_of_sentence_is_text() -> None:
    assert "the rate is 3.5 percent." in text_of("<p>Here the rate is <img src='r.gif' alt='3.5 percent'>.</p>")
