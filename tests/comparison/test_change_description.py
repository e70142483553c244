"""Edits of a rule's text: what kind of change each is, how much it matters, and by which rule."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING

import pytest

from rori_spiders.comparison.change_description import KINDS, amended_parts, cited_part, describe_difference
from rori_spiders.comparison.change_report import change_sentence
from rori_spiders.comparison.importance import Importance, importance_rules
from rori_spiders.content.changes.compare import compare
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.pages import change_records, page_history
from rori_spiders.ledger.pages.page_history import VersionRow
from tests.ledger.factories import RUN, SOURCE, a_run, a_version, at
from tests.support.cases import cases

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy import Connection

URL = "https://www.consumerfinance.gov/rules-policy/regulations/1024/17/"
TEXT = """# § 1024.17 Escrow accounts

General. This section sets out the rules for escrow accounts.

(c) A servicer must not hold more than one-sixth of the payments within 60 days of the transfer.

(d) A fee of $100 is charged, or 2 percent of the balance.

## Definitions

*Escrow account* means an account that a servicer controls for a borrower.

## Table of fees

| Year | Pages |
|---|---|
| 2025 | 12 |

## Contact

For help, call 202-555-1234 or read [the guide](https://example.gov/guide).

The Bureau thanks everybody who wrote to it about the rule.
"""


def _version(seq: int, **other: object) -> VersionRow:
    return VersionRow(page_id=1, seq=seq, **asdict(a_version("a", **other)))


def _describe(new_text: str, old_text: str = TEXT) -> tuple[str, str, str]:
    found = describe_difference(
        compare(old_text, new_text), _version(1), _version(2), URL, old_words=len(old_text.split())
    )
    return found.kind, found.importance.word, found.details["rules"][0]


@cases(
    ("old", "new", "expected"),
    [
        ("Last updated: July 1, 2026", "Last updated: July 2, 2026", ("low", "page_stamp")),
        ("This page was last reviewed on May 3.", "This page was last reviewed on May 9.", ("low", "page_stamp")),
        ("Date modified: 2026-07-01", "Date modified: 2026-07-02", ("low", "page_stamp")),
        ("You are visitor number 10,411.", "You are visitor number 98,120.", ("low", "page_counter")),
        ("12 people found this page helpful.", "15 people found this page helpful.", ("low", "page_counter")),
        # The same words in a sentence of the rule are none of it.
        ("The list is updated by July 1, 2026.", "The list is updated by July 2, 2026.", ("medium", "figure")),
        ("Each creditor counts 10 visitors.", "Each creditor counts 20 visitors.", ("medium", "figure")),
        ("Reviewed within 30 days.", "Reviewed within 45 days.", ("high", "deadline")),
    ],
)  # fmt: skip
def test_description_stamp_or_counter_of_page_is_of_low_importance(
    old: str, new: str, expected: tuple[str, str]
) -> None:
    assert _describe(f"{TEXT}\n{new}\n", f"{TEXT}\n{old}\n")[1:] == expected


@pytest.mark.parametrize(
    "line",
    [
        "Last updated: June 22, 2026",
        "You are visitor number 34,993.",
        "3,112 views",
        "Registered users online: 29",
        "Reviewed by the web team 13 Jun 2026",
    ],
)
def test_description_stamp_or_counter_that_came_is_of_low_importance(line: str) -> None:
    assert _describe(f"{TEXT}\n{line}\n")[1] == "low"
    assert _describe(TEXT, f"{TEXT}\n{line}\n")[1] == "low"


def test_description_title_that_speaks_of_compliance_makes_no_deadline() -> None:
    old = "# Compliance manual 138\n\nEach creditor counts 10 visitors.\n"
    assert _describe(old.replace("10", "20"), old)[1:] == ("medium", "figure")
    old = old.replace("# Compliance manual 138", "# Compliance dates")
    assert _describe(old.replace("10", "20"), old)[1:] == ("medium", "figure")
    old = old.replace("Each creditor counts 10 visitors", "Mandatory compliance begins on July 1, 2027")
    assert _describe(old.replace("July 1", "July 9"), old)[1:] == ("high", "deadline")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("Cases open in July 2026: 4,100.", "Cases open in August 2026: 3,900.", ("low", "recurring")),
        ("Cases open in July 2026: 4,100.", "Cases closed in July 2026: 4,100.", ("medium", "wording")),
        ("Pay within 30 days.", "Pay within 60 days.", ("high", "deadline")),
    ],
)
def test_description_of_line_that_changes_each_time_is_low_unless_it_binds(
    before: str, after: str, expected: tuple[str, str]
) -> None:
    def describe(old: str, new: str, restless: list[str]) -> tuple[str, str, list[str]]:
        found = describe_difference(
            compare(f"{TEXT}\n{old}\n", f"{TEXT}\n{new}\n"),
            _version(1), _version(2), URL, old_words=100, restless=restless,
        )  # fmt: skip
        return found.importance.word, found.details["rules"][0], found.details["lines"]

    lines = describe("Cases open in May 2026: 4,000.", "Cases open in June 2026: 4,200.", [])[2]
    lines += describe("Pay within 10 days.", "Pay within 30 days.", [])[2]
    assert describe(before, after, lines)[:2] == expected


@cases(
    ("old", "new", "expected"),
    [
        ("{} 4 copies{}", "{} 6 copies{}", ("high", "figure_in_sentence")),
        ("{} each copy{}", "{} any copy{}", ("high", "scope")),
        ("{} each copy{}", "{} each carbon copy{}", ("medium", "wording")),
        ("{} four copies or a list{}", "{} five copies and a list{}", ("high", "scope")),
    ],
)  # fmt: skip
def test_description_figure_or_scope_in_a_sentence_is_of_high_importance_until_it_recurs(
    old: str, new: str, expected: tuple[str, str]
) -> None:
    sentence = ("The servicer sends", " of the statement to the borrower at the end.")
    before, after = (f"{TEXT}\n{text.format(*sentence)}\n" for text in (old, new))
    assert _describe(after, before)[1:] == expected
    restless = describe_difference(compare(before, after), _version(1), _version(2), URL, old_words=100).details[
        "lines"
    ]
    again = describe_difference(compare(before, after), _version(1), _version(2), URL, old_words=100, restless=restless)
    assert again.details["rules"] == ["recurring"]


@cases(
    ("line", "expected"),
    [
        ("For questions call (855) 411-2372.", ("low", "contact_line")),
        ("E-mail the office: help@example.gov", ("low", "contact_line")),
        ("You must call (855) 411-2372 within a day.", ("high", "deadline")),
        ("Read more about homeownership counseling.", ("low", "invitation")),
        ("[Subscribe to our newsletter](/news/7)", ("low", "invitation")),
        ("See the section on escrow accounts.", ("medium", "wording")),
        ("Reading of the rule is encouraged.", ("medium", "wording")),
    ],
)  # fmt: skip
def test_description_contact_or_invitation_that_came_is_low_unless_it_binds(
    line: str, expected: tuple[str, str]
) -> None:
    assert _describe(f"{TEXT}\n{line}\n")[1:] == expected


@cases(
    ("heading", "line", "expected"),
    [
        ("Term of the day", "Fees and charges: see our glossary for $5 terms.", ("medium", "rotating_box")),
        ("Term of the day", "Fees and charges: you must pay $5.", ("high", "duty_added_or_removed")),
        ("Tips", "A creditor shall keep each notice for 25 months.", ("high", "duty_added_or_removed")),
        ("Recent releases", "| 07/09/2026 | Agency awards $98.7 million |", ("low", "headlines")),
        ("Releases", "| 07/09/2026 | Agency awards $98.7 million |", ("high", "amount")),
        ("Scope", '"They explained every fee," says a veteran who closed within 30 days.', ("medium", "quotation")),
        ("Scope", '"They answered within 24 hours." Renter, Boise', ("medium", "quotation")),
        ("Scope", '"Servicer," in this guide, means whoever receives a payment.', ("high", "definition")),
        ("Scope", '"You can cancel within 3 days." - Model Form H-8', ("high", "deadline")),
        ("Scope", "July 9, 2026. A couple saved $312 a month. Read the full story.", ("medium", "dated_teaser")),
        ("Scope", "July 9, 2026. Lenders must report $312. Read the full notice.", ("high", "duty_added_or_removed")),
        ("Scope", "Latest action: Creek Title, restitution $48,210 (07/22/2026)", ("medium", "latest_line")),
        ("Scope", "Latest rule: the fee is $48 for each loan.", ("high", "amount")),
        ("Scope", "Complaints received this month: 9,707. Closed within 15 days: 88%.", ("medium", "service_figure")),
        ("Scope", "Complaints received must be closed within 15 days.", ("high", "deadline")),
        ("Scope", "We are now reviewing forms received on or before July 5, 2026.", ("medium", "service_figure")),
        ("Scope", "The portal will be unavailable from Friday to Monday for 3 business days.", ("medium", "outage")),
        ("Scope", "Where a system is unavailable, lenders file within 3 business days.", ("high", "deadline")),
        ("Scope", "Beware of letters that say you are required to pay.", ("medium", "fraud_warning")),
        ("Scope", "A servicer must tell us of scammers within 3 days.", ("high", "deadline")),
        ("Scope", "You must be registered to attend the meeting.", ("medium", "registration")),
        ("Scope", "You must be registered to broker loans.", ("high", "duty_added_or_removed")),
        ("Scope", "| July 9, 2026 | Office hours of the team | $76 |", ("medium", "event_row")),
        ("Scope", "| January 1, 2027 | Limit for one unit | $806,500 |", ("high", "amount")),
        ("§ 1024.8 Scope", "| July 9, 2026 | Office hours of the team | $76 |", ("high", "amount")),
    ],
)  # fmt: skip
def test_description_line_of_a_site_that_came_is_not_high_unless_it_binds(
    heading: str, line: str, expected: tuple[str, str]
) -> None:
    table = "| Date | Title |\n|---|---|\n" if line.startswith("|") else ""
    old = f"# Guide\n\nThis guide is for servicers.\n\n## {heading}\n\n{table}"
    assert _describe(f"{old}{line}\n", old)[1:] == expected


def test_restless_lines_are_those_of_each_of_the_last_three_changes(changed_lines: Connection) -> None:
    assert change_records.restless_lines(changed_lines, 1, 5) == {"b"}
    assert change_records.restless_lines(changed_lines, 1, 4) == set()


def test_restless_lines_of_a_page_that_changes_once_a_year_are_none(changed_lines: Connection) -> None:
    last = a_version("f", captured_at=at(days=change_records.RESTLESS_DAYS + 1))
    page_history.add_version(changed_lines, 1, last, body_chars=1)
    assert change_records.restless_lines(changed_lines, 1, 6) == set()


def test_details_of_site_are_in_the_order_of_captures_and_of_that_time(changed_lines: Connection) -> None:
    row = {"points": 0, "rules": [], "shape": "", "edit": "", "publication": "x", "page_id": 1}
    sites = (("a.gov", 4), ("a.gov", 3), ("b.gov", 5))
    change_records.add_weights(changed_lines, [{**row, "site": site, "seq": seq} for site, seq in sites])
    found = change_records.list_details_of_site(changed_lines, "a.gov", at(3), at(9))
    assert [(page, details["lines"]) for page, _, details in found] == [(1, ["b"]), (1, ["b", "c"])]
    assert not list(change_records.list_details_of_site(changed_lines, "a.gov", at(5), at(9)))


@pytest.fixture
def changed_lines(tmp_path: Path) -> Iterator[Connection]:
    """A page whose second to fourth version changed lines a and b, b, and b and c."""
    with closing(open_ledger(str(tmp_path / "ledger.db"))) as ledger, ledger.begin() as conn:
        a_run(conn, RUN)
        page = page_history.ensure_page(conn, SOURCE, URL, now=at(0))
        for seq, lines in enumerate(([], ["a", "b"], ["b"], ["b", "c"], ["b"]), start=1):
            page_history.add_version(conn, page.page_id, a_version("abcde"[seq - 1]), body_chars=1)
            row = {"page_id": page.page_id, "seq": seq, "source_id": SOURCE, "at": at(seq), "from_seq": None}
            row |= {"kind": "text", "importance": 2 if seq > 1 else 0, "described_at": at(9), "url": URL}
            change_records.add_changes(conn, [row | {"details": {"lines": lines}}])
        yield conn


def test_description_count_behind_a_name_is_no_numbering_and_a_price_that_came_is_listed() -> None:
    names = f"{TEXT}\n\n## Opinions\n\n- 1980 (98) opinions\n"
    assert _describe(names.replace("1980 (98)", "1998 (32)"), names)[1:] == ("medium", "figure")
    for old in ("(d) A fee", "Section 5. A fee", "iv. A fee"):
        before = TEXT.replace("(d) A fee", old)
        after = before.replace(old, {"(": "(e) A fee", "S": "Section 6. A fee", "i": "v. A fee"}[old[0]])
        assert _describe(after, before)[1:] == ("high", "numbering"), old
    price = "- Copy of a record - electronic media (counsel of record only, for each case): $35.00"
    plain = "# Copies\n\nWe make copies of records.\n\n- A copy on paper\n"
    assert _describe(f"{plain}{price}\n", plain)[1:] == ("medium", "listed_amount")
    assert _describe(f"{plain}{price}\n".replace("35", "36"), f"{plain}{price}\n")[1:] == ("high", "amount")
    assert _describe(f"{plain}- The fee for each copy of a record is $35 for each person.\n", plain)[1] == "high"


def test_description_headlines_are_of_low_importance_until_one_binds() -> None:
    old = f"{TEXT}\n## In the news\n\n- Director to speak at conference\n"
    assert _describe(f"{old}- Blog: five steps to a better score\n", old)[1:] == ("low", "headlines")
    assert _describe(f"{old}- Lenders must file by June\n", old)[1] == "high"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("60 days", "61 days", ("number", "high", "deadline")),
        ("must not", "may not", ("text", "high", "duty")),
        ("must not hold", "must hold", ("text", "high", "duty")),
        ("$100", "$110", ("number", "high", "amount")),
        ("2 percent", "3 percent", ("number", "high", "amount")),
        ("controls for", "holds for", ("text", "high", "definition")),
        ("| 2025 | 12 |", "| 2025 | 13 |", ("table", "medium", "figure")),
        ("202-555-1234", "202-555-9876", ("number", "low", "contact")),
        ("gov/guide", "gov/new-guide", ("link", "low", "link")),
        ("thanks everybody", "thanks all people", ("text", "medium", "wording")),
        ("General. This", "General.  This", ("layout", "low", "layout")),
        ("(d) A fee", "(e) A fee", ("renumbered", "high", "numbering")),
        ("charged,", "charged under 12 CFR 1026.43,", ("text", "high", "section_text")),
        (
            "General. This",
            "Whoever breaks this section is liable to civil penalties.\n\nGeneral. This",
            ("text", "high", "penalty"),
        ),
        (
            "General. This",
            "A lender must keep records unless the loan was sold.\n\nGeneral. This",
            ("text", "high", "duty_added_or_removed"),
        ),
    ],
)
def test_describe_edit_gives_kind_importance_and_rule(old: str, new: str, expected: tuple[str, str, str]) -> None:
    assert old in TEXT
    assert _describe(TEXT.replace(old, new)) == expected


LIMITS = """# Loan limits

| State | Limit | Offices |
|---|---|---|
| CA | 2,500 | 12 |
| Filing fee | 40 | 12 |
"""


@cases(
    ("old", "new", "expected"),
    [
        ("2,500", "2,600", ("high", "figure_in_table")),
        ("| 2,500 | 12 |", "| 2,500 | 13 |", ("medium", "figure")),
        ("| Filing fee | 40 | 12 |", "| Filing fee | 40 | 14 |", ("high", "figure_in_table")),
    ],
)
def test_describe_figure_of_a_table_is_judged_by_its_row_and_column(
    old: str, new: str, expected: tuple[str, str]
) -> None:
    found = describe_difference(compare(LIMITS, LIMITS.replace(old, new)), _version(1), _version(2), URL, old_words=30)
    assert (found.importance.word, found.details["rules"][0]) == expected


@cases(
    ("old", "new", "expected"),
    [
        ("Copies: seventy dollars", "Copies: ninety dollars", ("high", "amount_in_words")),
        ("two hundred and fifty dollars", "three hundred and fifty dollars", ("high", "amount_in_words")),
        ("one per centum a month", "two per centum a month", ("high", "amount_in_words")),
        ("seventy members", "ninety members", ("medium", "wording")),
    ],
)
def test_describe_amount_in_words_is_one(old: str, new: str, expected: tuple[str, str]) -> None:
    text = f"# Guide\n\n{old}\n"
    found = describe_difference(compare(text, text.replace(old, new)), _version(1), _version(2), URL, old_words=9)
    assert (found.importance.word, found.details["rules"][0]) == expected


def test_describe_page_with_noise_before_an_edit_shows_the_edit_too() -> None:
    old = "# Guide\n\nYou must call by May 1.\n\n## Scope\n\nThanks everybody.\n\n## Help\n\nLast updated: May 1\n"
    new = old.replace("by May 1", "by May 2").replace("everybody", "all").replace("updated: May 1", "updated: May 9")
    found = describe_difference(compare(old, new), _version(1), _version(2), URL, old_words=20).details
    assert found["more_passages"] == 1, "a stamp is no passage where something matters"
    assert found["next_excerpt"] == ["Scope", ["=", "Thanks "], ["-", "everybody"], ["+", "all"], ["=", "."]]


def test_describe_text_of_which_nothing_stayed_is_replaced() -> None:
    other = "# Notice\n\nThis office closes. Its work goes to another agency next year.\n"
    assert _describe(other)[0] == "replaced"


def test_describe_figure_far_into_a_long_sentence_is_one_in_a_sentence() -> None:
    """What is far from the change is left out; it was, with two spaces, and so the line was no sentence any more."""
    old = f"# Guide\n\nA lender keeps {'words ' * 100}than 6 copies of it.\n"
    found = describe_difference(compare(old, old.replace("6", "8")), _version(1), _version(2), URL, old_words=100)
    assert found.details["rules"] == ["figure_in_sentence"]


def test_describe_several_edits_takes_highest_and_keeps_all_rules() -> None:
    text = TEXT.replace("60 days", "61 days").replace("202-555-1234", "202-555-9876")
    found = describe_difference(compare(TEXT, text), _version(1), _version(2), URL, old_words=100)
    assert found.importance is Importance.HIGH
    assert found.details["rules"] == ["deadline", "contact"]
    assert found.details["marks"] == [["number", "60", "61"], ["number", "202-555-1234", "202-555-9876"]]
    assert found.details["excerpt"][0] == "§ 1024.17(c) Escrow accounts"
    assert ["-", "60"] in found.details["excerpt"]
    assert (found.details["words_added"], found.details["words_removed"]) == (2, 2)


def test_describe_edit_on_pages_is_known_again_whatever_stands_around_and_by_its_words_without_figures() -> None:
    def edits(page: str, phone: str, fee: str, *, stamp: str = "May 5") -> tuple[str, str]:
        old = f"# {page}\n\n{TEXT}\n\nCall (855) 411-2372.\n\nThe fee for a copy is $5.\n\nLast updated: May 1\n"
        new = old.replace("(855) 411-2372", phone).replace("$5", fee).replace("May 1", stamp)
        details = describe_difference(compare(old, new), _version(1), _version(2), URL, old_words=100).details
        return details["edit"], details["alike"]

    edit, alike = edits("Fees", "(855) 411-9999", "$6")
    assert edits("Another page", "(855) 411-9999", "$6") == (edit, alike)
    for other in (edits("Fees", "(855) 411-9999", "$7"), edits("Fees", "(855) 411-9999", "$6", stamp="May 9")):
        assert other[0] != edit and other[1] == alike, "another figure, and what matters little alone"
    assert edits("Fees", "(855) 411-9999", "a stamp")[1] != alike, "other words"
    assert edits("Fees", "(855) 411-9999", "$5") != edits("Fees", "(855) 411-0000", "$5"), "all there is"
    assert edits("Fees", "(855) 411-9999", "$5")[1] != alike


def test_describe_long_passage_keeps_a_line_and_counts_what_it_left_out() -> None:
    rows = "".join(f"\n\nSection {number} costs ${number}." for number in range(60))
    found = describe_difference(compare(TEXT, TEXT + rows), _version(1), _version(2), URL, old_words=100)
    assert found.details["more_marks"] > 0
    assert sum(len(text) for _, text in found.details["excerpt"][1:]) <= 241


def test_describe_removed_heading_tells_its_words_alone() -> None:
    old = "# Rule\n\nIt binds.\n\n## Transition\n\nIt began.\n"
    found = describe_difference(
        compare(old, old.replace("## Transition\n\n", "")), _version(1), _version(2), URL, old_words=9
    )
    assert found.details["excerpt"] == ["Transition", ["-", "Transition"]]


def test_describe_effective_date_that_changed_tells_both() -> None:
    old, new = _version(1, effective="2026-01-01"), _version(2, effective="2026-03-01")
    found = describe_difference(compare(TEXT, TEXT + "\nMore.\n"), old, new, URL, old_words=100)
    assert found.details["effective"] == ["2026-01-01", "2026-03-01"]


@pytest.mark.parametrize(
    ("url", "title", "part"),
    [
        (URL, None, "12 CFR 1024"),
        ("https://www.ecfr.gov/current/title-12/chapter-X/part-1026/section-1026.43", None, "12 CFR 1026"),
        ("https://www.hud.gov/fha", "Mortgagee letters", None),
        ("https://www.consumerfinance.gov/rules-policy/regulations/1024/interp-5/", "Comment for 5", "12 CFR 1024"),
        ("https://www.ecfr.gov/current/title-12/part-1026/appendix-Supplement I", None, "12 CFR 1026"),
    ],
)
def test_cited_part_is_of_address_or_title(url: str, title: str | None, part: str | None) -> None:
    assert cited_part(url, title) == part


def test_importance_rules_are_well_formed() -> None:
    rules = importance_rules()
    assert len({rule.rule_id for rule in rules}) == len(rules)
    last = rules[-1]
    assert not (last.change or last.marks or last.changed or last.near or last.only), "the last rule fits everything"
    pages = {"new_page", "returned", "removed", "address", "unknown"}
    assert pages <= set(KINDS)
    assert pages == {kind for rule in rules for kind in rule.change} & set(KINDS) - {"layout", "moved"}


@cases(
    ("page", "old", "new", "expected"),
    [
        ("## {}", "Users online: 12", "Users online: 34", ("low", "page_figure")),
        ("## {}", "Offices are closed on July 4, 2026.", "Offices are closed on May 25, 2026.", ("low", "closure")),
        ("## Staff directory\n\n- {}", "A. Ferro, Counsel", "B. Raman, Counsel", ("low", "directory")),
        ("## Team\n\n{}", "A. Ferro, (202) 555-0123", "A. Ferro, (202) 555-0199", ("low", "directory")),
        ("{}", "We use cookies here.", "This site uses cookies.", ("low", "cookies")),
        ("## News & Events\n\n- {}", "Bank pays $2 million", "Bank pays $3 million", ("low", "headlines")),
        ("## Press releases\n\n- {}", "A new final rule", "An old final rule", ("medium", "headline_of_rule")),
        ("{}", "The \"rate\" - a figure - stays.", "The “rate” – a figure – stays.", ("low", "typography")),
        ("{}", "Send an e-mail to the web site.", "Send an email to the website.", ("low", "typography")),
        ("Number {} of [a list of what to read before a loan is made](/list)", "1", "4", ("medium", "figure")),
        # What binds, and what stands in a section of law, is none of it.
        ("## {}", "Offices are closed on July 4.", "Offices must be closed on July 4.", ("high", "duty")),
        ("# § 1024.5 Scope\n\n{}", "We use cookies here.", "This site uses cookies.", ("high", "section_text")),
        # A line that a site puts below the last section is no law; nor is a job in a list.
        ("# § 1024.5 Scope\n\n{}", "In force: 369", "In force: 40", ("medium", "figure")),
        ("# § 1024.5 Scope\n\n{}", "Weather here: 53 degrees", "Weather here: 61 degrees", ("low", "widget")),
        ("## Job openings\n\n{}", "- Archivist", "- Archivist, $61,400, must hold a license", ("low", "vacancy")),
        ("# § 1024.5 Scope\n\n{}", "Our office is open.", "Our office is shut.", ("high", "section_text")),
        ("# Definitions\n\n{}", "Seen: 369", "Seen: 40", ("medium", "figure")),
        ("# Definitions\n\n{}", "A bank lends for a year.", "A bank lends for a day.", ("high", "definition")),
        ("# Guide\n\n(b) {}", "Copies of the list.", "Copies of the register.", ("high", "section_text")),
        ("# Guide\n\n{}", "Copies of the list.", "Copies of the register.", ("medium", "wording")),
        ("# Section 8 vouchers\n\n{}", "Copies of the list.", "Copies of the register.", ("medium", "wording")),
        ("- {} is the annual report of a union", "LM-2", "LM-3", ("high", "form")),
        ("{}", "Bulletin 4 of the office", "Bulletin 4 of the office (withdrawn)", ("high", "status")),
        (
            "The copy of the notice that a lender sends {} the borrower.",
            "is kept for", "is waived for", ("high", "reach"),
        ),
    ],
)  # fmt: skip
def test_description_what_stands_beside_the_rule_is_low_and_what_it_reaches_high(
    page: str, old: str, new: str, expected: tuple[str, str]
) -> None:
    before, after = (f"# Guide\n\nIt guides servicers.\n\n{page.format(text)}\n" for text in (old, new))
    assert _describe(after, before)[1:] == expected


@cases(
    ("old", "new", "place"),
    [
        ("(c) A", "(c) *Limits.* (1) A", "§ 1024.17(c)(1) Escrow accounts"),
        ("(c) A", "(c) Limits.\n\n(1) A", "§ 1024.17(c)(1) Escrow accounts"),
        ("(c) A", "## (c) Limits\n\n(1) A", "§ 1024.17(c)(1) Escrow accounts"),
        ("(c) A", "## Limits\n\n(c) A", "Limits"),
        ("# § 1024.17", "# Supplement I to § 1024.17", "Supplement I to § 1024.17 Escrow accounts"),
        ("(c) A", "A", "§ 1024.17 Escrow accounts"),
    ],
)
def test_describe_excerpt_names_the_paragraph_of_the_section(old: str, new: str, place: str) -> None:
    text = TEXT.replace(old, new)
    changed = text.replace("60 days", "61 days")
    found = describe_difference(compare(text, changed), _version(1), _version(2), URL, old_words=100)
    assert found.details["excerpt"][0] == place


LAW = """# Rule 5

## § 5.1 Scope

This part applies to each lender that makes loans.

It does not apply to banks.

## § 5.2 Fees

A lender may charge a fee of $25.[^1]

## § 5.3 Records

Keep records for five years.

## § 5.4 Reports

Send a report each year.
"""
FEES = """## § 5.2 Fees

A lender may charge a fee of $25.[^1]

"""


@cases(
    ("new", "expected"),
    [
        (LAW.replace("$25.[^1]", "$25.[^2]"), ("low", "typography")),
        (LAW.replace("A lender may", "**A lender** may"), ("low", "typography")),
        (LAW.replace("$25.[^1]", "$26.[^2]"), ("high", "amount")),
        (LAW.replace("banks.", "banks.[^3]"), ("low", "typography")),
        (LAW.replace("$25.[^1]", "$25.").replace("lender may", "lender[^1] may"), ("high", "footnote_mark")),
    ],
)
def test_description_footnote_mark_or_emphasis_is_typography(new: str, expected: tuple[str, str]) -> None:
    assert _describe(new, LAW)[1:] == expected


_REGISTER = """AGENCY

{}

[Docket No. CFPB-2026-0028]

# A Title

## ACTION:

{}
"""


@cases(
    ("header", "action", "parts"),
    [
        ("12 CFR Part 1024", "Final rule; official interpretations.", ["12 CFR 1024"]),
        ("12 CFR Parts 1024 and 1026", "Interim final rule.", ["12 CFR 1024", "12 CFR 1026"]),
        ("24 CFR Parts 203, 206, and 291", "Final rule.", ["24 CFR 203", "24 CFR 206", "24 CFR 291"]),
        ("12 CFR Part 1024", "Proposed rule with request for comment.", []),
        ("12 CFR Part 1024", "Compliance bulletin.", []),
        ("The rules of 12 CFR Part 1024 hold.", "Final rule.", []),
    ],
)
def test_amended_parts_are_those_above_the_title_of_a_rule(header: str, action: str, parts: list[str]) -> None:
    assert amended_parts(_REGISTER.format(header, action)) == parts


@cases(
    ("line", "old", "new", "expected"),
    [
        ("This guide has been read {} times.", "1,204", "1,311", ("low", "page_counter")),
        ("A bill must be read {} times.", "2", "3", ("medium", "figure")),
        ("Owner: Web team. Last reviewed on {}, 2026.", "June 3", "July 9", ("low", "review_stamp")),
        ("Each loan of the bank must be reviewed {}, 2026.", "June 3", "July 9", ("high", "figure_in_sentence")),
        ("The Board will meet on July 9 at {} p.m. in room 5 of the hall.", "3:15", "4:20", ("medium", "event")),
        ("The office has returned ${} million to consumers so far.", "46", "47", ("medium", "service_total")),
        ("A lender that has received ${} must file a report.", "46 million", "47 million", ("high", "amount")),
        ("Data as of {}, 2026. Of 80 files 31 were closed in error.", "June 3", "July 9", ("medium", "data_as_of")),
    ],
)  # fmt: skip
def test_description_line_about_the_page_or_the_agency_is_not_high(
    line: str, old: str, new: str, expected: tuple[str, str]
) -> None:
    page = "## Page\n\nText of the page stands here.\n\n"
    assert _describe(page + line.format(new), page + line.format(old))[1:] == expected


@cases(
    ("heading", "row", "expected"),
    [
        ("Homes", "| 451-462451 | Salem | $289,000 |", ("medium", "numbered_row")),
        ("Fees", "| 451-462451 | Salem | $289,000 |", ("high", "amount")),
        ("Homes", "| 451-462451 | Salem | $289,000 must be paid |", ("high", "duty_added_or_removed")),
        ("Homes", "| Late filing | Salem | $289,000 |", ("high", "amount")),
        ("Positions", "| Examiner | Salem | $4,100 to $5,200 a month |", ("medium", "salary")),
    ],
)
def test_description_row_of_a_list_of_cases_or_positions_is_medium(
    heading: str, row: str, expected: tuple[str, str]
) -> None:
    page = f"## {heading}\n\n| What | Where | How much |\n|---|---|---|\n| 451-777001 | Boise | $1 |\n"
    assert _describe(f"{page}{row}\n", page)[1:] == expected


def test_description_definition_by_when_offices_are_open_is_no_closure() -> None:
    line = "Business day means a day on which the offices of the bank are open to the public."
    assert _describe(f"## Terms\n\nHere.\n\n{line}\n", "## Terms\n\nHere.\n")[1:] == ("high", "definition")


def test_description_cell_of_a_table_in_a_section_of_law_is_high() -> None:
    page = "## § 1024.5 Renewals\n\n| What | When |\n|---|---|\n| Renewal | May 15 |\n"
    assert _describe(page.replace("May", "June"), page) == ("table", "high", "section_text")
    page = page.replace("§ 1024.5 ", "")
    assert _describe(page.replace("May", "June"), page) == ("table", "medium", "figure")


@cases(
    ("old", "new", "expected"),
    [
        ("## § 1024.18 Notices", "## § 1024.19 Notices", ("renumbered", "high", "numbering")),
        ("## Section 4-102. Notices", "## Section 4-103. Notices", ("renumbered", "high", "numbering")),
        ("## Rule 12-18 Notices", "## Rule 12-19 Notices", ("renumbered", "high", "numbering")),
        ("## Partner schools", "## Partner banks", ("text", "medium", "wording")),
        ("## Section 5 Notices", "## Section 6 Fees", ("text", "medium", "figure")),
        ("## 18 ways to save", "## 19 ways to save", ("number", "medium", "figure")),
    ],
)
def test_description_number_of_section_alone_is_renumbered(old: str, new: str, expected: tuple[str, str, str]) -> None:
    page = f"# Rules\n\n{old}\n\nA licensee gives each notice in writing.\n"
    assert _describe(page.replace(old, new), page) == expected


def test_description_references_and_counters_beside_renumbered_paragraphs_do_not_hide_them() -> None:
    page = (
        "## § 5.1 Scope\n\n(a) A bank files it.\n\n(b) A broker does, as 12 CFR 1024.17 says.\n\n## Page\n\n12 views\n"
    )
    new = page.replace("(b) A", "(c) A").replace("1024.17", "1024.18").replace("12 views", "15 views")
    assert _describe(new, page) == ("renumbered", "high", "numbering")


@cases(
    ("old", "new", "expected"),
    [
        ("| Renewal | May |", "| Renewal | June |", ("table", "medium", "figure")),
        ("are due in May.", "are due in June.", ("text", "medium", "wording")),
        ("You may renew", "You must renew", ("text", "high", "duty")),
    ],
)
def test_description_may_is_a_month_or_a_permission(old: str, new: str, expected: tuple[str, str, str]) -> None:
    page = (
        "## Dates\n\n| What | When |\n|---|---|\n| Renewal | May |\n\nReports are due in May. You may renew by mail.\n"
    )
    assert _describe(page.replace(old, new), page) == expected


def test_description_moved_section_or_paragraph_says_from_where_to_where() -> None:
    moved = f"{LAW.replace(FEES, '')}\n{FEES}"
    found = describe_difference(compare(LAW, moved), _version(1), _version(2), URL, old_words=99)
    assert (found.kind, found.details["rules"][0]) == ("moved", "moved_law")
    assert change_sentence(found) == "Moved from behind § 5.1 Scope to behind § 5.4 Reports: “§ 5.2 Fees”"
    paragraph = LAW.replace("It does not apply to banks.\n\n", "").replace(
        "years.\n", "years.\n\nIt does not apply to banks.\n"
    )
    found = describe_difference(compare(LAW, paragraph), _version(1), _version(2), URL, old_words=99)
    assert change_sentence(found) == "Moved from § 5.1 Scope to § 5.3 Records: “It does not apply to banks.”"


def test_description_heading_of_added_section_is_no_passage_beside_its_text() -> None:
    text = "\n## Records retention\n\nA licensee shall retain each record for five years.\n"
    found = describe_difference(compare(TEXT, TEXT + text), _version(1), _version(2), URL, old_words=99)
    assert change_sentence(found) == (
        "New section Records retention: [added: A licensee shall retain each record for five years.]"
    )
