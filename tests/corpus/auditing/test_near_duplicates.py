"""Texts that are nearly the same, and texts that are made of the same words and say something else."""

from __future__ import annotations

from rori_spiders.corpus.auditing.document_lines import DocumentLines
from rori_spiders.corpus.auditing.near_duplicates import fingerprint_of, likely_duplicates, share_without_changed_facts
from tests.support.cases import cases

LAW = """# Timing of disclosures

## In general

The lender shall deliver the disclosures within 30 days after it receives the application (12 CFR 1024.7).

A lender in Alabama may charge a fee, but only if the borrower agrees in writing. It must not exceed 2 percent.

## Exceptions

(a) Paragraph one does not apply to loans that are secured by a dwelling.

The notice states the name of the servicer, the date of the transfer and the address to which payments are sent.
"""


def changed(*changes: tuple[str, str]) -> str:
    text = LAW
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


@cases(
    "other",
    [
        LAW,
        LAW + "\n[Was this page helpful?](https://www.example.gov/feedback)\n",
        "Skip to main content of this page 2026\n\n" + LAW,
        changed(("the address to which payments are sent", "the address where payments are sent")),
        changed(("(12 CFR 1024.7)", "([12 CFR 1024.7](https://www.example.gov/1024/7#p9))")),
        changed(("It must not", "They must not")),
    ],
)
def test_near_duplicates_almost_equal_texts_match(other: str) -> None:
    share = share_without_changed_facts(LAW, other)
    assert share is not None and share >= 0.85 and share == share_without_changed_facts(other, LAW)


@cases(
    "change",
    [
        ("30 days", "60 days"),
        ("30 days", "30 months"),
        ("1024.7", "1024.17"),
        ("shall deliver", "may deliver"),
        ("does not apply", "does apply"),
        ("Alabama", "Alaska"),
        ("2 percent", "2.5 percent"),
        ("(a) Paragraph one", "(b) Paragraph one"),
        ("only if", "if"),
        ("within 30", "30"),
        ("Paragraph one", "Paragraph two"),
        ("2 percent", "$2"),
    ],
)
def test_near_duplicates_one_changed_fact_is_another_text(change: tuple[str, str]) -> None:
    assert share_without_changed_facts(LAW, changed(change)) is None


def test_near_duplicates_different_texts_do_not_match() -> None:
    assert share_without_changed_facts(LAW, LAW.partition("## Exceptions")[0]) is None
    assert share_without_changed_facts("", "") is None


def numbered(n: int) -> str:
    return changed(("30 days", f"{n} days"), ("1024.7", f"1024.{n}"), ("Timing", f"§ 1024.{n} Timing"))


def test_near_duplicates_sketches_select_candidates() -> None:
    texts = [f"# {n}\n\n{'Unlike words of text ' * 3}{n} and {n * 7}\n" for n in range(40)]
    texts += [LAW, LAW + "\nWas this page helpful to you and to all the others?\n"]
    prints = [fingerprint_of(DocumentLines(text)) for text in texts]
    assert dict(likely_duplicates(prints, 0.75))[41][0] == 40
    assert prints == [fingerprint_of(DocumentLines(text)) for text in texts]


def test_near_duplicates_shared_template_takes_no_squared_time() -> None:
    prints = [fingerprint_of(DocumentLines(numbered(n))) for n in range(100)]
    pairs = [(later, earlier) for later, likely in likely_duplicates(prints, 0.5) for earlier in likely]
    assert 0 < len(pairs) <= 100 * 16 * 3
    assert all(later > earlier for later, earlier in pairs) and len(set(pairs)) == len(pairs)
