"""Numbers that texts name: each as a whole, or not at all."""

from __future__ import annotations

from decimal import Decimal

import pytest

from rori_spiders.fields.grounding.plain_text import to_plain_text
from rori_spiders.fields.grounding.quantities import day_of, days_in, numbers_in
from tests.support.cases import cases


@cases(
    ("text", "values"),
    [
        ("5.25% and 15.25%", ["5.25", "15.25"]),
        ("1,000 or 1000; 1,000,000.50", ["1000", "1000", "1000000.50"]),
        ("**5**.25 percent", ["5.25"]),
        ("[5.25%](https://example.gov/15)", ["5.25"]),
        (".5 and 0.5. And 5.", ["0.5", "0.5", "5"]),
        # Signs and ranges.
        ("-5 and −7.5% and $-3 and -$4", ["-5", "-7.5", "-3", "-4"]),
        ("30-60 days, 5%–7%", ["30", "60", "5", "7"]),
        ("COVID-19, Form-26, Q4, A5", []),
        ("(5) paragraphs", ["5"]),
        # Scales.
        ("$1.5 million and 5 hundred and $5M", ["1500000", "500", "5000000"]),
        ("1.5 to 2 million", ["2000000"]),
        ("30bps, 5th", []),
        # Fractions.
        ("5 1/2 percent", ["5.5"]),
        ("5½% and ½", ["5.5"]),
        ("1/2 of it", ["0.5"]),
        ("5 and one-half percent; two and a half", []),
        # Grouped by blanks, or not: nobody knows.
        ("10 000 USD", []),
        ("5,25 and 1,00 and 1,2,3", []),
        # Notes and powers.
        ("5.25<sup>1</sup>% and 5.25¹%", ["5.25", "5.25"]),
        ("10<sup>6</sup> and 10⁶", []),
        ("5\\*3", ["5", "3"]),
        # Digits that count nothing.
        ("2024-10-01, 10/01/2024, at 12:30, 555-1234, version 1.2.3", []),
        ("October 1, 2024 and 12 May 2023", ["2024", "2023"]),
        ("§ 1024.5(b), 12 CFR 1024", ["12", "1024"]),
        ("(2) The fee of paragraph (d)(1) is (3) dollars", ["3"]),
        # In words.
        ("thirty (30) days", ["30", "30"]),
        ("twenty-five thousand", ["25000"]),
        ("One hundred and eighty days", ["180"]),
        ("two hundred thousand million", ["200000000000"]),
        ("three business days", ["3"]),
        ("twenty-first, two-thirds, one-half, one of the lenders, nineteen ninety, two three, five point two", []),
        ("zero five, one million million", []),
    ],
)
def test_numbers_of_text(text: str, values: list[str]) -> None:
    found = sorted(numbers_in(to_plain_text(text).text), key=lambda one: one.start)
    assert sorted(one.value for one in found) == sorted(map(Decimal, values))


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("on October 1, 2024.", ["2024-10-01"]),
        ("Sept. 30 2024 and 1st of October 2024", ["2024-09-30", "2024-10-01"]),
        ("2024-10-01; 10/01/2024; 13/10/2024", ["2024-10-01", "2024-10-01", "2024-10-13"]),
        ("October 2024, 10/01/24, June 31, 2024, 2024-13-01, October 1, 20245", []),
    ],
)
def test_days_of_text(text: str, days: list[str]) -> None:
    assert [one.iso for one in days_in(text)] == days


def test_day_value_of_text() -> None:
    assert day_of(" October 1, 2024 ") == day_of("2024-10-01") == "2024-10-01"
    assert day_of("by October 1, 2024") is None and day_of("2024-10") is None
