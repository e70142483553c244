"""What points back to an earlier citation, and what has two meanings."""

from __future__ import annotations

from rori_spiders.content.citations import find
from tests.support.cases import cases


@cases(
    ("text", "expected"),
    [
        ("12 U.S.C. 2605(e). Id. § 2609(a).", ["12 U.S.C. § 2605(e)", "12 U.S.C. § 2609(a)"]),
        ("12 CFR 1024.38(b)(1). Id. at (b)(2).", ["12 C.F.R. § 1024.38(b)(1)", "12 C.F.R. § 1024.38(b)(2)"]),
        ("81 FR 72160. Id. at 72,170.", ["81 Fed. Reg. 72160", "81 Fed. Reg. 72160"]),
        (
            "12 U.S.C. 2605. Id. § 2609. Id.",
            ["12 U.S.C. § 2605", "12 U.S.C. § 2609", "12 U.S.C. § 2609"],
        ),
        ("12 U.S.C. 2605; 15 U.S.C. 1639. Id.", ["12 U.S.C. § 2605", "15 U.S.C. § 1639"]),
        ("81 FR 72160; 12 CFR 1024.38(b). Id. at 12.", ["81 Fed. Reg. 72160", "12 C.F.R. § 1024.38(b)"]),
        (
            "Tenn. Code Ann. § 39-13-202. Id. § 39-14-103.",
            ["Tenn. Code Ann. § 39-13-202", "Tenn. Code Ann. § 39-14-103"],
        ),
        ("81 FR 72160. Id. at 99. Id.", ["81 Fed. Reg. 72160"]),
        ("Id. at 12. The id. of a form is valid. ", []),
        (
            "As supra note 12 says.\n\n<sup>12</sup> See 12 CFR 1024.38.\n\n13. See 12 CFR 1024.39.",
            ["12 C.F.R. § 1024.38", "12 C.F.R. § 1024.38", "12 C.F.R. § 1024.39"],
        ),
        (
            "12. 12 CFR 1024.38 and 12 CFR 1024.39.\n\nSee supra note 12.",
            ["12 C.F.R. § 1024.38", "12 C.F.R. § 1024.39"],
        ),
        (
            "§§ 1024.30 through 1024.41, except .37",
            ["12 C.F.R. § 1024.30", "12 C.F.R. § 1024.41", "12 C.F.R. § 1024.37"],
        ),
    ],
)
def test_find_back_reference_is_what_stands_before(text: str, expected: list[str]) -> None:
    assert [citation.canonical for citation in find(text)] == expected


@cases(
    ("text", "expected"),
    [
        ("26 U.S. Code § 36B(c)(1)(B)", ["26 U.S.C. § 36B(c)(1)(B)"]),
        ("Section 14123(a)(2) of 49 U.S.C.", ["49 U.S.C. § 14123(a)(2)"]),
        ("under section 89, title 14, United States Code.", ["14 U.S.C. § 89"]),
        ("15 U.S.C. 77nnn-5 and 42 U.S.C. 300gg-11", ["15 U.S.C. § 77nnn-5", "42 U.S.C. § 300gg-11"]),
        ("41 U.S.C. 10a-10c", ["41 U.S.C. § 10a", "41 U.S.C. § 10c"]),
        ("IRC § 32(b); section 501(c)(3) of the Internal Revenue Code", ["26 U.S.C. § 32(b)", "26 U.S.C. § 501(c)(3)"]),
        ("International Residential Code (IRC) R301", []),
        ("26 CFR § 1.36B-2(c)(2)", ["26 C.F.R. § 1.36B-2(c)(2)"]),
        ("12 CFR 708a.101; 17 CFR 240.15Ga-2; 41 CFR 128-1.5004", [
            "12 C.F.R. § 708a.101", "17 C.F.R. § 240.15Ga-2", "41 C.F.R. § 128-1.5004"]),
        ("12 CFR 1024.30-1024.41", ["12 C.F.R. § 1024.30", "12 C.F.R. § 1024.41"]),
        ("5 F.Supp.2d 10 and 2018 WL 1234567", ["5 F. Supp. 2d 10", "2018 WL 1234567"]),
    ],
)  # fmt: skip
def test_find_federal_law_in_other_spellings_is_found(text: str, expected: list[str]) -> None:
    assert [citation.canonical for citation in find(text)] == expected
