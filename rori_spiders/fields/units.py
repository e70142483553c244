"""In what a field counts, and whether a number of a page counts in the same: days are no dollars.

In: what a field is called; a text, and where a number stands in it. Out: yes or no. English only.
"""

from __future__ import annotations

import re

#: Unit -> the words of a field that ask for it, and what stands before or behind a number that has it.
_TIMES = {unit: (rf"\b{unit}s?\b", r"(?!)", rf"{unit}s?\b") for unit in ("day", "week", "month", "year", "hour")}
_UNITS = {
    **_TIMES,
    "dollar": (r"\b(?:dollars?|usd)\b", r"[$]\s?", r"(?:U\.S\. )?dollars?\b"),
    "percent": (r"\bpercent(?:age)?\b", r"(?!)", r"(?:%|per ?cent(?:age)?\b)"),
}
_ASKED = {unit: re.compile(asked, re.IGNORECASE) for unit, (asked, _, _) in _UNITS.items()}
_BEFORE = {unit: re.compile(rf"{before}$", re.IGNORECASE) for unit, (_, before, _) in _UNITS.items()}
#: "thirty (30) days", "30 to 60 calendar days", "30-day".
_BETWEEN = (
    r"(?: ?\([\d,.]+\))?(?: ?(?:to|and|or|-|–) ?[$]?[\d,.]+%?)?(?: or)?(?: more| less| fewer)?"
    r"[ -]?(?:(?:business|calendar|working|consecutive|full|additional) )*"
)
_BEHIND = {unit: re.compile(_BETWEEN + behind, re.IGNORECASE) for unit, (_, _, behind) in _UNITS.items()}


def counts_in(about: str, text: str, start: int, end: int, *, is_cell: bool) -> bool:
    """Whether the number ``text[start:end]`` has a unit that *about* names; what names none takes any number.

    *is_cell*: a table's cell may leave its unit to the title of the column; it may have no other.
    """
    asked = {unit for unit, words in _ASKED.items() if words.search(about.replace("_", " "))}
    has = {unit for unit in _UNITS if _has(unit, text, start, end)}
    return not asked or bool(asked & has) or (is_cell and not has)


def _has(unit: str, text: str, start: int, end: int) -> bool:
    found = _BEFORE[unit].search(text[max(0, start - 8) : start] + text[start : start + 1].rstrip("-0123456789."))
    return found is not None or _BEHIND[unit].match(text, end) is not None
