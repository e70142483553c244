"""Decisions by volume, reporter and page: "576 F.3d 1040". The reporters are those of the Free Law Project."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from rori_spiders.content.citations.model import Citation

if TYPE_CHECKING:
    from collections.abc import Iterator

_CASE = re.compile(
    r"(?P<volume>\d(?<![\w.$§-]\d)\d{0,3})\s{1,3}(?P<reporter>[A-Z][\w.']{0,9}(?:\s[A-Z\d(&][\w.')&]{0,9}){0,4}?),?\s{1,3}(?:at\s{1,3}(?=\d))?"
    r"(?P<page>\d{1,5})(?![\w$%/-]|[.,:]\d(?!\d{2,3}\s[A-Z]))"
)
# Databases count by year: "2018 WL 1234567", "2009 U.S. Dist. LEXIS 4567".
_DATABASE = re.compile(
    r"(?<![\w.$-])(?P<volume>(?:19|20)\d\d)\s{1,3}(?P<reporter>WL|(?:[A-Z][\w.]{0,5}\s){1,4}LEXIS)\s{1,3}(?P<page>\d{1,8})\b"
)
# Names that are also a month, a state in an address, or another kind of citation.
_NO_REPORTER = re.compile(
    r"(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.|(?:[\w.]+\s)?(?:Ave|St|Rd|Fed|Stat)\.|No\.|F\.\s?R\.|C\.\s?F\.\s?R\.|U\.\s?S\.\s?C\."
)
_SERIES = re.compile(r"[23]d\b|[4-9]th\b")


@cache
def _reporters() -> dict[str, str]:
    """Each spelling, without its blanks, and the reporter's abbreviation.

    Only with a period or an edition: a bare word ("Root", "Day") is more often none.
    """
    from reporters_db import EDITIONS, VARIATIONS_ONLY

    known = {name: name for name in EDITIONS}
    for spelling, names in VARIATIONS_ONLY.items():
        if len(names) == 1:
            known.setdefault(spelling, names[0])
    return {
        "".join(spelling.split()): name
        for spelling, name in known.items()
        if ("." in spelling or _SERIES.search(spelling)) and not _NO_REPORTER.fullmatch(spelling)
    }


def find(text: str) -> Iterator[Citation]:
    """Each decision that a reporter printed or a database counts; spellings of one reporter share its abbreviation."""
    for match in _CASE.finditer(text):
        name = match["reporter"]
        if "." in name or _SERIES.search(name):
            reporter = _reporters().get("".join(name.split()))
            if reporter:
                canonical = f"{match['volume']} {reporter} {match['page']}"
                yield Citation(match.start(), match.end(), "other", canonical)
    for match in _DATABASE.finditer(text) if " WL " in text or "LEXIS" in text else ():
        canonical = f"{match['volume']} {' '.join(match['reporter'].split())} {match['page']}"
        yield Citation(match.start(), match.end(), "other", canonical)
