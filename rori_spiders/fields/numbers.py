"""The numbers that a text names, each read as a whole or not at all.

In: plain text. Out: values with their places. "15.25" names 15.25 and no 5.25; "1,000" is 1000; "$1.5 million" is
1500000 and no 1.5; "5 1/2" is 5.5; "thirty" is 30. What may be read in two ways ("10 000", "1.5 to 2 million", "5th",
a day within a date) names none: a value is rather not proven than proven wrong.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.fields.dates import DAYS_OF_MONTHS
from rori_spiders.fields.number_words import spelled_out

if TYPE_CHECKING:
    from collections.abc import Iterator

_RUN = re.compile(r"\.?\d(?:[\d.,]*\d)?")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_PLAIN = re.compile(r"\d*\.?\d+")
# Dates, times, telephone numbers, names of paragraphs: digits that count nothing.
_NO_AMOUNTS = re.compile(
    r"\(\d{1,3}\)(?= ?\(|\s+[*_]*[A-Z])|(?<=\))\(\d{1,3}\)|§+ ?\d[\d.,]*"
    r"|\d+(?:-\d+){2,}|\d{1,2}/\d{1,2}/\d{2,4}|\d{1,4}:\d{2}(?::\d{2})?|\d{3}-\d{4}(?!\d)|\d+(?:\.\d+){2,}"
)
_SIMPLE = re.compile(r"(?P<whole>\d+(?:-| | and ))?(?P<over>\d{1,3})/(?P<under>\d{1,3})(?![\d/])")
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
                yield Number(_fraction(found), *found.span())
    for run in _RUN.finditer(text):
        if _is_free(run.start(), taken) and (number := _number(text, run)) is not None:
            yield number
    for value, start, end in spelled_out(text):
        yield Number(Decimal(value), start, end)


def _is_free(at: int, taken: list[tuple[int, int]]) -> bool:
    return not any(start <= at < end for start, end in taken)


def _fraction(found: re.Match[str]) -> Decimal:
    whole = re.match(r"\d+", found["whole"] or "0")
    assert whole
    return int(whole[0]) + Decimal(int(found["over"])) / int(found["under"])


def _number(text: str, run: re.Match[str]) -> Number | None:
    digits, start, end = run[0], run.start(), run.end()
    if _GROUPED.fullmatch(digits):
        value = Decimal(digits.replace(",", ""))
    elif _PLAIN.fullmatch(digits):
        value = Decimal(digits)
    else:
        return None
    if _glued_before(text, start) or _may_be_grouped_by_blanks(text, start, end):
        return None
    if (ended := _with_end(text, value, end)) is None:
        return None
    value, end = ended
    sign, start = _sign(text, start)
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
        re.search(r"(?<![\d.,])\d{1,3}(?: \d{3})* $", text[max(0, start - 16) : start]) if end - start == 3 else None
    )
    return after is not None or (before is not None and alone)


def _with_end(text: str, value: Decimal, end: int) -> tuple[Decimal, int] | None:
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


def _sign(text: str, start: int) -> tuple[int | None, int]:
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
