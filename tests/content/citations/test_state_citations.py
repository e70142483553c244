"""Statutes and rules of every state in their own and in the Bluebook's forms: a table, and what looks like one."""

from __future__ import annotations

from pathlib import Path

from rori_spiders.content.citations import find, of_page
from rori_spiders.content.citations.state_names import STATES

TERRITORIES = {"AS", "GU", "MP", "VI"}
WITHOUT_A_CODE_OF_RULES = {"PR", "VI"}
FRAMES = ("{}", "A provider must comply with {} before it bills.", "(see {}; other law)")
ROWS = [
    line.split("\t")
    for line in (Path(__file__).parent / "state_citations.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
NEAR_MISSES = (
    "Part No. 12-345-678 fits", "Call 404-120-0000 or (410) 120-0000 today.", "Call 1-800-555-0155, MCA of Boston",
    "on 10-12-2024, MCA students", "on 2024-05-17, MCA met", "by 12-31-24, ORS staff", "MRSA 100 isolates",
    "22 MRSA cases in 2020", "the R. 12 locomotive", "Minn. R. pt. of it", "Rule 10-2 of the club",
    "rule 12-3-45 of the house", "chapter 12 of the General Store", "7 CAR 200", "Model UAC 200-10", "the UAC R2 unit",
    "the Real Property Article in Maryland's paper", "Health Article 12-3", "RCSA 12-13 games", "186 O.A.C. 201",
    "10 CCR 5 songs", "Zip 12345-6789", "at 10:49-1.1 in the race", "12CSR bricks", "Wis. Adm. Code of honor",
    "the DHS 104 form", "Form 441-75.1", "see page 441—75 for it", "from 100—75.1 percent", "a score of 105—75.1",
    "Lot 53-6-101 of the plat", "SKU 10A-22J.0101", "Gen. Lawson c. 93", "Gen. Laws and others", "MGL 2020 report",
    "Title 22, section heading", "IC 12 and IC-7300", "1 TAC members", "AS 9100 and AS 9.1", "R.S.V.P. 54:4",
    "version 8.302.1.10", "IP 10.09.36.03", "64 C.S.R. stores", "A.R.M. 64 chips", "NMIAC members 10",
    "A.S.A.C. Bob, 11", "La. C.C. campus", "H.A.R. 2020 plan", "20 CAR racing teams", "10 GAR fish",
    "NJAC 5 members", "phone 5160-1-17", "Section 44 of the 1976 Constitution", "1,234-5, MCA",
)  # fmt: skip


def test_state_citations_table_has_statutes_and_rules_of_every_state() -> None:
    states = {state.postal for state in STATES} | TERRITORIES
    assert {(state, kind) for state, kind, *_ in ROWS} == {
        *((state, "statute") for state in states),
        *((state, "rule") for state in states - WITHOUT_A_CODE_OF_RULES),
    }


def test_find_state_citation_in_each_form_is_one_with_its_canonical_form() -> None:
    wrong = []
    for _, _, text, canonical, _ in ROWS:
        for frame in FRAMES:
            found = [one.canonical for one in find(frame.format(text))]
            if found != [canonical]:
                wrong.append((frame.format(text), found))
    assert wrong == []


def test_citation_target_of_each_state_citation_is_official_address_where_one_follows() -> None:
    wrong = []
    for _, _, text, _, address in ROWS:
        (cited,) = of_page(text, url="https://a.gov/x", title=None)
        if (cited.target or "-") != address:
            wrong.append((text, cited.target))
    assert wrong == []


def test_find_number_that_is_no_law_of_a_state_is_none() -> None:
    assert [(text, found) for text in NEAR_MISSES if (found := find(text))] == []


def test_find_code_that_a_state_calls_by_no_name_is_its_own_in_its_pages() -> None:
    for state, text, expected in (
        ("CT", "General Statutes § 17b-261", "Conn. Gen. Stat. § 17b-261"),
        ("NH", "chapter 458-C of the Revised Statutes Annotated", "N.H. Rev. Stat. Ann. ch. 458-C"),
        ("OH", "Chapter 5160-1 of the Administrative Code", "Ohio Admin. Code ch. 5160-1"),
    ):
        assert [one.canonical for one in find(text, {"state": state})] == [expected]
        assert find(text) == []


def test_find_lists_of_rules_are_one_citation_each() -> None:
    for text, expected in (
        ("OAR 410-120-0000 and 410-120-0006", ["OAR 410-120-0000", "OAR 410-120-0006"]),
        (
            "ss. DHS 104.01 and 104.02, Wis. Adm. Code",
            ["Wis. Admin. Code § DHS 104.01", "Wis. Admin. Code § DHS 104.02"],
        ),
        (
            "§§ 15-103 and 15-105 of the Health - General Article, Annotated Code of Maryland",
            ["Md. Code Ann., Health-General § 15-103", "Md. Code Ann., Health-General § 15-105"],
        ),
        ("907 KAR 1:604, Section 2(1), and 907 KAR 1:605", ["907 KAR 1:604, § 2(1)", "907 KAR 1:605"]),
    ):
        assert [one.canonical for one in find(text)] == expected
