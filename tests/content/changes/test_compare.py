"""What a person is told of two texts: changed words in their sections, moved text as moved, nothing left unsaid."""

from __future__ import annotations

from rori_spiders.content.changes.compare import Difference, compare
from tests.support.cases import cases

TEXT = """Preamble of the page.

# Part 1

What this part is about.

## § 1 Scope

(a) A lender may charge a fee of $25 within 30 days of January 1, 2026.

(b) See 12 CFR 1024.5(b) for what is exempt from this part.

- Loans that are made for business purposes only
- Loans to other creditors under a master agreement

## § 2 Limits

| County | One unit | Two units |
| --- | --- | --- |
| Adams | 500,000 | 640,000 |
| Baker | 510,000 | 650,000 |

## § 3 Dates

This part is in force from the first day of June.

Goodbye.
"""


def only(difference: Difference) -> tuple[str, str, list[str]]:
    """Kind and path of the one section that changed, and the kinds of its changes."""
    [section] = difference.sections
    return section.kind, section.path, [change.kind for change in section.changes]


def edited(*replacements: tuple[str, str]) -> Difference:
    text = TEXT
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    return compare(TEXT, text)


def test_compare_same_text_has_no_difference() -> None:
    assert compare(TEXT, TEXT).is_empty
    assert compare("", "").is_empty


def test_compare_words_within_paragraph_are_distinguished() -> None:
    difference = edited(("may charge", "shall not charge"), ("$25", "$1,250.50"))
    assert only(difference) == ("changed", "Part 1 > § 1 Scope", ["changed"])
    [change] = difference.sections[0].changes
    assert [(op, text.strip()) for op, text in change.words if op != "="] == [
        ("-", "may"),
        ("+", "shall"),
        ("+", "not"),
        ("-", "$25"),
        ("+", "$1,250.50"),
    ]
    assert change.new is not None
    assert (change.what, change.new.number) == ("paragraph", 2)


def test_compare_words_of_both_texts_are_reproduced() -> None:
    old, new = "The fee is $25 for each loan, or less.", "A fee of $26 is due for each such loan."
    words = [word for section in compare(old, new).sections for change in section.changes for word in change.words]
    assert "".join(text for op, text in words if op != "+") == old
    assert "".join(text for op, text in words if op != "-") == new


def test_compare_added_and_removed_sections_are_reported() -> None:
    without = TEXT[: TEXT.index("## § 2")] + TEXT[TEXT.index("## § 3") :]
    assert only(compare(TEXT, without))[:2] == ("removed", "Part 1 > § 2 Limits")
    assert only(compare(without, TEXT))[:2] == ("added", "Part 1 > § 2 Limits")
    assert compare(without, TEXT).section_counts()["added"] == 1


def test_compare_renamed_section_is_one_and_sections_below_are_unchanged() -> None:
    difference = edited(("# Part 1\n", "# Part 2\n"))
    assert only(difference) == ("changed", "Part 2", ["changed"])
    assert difference.sections[0].path_before == "Part 1"


def test_compare_cell_is_located_by_row_and_column() -> None:
    difference = edited(("650,000", "655,000"))
    [cell] = difference.sections[0].changes[0].cells
    assert (cell.row, cell.column, cell.words) == ("Baker", "Two units", (("-", "650,000"), ("+", "655,000")))


def test_compare_added_column_is_empty_before() -> None:
    old = "| a | b |\n| - | - |\n| x | 1 |\n"
    new = "| a | new | b |\n| - | - | - |\n| x | 2 | 1 |\n"
    changes = compare(old, new).sections[0].changes
    assert [[(cell.column, cell.words) for cell in change.cells] for change in changes] == [
        [("new", (("+", "new"),))],
        [("new", (("+", "2"),))],
    ]


def test_compare_paragraph_at_other_place_is_moved() -> None:
    paragraph = "(b) See 12 CFR 1024.5(b) for what is exempt from this part.\n\n"
    difference = compare(TEXT, TEXT.replace(paragraph, "").replace("Goodbye.", f"{paragraph}Goodbye."))
    left, reached = difference.sections
    assert (left.path, [change.kind for change in left.changes]) == ("Part 1 > § 1 Scope", ["moved_away"])
    assert (reached.path, [change.kind for change in reached.changes]) == ("Part 1 > § 3 Dates", ["moved"])
    [change] = reached.changes
    assert change.old == ("Part 1 > § 1 Scope", 3)
    assert change.new == ("Part 1 > § 3 Dates", 3)
    assert difference.section_counts() == {"changed": 0, "added": 0, "removed": 0, "moved": 1, "layout": 0}


