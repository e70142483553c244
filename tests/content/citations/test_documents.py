"""Citations as agencies' documents have them: handbooks, letters, notices, lists over lines, states' own forms."""

from __future__ import annotations

from rori_spiders.content.citations import find
from tests.support.cases import cases

INTERPRETATIONS = "12 C.F.R. Part 1026, Supplement I"


def found(text: str, **context: str) -> list[str]:
    return [citation.canonical for citation in find(text, context)]


@cases(
    ("text", "canonical"),
    [
        ("12 C.F.R. Part 308, Subpart A", ["12 C.F.R. Part 308, Subpart A"]),
        ("7 CFR part 1980, subpart D, exhibit C", ["7 C.F.R. Part 1980, Subpart D, Exhibit C"]),
        ("exhibit C of subpart D of 7 CFR part 1980", ["7 C.F.R. Part 1980, Subpart D, Exhibit C"]),
        ("7 CFR Part 3555, Subparts A and G", ["7 C.F.R. Part 3555, Subpart A", "7 C.F.R. Part 3555, Subpart G"]),
        ("12 CFR 1026 Appendix H-24(A)", ["12 C.F.R. Part 1026, Appendix H-24(A)"]),
        ("42 USC §§ 3601-19", ["42 U.S.C. § 3601", "42 U.S.C. § 3619"]),
        ("15 U.S.C. §§ 1681–81x", ["15 U.S.C. § 1681", "15 U.S.C. § 1681x"]),
        ("38 U.S.C. chapter 37", ["38 U.S.C. Chapter 37"]),
        ("chapter 37 of title 38, United States Code", ["38 U.S.C. Chapter 37"]),
        ("sec. 305 of FIRREA", ["FIRREA § 305"]),
        ("sec. 305 of FHFA's order", []),
        ("SCRA § 303", ["SCRA § 303"]),
        ("Title XI of FIRREA", ["FIRREA, Title XI"]),
        ("section 1100F of Dodd-Frank", ["Dodd-Frank Act § 1100F"]),
    ],
)
def test_find_federal_law_by_part_and_act_is_whole(text: str, canonical: list[str]) -> None:
    assert found(text) == canonical


@cases(
    ("text", "canonical"),
    [
        ("paragraph (2)(A)(vi) of subsection (b)", ["15 U.S.C. § 1639c(b)(2)(A)(vi)"]),
        ("paragraphs (1) and (2) of subsection (c)", ["15 U.S.C. § 1639c(c)(1)", "15 U.S.C. § 1639c(c)(2)"]),
        ("paragraph (1) of subsection (a) of this section", ["15 U.S.C. § 1639c(a)(1)"]),
    ],
)
def test_find_paragraph_of_subsection_is_whole_path(text: str, canonical: list[str]) -> None:
    assert found(text, title="15 USC", section="1639c") == canonical


@cases(
    ("text", "points"),
    [
        ("§ 1026.36(d) and comment 36(d)(1)—1.iii.B", ["36(d)(1)-1.iii.B"]),
        ("§ 1026.37(a), Comment\n37(a)(3)-1", ["37(a)(3)-1"]),
        ("12 CFR Part 1026, Supp. I, ¶ 17(c)(1)-1", ["17(c)(1)-1"]),
        ("12 C.F.R. pt. 1026, Supp. I, Paragraph 43(a)-1", ["43(a)-1"]),
        ("Regulation Z, cmts. 43(e)(4)-4 and -5", ["43(e)(4)-4", "43(e)(4)-5"]),
    ],
)
def test_find_comments_however_headed_are_found(text: str, points: list[str]) -> None:
    comments = [one.removeprefix(f"{INTERPRETATIONS}, comment ") for one in found(text) if ", comment " in one]
    assert comments == points


@cases(
    ("text", "canonical"),
    [
        ("Mortgagee Letter (ML) 2021-24", ["Mortgagee Letter 2021-24"]),
        ("MORTGAGEE LETTER 00-05", ["Mortgagee Letter 2000-05"]),
        ("mortgagee letters 96-32 and 97-43", ["Mortgagee Letter 1996-32", "Mortgagee Letter 1997-43"]),
        ("HUD Handbook 4000.1 (II.A.8.i)", ["HUD Handbook 4000.1, II.A.8.i"]),
        ("Handbook 4350.3 REV-1, Chapter 5, Paragraph 5-6", ["HUD Handbook 4350.3 REV-1, Chapter 5, Paragraph 5-6"]),
        ("paragraph 3-2 of HUD Handbook 4330.1", ["HUD Handbook 4330.1, Paragraph 3-2"]),
        ("Handbook 1390.2, Chapter 4", ["HUD Handbook 1390.2, Chapter 4"]),
        ("PIH Notice 2021-14 and Notice H 94-49 (HUD)", ["HUD Notice PIH 2021-14", "HUD Notice H 94-49"]),
        ("Notice PIH 2023–27 (HA)", ["HUD Notice PIH 2023-27"]),
        ("NCUA Letter to Credit Unions 16-CU-08", ["NCUA Letter to Credit Unions 16-CU-08"]),
        ("Regulatory Alert 20-RA-10", ["NCUA Regulatory Alert 20-RA-10"]),
        ("Consumer Financial Protection Circular 2022-06", ["CFPB Circular 2022-06"]),
        ("CFPB Compliance Bulletin 2016-02", ["CFPB Bulletin 2016-02"]),
        ("OCC Bulletin 2013–29 and 2017-21", ["OCC Bulletin 2013-29", "OCC Bulletin 2017-21"]),
        ("SR 13-19/CA 13-21, as OCC examiners use them", ["SR Letter 13-19", "CA Letter 13-21"]),
        ("SR 13-19, a state road", []),
        ("Financial Institution Letter FIL–6–2021", ["FDIC FIL-6-2021"]),
        (
            "FHFA Advisory Bulletin AB 2013-09 and AB 2016-04",
            ["FHFA Advisory Bulletin AB 2013-09", "FHFA Advisory Bulletin AB 2016-04"],
        ),
        ("Servicing Guide Announcement SVC-2021-02", ["Fannie Mae Servicing Guide Announcement SVC-2021-02"]),
        ("Freddie Mac Guide 5401.1(a)", ["Freddie Mac Guide § 5401.1(a)"]),
        ("Docket No. FR–6250–F–02", ["Docket No. FR-6250-F-02"]),
        ("EO 12892 and Exec. Order No. 14,151", ["Exec. Order 12892", "Exec. Order 14151"]),
        ("RIN 2590-AB12 and 3133-AF40", ["RIN 2590-AB12", "RIN 3133-AF40"]),
        ("Handbook 4000.1 at III.A.1.f", ["HUD Handbook 4000.1, III.A.1.f"]),
        ("RD Instruction 1924-A, Exhibit D", ["RD Instruction 1924-A, Exhibit D"]),
    ],
)
def test_find_letters_and_notices_of_agencies_have_one_form(text: str, canonical: list[str]) -> None:
    assert found(text) == canonical


