"""Proof: what a quote must be and hold, tried as somebody would who wants a wrong value accepted."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from rori_spiders.fields.grounding.evidence import MAX_QUOTE_CHARS, REASONS, ground
from rori_spiders.fields.grounding.page import Page
from rori_spiders.fields.records import GroundedValue, SourceQuote, UngroundedValue
from rori_spiders.fields.schema import define_fields
from tests.support.cases import cases

if TYPE_CHECKING:
    from rori_spiders.fields.schema import Value

BODY = """# Regulation X

The annual percentage rate is **5.25%** for loans of up to $1,000. The late fee is 15.25% of the payment.

## Fees

No prepayment penalty is charged. The escrow fee is charged at closing.
The “origination fee”
is   waived for veterans unless the loan is refinanced.

| fee | amount |
|---|---|
| appraisal | 450 |
| 30 | 5 |

## Dates

Effective October 1, 2024, the notice must be sent within thirty days. The limit is $1.5 million.
The old limit of ~~$900,000 for a house~~ no longer holds. The rate type is fixed, not variable.

[OCR] Of the loan
The former limit was $800,000 for a house.

You will not be charged:

- a prepayment fee at any time
- Alabama

## Notes

The late fee is 15.25% of the payment.
"""
PAGE = Page(BODY, "https://example.gov/1024")


def proved(
    kind: str, value: Value, quote: object, about: str = "of the regulation", **more: object
) -> GroundedValue | UngroundedValue:
    (field,) = define_fields([{"name": "asked", "type": kind, "description": about, **more}])
    return ground(field, value, quote, PAGE)


def reason(*given: object, **more: object) -> str | None:
    """Why an answer is no value; None when it is."""
    answer = proved(*given, **more)  # type: ignore[arg-type]
    return answer.reason if isinstance(answer, UngroundedValue) else None


# --- where a quote stands ------------------------------------------------------------------------------------------


def test_ground_quote_is_page_text_with_position() -> None:
    answer = proved("number", 5.25, "annual percentage rate is 5.25%")
    assert isinstance(answer, GroundedValue)
    assert answer.proof == SourceQuote(
        quote="annual percentage rate is **5.25%",
        start=BODY.index("annual"),
        end=BODY.index("5.25%") + 5,
        heading_path="Regulation X",
        occurrences=1,
        url="https://example.gov/1024",
        content_hash=PAGE.content_hash,
    )
    assert BODY[answer.proof.start : answer.proof.end] == answer.proof.quote


def test_ground_blanks_and_quote_marks_are_ignored() -> None:
    answer = proved("string", "origination fee", 'The "origination fee" is waived for veterans')
    assert isinstance(answer, GroundedValue)
    assert answer.proof.quote == "The “origination fee”\nis   waived for veterans"
    assert answer.proof.heading_path == "Regulation X > Fees"


@cases(
    ("quote", "found"),
    [
        ("late fee $25", "late fee | $25"),  # models drop the marks between the cells
        ("| late fee $25", "late fee | $25"),
        ("late fee | $25 |", "late fee | $25 |"),
        ("late fee $2", None),
        ("$25 appraisal fee", None),  # of two rows
        ("late fee $450", None),
    ],
)
def test_ground_quote_of_a_row_needs_no_cell_marks(quote: str, found: str | None) -> None:
    (field,) = define_fields(["late_fee:money:late fee"])
    page = Page("| what | amount |\n| --- | --- |\n| late fee | $25 |\n| appraisal fee | $450 |\n")
    answer = ground(field, {"amount": 25, "currency": "USD"}, quote, page)
    assert (answer.proof.quote if isinstance(answer, GroundedValue) else None) == found


FEES = """
| Fee | Domestic | International |
| --- | --- | --- |
| Wire transfer | $25 | $45 |
| Stop payment | $30 | $30 |
| | $7 | |
"""


@cases(
    ("field", "quote", "heads"),
    [
        ("stop_fee:money:stop payment of an international check", "$30", None),  # the first "$30" is the domestic one
        ("wire_fee:money:international wire transfer", "$45", ("Wire transfer", "International")),
        ("wire_fee:money:international wire transfer", "| $45 |", ("Wire transfer", "International")),
        ("wire_fee:money:domestic wire transfer", "$45", None),  # another cell's heads name it better
        ("wire_fee:money:wire transfer", "$45", None),  # two cells are named alike
        ("wire_fee:list[money]:wire transfers", "$45", ("Wire transfer", "International")),
        ("late_fee:money:late payment of rent", "$45", None),
        ("sent:money:wire transfer of credit unions", "$45", None),  # the heads have half of its words
        ("other_fee:money:domestic", "$7", None),  # no better than the others of its column
    ],
)
def test_ground_quote_that_is_a_cell_is_named_by_its_heads(
    field: str, quote: str, heads: tuple[str, str] | None
) -> None:
    (wanted,) = define_fields([field])
    amount = int(quote.strip("| $"))
    answer = ground(wanted, {"amount": amount, "currency": "USD"}, quote, Page(FEES))
    found = (answer.proof.row_head, answer.proof.column_head) if isinstance(answer, GroundedValue) else None
    assert found == heads


CONTACTS = """# Permit office

