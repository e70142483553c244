"""Numbers, days and units that a text names, each parsed as a whole or not at all. English only.

Input: plain text. Output: values with their places. "15.25" names 15.25 and no 5.25; "1,000" is 1000; "$1.5
million" is 1500000 and no 1.5; "5 1/2" is 5.5; "thirty" is 30. What can be read in two ways ("10 000", "1.5 to 2
million", "5th", a day within a date) names none: a value is rather not grounded than grounded wrongly.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from typing import NamedTuple

from text_to_num import text2num

from rori_spiders.content.metadata.dates import iso_date

_COUNT = (
    "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    "|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
)
_WORD = f"{_COUNT}|hundred|thousand|million|billion"
_SEQUENCE = re.compile(rf"\b(?:{_COUNT})\b(?:(?:[ -]| and )(?:{_WORD})\b)*", re.IGNORECASE)
_NO_COUNT = re.compile(
    r"[ -](?:first|second|third|half|halves|thirds?|quarters?|point"
    r"|(?:four|fif|six|seven|eigh|nin|ten|hundred|thousand)ths?)\b| and (?:a|an|one|two|three|\d)[ -/]",
    re.IGNORECASE,
)
_NO_START = re.compile(r"(?:[-.]|\bpoint )$", re.IGNORECASE)


def numbers_in_words(text: str) -> Iterator[tuple[int, int, int]]:
    """(value, start, end) of each number of *text* in words."""
    for found in _SEQUENCE.finditer(text):
        start, end = found.span()
        words = found[0].lower()
        if _NO_COUNT.match(text, end) or _NO_START.search(text[max(0, start - 7) : start]):
            continue
        if words == "one" and (text[end : end + 4] == " of " or text[max(0, start - 4) : start] == " of "):
            continue
        if "zero" in words and words != "zero":
            continue
        with suppress(ValueError):  # words that make no number together: "two three", a year as "nineteen ninety"
            yield text2num(words, "en"), start, end


# The whole days that a text names, in digits or in words, as ISO 8601. In: plain text. Out: days with their places.
# "10/01/2024" is a day of October, as U.S. publishers write it; what lacks a day, a month or a year of four digits
# names none.

_MONTH = (
    r"(?:jan(?:uary|\.)?|feb(?:ruary|\.)?|mar(?:ch|\.)?|apr(?:il|\.)?|may|june?|jun\.|july?|jul\.|aug(?:ust|\.)?"
    r"|sept?(?:ember|\.)?|oct(?:ober|\.)?|nov(?:ember|\.)?|dec(?:ember|\.)?)"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_WRITTEN = re.compile(
    rf"\b(?:\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}}/\d{{1,2}}/\d{{4}}"
    rf"|{_MONTH},? {_DAY},? \d{{4}}|{_DAY}(?: of)? {_MONTH},? \d{{4}})"
    r"(?!\d|[-/]\d)",
    re.IGNORECASE,
)
#: The days of dates in words: numbers that count nothing.
DAYS_OF_MONTHS = re.compile(rf"(?:\b{_MONTH},? )\d{{1,2}}\b(?!,\d)|\b\d{{1,2}}(?: of)? {_MONTH}\b", re.IGNORECASE)


class Day(NamedTuple):
    """``iso`` as ``text[start:end]`` names it."""

    iso: str
    start: int
    end: int


def days_in(text: str) -> Iterator[Day]:
    """The days of *text*."""
    for found in _WRITTEN.finditer(text):
        if (iso := iso_date(found[0].replace(" of ", " ").replace(", ", " "))) is not None:
            yield Day(iso, *found.span())


def day_of(text: str) -> str | None:
    """The day that *text* is, and nothing else; a time behind an ISO date is none of ours."""
    days = list(days_in(text.strip()))
    return days[0].iso if len(days) == 1 and days[0][1:] == (0, len(text.strip())) else None


_RUN = re.compile(r"\.?\d(?:[\d.,]*\d)?")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_PLAIN = re.compile(r"\d*\.\d+|\d+")
# Dates, times, telephone numbers, names of paragraphs: digits that count nothing.
_NO_AMOUNTS = re.compile(
    r"\(\d{1,3}\)(?= ?\(|\s+[*_]*[A-Z])|(?<=\))\(\d{1,3}\)|(?<!§)§+ ?\d[\d.,]*"
    r"|(?<!\d)\d+(?:-\d+){2,}|\d{1,2}/\d{1,2}/\d{2,4}|\d{1,4}:\d{2}(?::\d{2})?|\d{3}-\d{4}(?!\d)|(?<!\d)\d+(?:\.\d+){2,}"
)
_SIMPLE = re.compile(r"(?:(?<!\d)(?P<whole>\d+(?:-| | and )))?(?P<over>\d{1,3})/(?P<under>\d{1,3})(?![\d/])")
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_SCALE = re.compile(r"[ -]?(hundred|thousand|million|billion|trillion)\b", re.IGNORECASE)
_LETTER_SCALES = {"K": 1000, "k": 1000, "M": 10**6, "MM": 10**6, "B": 10**9, "bn": 10**9}
_LETTERS = re.compile(r"[A-Za-z]+")
# The scale may be meant for both: "1.5 to 2 million".
_SHARED = re.compile(r" ?(?:-|–|—|to|or|and) ?[$€£]?[\d.,]+[ -]?(?:hundred|thousand|[mbtr]+illion)\b", re.IGNORECASE)
_A_PART_MORE = re.compile(r" and (?:a|an|one|two|three|\d+) ?[- /] ?(?:half|halves|thirds?|quarters?|\w+ths?|\d)\b")
_FRACTIONS = {"½": "0.5", "¼": "0.25", "¾": "0.75", "⅛": "0.125", "⅜": "0.375", "⅝": "0.625", "⅞": "0.875"}
_NOTE = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹]+|<sup>")


class Number(NamedTuple):
    """``value`` as ``text[start:end]`` names it: sign and scale included."""

    value: Decimal
    start: int
    end: int


def numbers_in(text: str) -> Iterator[Number]:
    """The numbers of *text*, in digits and in words."""
    taken: list[tuple[int, int]] = [found.span() for found in _NO_AMOUNTS.finditer(text)]
    taken += [found.span() for found in DAYS_OF_MONTHS.finditer(text)]
    for found in _SIMPLE.finditer(text):
        if _is_free(found.start(), taken):
            taken.append(found.span())
            if not _glued_before(text, found.start()) and int(found["under"]):
                yield Number(_fraction_value(found), *found.span())
    for run in _RUN.finditer(text):
        if _is_free(run.start(), taken) and (number := _parse_number(text, run)) is not None:
            yield number
    for value, start, end in numbers_in_words(text):
        yield Number(Decimal(value), start, end)


def _is_free(at: int, taken: list[tuple[int, int]]) -> bool:
    return not any(start <= at < end for start, end in taken)


def _fraction_value(found: re.Match[str]) -> Decimal:
    whole = re.match(r"\d+", found["whole"] or "0")
    assert whole
    return int(whole[0]) + Decimal(int(found["over"])) / int(found["under"])


def _parse_number(text: str, run: re.Match[str]) -> Number | None:
    digits, start, end = run[0], run.start(), run.end()
    if _GROUPED.fullmatch(digits):
        value = Decimal(digits.replace(",", ""))
    elif _PLAIN.fullmatch(digits):
        value = Decimal(digits)
    else:
        return None
    if _glued_before(text, start) or _may_be_grouped_by_blanks(text, start, end):
        return None
    if (ended := _apply_suffix(text, value, end)) is None:
        return None
    value, end = ended
    sign, start = _parse_sign(text, start)
    return None if sign is None else Number(sign * value, start, end)


def _glued_before(text: str, start: int) -> bool:
    before = text[start - 1] if start else " "
    if text.endswith("<sup>", 0, start):
        return True
    return before.isalnum() or (before in "_.,/:" and start > 1 and text[start - 2].isalnum())


def _may_be_grouped_by_blanks(text: str, start: int, end: int) -> bool:
    alone = end - start <= 3 and text[start:end].isdigit()
    after = re.match(r" \d{3}(?!\d)", text[end : end + 5]) if alone else None
    before = (
        re.search(r"(?<![\d.,])\d{1,3}(?: \d{3}){0,4} $", text[max(0, start - 16) : start])
        if end - start == 3
        else None
    )
    return after is not None or (before is not None and alone)


def _apply_suffix(text: str, value: Decimal, end: int) -> tuple[Decimal, int] | None:
    """*value* with what belongs to it behind it; None where that makes it something else."""
    rest = text[end : end + 60]
    if rest[:1] in _FRACTIONS and rest:
        return value + Decimal(_FRACTIONS[rest[0]]), end + 1
    if _SHARED.match(rest) or _A_PART_MORE.match(rest):
        return None
    if scale := _SCALE.match(rest):
        return value * _SCALES[scale[1].lower()], end + scale.end()
    if letters := _LETTERS.match(rest):
        known = _LETTER_SCALES.get(letters[0])
        return None if known is None else (value * known, end + letters.end())
    if note := _NOTE.match(rest):
        return None if value == 10 else (value, end + note.end() * (note[0] != "<sup>"))
    return None if rest[:1] == "_" else (value, end)


def _parse_sign(text: str, start: int) -> tuple[int | None, int]:
    """1 or -1, and where the number begins with it; None where a dash may be either."""
    at = start
    if at and text[at - 1] in "$€£":
        at -= 1
    if not at or text[at - 1] not in "-−–":
        return 1, at
    before = text[at - 2] if at > 1 else " "
    if before.isdigit() or before in "%)":
        return 1, at  # from one to the other
    if before.isalpha():
        return None, at  # "Form-26"
    return -1, at - 1


# In what a field counts, and whether a number of a page counts in the same: days are not dollars. In: what a field is
# called; a text, and where a number stands in it. Out: yes or no. English only.

#: Unit -> the words of a field that ask for it, and what stands before or behind a number that has it.
_TIMES = {unit: (rf"\b{unit}s?\b", r"(?!)", rf"{unit}s?\b") for unit in ("day", "week", "month", "year", "hour")}
_UNITS = {
    **_TIMES,
    "dollar": (r"\b(?:dollars?|usd)\b", r"(?:[$]|\bUSD)\s?", r"(?:(?:U\.S\. )?dollars?|USD)\b"),
    "currency": (r"(?!)", r"(?:[€£¥]|\b(?:CAD|EUR|GBP|CHF|JPY|AUD))\s?", r"(?:[€£¥]|(?:CAD|EUR|GBP|CHF|JPY|AUD)\b)"),
    "percent": (r"\bpercent(?:age)?\b", r"(?!)", r"(?:%|per ?cent(?:age)?\b)"),
}
_UNITS_ASKED_FOR = {unit: re.compile(pattern, re.IGNORECASE) for unit, (pattern, _, _) in _UNITS.items()}
_BEFORE = {unit: re.compile(rf"{before}$", re.IGNORECASE) for unit, (_, before, _) in _UNITS.items()}
#: "thirty (30) days", "30 to 60 calendar days", "30-day".
_BETWEEN = (
    r"(?: ?\([\d,.]{1,30}\))?(?: ?(?:to|and|or|-|–) ?[$]?[\d,.]{1,30}%?)?(?: or)?(?: more| less| fewer)?"
    r"[ -]?(?:(?:business|calendar|working|consecutive|full|additional) ){0,6}"
)
_BEHIND = {unit: re.compile(_BETWEEN + behind, re.IGNORECASE) for unit, (_, _, behind) in _UNITS.items()}


def has_unit_of(about: str, text: str, start: int, end: int, *, is_cell: bool) -> bool:
    """Whether the number ``text[start:end]`` has a unit that *about* names; what names none takes any number.

    *is_cell*: a table's cell may leave its unit to the title of the column; it may have no other.
    """
    units = {unit for unit, words in _UNITS_ASKED_FOR.items() if words.search(about.replace("_", " "))}
    has = {unit for unit in _UNITS if _has_unit(unit, text, start, end)}
    return not units or bool(units & has) or (is_cell and not has)


def _has_unit(unit: str, text: str, start: int, end: int) -> bool:
    found = _BEFORE[unit].search(text[max(0, start - 8) : start] + text[start : start + 1].rstrip("-0123456789."))
    return found is not None or _BEHIND[unit].match(text, end) is not None


# The currency of an amount, as the text writes it beside the number: "$450", "US$ 450", "450 dollars", "EUR 20".

_SIGNS = {
    "$": "USD",
    "US$": "USD",
    "C$": "CAD",
    "CA$": "CAD",
    "A$": "AUD",
    "AU$": "AUD",
    "€": "EUR",
    "£": "GBP",
    "¥": "JPY",
}
_CURRENCY_NAMES = {"dollar": "USD", "u.s. dollar": "USD", "euro": "EUR", "pound": "GBP", "yen": "JPY"}
_SIGN_BEFORE = re.compile(r"(?<![A-Za-z])([A-Z]{0,2}[$€£¥])\s?$")
#: "12 CFR 1026" has no currency: codes of others than these are not read.
_CODES = "USD|CAD|MXN|EUR|GBP|CHF|JPY|CNY|INR|AUD|NZD"
_CODE_BEFORE = re.compile(rf"\b({_CODES})\s?$")
_CURRENCY_BEHIND = re.compile(rf"\s?(?:([€£¥])|({_CODES})\b|((?i:(?:U\.S\. )?(?:dollar|euro|pound|yen)))s?\b)")


class Unit(NamedTuple):
    """A unit or currency, and where *text* has it with its number: ``text[start:end]``."""

    name: str | None
    start: int
    end: int


def currency_of(text: str, start: int, end: int) -> Unit:
    """The currency (ISO 4217) that *text* writes beside the number ``text[start:end]``; where none, without a name."""
    digits = next((at for at in range(start, end) if text[at].isalnum() or text[at] == "."), start)
    before = text[max(0, digits - 6) : digits]
    if sign := _SIGN_BEFORE.search(before):
        return Unit(_SIGNS.get(sign[1]), min(start, digits - len(sign[0])), end)
    if code := _CODE_BEFORE.search(before):
        return Unit(code[1], min(start, digits - len(code[0])), end)
    behind = _CURRENCY_BEHIND.match(text, end)
    if behind is None:
        return Unit(None, start, end)
    sign_behind, code_behind, name = behind.groups()
    name = _SIGNS[sign_behind] if sign_behind else code_behind or _CURRENCY_NAMES.get(name.lower())
    return Unit(name, start, behind.end())


# The unit of a quantity, in one spelling: "30 days" and "30-day" are days, "5%" and "5 per cent" are percent. Nothing
# is converted, and business days are no days. What is not listed is a unit as the text writes it.

_SPELLINGS = {
    "percent": r"%|per ?cent(?:age)?",
    "percentage point": r"percentage points?",
    "basis point": r"basis points?|bps",
    "business day": r"(?:business|working)[ -]days?",
    "day": r"(?:calendar[ -])?days?",
    "week": r"weeks?|wks?",
    "month": r"(?:calendar[ -])?months?",
    "quarter": r"(?:calendar[ -])?quarters?",
    "year": r"(?:calendar[ -])?years?|yrs?",
    "hour": r"hours?|hrs?",
    "minute": r"minutes?|mins?",
    "second": r"seconds?|secs?",
    "square foot": r"square[ -](?:foot|feet)|sq\.? ?(?:ft|feet)",
    "square mile": r"square[ -]miles?|sq\.? ?mi",
    "foot": r"foot|feet|ft",
    "inch": r"inch|inches",
    "yard": r"yards?",
    "mile": r"miles?",
    "acre": r"acres?",
    "pound": r"pounds?|lbs?",
    "ounce": r"ounces?|oz",
    "ton": r"tons?",
    "gallon": r"gallons?|gal",
    "kilogram": r"kilograms?|kg",
    "gram": r"grams?",
    "meter": r"met(?:er|re)s?",
    "kilometer": r"kilomet(?:er|re)s?|km",
    "liter": r"lit(?:er|re)s?",
    "kilowatt hour": r"kilowatt[ -]hours?|kWh",
}
_UNIT_NAMES = {unit: re.compile(spelling, re.IGNORECASE) for unit, spelling in _SPELLINGS.items()}
_BEFORE_UNIT = r"(?: ?\([\d,.]{1,30}\))?(?: ?(?:to|and|or|-|–) ?[\d,.]{1,30}%?)?(?: or)?(?: more| less| fewer)?[ -]?"
_UNIT_BEHIND = re.compile(
    rf"{_BEFORE_UNIT}(?:(?:full|consecutive|additional) )?(?P<unit>{'|'.join(_SPELLINGS.values())})(?![^\W\d_])",
    re.IGNORECASE,
)
_UNIT_IN = re.compile(rf"(?<![^\W\d_])(?:{'|'.join(_SPELLINGS.values())})(?![^\W\d_])", re.IGNORECASE)
_OTHER_UNIT = re.compile(rf"{_BEFORE_UNIT}(?P<unit>[^\W\d_]+(?:[ -][^\W\d_]+){{0,3}})")


def unit_name(unit: str) -> str:
    """The name of *unit* in one spelling; of one that is not listed, its words."""
    text = " ".join(unit.casefold().split())
    return next((name for name, spelling in _UNIT_NAMES.items() if spelling.fullmatch(text)), text)


def unit_of(wanted: str, text: str, start: int, end: int, head: str) -> Unit:
    """The unit that *text* writes behind the number ``text[start:end]``, or the *head* of its table for all of them.

    *wanted*: a unit that is not listed, such as copies, is one where it stands there word for word.
    """
    if behind := _UNIT_BEHIND.match(text, end):
        return Unit(unit_name(behind["unit"]), start, behind.end())
    if behind := _OTHER_UNIT.match(text, end):
        words = " ".join(behind["unit"].casefold().split())
        if words == wanted or words.startswith(f"{wanted} "):
            return Unit(wanted, start, behind.start("unit") + len(wanted))
    named = {unit_name(found[0]) for found in _UNIT_IN.finditer(head)}
    return Unit(named.pop() if len(named) == 1 else None, start, end)
