"""What is told by its words: links that say what pages do, boxes about browsers; and tabs, which name their panels."""

from __future__ import annotations

import pytest

from tests.content.pages import page_text
from tests.support.cases import cases

LAW = "<p>The creditor shall give the consumer the disclosures of this section, in writing, before settlement.</p>"


def in_main(part: str) -> str:
    return page_text(f"<main><h1>T</h1>{LAW}{part}{LAW * 2}</main>")


@cases(
    "part",
    [
        "<div><a href=#t>Back to top</a></div>",
        "<p><a href=/s>New Search</a></p>",
        "<p><a href=/p>Print this page</a></p>",
        "<div class='alert x'><p>You are using an outdated browser. Please upgrade it.</p></div>",
        "<div class=browser-upgrade><p>Get another browser.</p></div>",
        "<div class=youAreHere>You are here: <a href=/>Start</a></div>",
        "<div><h2>Share this:</h2><ul><li><a href='?share=x'>X</a><li><a href='?share=f'>Facebook</a></ul></div>",
        "<div><h3>Like this:</h3><span>Like</span> <span>Loading...</span></div>",
        "<div class=comment-respond><h3>Leave a reply</h3><form><p>Be kind.</p><textarea></textarea></form></div>",
    ],
)
def test_boilerplate_recognised_by_words_is_removed(part: str) -> None:
    assert in_main(part) == in_main("")


def test_boilerplate_share_bar_is_removed_though_the_page_says_less() -> None:
    bar = "<div><p>Share this page</p><p><a href=/f>Facebook</a> <a href=/x>Twitter</a> <a href=/m>Email</a></p></div>"
    assert page_text(f"<main><h1>T</h1><p>Closed.</p>{bar}</main>") == page_text(
        "<main><h1>T</h1><p>Closed.</p></main>"
    )


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("<p>Choose <a href=/s>New Search</a> to begin with the docket number.</p>", "New Search"),
        ("<p><a href=/s>Print this page of the rule</a></p>", "Print this page of the rule"),
        ("<div>Share this notice with each borrower.</div>", "each borrower"),
        ("<div><h2>Share</h2></div>", "Share"),
        ("<div class=alert><p>This rule is stayed until June 1 by order of the court.</p></div>", "stayed"),
        ("<ul class='nav nav-tabs'><li><a href=#a>2026</a><li><a href=#b>2025</a></ul>", "2025"),
    ],
    ids=["sentence", "more words", "duty", "one word", "law", "tabs"],
)
def test_boilerplate_with_own_statement_stays(part: str, words: str) -> None:
    assert words in in_main(part)


_AGENDAS = "".join(f"<p><a href=/files/{day}.pdf>May {day}</a></p>" for day in (4, 11, 18))
_VIEWS = "".join(f"<a href='/DocumentCenter/View/{day}/Agenda'>May {day}</a> " for day in (4, 11, 18))


@cases(
    "part",
    [
        f"<div class='collapse show'>{_AGENDAS}</div>",
        f"<div id=sidebar><h2>Agendas</h2>{_AGENDAS}</div>",
        f"<div class=dropdown><a href='#'>Choose</a><div class=dropdown-menu>{_VIEWS}</div></div>",
        f"<table><tr><th>Day<th>Files<tr><td>May<td><div class=related-content>{_AGENDAS}</div></table>",
    ],
)
def test_boilerplate_list_of_documents_stays(part: str) -> None:
    assert all(f"[May {day}]" in in_main(part) for day in (4, 11, 18))


@cases(
    "part",
    [
        f"<div class=sidebar><a href=/about>About</a> <a href=/people>People</a> {_AGENDAS}</div>",
        f"<div class=sidebar-nav>{_AGENDAS}</div>",
        f"<ul class=menu><li>{_AGENDAS}</ul>",
        f"<nav>{_AGENDAS}</nav>",
    ],
)
def test_boilerplate_menu_with_documents_is_removed(part: str) -> None:
    assert in_main(part) == in_main("")


def test_boilerplate_tabs_leading_elsewhere_are_menu() -> None:
    assert "XX" not in in_main("<ul class='nav nav-tabs'><li><a href=/a>XX a</a><li><a href=/b>XX b</a></ul>")


def test_boilerplate_foot_of_main_part_stays_and_foot_of_site_is_removed() -> None:
    foot = "<div class=footer><p>1. See the rule.</p><p>2. Id.</p></div>"
    assert "2\\. Id." in in_main(foot)
    assert in_main("<div class=footer><p>Copyright of the agency</p></div>") == in_main("")


def test_boilerplate_index_named_menu_is_content() -> None:
    menu = "<ul class=menu><li><a href=/1>Rule 1</a><li><a href=/2>Rule 2</a></ul>"
    assert "[Rule 1]" in page_text(f"<main><h1>Rules</h1>{menu}</main>")
    assert "Rule 1" not in page_text(f"<main><h1>Rules</h1><div class=breadcrumb>{menu}</div><p>None.</p></main>")
    assert in_main(menu) == in_main("")


def test_boilerplate_entry_without_link_is_not_menu_entry() -> None:
    assert "Fee is 5" in in_main("<ul><li class=menu-item>Fee is 5</ul>")
