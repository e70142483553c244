"""Whole numbers that are spelled out in English: "thirty", "one hundred and eighty", "twenty-five thousand".

In: text. Out: values with their places. Ordinals ("twenty-first") and fractions ("two-thirds", "one-half", "two and a
half") are none; neither is "one" beside "of".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_TO_TEN = "zero one two three four five six seven eight nine ten"
_TO_TWENTY = "eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_BY_TEN = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: number for number, word in enumerate(_TO_TEN.split() + _TO_TWENTY.split())}
_TENS = {word: 10 * number for number, word in enumerate(_BY_TEN.split(), start=2)}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_WORD = "|".join(sorted([*_SMALL, *_TENS, *_SCALES], key=len, reverse=True))
_SEQUENCE = re.compile(rf"\b(?:{'|'.join([*_SMALL, *_TENS])})\b(?:(?:[ -]| and )(?:{_WORD})\b)*", re.IGNORECASE)
_NO_COUNT = re.compile(
    r"[ -](?:first|second|third|half|halves|thirds?|quarters?|point"
    r"|(?:four|fif|six|seven|eigh|nin|ten|hundred|thousand)ths?)\b| and (?:a|an|one|two|three|\d)[ -/]",
    re.IGNORECASE,
)
_NO_START = re.compile(r"(?:[-.]|\bpoint )$", re.IGNORECASE)


def spelled_out(text: str) -> Iterator[tuple[int, int, int]]:
    """(value, start, end) of each number of *text* in words."""
    for found in _SEQUENCE.finditer(text):
        start, end = found.span()
        words = re.split(r"[ -]", found[0].lower())
        if _NO_COUNT.match(text, end) or _NO_START.search(text[max(0, start - 7) : start]):
            continue
        if words == ["one"] and (text[end : end + 4] == " of " or text[max(0, start - 4) : start] == " of "):
            continue
        if (value := _value(words)) is not None:
            yield value, start, end


def _value(words: list[str]) -> int | None:
    """The number; None for words that make none together ("two three", a year as "nineteen ninety")."""
    total, group, last = 0, 0, 10**12
    for word in words:
        if word == "and":
            continue
        if word in _SCALES:
            scale = _SCALES[word]
            group = max(group, 1) * scale
            if scale > 100:
                total, group = total + group, 0
            last = scale
            continue
        number = _SMALL.get(word, _TENS.get(word, 0))
        if last < 10 or (last < 100 and number >= 10) or (10 <= last < 20):
            return None
        group, last = group + number, max(number, 1)
    return total + group