| Address of the permit office | 4 Main Street |
| --- | --- |
| E-mail for permit questions | permits@city.gov |
| Yearly permit fee | USD 440 |
| Late fee, percent of the permit fee | 6% |
| Bank | First Harbor |
"""


@cases(
    ("field", "value", "quote", "is_accepted"),
    [
        ("email:string:e-mail address for permit questions", "permits@city.gov", "permits@city.gov", True),
        ("email:string:e-mail address for permit questions", "First Harbor", "First Harbor", False),
        ("email:string:e-mail for permits", "E-mail for permit questions", "E-mail for permit questions", False),
        ("words:list[string]:permit office", "First Harbor", "First Harbor", True),
        ("late_fee:number:late fee in percent of the permit fee", 440, "USD 440", False),
        ("late_fee:number:late fee in percent", 440, "| Yearly permit fee | USD 440 |", False),
        ("permit_fee:number:yearly permit fee", 440, "USD 440", True),
        ("permit_fee:number:yearly permit fee in dollars", 440, "| Yearly permit fee | USD 440 |", True),
    ],
)
def test_ground_cell_is_no_value_where_its_table_names_another(
    field: str, value: str | int, quote: str, *, is_accepted: bool
) -> None:
    (wanted,) = define_fields([field])
    assert isinstance(ground(wanted, value, quote, Page(CONTACTS)), GroundedValue) == is_accepted


def test_ground_item_takes_cells_quoted_alone() -> None:
    (field,) = define_fields(["amount:money:amount of the fee"])
    page = Page("| Fee | Amount |\n| --- | --- |\n| Late fee | $10 |\n| Returned check fee | $25 |\n")
    value = {"amount": 25, "currency": "USD"}
    assert isinstance(ground(field, value, "$25", page, is_item=True), GroundedValue)
    assert isinstance(ground(field, value, "$25", page), UngroundedValue), "any row could be meant"
    other = ground(field, value | {"currency": "EUR"}, "$25", page, is_item=True)
    assert isinstance(other, UngroundedValue) and other.reason == "unrelated", "the sign is read in a cell, too"


@cases(
    ("quote", "value"),
    [
        ("Sponsor: Rep Poe, Ted [TX-2]", "Rep Poe, Ted"),  # its link has parentheses in parentheses
        ("Related: [H.R.10], [S.13]", "H.R.10"),  # the brackets without their targets
        ("Related: [H.R.10", "H.R.10"),
        ("Related: H.R.10, S.13", "S.13"),
        ("Related: [H.R.10](https://example.gov/q?z(10)), [S.13](https://exam", "S.13"),
    ],
)
def test_ground_quote_of_links_needs_no_targets(quote: str, value: str) -> None:
    body = "Sponsor: [Rep Poe, Ted](/q/?@F(FLD003+@4((@1(Rep+Poe++Ted))+018))) [TX-2]\n\n"
    body += "Related: [H.R.10](https://example.gov/q?z(10)), [S.13](https://example.gov/q?z13:)\n"
    (field,) = define_fields(["related:string:sponsor"])
    assert isinstance(ground(field, value, quote, Page(body)), GroundedValue)


def test_ground_quote_found_twice_is_recorded() -> None:
    answer = proved("number", 15.25, "The late fee is 15.25% of the payment.")
    assert isinstance(answer, GroundedValue)
    assert answer.proof.occurrences == 2 and answer.proof.start == BODY.index("The late fee")


def test_ground_quote_outside_chunk_is_refused() -> None:
    (field,) = define_fields(["fee:number:late fee"])
    part = (BODY.index("## Notes"), len(BODY))
    answer = ground(field, 15.25, "The late fee is 15.25% of the payment.", PAGE, part)
    assert isinstance(answer, GroundedValue)
    assert answer.proof.occurrences == 1 and answer.proof.heading_path == "Regulation X > Notes"
    elsewhere = ground(field, 5.25, "annual percentage rate is 5.25%", PAGE, part)
    assert isinstance(elsewhere, UngroundedValue) and elsewhere.reason == "quote_not_found"


@cases(
    ("quote", "word"),
    [
        (None, "no_quote"),
        (" \n", "no_quote"),
        (["5.25%"], "no_quote"),
        ("x" * (MAX_QUOTE_CHARS + 1), "quote_too_long"),
        ("the annual percentage rate was 5.25%", "quote_not_found"),
        ("The Annual Percentage Rate is 5.25%", "quote_not_found"),
        ("percentage rate is 5.2", "quote_not_found"),  # it goes on
        ("5% of the payment", "quote_not_found"),
        ("centage rate is 5.25%", "quote_not_found"),
        ("of the payment. ## Fees No prepayment penalty", "crosses_sections"),
    ],
)
def test_ground_invalid_quote_is_refused(quote: object, word: str) -> None:
    assert reason("number", 5.25, quote) == word


# --- numbers, dates, amounts ---------------------------------------------------------------------------------------


@cases(
    ("kind", "value", "quote", "word"),
    [
        ("number", 5.25, "The late fee is 15.25% of the payment", "value_not_in_quote"),
        ("number", 5.26, "annual percentage rate is 5.25%", "value_not_in_quote"),
        ("number", 0.0525, "annual percentage rate is 5.25%", "value_not_in_quote"),
        ("number", -5.25, "annual percentage rate is 5.25%", "value_not_in_quote"),
        ("integer", 1000, "for loans of up to $1,000", None),
        ("integer", 1, "for loans of up to $1,000", "value_not_in_quote"),
        ("integer", 1_500_000, "The limit is $1.5 million.", None),
        ("number", 1.5, "The limit is $1.5 million.", "value_not_in_quote"),
        ("number", 1.5, "The limit is $1.5", "value_not_in_quote"),  # cut before what it is counted in
        ("integer", 30, "must be sent within thirty days", None),
        ("integer", 2024, "Effective October 1, 2024", "unrelated"),  # the year of a date, and no date was asked for
        ("integer", 1, "Effective October 1, 2024", "value_not_in_quote"),
        ("integer", 450, "| appraisal | 450 |", None),
        ("integer", 5, "| 30 | 5 |", "only_the_value"),
        ("number", 5.25, "5.25%", "only_the_value"),
        ("integer", 900_000, "old limit of $900,000 for a house", "quote_not_found"),
        ("integer", 900_000, "old limit of ~~$900,000 for a house~~", "struck_out"),
        ("integer", 800_000, "former limit was $800,000 for a house", "recognised"),
        ("string", "2024-10-01", "Effective October 1, 2024", None),
        ("string", "October 1, 2024", "Effective October 1, 2024", None),
        ("string", "2024-10-02", "Effective October 1, 2024", "value_not_in_quote"),
        ("string", "2024-10-01", "Effective October 1", "value_not_in_quote"),
        ("string", "$1000", "for loans of up to $1,000", None),
        ("string", "€1000", "for loans of up to $1,000", "value_not_in_quote"),
        ("string", "25%", "annual percentage rate is 5.25%", "value_not_in_quote"),
    ],
)
def test_ground_number_date_and_amount_must_be_in_quote(kind: str, value: Value, quote: str, word: str | None) -> None:
    assert reason(kind, value, quote) == word


@cases(
    ("value", "quote", "word"),
    [
        ("2024-10-01", "Effective October 1, 2024", None),
        ("2024-10-01", "Effective October 1", "value_not_in_quote"),
        ("2024-10-02", "Effective October 1, 2024", "value_not_in_quote"),
        ("2024-10-01", "October 1, 2024", "only_the_value"),
        ("October 1, 2024", "Effective October 1, 2024", "wrong_type"),
    ],
)
def test_ground_date_is_the_day_that_the_quote_writes(value: Value, quote: str, word: str | None) -> None:
    assert reason("date", value, quote) == word
    assert reason("list[date]", value, quote) == word


@cases(
    ("amount", "currency", "quote", "word"),
    [
        (1000, "USD", "for loans of up to $1,000", None),
        (1500000, "USD", "The limit is $1.5 million", None),
        (1000, "EUR", "for loans of up to $1,000", "unrelated"),
        (1, "USD", "for loans of up to $1,000", "value_not_in_quote"),
        (15.25, "USD", "The late fee is 15.25% of the payment", "unrelated"),
        (450, "USD", "| appraisal | 450 |", "unrelated"),  # nothing says in which currency
    ],
)
def test_ground_money_has_the_currency_that_the_page_writes(
    amount: float, currency: str, quote: str, word: str | None
) -> None:
    assert reason("money", {"amount": amount, "currency": currency}, quote) == word


# --- texts and choices ---------------------------------------------------------------------------------------------


@cases(
    ("value", "quote", "word"),
    [
        ("Escrow fee", "The escrow fee is charged at closing", None),
        ("the escrow", "The escrow fee is charged at closing", None),
        ("row fee", "The escrow fee is charged at closing", "value_not_in_quote"),
        ("fee escrow", "The escrow fee is charged at closing", "value_not_in_quote"),
        ("Bank of America", "The escrow fee is charged at closing", "value_not_in_quote"),
        ("escrow", "escrow", "only_the_value"),
        ("Regulation X", "# Regulation X", None),
        ("Fees", "Fees", None),  # a heading's own word
    ],
)
def test_ground_text_value_must_be_in_quote(value: str, quote: str, word: str | None) -> None:
    assert reason("string", value, quote) == word


@cases(
    ("value", "quote", "word"),
    [
        ("fixed", "The rate type is fixed", None),
        ("variable", "The rate type is fixed, not variable", "denied"),
        ("fixed", "The rate type is fixed, not variable", "ambiguous"),
        ("adjustable", "The rate type is fixed", "not_allowed"),
        ("fixed_rate", "The rate type is fixed", "value_not_in_quote"),
    ],
)
def test_ground_enum_value_must_be_stated_by_page(value: str, quote: str, word: str | None) -> None:
    assert reason("string", value, quote, enum=["fixed", "variable", "fixed_rate"]) == word


@cases(
    ("value", "row", "word"),
    [
        ("fixed", "| rate type: fixed or variable | fixed |", None),  # the cell is the value
        ("variable", "| rate type: fixed or variable | fixed |", "ambiguous"),
        ("fixed", "| rate type: fixed or variable | **Fixed** |", None),
        ("fixed", "| rate type | fixed | variable |", "ambiguous"),
        ("fixed", "| rate type: fixed or variable | see below |", "ambiguous"),
        ("fixed", "| fixed | rate type: fixed or variable |", "ambiguous"),  # the first cell names the row
    ],
)
def test_ground_enum_value_may_be_the_cell_of_a_row_that_names_all(value: str, row: str, word: str | None) -> None:
    (field,) = define_fields([{"name": "rate", "type": "string", "description": "type", "enum": ["fixed", "variable"]}])
    answer = ground(field, value, row, Page(f"| what | rate |\n| --- | --- |\n{row}\n"))
    assert (answer.reason if isinstance(answer, UngroundedValue) else None) == word


def test_ground_list_item_may_be_one_word_on_its_line() -> None:
    assert reason("list[string]", "Alabama", "Alabama") is None
    assert reason("list[string]", "Alabama", "- Alabama") is None
    assert reason("list[string]", "escrow", "escrow") == "only_the_value"
    assert reason("string", "Alabama", "Alabama") == "only_the_value"


@cases(
    ("value", "word"),
    [
        ({"fee": "appraisal", "amount": 450}, None),
        ({"fee": "appraisal", "amount": 450, "note": None, "more": [{"fee": "appraisal"}]}, None),
        ({"fee": "appraisal", "amount": 45}, "value_not_in_quote"),
        ({"fee": "inspection", "amount": 450}, "value_not_in_quote"),
        ({"fee": "appraisal", "due": True}, "unprovable"),
        ({"fee": None}, "value_not_in_quote"),
        ([], "wrong_type"),
    ],
)
def test_ground_object_values_must_all_be_in_quote(value: Value, word: str | None) -> None:
    assert reason("list[object]", value, "| appraisal | 450 |") == word


# --- yes and no ----------------------------------------------------------------------------------------------------

PENALTY = "whether a prepayment penalty or fee is charged"


@cases(
    ("value", "quote", "word"),
    [
        (False, "No prepayment penalty is charged.", None),
        (True, "No prepayment penalty is charged.", "denied"),
        (True, "prepayment penalty is charged", "denied"),  # cut behind its "No"
        (True, "The escrow fee is charged at closing", None),
        (False, "The escrow fee is charged at closing", "denied"),
        (False, "a prepayment fee at any time", None),  # by the line that leads to the list
        (True, "a prepayment fee at any time", "denied"),
        (True, "is waived for veterans unless the loan", "ambiguous"),
        (False, "is waived for veterans", "ambiguous"),  # cut before its "unless"
        (True, "penalty", "too_short"),
        (True, "## Fees", "only_a_heading"),
        (True, "must be sent within thirty days", "unrelated"),
        ("true", "The escrow fee is charged at closing", "wrong_type"),
    ],
)
def test_ground_boolean_needs_a_statement(value: Value, quote: str, word: str | None) -> None:
    assert reason("boolean", value, quote, PENALTY) == word


def test_ground_negation_in_field_name_is_not_a_denial() -> None:
    body = "Kickbacks for referrals are prohibited in all cases."
    (asked,) = define_fields(["p:boolean:whether kickbacks are prohibited"])
    (other,) = define_fields(["p:boolean:whether kickbacks are allowed"])
    assert isinstance(ground(asked, True, body, Page(body)), GroundedValue)
    assert isinstance(ground(other, False, body, Page(body)), GroundedValue)
    assert isinstance(ground(other, True, body, Page(body)), UngroundedValue)


# --- what is said of another thing ----------------------------------------------------------------------------------


@cases(
    ("line", "value", "quote", "word"),
    [
        ("fee_days:integer:days in which the late fee is due", 30, "The late fee is due within 30 days.", None),
        (
            "fee_days:integer:days in which the late fee is due",
            30,
            "The late fee is due within thirty (30) days.",
            None,
        ),
        ("fee_days:integer:days in which the late fee is due", 30, "The late fee due is $30.", "unrelated"),
        ("late_fee:number:late fee in dollars", 30, "The late fee is due within 30 days.", "unrelated"),
        ("late_fee:number:late fee in dollars", 30, "The late fee is $30.", None),
        ("late_fee:number:late fee in percent", 5, "The late fee is 4 to 5 percent.", None),
        ("late_fee:number:late fee in percent", 4, "The late fee is 4 or 5 percent.", None),
        ("late_fee:number:late fee", 30, "The late fee is due within 30 days.", None),  # it names no unit
        ("late_fee:number:late fee", 2024, "The late fee changed on May 1, 2024.", "unrelated"),
        ("late_fee_year:integer:year of the late fee", 2024, "The late fee changed on May 1, 2024.", None),
        ("late_fee:number:late fee in dollars", 30, "| late fee | 30 |", None),  # its column may name the unit
        ("late_fee:number:late fee in dollars", 30, "| late fee | 30 days |", "unrelated"),
        ("late_fee:number:Late fee of the Karsk Savings Plan in dollars", 30, "The late fee is $30.", "unrelated"),
        ("late_fee:number:Late fee of the Harbor Loan Fund", 30, "The late fee of the Harbor Loan Fund is $30.", None),
    ],
)
def test_ground_other_unit_or_subject_is_refused(line: str, value: float, quote: str, word: str | None) -> None:
    (field,) = define_fields([line])
    answer = ground(field, value, quote, Page(quote))
    assert (answer.reason if isinstance(answer, UngroundedValue) else None) == word


@cases(
    ("line", "value", "page", "word"),
    [
        ("begins:string:time at which the meeting begins", "10:00 AM", "# Board Meeting\n\nStart Tue - 10:00 AM", None),
        ("begins:string:time at which the meeting begins", "1:00 PM", "# Board Meeting\n\n9-18, 1:00 PM - 4 PM", None),
        (
            "begins:string:time at which the store opens",
            "1:00 PM",
            "# Board Meeting\n\n9-18, 1:00 PM - 4 PM",
            "unrelated",
        ),
        ("line:string:telephone number for information", "312-744-0675", "For information: 312-744-0675", None),
        ("line:string:telephone number of the clinic", "312-744-0675", "For information: 312-744-0675", "unrelated"),
        ("to:string:e-mail address for complaints", "a.b@x.gov", "Complaints go to a.b@x.gov today", None),
        ("to:string:e-mail address for complaints", "a.b@x.gov", "Applications go to a.b@x.gov today", "unrelated"),
        ("body:string:board, commission or committee that meets", "Audit Committee", "Audit Committee Meeting", None),
        ("body:string:board, commission or committee that meets", "Audit Office", "Audit Office of Ohio", "unrelated"),
        ("day:date:date of the hearing", "2025-08-21", "The August, 21, 2025 hearing is held in Room 1", None),
        ("day:date:date of the hearing", "2025-08-21", "Posted on August 21, 2025 in Room 1", "unrelated"),
    ],
)
def test_ground_subject_may_be_in_other_words(line: str, value: str, page: str, word: str | None) -> None:
    (field,) = define_fields([line])
    answer = ground(field, value, page.rpartition("\n")[2], Page(page))
    assert (answer.reason if isinstance(answer, UngroundedValue) else None) == word


STREET = "street:string:street address of the meeting's location"
CITY = "city:string:city of the meeting's location"
BEGINS = "begins:string:time at which the meeting begins"
DAY = "day:date:date of the meeting"
MEETING, CLINIC = "Housing Board: October meeting", "Clinic"
AT = "The board sits at 121 N. Salle Avenue, Chicago, IL 60602"


@cases(
    ("line", "value", "quote", "more", "title", "word"),
    [
        (STREET, "121 N. Salle Avenue", AT, "", MEETING, None),
        (STREET, "121 N. La Salle", "121 N. La Salle - Room 1006", "\nChicago, IL 60602", MEETING, None),
        (STREET, "121 N. Salle Avenue", AT, "", CLINIC, "unrelated"),
        (STREET, "121 copies", "121 copies are ready", "\nof Chicago", MEETING, "unrelated"),
        (CITY, "Chicago", AT, "", MEETING, None),
        (CITY, "Chicago", "The Chicago Fund has 60602 dollars", "", MEETING, "unrelated"),
        (BEGINS, "10:00 AM", "Thursday from 10:00 AM to 11:00 AM", "", MEETING, None),
        (BEGINS, "10:00 AM", "Thursday from 10:00 AM to 11:00 AM", "", CLINIC, "unrelated"),
        (DAY, "2018-10-04", "Thursday, October 4, 2018 in Room 1", "", MEETING, None),
        (DAY, "2018-10-04", "Thursday, October 4, 2018 in Room 1", "", CLINIC, "unrelated"),
        (DAY, "2018-10-04", "Posted on October 4, 2018 by mail", " It is on October 9, 2018.", MEETING, "unrelated"),
        ("chair:string:chair of the meeting", "Ann Lee", "Ann Lee is here", "", MEETING, "unrelated"),
    ],
)
def test_ground_subject_may_be_named_by_the_page_where_the_value_shows_what_it_is(
    line: str, value: str, quote: str, more: str, title: str, word: str | None
) -> None:
    (field,) = define_fields([line])
    body = f"{quote}{more}\n"
    for page in (Page(body, title=title), Page(f"{body}\n# {title}\n\nBring a pen.\n")):
        answer = ground(field, value, quote, page)
        assert (answer.reason if isinstance(answer, UngroundedValue) else None) == word
    two = Page(f"{body}\n# {title}\n\nBring a pen.\n\n# Another\n\nBring two.\n")
    assert isinstance(ground(field, value, quote, two), UngroundedValue)


# --- all in all ----------------------------------------------------------------------------------------------------


def test_ground_refused_answer_is_stored_unchanged() -> None:
    answer = proved("number", "5.25", "annual percentage rate is 5.25%")
    assert answer == UngroundedValue(
        field="asked",
        value="5.25",
        quote="annual percentage rate is 5.25%",
        reason="wrong_type",
        says="expected a number, got a text",
        url="https://example.gov/1024",
    )


def test_ungrounded_reasons_are_all_documented() -> None:
    document = (Path(__file__).parents[2] / "docs" / "explanation" / "fields.md").read_text(encoding="utf-8")
    assert tuple(re.findall(r"^\| `(\w+)` \| ", document.partition("## Proof")[2], re.MULTILINE)) == REASONS


_OCCASION = """# Event details

