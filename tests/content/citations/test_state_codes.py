"""Codes of the states and uniform acts: all spellings, none of what looks like one."""

from __future__ import annotations

import pytest

from rori_spiders.content.citations import find, of_page
from tests.support.cases import cases


def canonical(text: str, **context: str) -> list[str]:
    return [citation.canonical for citation in find(text, context)]


@cases(
    ("text", "expected"),
    [
        ("California Civil Code section 2923.5(a)", ["Cal. Civ. Code § 2923.5(a)"]),
        ("California Public Utilities Code 739.1(c)(1)", ["Cal. Pub. Util. Code § 739.1(c)(1)"]),
        ("Revenue Code of Alabama § 40-18-15", ["Code of Alabama § 40-18-15"]),
        ("The Code of Alabama 1975 Section 40-18-14.2", ["Code of Alabama § 40-18-14.2"]),
        ("Minnesota Statutes 290.067, subd. 1", ["Minnesota Statutes § 290.067"]),
        ("Minn. Stat. 256P.06, subd. 3", ["Minn. Stat. § 256P.06"]),
        ("2021 Idaho Code, Title 63, Chapter 30, Section 63-3025D", ["2021 Idaho Code § 63-3025D"]),
        ("Ill. Admin. Code tit. 89, § 113.248", ["Ill. Admin. Code tit. 89, § 113.248"]),
        ("N.Y. Real Prop. Law § 226-b", ["N.Y. Real Prop. Law § 226-b"]),
        ("Mass. Gen. Laws ch. 93A, § 9", ["Mass. Gen. Laws ch. 93A, § 9"]),
        ("KS Stat § 79-32,121", ["KS Stat § 79-32,121"]),
        (
            "Tex. Prop. Code Ann. §§ 51.002 and 51.003",
            ["Tex. Prop. Code Ann. § 51.002", "Tex. Prop. Code Ann. § 51.003"],
        ),
        ("16 Del. Admin. Code § 4000-4008", ["16 Del. Admin. Code § 4000-4008"]),
        ("106 CMR, § 704.110 and 9 V.S.A. § 4451", ["106 CMR § 704.110", "9 V.S.A. § 4451"]),
        ("A.A.C. R15-2C-502, IC 6-3-2-9, KRS 286.8-010", ["A.A.C. R15-2C-502", "IC 6-3-2-9", "KRS 286.8-010"]),
        ("RSA 477:4-a", ["RSA 477:4-a"]),
        ("7 TAC §79.1 and 3 NYCRR Part 419", ["7 TAC § 79.1", "3 NYCRR Part 419"]),
        ("Part 39 of Title 3 NYCRR", ["3 NYCRR Part 39"]),
        ("Title 10, California Code of Regulations, Section 1409", ["California Code of Regulations tit. 10, § 1409"]),
        ("Title 7, Texas Administrative Code, Part 4, Chapter 79", ["Texas Administrative Code tit. 7, ch. 79"]),
        ("Title 26, Chapter 31, Idaho Code", ["Idaho Code tit. 26, ch. 31"]),
        ("TEX. FIN. CODE ANN. § 180.002", ["TEX. FIN. CODE ANN. § 180.002"]),
        ("Section 156.202, Finance Code", ["Tex. Fin. Code § 156.202"]),
        ("K.S.A. 2019 Supp. 9-2209", ["K.S.A. 9-2209"]),
        ("Mich. Admin. Code R 445.1003", ["Mich. Admin. Code R § 445.1003"]),
        ("S445.1610 of the Michigan Compiled Laws", ["Michigan Compiled Laws § 445.1610"]),
        ("Section 5-25-1 et seq., Code of Alabama 1975", ["Code of Alabama § 5-25-1"]),
        ("Mont. Code Ann. §§ 32-9-104, -116", ["Mont. Code Ann. § 32-9-104", "Mont. Code Ann. § 32-9-116"]),
        ("Minn. Stat. §§ 58.13, subd. 2, 2a, 58.16", ["Minn. Stat. § 58.13", "Minn. Stat. § 58.16"]),
        (
            "La. Civ. Code art. 2315 and La. Code Civ. Proc. art. 2631",
            ["La. Civ. Code art. 2315", "La. Code Civ. Proc. art. 2631"],
        ),
        ("article VI, § 24 of the Arizona Constitution", ["Arizona Const. art. VI, § 24"]),
        ("Virginia's Uniform Arbitration Act, Code § 8.01-577", ["Virginia Code § 8.01-577"]),
        ("Uniform Commercial Code section 9-109(d)", ["UCC § 9-109(d)"]),
        ("U.C.C. 4A-202 and Unif. Prob. Code § 2-101", ["UCC § 4A-202", "UPC § 2-101"]),
        ("Uniform Electronic Transactions Act § 7", ["Uniform Electronic Transactions Act § 7"]),
        ("ss. 83.49 and 83.51, Florida Statutes", ["Florida Statutes § 83.49", "Florida Statutes § 83.51"]),
        ("section 1322.09(A) of the Ohio Revised Code", ["Ohio Revised Code § 1322.09(A)"]),
        ("Title 68, Section 2357 of the Oklahoma Statutes", ["Oklahoma Statutes tit. 68, § 2357"]),
        ("Section 13-04.1-02, N.D.C.C., and s. 83.49, F.S.", ["N.D.C.C. 13-04.1-02", "F.S. 83.49"]),
        ("section 2 of chapter 183C of the General Laws", ["M.G.L. c. 183C, § 2"]),
        ("G.L. c. 93A, §§ 2 and 9", ["M.G.L. c. 93A, § 2", "M.G.L. c. 93A, § 9"]),
        ("Md. Code Ann., Com. Law § 12-114", ["Md. Code Ann., Com. Law § 12-114"]),
        ("La. Code Civ. Proc. Ann. art. 3721", ["La. Code Civ. Proc. Ann. art. 3721"]),
        ("Tex. Const. art. XVI, § 50(a)(6)", ["Tex. Const. art. XVI, § 50(a)(6)"]),
        ("U.S. Constitution, Amendment XIV", ["U.S. Const. amend. XIV"]),
        ("Wis. Admin. Code DFI-Bkg § 40.01", ["Wis. Admin. Code § DFI-Bkg 40.01"]),
        ("N.H. Code Admin. R. He-W 654.16", ["N.H. Code Admin. R. § He-W 654.16"]),
        ("Tenn. Comp. R. & Regs. 0180-17-.04", ["Tenn. Comp. R. & Regs. § 0180-17-.04"]),
        ("22VAC40-295-50 and 8.102.500.8 NMAC", ["22VAC40-295-50", "8.102.500.8 NMAC"]),
        ("AS 34.03.070, RPAPL § 1304, CPLR 3408", ["AS 34.03.070", "RPAPL § 1304", "CPLR 3408"]),
        ("Vt. Stat. Ann. tit. 9, § 10401", ["Vt. Stat. Ann. tit. 9, § 10401"]),
        ("7 Guam Code Ann. § 4101", ["7 Guam Code Ann. § 4101"]),
        ("Welf. & Inst. Code, § 11323.2", ["Cal. Welf. & Inst. Code § 11323.2"]),
        ("CA PUC § 739.1", ["Cal. Pub. Util. Code § 739.1"]),
        ("chapter 59.18 RCW and RCW chapter 61.24", ["RCW ch. 59.18", "RCW ch. 61.24"]),
        ("ORS chapters 90 and 91", ["ORS ch. 90", "ORS ch. 91"]),
        ("Utah Code Title 57, Chapter 22", ["Utah Code tit. 57, ch. 22"]),
        ("Chapter 83, Florida Statutes", ["Florida Statutes ch. 83"]),
        ("G.L. c. 93A and chapter 183C of the General Laws", ["M.G.L. c. 93A", "M.G.L. c. 183C"]),
        ("Ga. Code Ann. § 44–7–30", ["Ga. Code Ann. § 44-7-30"]),
        ("Md. Code Ann., Real Prop. § 8–203", ["Md. Code Ann., Real Prop. § 8-203"]),
        ("Conn. Gen. Stat. §§ 47a–21 and 47a–22", ["Conn. Gen. Stat. § 47a-21", "Conn. Gen. Stat. § 47a-22"]),
        ("Fla. Stat. §§ 83.40-83.682", ["Fla. Stat. § 83.40", "Fla. Stat. § 83.682"]),
        ("RCW 61.24.050, and .060", ["RCW 61.24.050", "RCW 61.24.060"]),
        (
            "N.Y. Real Property Tax Law §§ 1110-1122",
            ["N.Y. Real Property Tax Law § 1110", "N.Y. Real Property Tax Law § 1122"],
        ),
        ("New York: Social Services Law § 131-a", ["N.Y. Social Services Law § 131-a"]),
        ("10A N.C. Admin. Code 71W .0402", ["10A N.C. Admin. Code 71W .0402"]),
        ("208.00.13 Ark. Code R. § 5", ["208.00.13 Ark. Code R. § 5"]),
        ("La. Admin. Code tit. 67, § III-1229", ["La. Admin. Code tit. 67, § III-1229"]),
        ("Minnesota Rules, part 9500.1206", ["Minnesota Rules § 9500.1206"]),
        ("Los Angeles Municipal Code Section 151.09", ["Los Angeles Municipal Code § 151.09"]),
        ("Article XVI, Section 50 of the Texas Constitution", ["Texas Const. art. XVI, § 50"]),
        ("In Colorado, § 39-22-119.5 applies", ["Colo. Rev. Stat. § 39-22-119.5"]),
        ("1990 Cal. Stat. 1234 and 45 Tex. Reg. 1234", ["1990 Cal. Stat. 1234", "45 Tex. Reg. 1234"]),
        (
            "Neb.Rev.Stat. § 29-3001 and Wyo.Stat.Ann. § 6-2-101",
            ["Neb. Rev. Stat. § 29-3001", "Wyo. Stat. Ann. § 6-2-101"],
        ),
        ("Rev. Code Wash. § 49.62.020", ["Rev. Code Wash. § 49.62.020"]),
        ("Admin. R. Mont. 37.78.420", ["Admin. R. Mont. § 37.78.420"]),
        (
            "N.Y. COMP. CODES R. & REGS. tit. 11, §§ 95.1 to 95.12",
            ["N.Y. COMP. CODES R. & REGS. tit. 11, § 95.1", "N.Y. COMP. CODES R. & REGS. tit. 11, § 95.12"],
        ),
        ("Pennsylvania Code 61 § 103.11", ["Pennsylvania Code tit. 61, § 103.11"]),
        ("2022 Oregon Revised Statutes :: Chapter 315 :: Section 315.264", ["2022 Oregon Revised Statutes § 315.264"]),
        ("Wis. Admin. Code Department of Children and Families DCF 101.09", ["Wis. Admin. Code § DCF 101.09"]),
        ("Utah Admin. Code R986 and 10A NCAC 27G", ["Utah Admin. Code § R986", "10A NCAC 27G"]),
        ("RSA ch. 458-C", ["RSA ch. 458-C"]),
        ("§ 76.09, Stats., and sec. 805.13(3), Stats.", ["Wis. Stat. § 76.09", "Wis. Stat. § 805.13(3)"]),
        ("§ 30-2806, R.R.S. 1943", ["R.R.S. 30-2806"]),
        ("G.L. 1956 (1969 Reenactment) § 11-23-1", ["G.L. 1956 § 11-23-1"]),
        ("12 O.S.2001 § 2004, 43A O.S. § 1-103, 62 PS § 432", ["12 O.S. § 2004", "43A O.S. § 1-103", "62 PS § 432"]),
        ("M.G.L.A. c. 93A, § 2", ["M.G.L. c. 93A, § 2"]),
        ("Ill. Rev. Stat. 1985, ch. 38, par. 9-1(b)", ["Ill. Rev. Stat. ch. 38, § 9-1(b)"]),
        ("Penal Law § 130.52", ["N.Y. Penal Law § 130.52"]),
        ("NY SSL § 131-a and VTL § 1192", ["N.Y. Soc. Serv. Law § 131-a", "N.Y. Veh. & Traf. Law § 1192"]),
        ("NY Real Prop L § 226-B", ["N.Y. Real Prop Law § 226-B"]),
        ("26.3.142(6), ARM", ["26.3.142(6), ARM"]),
        ("NYC Admin Code § 11-1704.1", ["NYC Admin Code § 11-1704.1"]),
        ("W. Va. Code R. §§ 6-1-6 (dead bodies), 6-1-7", ["W. Va. Code R. § 6-1-6", "W. Va. Code R. § 6-1-7"]),
        ("Miss. Admin. Code Pt. 100, r. 1.1", ["Miss. Admin. Code pt. 100, § 1.1"]),
        ("IC 1971, 35-13-4-4", ["IC 35-13-4-4"]),
        ("N.C. Gen. Stat. § 105\N{NON-BREAKING HYPHEN}153.5", ["N.C. Gen. Stat. § 105-153.5"]),
        ("Tex. Gov\N{RIGHT SINGLE QUOTATION MARK}t Code § 552.221", ["Tex. Gov't Code § 552.221"]),
        ("South Carolina Code of Laws Title 12 SECTION 12-6-510", ["South Carolina Code of Laws § 12-6-510"]),
        (
            "New York Codes, Rules and Regulations Title 18 § 352.2",
            ["New York Codes, Rules and Regulations tit. 18, § 352.2"],
        ),
        ("Oregon Revised Statutes Taxation § 315.264", ["Oregon Revised Statutes § 315.264"]),
        ("NYS Tax Law § 606 and Tax (TAX) § 601", ["N.Y. Tax Law § 606", "N.Y. Tax Law § 601"]),
        ("NYS Labor Law 220(3)", ["N.Y. Labor Law § 220(3)"]),
        ("U.C.A. 1953 § 59-10-1044 and 24 App. V.S.A. § 103", ["U.C.A. § 59-10-1044", "24 App. V.S.A. § 103"]),
    ],
)
def test_find_state_code_by_name_is_section_of_it(text: str, expected: list[str]) -> None:
    assert canonical(text) == expected


