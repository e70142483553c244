"""The whole days that a text names, in digits or in words, as ISO 8601.

In: plain text. Out: days with their places. "10/01/2024" is a day of October, as U.S. publishers write it; what lacks
a day, a month or a year of four digits names none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.content.dates import iso_date

if TYPE_CHECKING:
    from collections.abc import Iterator

_MONTH = (
    r"(?:jan(?:uary|\.)?|feb(?:ruary|\.)?|mar(?:ch|\.)?|apr(?:il|\.)?|may|june?|jun\.|july?|jul\.|aug(?:ust|\.)?"
    r"|sept?(?:ember|\.)?|oct(?:ober|\.)?|nov(?:ember|\.)?|dec(?:ember|\.)?)"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_WRITTEN = re.compile(
    rf"\b(?:\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}}/\d{{1,2}}/\d{{4}}"
    rf"|{_MONTH} {_DAY},? \d{{4}}|{_DAY}(?: of)? {_MONTH},? \d{{4}})"
    r"(?!\d|[-/]\d)",
    re.IGNORECASE,
)
#: The days of dates in words: numbers that count nothing.
DAYS_OF_MONTHS = re.compile(rf"(?:\b{_MONTH} )\d{{1,2}}\b(?!,\d)|\b\d{{1,2}}(?: of)? {_MONTH}\b", re.IGNORECASE)


class Day(NamedTuple):
    """``iso`` as ``text[start:end]`` names it."""

    iso: str
    start: int
    end: int


def days_in(text: str) -> Iterator[Day]:
    """The days of *text*."""
    for found in _WRITTEN.finditer(text):
        if (iso := iso_date(found[0].replace(" of ", " "))) is not None:
            yield Day(iso, *found.span())


def day_of(text: str) -> str | None:
    """The day that *text* is, and nothing else; a time behind an ISO date is none of ours."""
    days = list(days_in(text.strip()))
    return days[0].iso if len(days) == 1 and days[0][1:] == (0, len(text.strip())) else None
