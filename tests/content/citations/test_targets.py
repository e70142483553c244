"""Where the publisher keeps what is cited, and where a page itself stands."""

from __future__ import annotations

import pytest

from rori_spiders.content.citations import find, of_page
from rori_spiders.content.citations.context import home_of
from rori_spiders.content.citations.target_urls import target_of
from tests.support.cases import cases

ECFR = "https://www.ecfr.gov/current/"


@cases(
    ("text", "target"),
    [
        ("12 CFR 1024.5(b)(1)", ECFR + "title-12/section-1024.5"),
        ("12 CFR part 1026, subpart C", ECFR + "title-12/part-1026/subpart-C"),
        ("12 CFR part 1026, Supplement I", ECFR + "title-12/part-1026"),
        ("12 CFR chapter X", ECFR + "title-12/chapter-X"),
        ("Regulation Z", ECFR + "title-12/part-1026"),
        ("the Board's Regulation Z", ECFR + "title-12/part-226"),
        ("15 U.S.C. 1681s-2(a)", "https://www.govinfo.gov/link/uscode/15/1681s-2"),
        ("42 U.S.C. 3601 et seq.", "https://www.govinfo.gov/link/uscode/42/3601"),
        ("Public Law 111-203, section 1411", "https://www.govinfo.gov/link/plaw/111/public/203"),
        ("Pub. L. 93-533", None),
        ("124 Stat. 1376", "https://www.govinfo.gov/link/statute/124/1376"),
        ("48 Stat. 1246", None),
        ("88 FR 12345", "https://www.federalregister.gov/citation/88-FR-12345"),
        ("58 FR 17165", None),
        ("Executive Order 13563", "https://www.federalregister.gov/executive-order/13563"),
        ("Executive Order 11246", None),
        ("Docket No. CFPB-2023-0010", "https://www.regulations.gov/docket/CFPB-2023-0010"),
        ("Docket No. FR-5776-P-01", None),
        ("RIN 3170-AA98", None),
        ("Mortgagee Letter 2023-05", None),
    ],
)
def test_citation_target_follows_from_citation_or_is_none(text: str, target: str | None) -> None:
    [citation] = find(text)
    assert target_of(citation) == target


@cases(
    ("url", "title", "home"),
    [
        (ECFR + "title-12/section-1024.5", None, {"title": "12 CFR", "section": "1024.5"}),
        (
            ECFR + "title-12/chapter-X/part-1024/subpart-B#p-1",
            "eCFR",
            {"title": "12 CFR", "part": "1024", "subpart": "B"},
        ),
        (
            "https://www.consumerfinance.gov/rules-policy/regulations/1024/5/",
            None,
            {"title": "12 CFR", "part": "1024", "section": "1024.5"},
        ),
        ("https://www.law.cornell.edu/uscode/text/15/1681s-2", None, {"title": "15 USC", "section": "1681s-2"}),
        ("https://a.gov/x", "12 CFR § 1024.5 - Coverage", {"title": "12 CFR", "section": "1024.5"}),
        ("https://a.gov/x", "eCFR :: 12 CFR Part 1024 -- RESPA", {"title": "12 CFR", "part": "1024"}),
        ("https://a.gov/x", "12 U.S. Code § 2601 - Findings", {"title": "12 USC", "section": "2601"}),
        ("https://a.gov/x", "Bureau amends 12 CFR 1024.5", {}),
        ("https://a.gov/x", "10 things to know about § 1024.5", {}),
        ("https://www.federalreserve.gov/x", None, {"agency": "FRB"}),
    ],
)
def test_citation_page_place_comes_from_url_or_title(url: str, title: str | None, home: dict[str, str]) -> None:
    assert home_of(url, title) == home


def cited(text: str, url: str, title: str | None = None) -> list[str]:
    return [citation.canonical for citation in of_page(text, url=url, title=title)]


def test_citation_this_section_is_that_of_heading_above() -> None:
    text = (
        "# Part 1024\n\nThis part applies.\n\n## § 1024.5 Coverage\n\nParagraph (a)(1) of this section; this section."
        "\n\n### Notes\n\nSee this section.\n\n## § 1024.6 Booklets\n\nParagraph (b) of this section.\n\n"
        "## Appendix A\n\nAs this section says.\n"
    )
    five, six = "12 C.F.R. § 1024.5", "12 C.F.R. § 1024.6"
    assert cited(text, ECFR + "title-12/part-1024") == [
        "12 C.F.R. Part 1024",
        "12 C.F.R. Part 1024",
        five,
        f"{five}(a)(1)",
        five,
        five,
        six,
        f"{six}(b)",
        "12 C.F.R. Part 1024, Appendix A",
    ]


def test_citation_section_of_code_is_that_of_page() -> None:
    assert cited(
        "As defined in subsection (a) of this section.", "https://www.law.cornell.edu/uscode/text/12/2602"
    ) == ["12 U.S.C. § 2602(a)"]


@pytest.mark.parametrize("title", ["10 things to know", "2 CFPB rules"])
def test_citation_number_in_title_is_not_title_of_code(title: str) -> None:
    assert cited("See § 1026.43(c).", "https://a.gov/x", title) == ["12 C.F.R. § 1026.43(c)"]


def test_citation_page_naming_freddie_mac_still_cites_bureau() -> None:
    text = "Freddie Mac buys loans under Guide Section 5401.2. See § 1002.5. See also § 4201.1."
    assert cited(text, "https://a.gov/x") == [
        "Freddie Mac Guide § 5401.2",
        "12 C.F.R. § 1002.5",
        "Freddie Mac Guide § 4201.1",
    ]