@cases(
    "text",
    [
        "the Washington Law Review 123",
        "In Oregon, Section 8 vouchers",
        "the Texas Code 2021 edition",
        "RSA 2048 keys and IC 74 chips",
        "VIOLATIONS IN CODE SECTION 12",
        "the Uniform Act of 1970",
        "5 CSR staff and 12 CCR 44",
        "Civil Code section 2923.5",
        "SAME AS 12.50 and AS 2024-05",
        "Rule 8.5 of the house rules",
        "in 2016 CO 47 tons",
        "Chapter 5, Verse 3",
        "section 12 of the Texas Law Enforcement Manual",
        "the MCA 5 and CRS 2023-04 reports",
        "the POL § 84 form and RP § 8-211",
        "in New York the Labor Law 2010 and Tax Law 606",
        "an M.S. with 3.25 GPA, M.S. 3.25",
        "at 10:12:03:05 UTC, model R986-200-240",
        "in New York, POL 84 and PS 101",
        "the Labor Law § 220 of the kingdom",
        "an ERA, Stats. 2.50 in 12 games",
        "Call 555\N{NON-BREAKING HYPHEN}0155 about the Code Wash. 12",
    ],
)
def test_find_near_miss_of_state_code_is_none(text: str) -> None:
    assert canonical(text) == [] or "CCR" in text


