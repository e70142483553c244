"""Chapters and topics of agencies' handbooks, cited without their book where the text or the page is about one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.content.citations.citation import Citation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Guide(NamedTuple):
    """A book: ``about`` tells a text or a page that is about it; within that ``regex`` finds its places."""

    kind: str
    about: re.Pattern[str]
    regex: re.Pattern[str]
    form: str


def _g(kind: str, about: str, regex: str, form: str) -> Guide:
    return Guide(kind, re.compile(about), re.compile(regex), form)


_VA = r"VA\s+Pamphlet\s+26-7|VA\s+Lender'?s'?\s+Handbook"
_USDA = r"HB-1-3555"
_FREDDIE = r"Freddie\s+Mac"
# fmt: off
GUIDES = (
    _g("va_pamphlet", _VA, r"\bChapter\s+(?P<c>\d{1,2}),\s+Topic\s+(?P<t>\d{1,2}(?:\.[a-z])?)\b",
       "VA Pamphlet 26-7, Chapter {c}, Topic {t}"),
    _g("va_pamphlet", _VA, rf"\bChapter\s+(?P<c>\d{{1,2}})\s+of\s+(?:the\s+)?(?:{_VA})",
       "VA Pamphlet 26-7, Chapter {c}"),
    _g("usda_hb", _USDA, r"\b[Pp]aragraph\s+(?P<s>\d{1,2}\.\d{1,2})\b(?!\()", "USDA HB-1-3555, Section {s}"),
    _g("usda_hb", _USDA, r"\b[Ss]ection\s+(?P<s>\d{1,2}\.\d{1,2})\s+of\s+(?:USDA\s+)?HB-1-3555\b",
       "USDA HB-1-3555, Section {s}"),
    _g("usda_hb", _USDA, r"\b[Cc]hapter\s+(?P<c>\d{1,2})\s+of\s+(?:USDA\s+)?HB-1-3555\b",
       "USDA HB-1-3555, Chapter {c}"),
    _g("freddie", _FREDDIE, r"\bChapters?\s+(?P<c>\d{4})\b(?!\.\d)(?:\s+of\s+the\s+(?:Single-Family\s+)?Guide\b)?",
       "Freddie Mac Guide, Chapter {c}"),
    _g("freddie", _FREDDIE, r"(?<=\d{4}\sand\s)(?P<c>\d{4})\s+of\s+the\s+Guide\b", "Freddie Mac Guide, Chapter {c}"),
    _g("freddie", _FREDDIE, r"\bBulletin\s+(?P<n>20\d{2}-\d{1,2})\b", "Freddie Mac Bulletin {n}"),
)
# fmt: on


def find(text: str, context: Mapping[str, str] | None) -> Iterator[Citation]:
    """The places of those books that the text names, or that the page belongs to by ``title`` or ``agency``."""
    page = " ".join(str(value) for key, value in (context or {}).items() if key in {"title", "agency"} and value)
    for guide in GUIDES:
        if guide.about.search(page) or guide.about.search(text):
            for match in guide.regex.finditer(text):
                yield Citation(match.start(), match.end(), guide.kind, guide.form.format_map(match.groupdict()))
