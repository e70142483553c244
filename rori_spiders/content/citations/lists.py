"""Lists and ranges behind a head: "1026.35, .37, and 1026.43(c) through (e)" is four citations."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rori_spiders.content.citations import pins

_SEPARATOR = re.compile(
    r"(?:\s*[,;]\s*(?:and/or|and|or|to|through)?\s*|\s+(?:and/or|and|or|to|through)\s+|\s*[–—-]\s*)(?:§§?\s*|"
    r"[Ss]ections?\s+)?"
)
# A number that begins another thing: a statute's volume, another title, a count, a year.
_NO_SECTION = re.compile(
    r"\s+(?:U\.?\s?S\.?\s?C|C\.?\s?F\.?\s?R|Stat\b|FR\b|F\.R|Fed\.?\s|days?\b|years?\b|months?\b|percent|"
    r"hours?\b|business|calendar|U\.S\.)"
    r"|%|,\d{3}|\.\d"
)
# The longest list of a year of the Federal Register (an authority line) has 61 items.
_MAX_ITEMS = 200
_GLOSS = re.compile(r"\s\([A-Za-z][^()]{2,60}\)(?=\s*,?\s(?:and\s)?\d{1,4}\.\d|\s*,\s(?:and\s)?\d{1,4}\.\d)")
# "42 U.S.C. 1490 and section 520 of the Housing Act": the second is of another law.
_OF_ANOTHER = re.compile(r"\s+of\s+(?:the\s+[A-Z]|title\s+\d)")
_YEAR = re.compile(r"(?:19|20)\d{2}(?!\d)")


@dataclass(frozen=True, slots=True)
class Item:
    """One citation of a list: its section or part, and its paragraphs."""

    start: int
    end: int
    number: str
    path: tuple[str, ...]

    @property
    def pinned(self) -> str:
        return self.number + pins.written(self.path)


def read(text: str, at: int, number: re.Pattern[str], *, pinned: bool = True) -> list[Item]:
    """The items from ``at`` on, where the first number stands.

    ``number`` matches one number of the kind of the head.
    """
    first = number.match(text, at)
    if first is None:
        return []
    path, end = pins.read(text, first.end()) if pinned else ((), first.end())
    return continued(text, Item(first.start(), end, first[0], path), number, pinned=pinned)


def continued(text: str, first: Item, number: re.Pattern[str] | None = None, *, pinned: bool = True) -> list[Item]:
    """The list that goes on behind its first item; without ``number`` only paragraphs go on."""
    items = [first]
    while len(items) < _MAX_ITEMS and (separator := _separator(text, items[-1])):
        following = _next(text, separator.end(), number, items[-1], pinned=pinned)
        if following is None:
            break
        items.append(following)
    return items


def _separator(text: str, before: Item) -> re.Match[str] | None:
    """What stands between two items; in lists of CFR sections also a gloss: "1024.35 (error resolution), 1024.36"."""
    gloss = _GLOSS.match(text, before.end) if "." in before.number else None
    return _SEPARATOR.match(text, gloss.end() if gloss else before.end)


def _next(text: str, at: int, number: re.Pattern[str] | None, before: Item, *, pinned: bool) -> Item | None:
    if pinned and text.startswith("(", at):
        return _same_section(text, at, before)
    if number is None:
        return None
    if text.startswith(".", at) and "." in before.number:  # "§§ 1026.35 and .37"
        short = re.compile(r"\.\d{1,4}").match(text, at)
        if short:
            path, end = pins.read(text, short.end())
            return Item(at, end, before.number.partition(".")[0] + short[0], path)
    match = number.match(text, at)
    if match is None or _NO_SECTION.match(text, match.end()):
        return None
    if "." not in match[0] and _YEAR.fullmatch(match[0]) and not _YEAR.fullmatch(before.number):
        return None  # ", 2010" after a section is when it was passed
    path, end = pins.read(text, match.end()) if pinned else ((), match.end())
    return (
        None if _OF_ANOTHER.match(text, end) and _names_section(text, at) else Item(match.start(), end, match[0], path)
    )


def _names_section(text: str, at: int) -> bool:
    return bool(re.search(r"[Ss]ections?\s+$", text[max(0, at - 10) : at]))


def _same_section(text: str, at: int, before: Item) -> Item | None:
    path, end = pins.read(text, at)
    full = pins.resolved(before.path, path) if path else None
    return Item(at, end, before.number, full) if full else None
