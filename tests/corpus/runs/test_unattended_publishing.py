"""What may take the place of a published text unseen, and what is for a person."""

from __future__ import annotations

from typing import Any

import pytest

from rori_spiders.corpus.documents.document import Document, build_document
from rori_spiders.corpus.runs.unattended_publishing import review_reasons
from tests.support.cases import cases

TEXT = """# Loan fees

## What is charged

Lenders may charge a fee for the appraisal of the home.

| Loan | Fee |
| --- | --- |
| small | $25 |

- Ask the *county* office.
"""


def document(body: str = TEXT, **told: Any) -> Document:
    known: dict[str, Any] = {
        "title": "Loan fees", "description": "What lenders charge.", "language": "en",
        "source_url": "https://example.gov/fees", "source_subtype": "web_page", "run_id": "r1",
        "doc_id": "web_00000001_fees",
    }  # fmt: skip
    return build_document(body, **(known | told))


def why(old: str, new: str, most_words: int = 10) -> list[str]:
    """The objections to *new* in the place of *old*, both being words of the text."""
    assert old in TEXT
    return review_reasons(document(), document(TEXT.replace(old, new)), most_words)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("the appraisal of the home", "the appraisal  of\nthe home"),
        ("*county*", "county"),
    ],
)
def test_change_review_invisible_change_needs_nobody(old: str, new: str) -> None:
    assert why(old, new, 0) == []


def test_change_review_text_of_other_run_needs_nobody() -> None:
    assert review_reasons(document(), document(run_id="r2"), 0) == []


@cases(
    ("old", "new", "says"),
    [
        ("may charge", "may not charge", "operative changed: none to not"),
        ("may charge", "must charge", "operative changed: may to must"),
        ("$25", "$26", "amount changed: $25 to $26"),
        ("$25", "25", "amount changed: $25 to none"),
        ("Lenders", "Brokers", "a proper name changed: Lenders"),
        ("small", "Small", "a proper name changed: Small"),
        ("Fee |", "Fees |", "a proper name changed: Fees"),
        ("## What is charged", "## What was charged", "a heading changed"),
        ("## What is charged", "### What is charged", "a heading changed"),
        ("- Ask the *county* office.\n", "", "a list item was deleted"),
        ("- Ask", "- Call first.\n- Ask", "a list item was inserted"),
        ("Lenders may", "Read this.\n\nLenders may", "a paragraph was inserted"),
        ("county", "[county](https://a.gov/)", "link changed: none to https://a.gov/"),
    ],
)
def test_change_review_small_change_of_meaning_needs_person(old: str, new: str, says: str) -> None:
    assert says in why(old, new, 100)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("the home", "the house", 2),
        ("a fee for", "a fee, for", 1),
        ("of the home", "of that home", 2),
        ("small", "~~small~~", 2),
    ],
)
def test_change_review_words_and_signs_are_counted(old: str, new: str, words: int) -> None:
    [said] = why(old, new, 0)
    assert said.endswith("changed") and why(old, new, words) == []


def test_change_review_added_or_removed_section_needs_person() -> None:
    longer = f"{TEXT}\n## Who pays\n\nthe lender pays.\n"
    for old, new, says in ((TEXT, longer, "added"), (longer, TEXT, "removed")):
        assert f"a section was {says}: Loan fees > Who pays" in review_reasons(document(old), document(new), 99)


@pytest.mark.parametrize(
    "told", [{"title": "Loan fee"}, {"language": "es"}, {"source_subtype": "faq"}, {"published_at": "2026-01-02"}]
)
def test_change_review_changed_metadata_needs_person(told: dict[str, Any]) -> None:
    [said] = review_reasons(document(), document(**told), 99)
    assert said == f"`{next(iter(told))}` changed"


def test_change_review_description_is_compared_as_text() -> None:
    assert "amount changed: none to $5" in review_reasons(
        document(), document(description="What lenders charge $5."), 99
    )
