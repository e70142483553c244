"""What is told by its words: links that say what pages do, boxes about browsers; and tabs, which name their panels."""

from __future__ import annotations

import pytest

from tests.content.pages import page_text

LAW = "<p>The creditor shall give the consumer the disclosures of this section, in writing, before settlement.</p>"


def in_main(part: str) -> str:
    return page_text(f"<main><h1>T</h1>{LAW}{part}{LAW * 2}</main>")


@pytest.mark.parametrize(
    "part",
    [
        "<div><a href=#t>Back to top</a></div>",
        "<p><a href=/s>New Search</a></p>",
        "<p><a href=/p>Print this page</a></p>",
        "<div class='alert x'><p>You are using an outdated browser. Please upgrade it.</p></div>",
        "<div class=browser-upgrade><p>Get another browser.</p></div>",
        "<div class=youAreHere>You are here: <a href=/>Start</a></div>",
    ],
)
def test_furniture_that_is_told_by_its_words_goes(part: str) -> None:
    assert in_main(part) == in_main("")


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("<p>Choose <a href=/s>New Search</a> to begin with the docket number.</p>", "New Search"),
        ("<p><a href=/s>Print this page of the rule</a></p>", "Print this page of the rule"),
        ("<div class=alert><p>This rule is stayed until June 1 by order of the court.</p></div>", "stayed"),
        ("<ul class='nav nav-tabs'><li><a href=#a>2026</a><li><a href=#b>2025</a></ul>", "2025"),
    ],
    ids=["sentence", "more words", "law", "tabs"],
)
def test_what_says_something_of_its_own_stays(part: str, words: str) -> None:
    assert words in in_main(part)


def test_tabs_that_lead_elsewhere_are_a_menu() -> None:
    assert "XX" not in in_main("<ul class='nav nav-tabs'><li><a href=/a>XX a</a><li><a href=/b>XX b</a></ul>")
