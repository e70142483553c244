"""Decisions by volume, reporter and page: "576 F.3d 1040". The reporters are those of the Free Law Project."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from rori_spiders.content.citations.model import Citation

if TYPE_CHECKING:
    from collections.abc import Iterator

# "5 U.S. (1 Cranch) 137" names the reporter's first printing, "18 How. Prac. (1860) 482" its year.
_CASE = re.compile(
    r"(?P<volume>\d(?<![\w.$§-]\d)\d{0,3})\s{1,3}(?P<reporter>[A-Z][\w.'&]{0,9}(?:\s[A-Z\d(&][\w.')&]{0,9}){0,4}?)"
    r"(?:\s\((?:\d{1,2}\s)?[A-Z][\w.&' ]{1,24}\)|\s\((?:1[6-9]|20)\d\d,?\))?"
    r",?\s{1,3}(?:at\s{1,3}(?=\d)|¶{1,2}\s{0,3}|[Pp]\.\s{1,3}|par\.\s{1,3})?"
    r"(?![23]d\b|[4-9]th\b)"
    r"(?P<page>\d{1,6}(?:(?<=¶\d\d),\d{3}|(?<=¶ \d\d),\d{3}|-[A-Z]{1,2}\b|[ab]\b|[\[(][AU][\])])?)"
    r"(?![\w$%/-]|[.,:]\d(?!\d{2,3}\s[A-Z]))"
)
# Databases count by year: "2018 WL 1234567", "2009 U.S. Dist. LEXIS 4567".
_DATABASE = re.compile(
    r"(?<![\w.$-])(?P<volume>(?:19|20)\d\d)\s{1,3}(?P<reporter>WL|(?:[A-Z][\w.]{0,5}\s){1,4}LEXIS)\s{1,3}(?P<page>\d{1,8})\b"
)
# Numbers of courts, not of a publisher: "2012-Ohio-4907", "2010-NMSC-012", "T.C. Memo. 2019-233".
_BY_COURT = re.compile(r"(?<![\w./=-])(?:19|20)\d\d-(?:Ohio|NMSC|NMCA|NMCERT)-\d{1,5}\b(?![-/]|\.\w)")
_TAX_COURT = re.compile(
    r"T(?<=\bT)\.?\s?C\.?\s(?P<kind>Memo|Summ(?:\.|ary)\s(?:Op\.|Opinion))\.?,?\s(?:No\.\s)?(?P<number>(?:19|20)\d\d-\d{1,3})\b"
)
# Names that are also a month, or another kind of citation.
_NO_REPORTER = re.compile(
    r"(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.|(?:[\w.]+\s)?(?:Stat|Rd)\.|No\.|F\.\s?R\.|C\.\s?F\.\s?R\.|U\.\s?S\.\s?C\."
)
# Names that are also an address: "12 Ohio St. 34".
_LIKE_ADDRESS = re.compile(r"(?:[\w.]+\s)?(?:Ave|St|Fed)\.")
_SERIES = re.compile(r"[23]d\b|[4-9]th\b")
# A bare word ("Root", "Day", "Ohio") is a reporter where it stands as one: "Doe v. Roe, 5 Day 12 (1811)".
_PARTIES = re.compile(r"(?:\sv\.?\s|\bvs\.\s|\b[Ii]n\s[Rr]e\s|\b[Ee]x\s[Pp]arte\s|\b[Mm]atter\sof\s)[^.;\n]{2,70},\s$")
_COURT_AND_YEAR = re.compile(
    r"(?:,\s\d{1,4}(?:[-–]\d{1,4})?(?:\sn\.\d{1,2})?){0,3}(?:,\s¶{1,2}\s?\d|\s\((?:[A-Z][\w.]{0,12}\s){0,4}(?:1[6-9]|20)\d\d\))"
)
#: The laws of a session and the registers of the states, of which reporters-db knows volume and page.
_PAGED_LAWS = frozenset({"leg_session", "admin_register"})


@cache
def _reporters() -> tuple[dict[str, str], frozenset[str]]:
    """Each spelling, without its blanks, and the reporter's abbreviation; those of them that are bare words.

    A spelling that several reporters share stands for itself.
    """
    from reporters_db import EDITIONS, LAWS, VARIATIONS_ONLY

    known = {name: name for name in EDITIONS}
    for spelling, names in VARIATIONS_ONLY.items():
        known.setdefault(spelling, names[0] if len(names) == 1 else spelling)
    known = {spelling: name for spelling, name in known.items() if not _NO_REPORTER.fullmatch(spelling)}
    for name, laws in LAWS.items():
        if any(law["cite_type"] in _PAGED_LAWS for law in laws):
            known.setdefault(name, name)
    bare = {
        "".join(spelling.split())
        for spelling in known
        if ("." not in spelling and not _SERIES.search(spelling)) or _LIKE_ADDRESS.fullmatch(spelling)
    }
    return {"".join(spelling.split()): name for spelling, name in known.items()}, frozenset(bare)


def find(text: str) -> Iterator[Citation]:
    """Each decision that a reporter printed or a database counts; spellings of one reporter share its abbreviation."""
    known, bare = _reporters()
    for match in _CASE.finditer(text):
        spelling = "".join(match["reporter"].split())
        reporter = known.get(spelling)
        if reporter and (spelling not in bare or "¶" in match[0] or _is_decision(text, match)):
            yield Citation(match.start(), match.end(), "other", f"{match['volume']} {reporter} {match['page']}")
    for match in _DATABASE.finditer(text) if " WL " in text or "LEXIS" in text else ():
        canonical = f"{match['volume']} {' '.join(match['reporter'].split())} {match['page']}"
        yield Citation(match.start(), match.end(), "other", canonical)
    for match in _BY_COURT.finditer(text) if "-Ohio-" in text or "-NM" in text else ():
        yield Citation(match.start(), match.end(), "other", match[0])
    for match in _TAX_COURT.finditer(text) if "Memo" in text or "Summ" in text else ():
        kind = "Memo." if match["kind"] == "Memo" else "Summ. Op."
        yield Citation(match.start(), match.end(), "other", f"T.C. {kind} {match['number']}")


def _is_decision(text: str, match: re.Match[str]) -> bool:
    """Whether the names of parties stand before the citation, or a court and year behind it."""
    before = text[max(0, match.start() - 90) : match.start()]
    return _COURT_AND_YEAR.match(text, match.end()) is not None or _PARTIES.search(before) is not None