@cases(
    ("text", "canonical"),
    [
        ("HB 1-3555 Attachment 9-A", ["USDA HB-1-3555, Attachment 9-A"]),
        ("Appendix 5 to HB-1-3555", ["USDA HB-1-3555, Appendix 5"]),
        ("HB–1–3555, Chapter 9", ["USDA HB-1-3555, Chapter 9"]),
        ("HB-2-3550, Chapter 5", ["USDA HB-2-3550, Chapter 5"]),
        ("VA Manual M26-4, Chapter 5", ["VA Manual M26-4, Chapter 5"]),
        ("Topic 7, Chapter 4 of VA Pamphlet 26-7", ["VA Pamphlet 26-7, Chapter 4, Topic 7"]),
        (
            "VA Pamphlet 26-7: Topics 1 through 6 of chapter 3",
            ["VA Pamphlet 26-7, Chapter 3, Topic 1", "VA Pamphlet 26-7, Chapter 3, Topic 6"],
        ),
        ("VA loans (M26-7). Chapter 9 of the Lenders Handbook", ["VA Pamphlet 26-7, Chapter 9"]),
        ("Chapter 9 of the Lenders Handbook", []),
    ],
)
def test_find_places_of_handbooks_are_named_with_their_book(text: str, canonical: list[str]) -> None:
    assert found(text) == canonical


@cases(
    ("text", "canonical"),
    [
        ("section\n6102 of\n7 Pa.C.S.", ["7 Pa.C.S. § 6102"]),
        ("sections 404(b) and 406 of 41 P.S.", ["41 P.S. § 404(b)", "41 P.S. § 406"]),
        ("Part 38 of 3 NYCRR", ["3 NYCRR Part 38"]),
        ("Rule 37.86.101,\nARM", ["37.86.101, ARM"]),
        ("La. Admin. Code tit. 10, § 101; LAC 10:XII.301", ["La. Admin. Code tit. 10, § 101", "LAC 10:XII.301"]),
        ("N.M. Stat. Ann. § 58-21-21; 12.19.8.10 NMAC", ["N.M. Stat. Ann. § 58-21-21", "12.19.8.10 NMAC"]),
        ("Section 50(a)(6)(Q), Article XVI, Texas Constitution", ["Texas Const. art. XVI, § 50(a)(6)(Q)"]),
        ("Texas law: Gov't Code § 2001.051", []),
        ("Oregon Laws 2013, chapter 304", ["Laws 2013, ch. 304"]),
        ("Laws of Minnesota 2013, chapter 115", ["Laws 2013, ch. 115"]),
        ("St. 2010, c. 258", ["Laws 2010, ch. 258"]),
        ("MCR 3.411", ["MCR 3.411"]),
        ("14 M.R.S. § 6111(1-A)", ["14 M.R.S. § 6111(1-A)"]),
        ("Cal. Fin. Code, §§ 50000-50706", ["Cal. Fin. Code § 50000", "Cal. Fin. Code § 50706"]),
        ("section 10166.01(b)(1) of the Bus. and Prof. Code", ["Cal. Bus. & Prof. Code § 10166.01(b)(1)"]),
    ],
)
def test_find_state_law_in_its_own_forms_is_whole(text: str, canonical: list[str]) -> None:
    assert found(text) == canonical


@cases(
    ("state", "text", "canonical"),
    [
        (
            "OH",
            "Ohio Adm. Code 1301:8-7-05; sections 1322.01 to 1322.99 of the Revised Code",
            ["Ohio Adm. Code § 1301:8-7-05", "Ohio Rev. Code § 1322.01", "Ohio Rev. Code § 1322.99"],
        ),
        ("NY", "Section 6-m of the Banking Law", ["N.Y. Banking Law § 6-m"]),
        ("TX", "Gov't Code § 2001.051", ["Tex. Gov't Code § 2001.051"]),
        ("WI", "s. 224.77 (1) (m), Stats.", ["Wis. Stat. § 224.77(1)(m)"]),
        ("WI", "under s. 846.101 (2) (c)", ["Wis. Stat. § 846.101(2)(c)"]),
        ("MN", "Minnesota Statutes, chapter 47; section 580.03", ["Minnesota Statutes ch. 47", "Minn. Stat. § 580.03"]),
    ],
)
def test_find_law_of_page_state_is_whole(state: str, text: str, canonical: list[str]) -> None:
    assert found(text, state=state) == canonical
