"""Paragraphs of half a megabyte: compared more coarsely, which is said, and without losing a figure."""

from __future__ import annotations

import random

import pytest

from rori_spiders.comparison.diff_report import describe_change
from rori_spiders.content.changes.compare import Mark, compare

LONG, LESS_LONG = 440_000, 100_000


def shuffled(seed: int, chars: int) -> str:
    words = ["shall", "not", "45", "12 CFR 1026.1", "creditor", "fee", "$5,000", "rate", "disclose", "consumer"]
    return " ".join(random.Random(seed).choices(words, k=chars // 6))


def test_two_paragraphs_that_share_only_words_say_how_they_were_compared() -> None:
    old, new = shuffled(1, LONG), shuffled(2, LONG).upper()
    (section,) = compare(old, new).sections
    for change in section.changes:
        assert "compared in pieces" in change.coarse
        assert change.coarse in describe_change(change)
    told = [text for change in section.changes for op, text in change.words if op in "=-"]
    assert "".join(told) == old


@pytest.mark.parametrize(
    ("piece", "end", "new_end"),
    [("1", "1", "2"), ("1.2", "", "3"), ("(;", ";;;", "7")],
    ids=["one number", "one version number", "signs"],
)
def test_texts_without_a_blank_end_and_keep_what_changed(piece: str, end: str, new_end: str) -> None:
    old, new = piece * LESS_LONG + end, piece * LESS_LONG + new_end
    changes = [change for section in compare(old, new).sections for change in section.changes]
    told = "".join(text for change in changes for op, text in change.words if op in "=+")
    assert told == new


def test_one_digit_in_a_long_paragraph_is_reported_as_before() -> None:
    text = shuffled(1, LESS_LONG) + " within 30 days " + shuffled(2, LESS_LONG)
    (section,) = compare(text, text.replace("30 days", "60 days")).sections
    (change,) = section.changes
    assert change.marks == (Mark("number", "30", "60"),)
    assert not change.coarse