def test_compare_list_item_at_other_place_is_moved() -> None:
    assert only(compare("- one thing\n- two\n- three\n", "- two\n- three\n- one thing\n"))[2] == ["moved"]


def test_compare_moved_section_with_change_reports_both() -> None:
    second, third = TEXT.index("## § 2"), TEXT.index("## § 3")
    swapped = TEXT[:second] + TEXT[third:] + "\n" + TEXT[second:third]
    [moved] = compare(TEXT, swapped).sections
    assert (moved.kind, moved.path) == ("moved", "Part 1 > § 3 Dates")
    assert (moved.stood_after, moved.stands_after) == ("Part 1 > § 2 Limits", "Part 1 > § 1 Scope")
    sections = compare(TEXT, swapped.replace("of June", "of July")).sections
    assert [(one.path, one.stands_after, [change.kind for change in one.changes]) for one in sections] == [
        ("Part 1 > § 3 Dates", "Part 1 > § 1 Scope", ["changed"])
    ]


def test_compare_moved_and_changed_block_is_shown_once() -> None:
    paragraph = "(b) See 12 CFR 1024.5(b) for what is exempt from this part.\n\n"
    away = TEXT.replace(paragraph, "").replace("Goodbye.", f"{paragraph.replace('1024.5', '1024.6')}Goodbye.")
    _, section = compare(TEXT, away).sections
    assert [change.kind for change in section.changes] == ["moved_and_changed"]
    assert section.changes[0].marks == (("citation", "12 CFR 1024.5(b)", "12 CFR 1024.6(b)"),)


@cases(
    ("old", "new", "note"),
    [
        ("a b\n", "a  b\n", "white space"),
        ("a\nb\n", "a b\n", "white space"),
        ("- a\n  - b\n", "- a\n- b\n", "indentation"),
        ("a\n\nb\n", "a\n\n\nb\n", "blank lines"),
        ("# A\n", "\n# A\n", "blank lines"),
        ("\n", "", "blank lines"),
        ("1986\\. A paragraph\n", "1986. A paragraph\n", "backslashes"),
        ("one\u00adword here\n", "oneword here\n", "invisible"),
        ("caf\u00e9 here\n", "cafe\u0301 here\n", "accented"),
        ("a *word* here\n", "a word here\n", "emphasis"),
        ("see [this](https://a.gov/1) now\n", "see [this](https://a.gov/2) now\n", "where links lead"),
        ("a loan\u00a0of\n", "a loan of\n", "white space"),
    ],
)
def test_compare_invisible_change_is_described_in_words(old: str, new: str, note: str) -> None:
    [section] = compare(old, new).sections
    assert any(note in change.note for change in section.changes)


@cases(
    ("old", "new"),
    [
        ("", "a"),
        ("a", ""),
        ("```\n# no heading\nx\n```\n", "```\n# no heading\n x\n```\n"),
        ("| a |\n| - |\n", "| a |\n| :- |\n"),
        ("***", "---"),
        ("a\\", "a"),
        ("\ud800", "\ud801"),
        ("|", "||"),
        ("# ", "#"),
        ("\x00", "\x01"),
    ],
)
def test_compare_odd_texts_have_difference(old: str, new: str) -> None:
    assert not compare(old, new).is_empty
    assert not compare(new, old).is_empty


def test_compare_same_input_gives_same_result() -> None:
    new = TEXT.replace("loan", "credit").replace("Loans", "Credits").replace("June", "July")
    assert compare(TEXT, new) == compare(TEXT, new)


def test_compare_table_of_equal_rows_and_rewritten_one_is_compared() -> None:
    head = "| County | Limit |\n| --- | --- |\n"
    same = head + "| x | 1 |\n" * 5000
    assert len(compare(same, f"{same}| y | 2 |\n").sections[0].changes) == 1
    old = head + "".join(f"| County {n} | {n} |\n" for n in range(2000))
    new = head + "".join(f"| County {n} | {n + 7} |\n" for n in range(2000))
    changes = compare(old, new).sections[0].changes
    assert len(changes) == 2000
    assert {change.kind for change in changes} == {"changed"}
    assert compare(old, new).mark_counts() == {"number": {"changed": 2000}}
