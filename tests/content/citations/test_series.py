"""Lists of numbers behind one head, and places in handbooks that are cited without their book."""

from __future__ import annotations

import pytest

from rori_spiders.content.citations import find
from tests.support.cases import cases


def found(text: str, **context: str) -> list[str]:
    return [citation.canonical for citation in find(text, context)]


@cases(
    ("text", "canonical"),
    [
        (
            "Mortgagee Letters 2020-05, 2020-23, and 2021-03",
            ["Mortgagee Letter 2020-05", "Mortgagee Letter 2020-23", "Mortgagee Letter 2021-03"],
        ),
        ("VA Circulars 26-20-10 and 26-21-7", ["VA Circular 26-20-10", "VA Circular 26-21-7"]),
        ("VA Circular 26-20-12, Change 2", ["VA Circular 26-20-12, Change 2"]),
        ("Docket Nos. OCC-2020-0008 and R-1534", ["Docket No. OCC-2020-0008", "Docket No. R-1534"]),
        ("RINs 3170-AA76 and 1557-AE69", ["RIN 3170-AA76", "RIN 1557-AE69"]),
        ("Executive Orders 12866 and 13563", ["Exec. Order 12866", "Exec. Order 13563"]),
        ("Public Laws 111-203 and 115-174", ["Pub. L. 111-203", "Pub. L. 115-174"]),
        ("section 108(a) of Public Law 115-174", ["Pub. L. 115-174, § 108(a)"]),
        (
            "Executive Order 12866, “Regulatory Planning and Review,” section 3(f), and",
            ["Exec. Order 12866", "Exec. Order 12866, § 3(f)"],
        ),
        (
            "comments 32(b)(1)-1 and -2 to Regulation Z, 12 CFR part 1026",
            [
                "12 C.F.R. Part 1026, Supplement I, comment 32(b)(1)-1",
                "12 C.F.R. Part 1026, Supplement I, comment 32(b)(1)-2",
                "Regulation Z",
                "12 C.F.R. Part 1026",
            ],
        ),
        ("12 CFR 1026.20(d) (ARM notice) and 1026.41", ["12 C.F.R. § 1026.20(d)", "12 C.F.R. § 1026.41"]),
        (
            "Lender Letters LL-2020-03 and LL-2021-07",
            ["Fannie Mae Lender Letter LL-2020-03", "Fannie Mae Lender Letter LL-2021-07"],
        ),
        (
            "Servicing Guide Procedures F-1-17 and C-1.1-01",
            ["Fannie Mae Servicing Guide F-1-17", "Fannie Mae Servicing Guide C-1.1-01"],
        ),
        ("Freddie Mac Bulletins 2020-4 and 2020-10", ["Freddie Mac Bulletin 2020-4", "Freddie Mac Bulletin 2020-10"]),
        ("Handbook 4000.1, Section II.A.4.c.ii(B)(1)", ["HUD Handbook 4000.1, II.A.4.c.ii(B)(1)"]),
        ("Section III.A.2.h of HUD Handbook 4000.1", ["HUD Handbook 4000.1, III.A.2.h"]),
        ("Appendix 1.0 of HUD Handbook 4000.1", ["HUD Handbook 4000.1, Appendix 1.0"]),
        ("Chapter 5, Topic 3 of VA Pamphlet 26-7", ["VA Pamphlet 26-7, Chapter 5, Topic 3"]),
        ("Section 6.4 of HB-1-3555", ["USDA HB-1-3555, Section 6.4"]),
    ],
)
def test_citation_series_each_item_is_citation(text: str, canonical: list[str]) -> None:
    assert found(text) == canonical


@pytest.mark.parametrize(
    ("text", "title", "canonical"),
    [
        ("as Chapter 3, Topic 5 says", "VA Pamphlet 26-7", ["VA Pamphlet 26-7, Chapter 3, Topic 5"]),
        ("a waiver under paragraph 11.3", "USDA HB-1-3555", ["USDA HB-1-3555, Section 11.3"]),
        ("evaluated under Chapter 9206.", "Freddie Mac Guide", ["Freddie Mac Guide, Chapter 9206"]),
    ],
)
def test_citation_series_place_without_book_needs_page_about_book(text: str, title: str, canonical: list[str]) -> None:
    assert found(text, title=title) == canonical
    assert found(text) == []


@cases(
    "text",
    [
        "see Chapter 7, and letters 2020-05 from borrowers",
        "OMB control numbers 3170-0015 and 3170-0016",
        "Circulars were sent on 26-2-21",
        "paragraph 11.3 of the contract",
        "dockets of the court, and orders 12345",
    ],
)
def test_citation_series_lookalikes_are_ignored(text: str) -> None:
    assert found(text) == []
