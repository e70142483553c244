"""Figures, dates, citations and operative words that changed are named, each with what it was and is."""

from __future__ import annotations

from rori_spiders.content.changes.compare import compare
from rori_spiders.content.changes.legal_marks import marks_in
from tests.support.cases import cases

BASE = "(a) Under 12 CFR 1026.32(a)(1), a creditor shall pay $1,000 or 5 percent by January 1, 2026, within 30 days."


@cases(
    ("old", "new", "mark"),
    [
        ("30 days", "45 days", ("number", "30", "45")),
        ("$1,000", "$1,100", ("amount", "$1,000", "$1,100")),
        ("5 percent", "6 percent", ("percentage", "5 percent", "6 percent")),
        ("January 1, 2026", "January 1, 2027", ("date", "January 1, 2026", "January 1, 2027")),
        ("January 1", "July 1", ("date", "January 1, 2026", "July 1, 2026")),
        ("1026.32(a)(1)", "1026.32(a)(2)", ("citation", "12 CFR 1026.32(a)(1)", "12 CFR 1026.32(a)(2)")),
        ("shall", "may", ("operative", "shall", "may")),
        ("shall pay", "shall not pay", ("operative", None, "not")),
        ("(a) Under", "(b) Under", ("label", "(a)", "(b)")),
        (", within 30 days", "", ("number", "30", None)),
    ],
)
def test_change_marks_name_what_changed(old: str, new: str, mark: tuple[str, str | None, str | None]) -> None:
    assert old in BASE
    [section] = compare(BASE, BASE.replace(old, new)).sections
    assert mark in section.changes[0].marks


def test_change_marks_name_nothing_else() -> None:
    [section] = compare(BASE, BASE.replace("30", "31").replace("creditor", "lender")).sections
    assert section.changes[0].marks == (("number", "30", "31"),)


def test_change_marks_ignore_figures_of_urls() -> None:
    [section] = compare("see [it](https://a.gov/2026/01/02)", "see [it](https://a.gov/2026/01/03)").sections
    assert section.changes[0].marks == (("link", "https://a.gov/2026/01/02", "https://a.gov/2026/01/03"),)


def test_change_marks_number_that_is_partly_date_is_marked() -> None:
    [section] = compare("no. 2020/09/09/2020", "no. 2021/09/09/2020").sections
    assert any(mark.old != mark.new for mark in section.changes[0].marks)


def test_change_marks_inserted_words_count_as_added() -> None:
    difference = compare("One.", "One.\n\nA fee of $5 shall be paid by May 1, 2026.")
    assert difference.mark_counts() == {"amount": {"added": 1}, "operative": {"added": 1}, "date": {"added": 1}}
    assert [mark.kind for mark in marks_in("no 5 % more", added=False)] == ["operative", "percentage"]
