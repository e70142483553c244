"""Descriptions: the publisher's, or the first sentence; nothing is made up."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as some

from rori_spiders.corpus.documents.document import MOST_CHARS, describe_page, first_sentence
from tests.support.cases import cases

SENTENCE = "This part applies to loans that 12 U.S.C. 2602 names, see No. 5 and Sec. 3."


@cases(
    ("body", "sentence"),
    [
        (f"# Title\n\n{SENTENCE} It is older.", SENTENCE),
        (f"# Title\n\n- a list\n- of things\n\n| a | b |\n| - | - |\n\n> quoted\n\n{SENTENCE}\n", SENTENCE),
        ("# T\n\nOverview. This guide explains how escrow works for you. More.",
         "Overview. This guide explains how escrow works for you."),
        ("# T\n\nThe *Bureau* has a [rule](https://a.gov/x) on\nescrow accounts \\(Regulation X\\).",
         "The Bureau has a rule on escrow accounts (Regulation X)."),
        ("```\n# no heading, and no sentence either.\n```\n\nWhat follows is a text that is long enough.",
         "What follows is a text that is long enough."),
        ("# Only\n\n## Headings", None),
        ("", None),
    ],
)  # fmt: skip
def test_describe_page_takes_first_sentence(body: str, sentence: str | None) -> None:
    assert first_sentence(body) == sentence


def test_describe_page_long_sentence_ends_at_word() -> None:
    said = first_sentence("word " * 200)
    assert said is not None and said.endswith("word...") and len(said) <= MOST_CHARS


def test_describe_page_meta_description_comes_first() -> None:
    assert describe_page(" What it\n says. ", SENTENCE) == "What it says."
    assert describe_page(" ", SENTENCE) == SENTENCE
    assert describe_page(None, "") is None


@given(some.text(max_size=400))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_describe_page_every_word_is_of_text(body: str) -> None:
    said = first_sentence(body)
    assert said is None or (len(said) <= MOST_CHARS and "\n" not in said)
