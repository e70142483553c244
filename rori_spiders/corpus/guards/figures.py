"""Numbers, words of denial and addresses, counted over whole texts without regard to blocks: a second pair of eyes.

Also what no reader sees. In: raw markdown. Out: what there is more or less of than there was.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING

from rori_spiders.corpus.guards.boilerplate import NEGATION
from rori_spiders.corpus.guards.shown import UNSEEN, straight

if TYPE_CHECKING:
    from collections.abc import Iterable

_ADDRESS = re.compile(r"(?:https?|ftp|mailto|tel):[^\s<>()\[\]\"]+|(?<=\]\()[^\s<>()]+", re.IGNORECASE)
_NUMBER = re.compile(r"[$€£]?\d(?:[\d.,/:]*\d)?%?|[^\W\d_]?(?![0-9])[\u00bc-\u00be\u2150-\u218b\u2460-\u249b]")
_EMPHASIS = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")
_FRONT_MATTER = re.compile(r"\s*(?:---|\+\+\+|;;;)[^\S\n]*(?:\n|$)")
_TURNING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def counted(markdown: str) -> Counter[str]:
    """The figures of *markdown*."""
    text = straight(markdown)
    # What stands behind an address may be the end of an emphasis.
    addresses = (address.rstrip("*_~") for address in _ADDRESS.findall(text))
    rest = _EMPHASIS.sub("", _ADDRESS.sub(" ", text))
    denials = (found[0].casefold() for found in NEGATION.finditer(rest))
    return Counter([*addresses, *_NUMBER.findall(rest), *denials])


def unlike(draft: str, removed: Iterable[str], cleaned: str, repeatable: str) -> tuple[list[str], list[str]]:
    """Figures of *draft* without *removed* that *cleaned* lacks, and those that it has too many of.

    What stands in *repeatable* (title, headings, titles of columns) may come more often.
    """
    kept = counted(draft)
    for part in removed:
        kept.subtract(counted(part))
    found = counted(cleaned)
    may = set(counted(repeatable))
    lost = [one for one, count in kept.items() if found[one] < count and not (one in may and found[one])]
    return lost, [one for one, count in found.items() if count > max(kept[one], 0) and one not in may]


def hidden(draft: str, cleaned: str) -> str | None:
    """What *cleaned* hides from a reader, in words."""
    if _FRONT_MATTER.match(cleaned):
        return "it begins with front matter"
    before = Counter(draft)
    for char, count in Counter(cleaned).items():
        if count > before[char] and _is_odd(char):
            return f"it holds U+{ord(char):04X}, which the draft does not, or more of it"
    if _TURNING.sub("", draft) == draft or _TURNING.findall(draft) == _TURNING.findall(cleaned):
        return None
    return "signs that turn the direction of reading are gone"


def has_unseen(text: str) -> bool:
    """Whether *text* holds characters that take no room, as such or by their names."""
    shown = html.unescape(text)
    return any(char in shown for char in UNSEEN)


def _is_odd(char: str) -> bool:
    if char.isascii():
        return char not in "\n\t\r" and (char < " " or char == "\x7f")
    return unicodedata.category(char) in {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"}
