"""Decisions and rules of courts, as reporters and courts write them; orders and laws of a session."""

from __future__ import annotations

import pytest

from rori_spiders.content.citations import find


def canonical(text: str, **context: str) -> list[str]:
    return [citation.canonical for citation in find(text, context)]


def test_find_decision_in_forms_of_reporters_is_found_whole() -> None:
    forms = {
        "129 Cal.App.4th 123": "129 Cal. App. 4th 123",
        "461 Mich App 123": "461 Mich. App. 123",
        "300 Or App 100": "300 Or. App. 100",
        "74 Mass.App.Ct. 5": "74 Mass. App. Ct. 5",
        "29 I&N Dec 672": "29 I. & N. Dec. 672",
        "47 S.W.2d XI": "47 S.W.2d XI",
        "17A N.Y.2d 7": "17A N.Y.2d 7",
        "160 Me. 240D": "160 Me. 240D",
        "81 Misc 3d 1211(A)": "81 Misc. 3d 1211(A)",
        "2014 IL App (5th) 120583-U": "2014 IL App (5th) 120583-U",
        "2014 OK AG 7": "2014 OK AG 7",
        "2013 ND 85": "2013 ND 85",
        "2012-Ohio-4907": "2012-Ohio-4907",
        "1999-52 Cal. Adv. Legis. Serv. 8": "1999-52 Cal. Adv. Legis. Serv. 8",
        "Fed. Sec. L. Rep. (CCH) ¶ 77,526": "Fed. Sec. L. Rep. (CCH) ¶ 77,526",
        "87 Fed. Reg. 55,287": "87 Fed. Reg. 55287",
        "12 Am. B.R. (N.S.) 345": "12 Am. B.R. (N.S.) 345",
        "55 Fair Empl. Prac. Cas. (BNA) 12": "55 Fair Empl. Prac. Cas. (BNA) 12",
        "11 Cush.(Mass.) 23": "11 Cush. 23",
        "138 Nev., Adv. Op. 4": "138 Nev. Adv. Op. No. 4",
        "12 F. Supp. 3D 345": "12 F. Supp. 3d 345",
        "12 F.4 th 345": "12 F.4th 345",
        "100 Tex. Cr. R. 345": "100 Tex. Crim. 345",
        "12 Haz. Reg. U. S. 345": "12 Haz. U. S. Reg. 345",
    }
    assert {text: canonical(f"See {text}.") for text in forms} == {text: [form] for text, form in forms.items()}


@pytest.mark.parametrize(
    "text",
    [
        "3 Communications, 2026",
        "12 Ohio St 34 Main",
        "5 Mile Road 12",
        "3 West 45",
        "12 Abbotts 34",
        "12 Smith, Jones 345",
        "10 Main St. 1999",
    ],
)
def test_find_near_miss_of_decision_is_none(text: str) -> None:
    assert canonical(text) == []


def test_find_decision_in_short_form_is_the_one_before_or_its_page() -> None:
    text = "Mills, 221 F.2d at 1203. Doe v. Roe, 123 F.3d 400 (9th Cir. 2000). Doe, 123 F.3d at 406."
    assert canonical(text) == ["221 F.2d at 1203", "123 F.3d 400", "123 F.3d 400"]


def test_find_decision_behind_what_looks_like_one_is_found() -> None:
    assert canonical("Level 3 Communications, 2026 Tex. Bus. 8 (1st Div.)") == ["2026 Tex. Bus. 8"]


def test_find_rule_of_court_in_words_and_abbreviated_is_one_form() -> None:
    forms = {
        "Fed. R. Civ. P. 12(b)(6) and 56(c)": ["Fed. R. Civ. P. 12(b)(6)", "Fed. R. Civ. P. 56(c)"],
        "Fed.R.Civ.P. 12(b)(6)": ["Fed. R. Civ. P. 12(b)(6)"],
        "Rules 12 and 56 of the Federal Rules of Civil Procedure": ["Fed. R. Civ. P. 12", "Fed. R. Civ. P. 56"],
        "Federal Rule of Evidence 702": ["Fed. R. Evid. 702"],
        "FRCP 26": ["Fed. R. Civ. P. 26"],
        "Rule 8.5 of the Mississippi Rules of Professional Conduct": ["Miss. R. Prof'l Conduct 8.5"],
        "Rule 10.2, Ariz. R. Crim. P., 16A A.R.S.": ["Ariz. R. Crim. P. 10.2"],
        "California Rules of Court, rule 8.500(b)": ["Cal. R. Ct. 8.500(b)"],
        "ABA Model Rule of Professional Conduct 1.7": ["Model R. Prof'l Conduct 1.7"],
        "N.D.R.App.P. 35.1(a)(2)": ["N.D. R. App. P. 35.1(a)(2)"],
        "Rule 1.7 of the Rules of Professional Conduct": ["R. Prof'l Conduct 1.7"],
    }
    assert {text: canonical(f"See {text}.") for text in forms} == forms


def test_find_rule_of_conduct_in_source_of_state_is_that_of_state() -> None:
    assert canonical("Rule 1.7 of the Rules of Professional Conduct", state="OH") == ["Ohio R. Prof'l Conduct 1.7"]


@pytest.mark.parametrize(
    "text", ["Local Rule of Bankruptcy Procedure 1015", "The Rules of Evidence, 2020 edition", "Rule 5 of the game"]
)
def test_find_rule_of_unknown_owner_is_none(text: str) -> None:
    assert canonical(text) == []


def test_find_orders_rulings_and_laws_of_a_session_are_found() -> None:
    forms = {
        "U.S.S.G. § 2B1.1(b)(1)": "U.S.S.G. § 2B1.1(b)(1)",
        "USSG §3E1.1": "U.S.S.G. § 3E1.1",
        "Revenue Procedure 2019-34": "Rev. Proc. 2019-34",
        "Rev. Rul. 2003-12": "Rev. Rul. 2003-12",
        "IRS Notice 2020-23": "I.R.S. Notice 2020-23",
        "T.D. 9889": "T.D. 9889",
        "H.R. Rep. No. 111-517": "H.R. Rep. No. 111-517",
        "Executive Order N-25-20": "Exec. Order N-25-20",
        "Executive Order 2020-36": "Exec. Order 2020-36",
        "Executive Order 13176": "Exec. Order 13176",
        "2023 Cal. Stat. ch. 5": "2023 Cal. Stat. ch. 5",
        "Laws 2021, chapter 12": "Laws 2021, ch. 12",
        "Chapter 12, Laws of 2019": "Laws 2019, ch. 12",
        "P.L. 2019, c. 120": "Laws 2019, ch. 120",
        "Public Act 102-0012": "Public Act 102-0012",
        "2017 Wisconsin Act 59": "2017 Wisconsin Act 59",
        "Ordinance No. 2023-45": "Ordinance No. 2023-45",
    }
    assert {text: canonical(f"See {text}.") for text in forms} == {text: [form] for text, form in forms.items()}
