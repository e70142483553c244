"""Series of numbers behind one head: "Mortgagee Letters 2020-05 and 2021-03", "Public Laws 111-203 and 115-174"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.content.citations.citation import Citation

if TYPE_CHECKING:
    from collections.abc import Iterator

_NEXT = re.compile(r"(?:[,;]\s{1,3}(?:and\s+|or\s+)?|\s{1,3}(?:and|or|through)\s+)")
# The longest list of a year of the Federal Register has 61 items.
_MOST = 100


class Series(NamedTuple):
    """A head, and what each number behind it looks like; ``form`` is filled from the groups of the number.

    ``word`` stands in each text that has one, so that other texts are not searched.
    """

    kind: str
    word: str
    head: re.Pattern[str]
    number: re.Pattern[str]
    form: str


def _s(kind: str, word: str, head: str, number: str, form: str) -> Series:
    return Series(kind, word, re.compile(head), re.compile(number), form)


# fmt: off
SERIES = (
    _s("mortgagee_letter", "etters", r"\b(?:Mortgagee\s+Letters)\s+", r"(?P<n>(?:19|20)\d{2}-\d{2})\b",
       "Mortgagee Letter {n}"),
    _s("mortgagee_letter", "MLs", r"\bMLs\s+", r"(?P<n>(?:19|20)\d{2}-\d{2})\b", "Mortgagee Letter {n}"),
    _s("va_circular", "irculars", r"\b(?:VA\s+)?Circulars\s+", r"(?P<n>26-\d{2}-\d{1,2})\b", "VA Circular {n}"),
    _s("docket", "ocket", r"\b[Dd]ockets?\s+(?:Nos?\.?|IDs?|[Nn]umbers?)\s*:?\s*",
       r"(?P<n>[A-Z]{1,8}\d{0,4}-(?:[A-Z0-9]{1,8}-){0,4}\d{2,6})\b", "Docket No. {n}"),
    _s("rin", "RINs", r"\bRINs:?\s+", r"(?P<n>\d{4}-[A-Z]{2}\d{2})\b", "RIN {n}"),
    _s("eo", "Orders", r"\b(?:Executive|Exec\.)\s+Orders\s+(?:Nos?\.\s*)?", r"(?P<n>\d{4,5})\b", "Exec. Order {n}"),
    _s("publ", "Law", r"\bPublic\s+Laws\s+(?:Nos?\.?\s*)?", r"(?P<n>\d{2,3}-\d{1,4})(?!\d)", "Pub. L. {n}"),
    _s("publ", "Law", r"\bPublic\s+Law\s+No:\s*", r"(?P<n>\d{2,3}-\d{1,4})(?!\d)", "Pub. L. {n}"),
    _s("fannie", "Letter", r"\bLender\s+Letters?\s+", r"(?:LL-)?(?P<n>20\d{2}-\d{2})\b",
       "Fannie Mae Lender Letter LL-{n}"),
    _s("fannie", "Servicing", r"\b(?:Fannie\s+Mae\s+)?Servicing\s+Guide,?\s+(?:(?:Procedures?|Sections?|Topics?)\s+)?",
       r"(?P<n>[A-F]\d?-\d{1,2}(?:\.\d{1,2})?-\d{2})\b", "Fannie Mae Servicing Guide {n}"),
    _s("freddie", "Bulletin", r"\b(?:Freddie\s+Mac\s+(?:Guide\s+)?|Guide\s+)Bulletins?\s+", r"(?P<n>20\d{2}-\d{1,2})\b",
       "Freddie Mac Bulletin {n}"),
    _s("freddie", "Guide", r"\b(?:Freddie\s+Mac\s+)?Guide,?\s+Chapters?\s+", r"(?P<n>\d{4})\b(?!\.\d)",
       "Freddie Mac Guide, Chapter {n}"),
    _s("freddie", "Guide", r"\b(?:Freddie\s+Mac\s+)?Guide,?\s+Exhibits?\s+", r"(?P<n>\d{1,3})\b(?!\.\d)",
       "Freddie Mac Guide, Exhibit {n}"),
    _s("hud_handbook", "Handbooks", r"\b(?:HUD\s+)?Handbooks\s+", r"(?P<n>\d{4}\.\d(?:\s+REV-\d)?)\b",
       "HUD Handbook {n}"),
)
# fmt: on


def find(text: str) -> Iterator[Citation]:
    """Each number of each series; the first carries the head."""
    for series in SERIES:
        for head in series.head.finditer(text) if series.word in text else ():
            yield from _numbers(text, head, series)


def _numbers(text: str, head: re.Match[str], series: Series) -> Iterator[Citation]:
    start, at = head.start(), head.end()
    for _ in range(_MOST):
        number = series.number.match(text, at)
        if number is None:
            return
        yield Citation(start, number.end(), series.kind, series.form.format_map(number.groupdict()))
        following = _NEXT.match(text, number.end())
        if following is None:
            return
        start = at = following.end()
