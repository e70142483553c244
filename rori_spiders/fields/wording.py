"""Words of two texts held against each other: capitals, punctuation and marks of thousands aside.

In: plain text. Out: words with their places; whether one text's words stand in another's, in their order.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_WORD = re.compile(r"(?:(?<![\w)])-)?\d(?:[\d.,]*\d)?|[^\W\d_]+|[%$€£§]")
_GROUPED = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?")


class Word(NamedTuple):
    """A word as it is compared, and where it stands."""

    text: str
    start: int
    end: int


def words_of(text: str) -> list[Word]:
    """The words of *text*: letters, numbers as a whole, signs of currency and percent."""
    return [Word(_compared(found[0]), *found.span()) for found in _WORD.finditer(text)]


def _compared(word: str) -> str:
    return word.replace(",", "") if _GROUPED.fullmatch(word) else word.casefold()


def places_of(wanted: list[Word], words: list[Word]) -> list[int]:
    """Where in *words* all of *wanted* stand, one after the other."""
    texts, sought = [word.text for word in words], [word.text for word in wanted]
    last = len(texts) - len(sought)
    return [at for at in range(last + 1) if sought and texts[at : at + len(sought)] == sought]