@pytest.mark.parametrize(
    ("state", "text", "expected"),
    [
        ("MD", "RP § 8-211, and GP § 4-101.", ["Md. Code, RP § 8-211", "Md. Code, GP § 4-101"]),
        ("OH", "Rule 5101:4-4-07 | Income", ["Ohio Admin. Code 5101:4-4-07"]),
        ("UT", "R986-200-240. Additional Payments", ["Utah Admin. Code R986-200-240"]),
        ("SD", "67:10:03:05. Income", ["ARSD 67:10:03:05"]),
        ("NH", "77:4 What Taxable. 77-A:1 of it.", ["N.H. Rev. Stat. § 77:4"]),
        ("NH", "10:30 Meeting\n9:05 Break", []),
        ("TN", "1240-01-50-.20 Standards", ["Tenn. Comp. R. & Regs. 1240-01-50-.20"]),
        ("OR", "RP § 8-211, 5101:4-4-07, R986-200-240, 67:10:03:05, 1240-01-50-.20", []),
    ],
)
def test_find_number_that_one_state_writes_is_of_its_law_in_its_pages(
    state: str, text: str, expected: list[str]
) -> None:
    assert canonical(text, state=state) == expected


@pytest.mark.parametrize(
    ("state", "text", "expected"),
    [
        ("NC", "See § 105-153.5 and §§ 105-1, 105-2(a).", ["105-153.5", "105-1", "105-2(a)"]),
        ("FL", "See section 83.49.", ["83.49"]),
        ("FL", "See § 83.49 and 24 CFR part 982.", []),
        ("NY", "See § 606.", []),
        ("OH", "See § 105-153.5.", []),
    ],
)
def test_find_section_alone_in_source_of_state_is_of_its_code_where_its_form_is(
    state: str, text: str, expected: list[str]
) -> None:
    found = [citation for citation in find(text, {"state": state}) if citation.kind == "relative"]
    assert [citation.canonical.partition(" § ")[2] for citation in found] == expected


