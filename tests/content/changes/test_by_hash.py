"""Which section changed is known from the hashes in the ledger alone."""

from __future__ import annotations

from rori_spiders.content.changes.section_hash_diff import changed_sections
from rori_spiders.content.sections import section_hashes
from tests.support.cases import cases

TEXT = (
    "Preamble\n\n# Part\n\n## § 1 Scope\n\nAll lenders.\n\n"
    "## § 2 Fees\n\nThe fee is $25.\n\n## § 3 Dates\n\nFrom May 1.\n"
)


def changes_of(edited: str) -> list[tuple[str, str]]:
    return [(kind, path) for kind, path in changed_sections(section_hashes(TEXT), section_hashes(edited))]


@cases(
    ("edited", "expected"),
    [
        (TEXT, []),
        (TEXT.replace("$25", "$26"), [("changed", "Part > § 2 Fees")]),
        (TEXT.replace("Preamble", "Preface"), [("changed", "")]),
        (TEXT.replace("## § 3 Dates\n\nFrom May 1.\n", ""), [("removed", "Part > § 3 Dates")]),
        (TEXT + "\n## § 4 New\n", [("changed", "Part > § 3 Dates"), ("added", "Part > § 4 New")]),
        (TEXT + "## § 4 New\n", [("added", "Part > § 4 New")]),
        (TEXT.replace("§ 2 Fees", "§ 2 Charges"), [("added", "Part > § 2 Charges"), ("removed", "Part > § 2 Fees")]),
        (TEXT.replace("# Part", "# Title", 1), [("added", "Title"), ("removed", "Part")]),
    ],
)
def test_changed_sections_edit_gives_kind_and_path(edited: str, expected: list[tuple[str, str]]) -> None:
    assert changes_of(edited) == expected


def test_changed_sections_section_elsewhere_is_moved() -> None:
    first, second, third = (TEXT.index(f"## § {n}") for n in (1, 2, 3))
    assert changes_of(TEXT[:first] + TEXT[second:third] + TEXT[first:second] + TEXT[third:]) in (
        [("moved", "Part > § 1 Scope")],
        [("moved", "Part > § 2 Fees")],
    )


def test_changed_sections_of_one_name_are_distinguished() -> None:
    old = "# A\n\none\n\n# A\n\ntwo\n"
    assert changed_sections(section_hashes(old), section_hashes(old.replace("two", "three")))[0].path == "A (2)"
