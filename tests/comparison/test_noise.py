"""Noise lines: what they cover, what they never do, and which one is proposed of a block."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from rori_spiders.comparison.change_description import describe_difference
from rori_spiders.comparison.noise import SiteHistory, is_covered, noise_line_of, why_never_covered
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


_PAGE = "# Guide\n\nA servicer keeps the records of each transfer.\n\n## {}\n\n{}\n"
_BANNERS = (
    "The portal is closed on Friday.",
    "Applicants must confirm their address before May.",
    "Pay no fee for help with a loan.",
    "Severe storms delay letters to Atlanta.",
    "Beware of callers who ask for a deed.",
    "You must bring a photo to the next fair.",
)


def _tell(history: SiteHistory, page: int, day: int, old: str, new: str, heading: str = "Duties") -> tuple[str, str]:
    """Add what one more version of a page changed; its importance and the rule of that."""
    version = replace(_version(2), page_id=page)
    texts = [_PAGE.format(heading, text) for text in (old, new)]
    words_of = {f"Guide > {heading}": sum(len(f"{heading} {text}".split()) + 1 for text in (old, new))}
    found = describe_difference(
        compare(*texts), version, version, URL, old_words=20, site=history, words_of=words_of
    )  # fmt: skip
    history.add_change(page, f"2026-07-{day:02}", found.details)
    return found.importance.word, found.details["rules"][0]


def test_description_of_text_that_rotates_in_its_place_is_low_or_medium_where_it_binds() -> None:
    history, law = SiteHistory(), "Each creditor keeps a copy of the notice for the borrower and the agent."
    first, *others = (f"{law}\n\n{banner}" for banner in _BANNERS)
    told = [
        _tell(history, 1, day, old, new)
        for day, (old, new) in enumerate(zip([first, *others], others, strict=False), start=1)
    ]
    assert [word for word, _ in told[:2]] == ["high", "high"]
    assert told[3:] == [("low", "rotating_place"), ("medium", "rotating_binding")]
    changed = others[-1].replace("keeps a copy", "must keep a copy")
    assert _tell(history, 1, 9, others[-1], changed) == ("high", "duty")


def test_description_of_a_figure_in_text_that_came_by_itself_is_low_and_in_text_that_stood_is_high() -> None:
    history, law = SiteHistory(), "Each creditor keeps a copy of the notice for 5 years and for the agent."
    closed = "The next fair for agents takes place beside the river in Atlanta on May {}, 2026."
    texts = [f"{law}\n\n{one}" for one in (*_BANNERS[:4], closed.format(5))]
    for day, (old, new) in enumerate(pairwise(texts), start=1):
        _tell(history, 1, day, old, new)
    assert _tell(history, 1, 8, texts[-1], f"{law}\n\n{closed.format(6)}") == ("low", "rotating_place")
    assert _tell(history, 1, 9, texts[-1], texts[-1].replace("5 years", "6 years"))[0] == "high"


def test_description_of_line_of_which_half_rotates_is_not_high_where_text_rotates() -> None:
    history = SiteHistory()
    for day, (old, new) in enumerate(pairwise(_BANNERS), start=1):
        _tell(history, 1, day, old, new)
    one, other = (f"{_BANNERS[0]} | {half}" for half in (_BANNERS[3], _BANNERS[5]))
    assert _tell(SiteHistory(), 1, 9, one, other) == ("high", "duty")
    assert _tell(history, 1, 9, one, other) == ("medium", "rotating_binding")


def test_description_of_short_items_that_rotate_is_low() -> None:
    history, items = SiteHistory(), ["Directory", "Our staff", "About us", "Site map", "Forms now", "Archives"]
    told = [_tell(history, 1, day, f"- {items[day - 1]}", f"- {items[day]}") for day in range(1, 6)]
    assert told[:1] + told[4:] == [("medium", "wording"), ("low", "rotating_place")]


def test_description_of_rotating_text_in_a_section_of_law_stays_high() -> None:
    history = SiteHistory()
    told = [_tell(history, 1, day, _BANNERS[day], _BANNERS[day + 1], heading="§ 5 Duties") for day in range(1, 5)]
    assert {word for word, _ in told} == {"high"}


def test_description_of_line_below_law_is_medium_once_it_came_and_went_and_a_paragraph_stays_high() -> None:
    history, law = SiteHistory(), "A creditor keeps a copy of the notice for the borrower and the agent."
    line, paragraph = f"{law}\n\nThe portal does not take files today.", f"{law}\n\n(b) The portal does not take files."
    for text in (line, paragraph):
        for day, (old, new) in enumerate(((law, text), (text, law), (law, text)), start=1):
            _tell(history, 1, day, old, new, heading="§ 5 Duties")
    assert _tell(history, 1, 5, line, law, heading="§ 5 Duties") == ("medium", "rotating_in_law")
    assert _tell(history, 1, 5, paragraph, law, heading="§ 5 Duties")[0] == "high"


def test_description_of_passage_that_comes_and_goes_on_a_site_is_low_and_one_that_spreads_over_it_is_not() -> None:
    history, passage = SiteHistory(), "Text.\n\nApplicants must confirm their address before May."
    assert [_tell(history, page, page, "Text.", passage)[0] for page in (1, 2, 3)] == ["high"] * 3
    assert _tell(history, 1, 4, passage, "Text.")[0] == "high"
    assert _tell(history, 4, 5, "Text.", passage) == ("low", "rotating_passage")


def test_description_of_section_that_rotates_on_one_page_is_known_on_others_and_a_new_layout_is_not() -> None:
    history = SiteHistory()
    told = [_tell(history, page, page, _BANNERS[0], _BANNERS[1], heading="Spots") for page in (1, 2, 3)]
    assert {word for word, _ in told} == {"high"}
    for day in (4, 5, 6):
        _tell(history, 1, day, _BANNERS[day - 4], _BANNERS[day - 3], heading="Spots")
    new = "Fees of 30 dollars end on May 5, 2026."
    assert _tell(history, 9, 7, _BANNERS[3], new, heading="Spots")[1] == "rotating_place"


def test_description_of_figures_that_changed_on_five_days_is_low() -> None:
    history, line = SiteHistory(), "Closed within {} days: {} of all cases that came."
    told = [_tell(history, 1, day, line.format(10 + day, day), line.format(11 + day, day + 1)) for day in range(1, 8)]
    assert told[4] == ("high", "deadline")
    assert told[5] == ("low", "rotating_passage")
