"""Hashes that anyone can recompute, and differences that a person can read."""

from __future__ import annotations

from hashlib import sha256

from rori_spiders.content.sections import changed_lines, content_hash, outline, section_hashes

TEXT = (
    "Preamble\n\n# Part\n\n## § 1 Scope\n\n```\n# not a heading\n```\n\n"
    "## § 2 Fees\n\nThe fee is $25.\n\n# Part\n\nAgain.\n"
)


def test_section_hash_is_that_of_utf8_bytes() -> None:
    assert content_hash("§ 1\n") == sha256("§ 1\n".encode()).hexdigest()


def test_section_hashes_are_named_by_path_and_cover_text() -> None:
    assert [path for path, _ in section_hashes(TEXT)] == ["", "Part", "Part > § 1 Scope", "Part > § 2 Fees", "Part (2)"]
    assert "".join(TEXT[section.start : section.end] for section in outline(TEXT)) == TEXT


def test_section_hashes_one_edit_changes_one() -> None:
    edited = TEXT.replace("$25", "$26")
    differing = [a[0] for a, b in zip(section_hashes(TEXT), section_hashes(edited), strict=True) if a != b]
    assert differing == ["Part > § 2 Fees"]


def test_section_hashes_every_one_digit_edit_changes_one() -> None:
    digits = [at for at, character in enumerate(TEXT) if character.isdigit()]
    for at in digits:
        edited = TEXT[:at] + str((int(TEXT[at]) + 1) % 10) + TEXT[at + 1 :]
        assert content_hash(edited) != content_hash(TEXT)
        assert {kind for kind, _ in changed_lines(TEXT, edited)} == {"removed", "added"}


def test_changed_lines_are_in_reading_order() -> None:
    assert changed_lines(TEXT, TEXT.replace("$25", "$26")) == [
        ("removed", "The fee is $25."),
        ("added", "The fee is $26."),
    ]


def test_changed_lines_like_diff_markers_are_lines() -> None:
    assert changed_lines("a\n", "a\n--- b\n+++ c\n@@ d\n") == [
        ("added", "--- b"),
        ("added", "+++ c"),
        ("added", "@@ d"),
    ]


def test_changed_lines_only_same_text_has_none() -> None:
    assert changed_lines(TEXT, TEXT) == []
    assert changed_lines("a", "a\n") != []
    assert changed_lines("a\nb", "a\n\nb") == [("added", "")]


def test_section_hashes_of_empty_text_are_empty() -> None:
    assert outline("") == []
