"""Noise lines: what they cover, what they never do, and which one is proposed of a block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.comparison.change_description import describe_difference
from rori_spiders.comparison.noise_lines import is_covered, noise_line_of, why_never_covered
from rori_spiders.content.changes.compare import compare
from tests.comparison.test_change_description import URL, _version
from tests.support.cases import cases

if TYPE_CHECKING:
    from rori_spiders.content.changes.model import Change, Difference

_TEXT = "# Guide\n\n{}\n\nA servicer keeps the records of each transfer.\n"


def _difference(old: str, new: str) -> Difference:
    return compare(_TEXT.format(old), _TEXT.format(new))


def _change(old: str, new: str) -> Change:
    [change] = [change for section in _difference(old, new).sections for change in section.changes]
    return change


@cases(
    ("old", "new", "proposed"),
    [
        ("Guests online: 10,411.", "Guests online: 98,120.", "Guests online: #."),
        ("As of July 1, 2026 at 4:15 p.m. ET", "As of July 12, 2026 at 11:05 a.m. ET", "As of # at #"),
        ("Learn more about counseling.", "Read more about counseling.", "* more about counseling."),
        ("Our lobby is open", "Our lobby is closed", "Our lobby is *"),
        ("", "Meet our new administrator", "Meet our new administrator"),
        ("call 12", "call 13", ""),  # too little stays by which it could be known again
        ("Winners 12", "Losers 12", ""),
    ],
)  # fmt: skip
def test_noise_line_is_proposed_with_signs_for_what_changed(old: str, new: str, proposed: str) -> None:
    change = _change(old, new)
    assert noise_line_of(change) == proposed
    assert is_covered(change, [proposed]) is bool(proposed)


@cases(
    ("old", "new", "why"),
    [
        ("You may bring a friend.", "You may not bring a friend.", "binds, permits or excepts"),
        ("Effective date: July 1, 2026", "Effective date: July 2, 2026", "speaks of law"),
        ("The lobby is open." * 10, "The lobby is shut." * 10, "it is text, not a line"),
    ],
)  # fmt: skip
def test_noise_line_never_covers_what_binds_or_is_text(old: str, new: str, why: str) -> None:
    change = _change(old, new)
    assert why in why_never_covered(change)
    assert (noise_line_of(change), is_covered(change, ["*"])) == ("", False)


def test_noise_line_covers_figures_but_no_words_of_a_line_about_terms() -> None:
    rate = _change("Today's mortgage rate is 6.5 %", "Today's mortgage rate is 6.25 %")
    assert is_covered(rate, [noise_line_of(rate)])
    words = _change("Copies are free for the borrower", "Copies are sold to the borrower")
    assert (noise_line_of(words), is_covered(words, ["Copies are *"])) == ("", False)


@pytest.mark.parametrize(
    ("line", "fits"), [("Index: #*", True), ("*x", True), ("Index*now", False), ("Index: #", False)]
)
def test_noise_line_covers_the_whole_line_or_nothing(line: str, *, fits: bool) -> None:
    assert is_covered(_change("Index: 6.5 now at 2 x", "Index: 6.7 now at 3 x"), [line]) is fits


def test_description_with_noise_line_ranks_low_only_what_it_covers() -> None:
    noise = ["Guests online: #."]
    both = _difference("Guests online: 10.\n\nKeep 5 copies.", "Guests online: 11.\n\nKeep 6 copies.")
    only = _difference("Guests online: 10.", "Guests online: 11.")
    for difference, word, rule in ((both, "medium", "figure"), (only, "low", "noise_line")):
        found = describe_difference(difference, _version(1), _version(2), URL, old_words=20, noise_lines=noise)
        assert (found.importance.word, found.details["rules"][0]) == (word, rule)
