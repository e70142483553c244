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


@pytest.mark.slow
def test_compare_unrelated_paragraphs_name_the_coarse_method() -> None:
    old, new = shuffled(1, LONG), shuffled(2, LONG).upper()
    (section,) = compare(old, new).sections
    for change in section.changes:
        assert "compared in pieces" in change.coarse
        assert change.coarse in describe_change(change)
    old_words = [text for change in section.changes for op, text in change.words if op in "=-"]
    assert "".join(old_words) == old


@pytest.mark.parametrize(
    ("piece", "end", "new_end"),
    [("1", "1", "2"), ("1.2", "", "3"), ("(;", ";;;", "7")],
    ids=["one number", "one version number", "signs"],
)
def test_compare_texts_without_blanks_reproduce_new_text(piece: str, end: str, new_end: str) -> None:
    old, new = piece * LESS_LONG + end, piece * LESS_LONG + new_end
    changes = [change for section in compare(old, new).sections for change in section.changes]
    new_words = "".join(text for change in changes for op, text in change.words if op in "=+")
    assert new_words == new


def test_compare_one_digit_in_long_paragraph_is_located() -> None:
    text = shuffled(1, LESS_LONG) + " within 30 days " + shuffled(2, LESS_LONG)
    (section,) = compare(text, text.replace("30 days", "60 days")).sections
    (change,) = section.changes
    assert change.marks == (Mark("number", "30", "60"),)
    assert not change.coarse
