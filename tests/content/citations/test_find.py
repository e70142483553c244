"""Citations: every spelling to one form, lists cut into items, references resolved, and what only looks like one."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from rori_spiders.content.citations import KINDS, find
from tests.support.cases import cases

REG_Z = {"title": "12 CFR", "part": "1026", "section": "1026.43", "agency": "CFPB"}
STATUTE = {"title": "38 USC", "section": "3710"}


def forms(text: str, context: dict[str, str] | None = None) -> list[str]:
    return [citation.canonical for citation in find(text, context)]


@cases(
    ("text", "expected"),
    [
        ("12 CFR 1024.2", ["12 C.F.R. § 1024.2"]),
        ("12 C.F.R. § 1024.2(b)(1)(ii)", ["12 C.F.R. § 1024.2(b)(1)(ii)"]),
        ("12 CFR part 1024", ["12 C.F.R. Part 1024"]),
        ("12 CFR 1024", ["12 C.F.R. Part 1024"]),
        ("12 CFR Parts 1024 and 1026", ["12 C.F.R. Part 1024", "12 C.F.R. Part 1026"]),
        ("7 CFR part 1970, subpart B", ["7 C.F.R. Part 1970, Subpart B"]),
        ("12 CFR part 1003, appendix A", ["12 C.F.R. Part 1003, Appendix A"]),
        ("12 CFR part 1026, Supp. I", ["12 C.F.R. Part 1026, Supplement I"]),
        ("12 CFR chapter X", ["12 C.F.R. Chapter X"]),
        ("12 CFR 226.5b", ["12 C.F.R. § 226.5b"]),
        ("12 CFR §§ 1026.35 and .37", ["12 C.F.R. § 1026.35", "12 C.F.R. § 1026.37"]),
        ("12 CFR 1026.35–1026.37", ["12 C.F.R. § 1026.35", "12 C.F.R. § 1026.37"]),
        ("12 CFR 1026.43(e)(2), (4), or (f)", [f"12 C.F.R. § 1026.43{p}" for p in ("(e)(2)", "(e)(4)", "(f)")]),
        ("12 CFR 1024.35 (error resolution), 1024.36", ["12 C.F.R. § 1024.35", "12 C.F.R. § 1024.36"]),
        ("paragraph (b)(1) of 12 CFR 1026.36", ["12 C.F.R. § 1026.36(b)(1)"]),
        (
            "clauses (i) and (ii) of 12 U.S.C. 5531(a)(1)(A)",
            ["12 U.S.C. § 5531(a)(1)(A)(i)", "12 U.S.C. § 5531(a)(1)(A)(ii)"],
        ),
        ("subsections (b) through (f) of section 43 of the FDI Act", ["FDIA § 43(b)", "FDIA § 43(f)"]),
        ("Appendix A to Regulation E", ["12 C.F.R. Part 1005, Appendix A", "Regulation E"]),
        ("appendix MS-1 to part 1024", ["12 C.F.R. Part 1024, Appendix MS-1"]),
        ("appendices G and H to part 1026", [f"12 C.F.R. Part 1026, Appendix {letter}" for letter in "GH"]),
        ("12 CFR 226.17 comment 17(b)-1", ["12 C.F.R. § 226.17", "12 C.F.R. Part 226, Supplement I, comment 17(b)-1"]),
        ("l2 CFR l024.41", ["12 C.F.R. § 1024.41"]),
        ("part 200 of title 24, Code of Federal Regulations", ["24 C.F.R. Part 200"]),
        ("Title 38 Code of Federal Regulations section 36.4340", ["38 C.F.R. § 36.4340"]),
        ("12 CFR 1024.30 through 1024.41, except .37", [f"12 C.F.R. § 1024.{n}" for n in (30, 41, 37)]),
        ("Title VIII of the Civil Rights Act of 1968", ["Civil Rights Act of 1968, Title VIII"]),
        ("42 U.S.C. 3601 et seq.", ["42 U.S.C. § 3601 et seq."]),
        ("12 U.S.C. 2801et seq.", ["12 U.S.C. § 2801 et seq."]),
        ("12 U.S.C. 5101 *et seq.*", ["12 U.S.C. § 5101 et seq."]),
        ("42 USC § 3601", ["42 U.S.C. § 3601"]),
        ("15 U.S.C. 1681s-2(a)(1)(A) and (B)", ["15 U.S.C. § 1681s-2(a)(1)(A)", "15 U.S.C. § 1681s-2(a)(1)(B)"]),
        ("12 U.S.C. 5101-5116", ["12 U.S.C. § 5101", "12 U.S.C. § 5116"]),
        ("12 U.S.C. 1703, 1709, and 1715z-20", [f"12 U.S.C. § {n}" for n in ("1703", "1709", "1715z-20")]),
        ("TILA section 129H, 15 U.S.C. 1639h", ["TILA § 129H", "15 U.S.C. § 1639h"]),
        ("the Clean Air Act (CAA or Act); CAA section 107(d)", ["CAA § 107(d)"]),
        ("the Administrative Procedure Act (APA). Section 553(d) of the APA", ["APA § 553(d)"]),
        ("the Social Security Act (the Act). FFDCA section 408(g)", ["FFDCA § 408(g)"]),
        ("Penal Code section 1054.1", []),
        ("P.L.145-2008, SEC.20", ["P.L. 145-2008"]),
        (
            "Mortgagee Letter 93-3 and HUD Handbook 4155.1, REV-4",
            ["Mortgagee Letter 1993-03", "HUD Handbook 4155.1 REV-4"],
        ),
        ("Act No. 135 of the Public Acts of 1977", ["Laws 1977, ch. 135"]),
        ("Session Laws: chapter 244, Session Laws of Colorado 2001", ["Laws 2001, ch. 244"]),
        ("Section 1024.39Early intervention", ["12 C.F.R. § 1024.39"]),
        ("section 1506 of title 44, United States Code", ["44 U.S.C. § 1506"]),
        ("Pub. L. 111-203, title X, § 1031", ["Pub. L. 111-203, § 1031"]),
        ("Public Law No. 116–23", ["Pub. L. 116-23"]),
        ("124 Stat. 1376, 2142", ["124 Stat. 1376"]),
        ("78 FR 79730; 79 Fed. Reg. 65299", ["78 Fed. Reg. 79730", "79 Fed. Reg. 65299"]),
        ("Executive Order 12866", ["Exec. Order 12866"]),
        ("E.O. 10530, section 3(f)", ["Exec. Order 10530, § 3(f)"]),
        ("[Docket No. CFPB-2013-0031]", ["Docket No. CFPB-2013-0031"]),
        ("RIN 7100-AD 90", ["RIN 7100-AD90"]),
        ("Regulation Z", ["Regulation Z"]),
        ("Regulations X and Z", ["Regulation X", "Regulation Z"]),
        ("Mortgagee Letter 17-12", ["Mortgagee Letter 2017-12"]),
        ("VA Circular 26-20-10", ["VA Circular 26-20-10"]),
        ("Selling Guide B3-3.2-01", ["Fannie Mae Selling Guide B3-3.2-01"]),
        ("Freddie Mac Guide Section 5401.2", ["Freddie Mac Guide § 5401.2"]),
        ("HUD Handbook 4000.1, Section II.A.5.d.viii", ["HUD Handbook 4000.1, II.A.5.d.viii"]),
        ("section 1411 of the Dodd-Frank Act", ["Dodd-Frank Act § 1411"]),
        ("HMDA section 304(b)(4)", ["HMDA § 304(b)(4)"]),
        ("42 U.S.C. § 1395w–4(b)", ["42 U.S.C. § 1395w-4(b)"]),
        ("2 U.S.C. 136–1", ["2 U.S.C. § 136-1"]),
        ("title 18, United States Code, sections 1341 and 1343", ["18 U.S.C. § 1341", "18 U.S.C. § 1343"]),
        ("Sections 1341 and 1343(a) of Title 18, U.S. Code", ["18 U.S.C. § 1341", "18 U.S.C. § 1343(a)"]),
        ("5 U.S.C. App. 3, § 6", ["5 U.S.C. App. 3 § 6"]),
        ("U.S. Code, Title 26, Section 32(b)", ["26 U.S.C. § 32(b)"]),
        ("Code of Federal Regulations, Title 7, Section 273.9", ["7 C.F.R. § 273.9"]),
        ("Treas. Reg. § 1.121-1(b)", ["26 C.F.R. § 1.121-1(b)"]),
        ("17 CFR 240.10b–5", ["17 C.F.R. § 240.10b-5"]),
        ("Marbury v. Madison, 5 U.S. (1 Cranch) 137 (1803)", ["5 U.S. 137"]),
        ("Doe v. Roe, 5 Day 12", ["5 Day 12"]),
        ("Doe v. Roe, 12 Ohio St. 34 (1861)", ["12 Ohio St. 34"]),
        ("Doe v. Roe, 347 US 483 (1954)", ["347 U.S. 483"]),
        ("2014 IL App (2d) 120583-U", ["2014 IL App (2d) 120583-U"]),
        ("State v. Doe, 2021-Ohio-4528", ["2021-Ohio-4528"]),
        ("T.C. Memo. 2019-233", ["T.C. Memo. 2019-233"]),
        ("141 FERC ¶ 61,049", ["141 FERC 61,049"]),
        ("28 I&N Dec. 788", ["28 I. & N. Dec. 788"]),
    ],
)
def test_find_citations_spellings_have_one_form(text: str, expected: list[str]) -> None:
    assert forms(f"As stated in {text}.") == expected


@cases(
    ("text", "expected"),
    [
        ("§ 1026.43(c)", ["12 C.F.R. § 1026.43(c)"]),
        ("§§ 1010.5 through 1010.16 of this chapter", ["12 C.F.R. § 1010.5", "12 C.F.R. § 1010.16"]),
        ("this part", ["12 C.F.R. Part 1026"]),
        ("this section", ["12 C.F.R. § 1026.43"]),
        ("paragraph (a)(1) of this section", ["12 C.F.R. § 1026.43(a)(1)"]),
        ("paragraphs (c)(1) or (d)(1) of this section", ["12 C.F.R. § 1026.43(c)(1)", "12 C.F.R. § 1026.43(d)(1)"]),
        ("paragraph (b) of § 1026.32", ["12 C.F.R. § 1026.32(b)"]),
        ("subpart E", ["12 C.F.R. Part 1026, Subpart E"]),
        ("supplement I to this part", ["12 C.F.R. Part 1026, Supplement I"]),
        ("appendix Q to this part", ["12 C.F.R. Part 1026, Appendix Q"]),
        ("comments 37(c)-1.ii and .iii, 38-2 and -3",
         [f"12 C.F.R. Part 1026, Supplement I, comment {c}" for c in ("37(c)-1.ii", "37(c)-1.iii", "38-2", "38-3")]),
        ("appendix H-1", ["12 C.F.R. Part 1026, Appendix H-1"]),
        ("comment 52(b)(1)(ii)-2", ["12 C.F.R. Part 1026, Supplement I, comment 52(b)(1)(ii)-2"]),
        ("paragraphs (d)(1)(i)(A) through (C), or (d)(1)(ii)",
         [f"12 C.F.R. § 1026.43(d)(1){p}" for p in ("(i)(A)", "(i)(C)", "(ii)")]),
    ],
)  # fmt: skip
def test_find_citations_relative_references_resolve_against_page(text: str, expected: list[str]) -> None:
    assert forms(f"Under {text} it is so.", REG_Z) == expected


def test_find_citations_references_within_statute_are_resolved() -> None:
    text = "(a) Loans for one of the purposes in paragraphs (1) through (12) of this subsection. See subsection (g)."
    assert forms(text, STATUTE) == ["38 U.S.C. § 3710(a)(1)", "38 U.S.C. § 3710(a)(12)", "38 U.S.C. § 3710(g)"]


def test_find_citations_without_page_are_not_guessed() -> None:
    assert forms("As this part and paragraph (a) of this section and § 92.254 say.") == []


def test_find_citations_full_part_gives_title_of_its_sections() -> None:
    assert forms("24 CFR part 92 applies; see § 92.254(a).") == ["24 C.F.R. Part 92", "24 C.F.R. § 92.254(a)"]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("the Bureau's Regulation Z", "12 C.F.R. Part 1026"),
        ("the Board's Regulation Z", "12 C.F.R. Part 226"),
        ("Regulation Z, 12 CFR part 226,", "12 C.F.R. Part 226"),
        ("Regulation CC", "12 C.F.R. Part 229"),
    ],
)
def test_find_citations_lettered_regulation_is_resolved_by_agency(text: str, target: str) -> None:
    assert find(text)[0].target == target


def test_find_citations_act_defined_in_text_is_resolved() -> None:
    text = "the Fair Debt Collection Practices Act (the Act) as provided in section 817 of the Act"
    assert forms(text) == ["FDCPA § 817"]


@cases(
    "text",
    [
        "Part 1 covers 12 months. Section 3.4(a) excludes cracks less than 0.25 inch.",
        "Call 515-555-0155 before 4:30 p.m.; 1026 Cedar Avenue, Suite 43.",
        "a 203(k) loan, a Title I loan, OMB control number 3170-0015, form HUD-92900-A",
        "Regulation of banks; regulations and rules; Regulation QQQ.",
        "99 CFR 12 is no title; 0 U.S.C. 5",
        "page 12 of 88; § ; (a)(1)",
        "12 US 30 runs north; 12 Ohio St. 34; 2020 CO 2 emissions; 5 Day 12 hours; files/2021-Ohio-4528.pdf",
        "",
    ],
)
def test_find_citations_lookalikes_are_ignored(text: str) -> None:
    assert forms(text) == []


@cases(
    ("text", "expected"),
    [
        ("5 U.S.C. 553(b) and 30 days", ["5 U.S.C. § 553(b)"]),
        ("15 U.S.C. 1601, 12 CFR 1026.1", ["15 U.S.C. § 1601", "12 C.F.R. § 1026.1"]),
        ("12 U.S.C. 5531, 124 Stat. 2005", ["12 U.S.C. § 5531", "124 Stat. 2005"]),
        ("12 U.S.C. 5531, 2010", ["12 U.S.C. § 5531"]),
        ("26 U.S. Code § 67 - 2-percent floor", ["26 U.S.C. § 67"]),
        ("26 U.S. Code § 67 - 2 floors", ["26 U.S.C. § 67"]),
        ("42 U.S.C. 1396a(a)(10) - 120-135% of it", ["42 U.S.C. § 1396a(a)(10)"]),
        ("12 CFR 1024.30 - 1024.41", ["12 C.F.R. § 1024.30", "12 C.F.R. § 1024.41"]),
        (
            "42 U.S.C. 1490 and section 520 of the Housing Act of 1949",
            ["42 U.S.C. § 1490", "Housing Act of 1949 § 520"],
        ),
    ],
)
def test_find_citations_list_ends_at_its_last_item(text: str, expected: list[str]) -> None:
    assert forms(text) == expected


def test_find_citations_spans_hold_words_and_do_not_overlap() -> None:
    text = "See 12 CFR 1024.2(b), (c) and 15 U.S.C. 1601 et seq.; Regulation Z; 78 FR 79730."
    found = find(text)
    assert [text[citation.start : citation.end] for citation in found] == [
        "12 CFR 1024.2(b)", "(c)", "15 U.S.C. 1601 et seq.", "Regulation Z", "78 FR 79730",
    ]  # fmt: skip
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert {citation.kind for citation in found} <= set(KINDS)


@pytest.mark.slow
@cases(
    "unit",
    [
        "A",
        "1",
        "(a)",
        "§ 1026.1, ",
        "12 U.S.C. 1, 2, ",
        "Act (the Act) ",
        "paragraph (a)(a)",
        " ",
        "§ 1 Cal. Code ",
        "1 AS ",
        "1 U.S. (1 A) ",
        "Id. at 12. 12 U.S.C. 100. ",
        "12 U.S.C. 100, under section 100. ",
    ],
)
def test_find_citations_time_grows_linearly(unit: str) -> None:
    """Steps are counted in characters: twice the text, at most about twice the citations, and an end in sight."""
    context: dict[str, Any] = REG_Z
    assert len(find(unit * (60_000 // len(unit)), context)) <= 60_000
