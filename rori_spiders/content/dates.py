"""Dates as publishers write them, as ISO 8601, or None: a date is never guessed from parts of one."""

from __future__ import annotations

import re
from datetime import datetime

from dateutil import parser

# Two fillers that share no part: what differs between the two readings was not in the text.
_FILLERS = (datetime(1904, 1, 1), datetime(2003, 12, 31))  # noqa: DTZ001
_YEARS = range(1700, 2200)
# "06.05.2024" is a day in May to those who write it so, and one in June to the parser.
_DOTTED = re.compile(r"(?<!\d)(\d{1,2})\.(\d{1,2})\.\d{2,4}")
_HAS_YEAR = re.compile(r"\d{4}|\d{1,2}[/.-]\d{1,2}[/.-]\d{2}")


def iso_date(text: str | None) -> str | None:
    """The day that *text* names, as ``YYYY-MM-DD``; None if it names no whole day, or more than one reading fits."""
    text = " ".join((text or "").split())
    if not text or len(text) > 60 or not _HAS_YEAR.search(text) or _has_two_readings(text):
        return None
    try:
        first, second = (parser.parse(text, default=filler, ignoretz=True) for filler in _FILLERS)
    except (parser.ParserError, OverflowError, ValueError, TypeError):
        return None
    if first.date() != second.date() or first.year not in _YEARS:
        return None
    return first.date().isoformat()


def _has_two_readings(text: str) -> bool:
    found = _DOTTED.search(text)
    return found is not None and found[1] != found[2] and max(int(found[1]), int(found[2])) <= 12