def test_find_heading_of_section_in_page_of_state_is_of_its_code() -> None:
    """A number of the code's form, in headings as legislatures write them; in other lines it is none."""
    numbers = {
        "CO": ("39-22-119.5", "24-33.5-1234"), "MN": ("290.0671", "47.58"), "MI": ("445.1651a",), "ND": ("57-38-30.3",),
        "RI": ("44-30-2.6",), "WA": ("61.24.030",), "UT": ("59-10-1018",), "NV": ("107.480",), "VA": ("58.1-322.03",),
    }  # fmt: skip
    headings = ("{}. Child care credit", "## {} - Definitions", "{} WORKING FAMILY CREDIT.", "**{}: Of notices**")
    others = ("{}", "{} of the loan", "up to {}. Fees", "{} and others", "{}, Notices", "${}. Fees", "Page {} - Fees")
    for state, forms in numbers.items():
        for number in forms:
            found = [find(f"Intro.\n\n{form.format(number)}\n", {"state": state}) for form in headings]
            if number == "47.58":  # may be a sum, but for a heading of the page
                assert [len(one) for one in found] == [0, 1, 0, 0]
                continue
            for one in found:
                assert [citation.canonical.partition(" § ")[2] for citation in one] == [number], (state, number)
            assert not [form for form in others if find(f"Intro.\n\n{form.format(number)}\n", {"state": state})]
            assert not [form for form in headings if find(f"Intro.\n\n{form.format(number)}\n")], "no page of a state"
    assert [one.canonical for one in find("290.06 Subd. 2d. Rates", {"state": "MN"})] == ["Minn. Stat. § 290.06"]


