"""Decisions by volume, reporter and page: "576 F.3d 1040". The reporters are those of the Free Law Project."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from rori_spiders.content.citations.model import Citation

if TYPE_CHECKING:
    from collections.abc import Iterator

_CASE = re.compile(
    r"(?P<volume>\d(?<![\w.$§-]\d)\d{0,3})\s(?P<reporter>[A-Z][\w.]{0,7}(?:\s[A-Z\d][\w.]{0,7}){0,3})\s(?P<page>\d{1,5})(?![\w$%/-]|[.,:]\d)"
)
# Names that are also a month, a state in an address, or another kind of citation.
_NO_REPORTER = re.compile(
    r"(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.|(?:[\w.]+\s)?(?:Ave|St|Rd|Fed|Stat)\.|No\.|F\.R\.|C\.F\.R\.|U\.S\.C\."
)


@cache
def _reporters() -> frozenset[str]:
    """Abbreviations with a period or an edition ("P3d"): a bare word ("Root", "Day") is more often none."""
    from reporters_db import EDITIONS

    return frozenset(name for name in EDITIONS if "." in name and not _NO_REPORTER.fullmatch(name))


def find(text: str) -> Iterator[Citation]:
    """Each decision that a reporter printed."""
    for match in _CASE.finditer(text):
        if "." in match["reporter"] and match["reporter"] in _reporters():
            yield Citation(
                match.start(), match.end(), "other", f"{match['volume']} {match['reporter']} {match['page']}"
            )