Board of Review

Date and time: March 4, 2025, 10:00 a.m. – 12:30 p.m.

The public meeting is held in room 12.
"""
_BEGINS, _ENDS, _DAY = (
    "time at which the meeting begins",
    "time at which the meeting ends",
    "date of the meeting",
)


@cases(
    ("kind", "about", "value", "body", "is_grounded"),
    [
        ("string", _BEGINS, "10:00 a.m.", _OCCASION, True),
        ("string", _ENDS, "12:30 p.m.", _OCCASION, True),
        ("date", _DAY, "2025-03-04", _OCCASION, True),
        ("string", _BEGINS, "12:30 p.m.", _OCCASION, False),
        ("string", _ENDS, "10:00 a.m.", _OCCASION, False),
        ("string", "time at which the hearing begins", "10:00 a.m.", _OCCASION, False),
        ("string", _BEGINS, "10:00 a.m.", _OCCASION + "\nOffice hours: 9 to 5 p.m.\n", False),
        ("date", _DAY, "2025-03-04", _OCCASION + "\nUpdated February 2, 2025.\n", False),
        ("string", _ENDS, "12:30 p.m.", _OCCASION + "\nUpdated February 2, 2025.\n", False),
    ],
)
def test_ground_page_of_one_occasion_is_about_it(
    kind: str, about: str, value: str, body: str, is_grounded: bool
) -> None:
    (field,) = define_fields([{"name": "asked", "type": kind, "description": about}])
    answer = ground(field, value, "Date and time: March 4, 2025, 10:00 a.m. – 12:30 p.m.", Page(body))
    assert isinstance(answer, GroundedValue) is is_grounded, answer