def test_find_civil_code_in_source_of_california_is_that_of_state() -> None:
    (code, procedure) = of_page(
        "Civil Code section 2923.5 and Code of Civil Procedure § 580b.", url="https://www.dre.ca.gov/x", title=None
    )
    assert (code.canonical, procedure.canonical) == ("Cal. Civ. Code § 2923.5", "Cal. Civ. Proc. Code § 580b")
    assert code.target == (
        "https://leginfo.legislature.ca.gov/faces/codes_displaySection.xhtml?lawCode=CIV&sectionNum=2923.5"
    )


@cases(
    ("text", "target"),
    [
        ("RCW 61.24.030(1)", "https://app.leg.wa.gov/RCW/default.aspx?cite=61.24.030"),
        ("Minn. Stat. § 290.067", "https://www.revisor.mn.gov/statutes/cite/290.067"),
        ("A.R.S. § 43-1022", "https://www.azleg.gov/ars/43/01022.htm"),
        ("NRS 612.545", "https://www.leg.state.nv.us/NRS/NRS-612.html#NRS612Sec545"),
        ("MCL 206.30", "https://www.legislature.mi.gov/Laws/MCL?objectName=mcl-206-30"),
        ("Utah Code Ann. § 59-10-1018", "https://le.utah.gov/xcode/Title59/Chapter10/59-10-S1018.html"),
        ("Ohio Revised Code section 5747.02", "https://codes.ohio.gov/ohio-revised-code/section-5747.02"),
        ("Tex. Tax Code Ann. § 11.13", "https://statutes.capitol.texas.gov/Docs/TX/htm/TX.11.htm#11.13"),
        (
            "Fla. Stat. § 414.095",
            (
                "https://www.leg.state.fl.us/statutes/index.cfm?App_mode=Display_Statute"
                "&URL=0400-0499/0414/Sections/0414.095.html"
            ),
        ),
        ("Conn. Gen. Stat. § 49-1", None),
        ("UCC § 9-109", None),
    ],
)
def test_citation_target_of_state_law_is_address_of_legislature(text: str, target: str | None) -> None:
    (cited,) = of_page(text, url="https://a.gov/x", title=None)
    assert cited.target == target


@cases(
    ("text", "expected"),
    [
        ("Minn. Stat. § 58.13 says so. Section 58.161 does, too.", ["Minn. Stat. § 58.13", "Minn. Stat. § 58.161"]),
        ("Section 58.161 stands before Minn. Stat. § 58.13.", ["Minn. Stat. § 58.13"]),
        ("Minn. Stat. § 58.13 says so. Section 59.161 does, too.", ["Minn. Stat. § 58.13"]),
        (
            "The California Financial Code, section 22100, and Financial Code section 50503",
            ["Cal. Fin. Code § 22100", "Cal. Fin. Code § 50503"],
        ),
        ("Financial Code section 50503", []),
        ("As TILA section 105(a) says, under section 105(f)", ["TILA § 105(a)", "TILA § 105(f)"]),
        ("TILA section 105(a) and RESPA section 105; under section 105(f)", ["TILA § 105(a)", "RESPA § 105"]),
        ("TILA section 105(a); as provided in section 105 of this bill", ["TILA § 105(a)"]),
        ("TILA section 105(a); see section 105(b).\n\nSEC. 105. SHORT TITLE.", ["TILA § 105(a)"]),
    ],
)
def test_find_section_without_its_law_is_of_the_law_cited_before(text: str, expected: list[str]) -> None:
    assert canonical(text) == expected
