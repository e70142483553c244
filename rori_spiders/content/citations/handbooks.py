"""Places in agencies' handbooks: "VA Pamphlet 26-7, Chapter 4, Topic 2", "Paragraph 9.3 of HB-1-3555".

One grammar for all: the book and then the place, or the place "of" the book; a place without its book only where the
text or the page is about that book. A place is a chapter, a leaf (topic, paragraph), or both in either order.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rori_spiders.content.citations.expressions import Trigger, trigger
from rori_spiders.content.citations.model import Citation

_CHAPTER = r"[Cc]h(?:apters?|\.)\s{1,3}(?P<c%d>\d{1,2})(?![\d.]\d)"
_MORE = re.compile(
    r"(?:,\s{1,3}(?:and\s|or\s)?|\s(?:and|or|through)\s)\s{0,2}(?P<n>\d{1,2}(?:\.[a-z\d]{1,2})?)\b(?!\.?\d)"
)
_MOST = 40


@dataclass(frozen=True, slots=True)
class Handbook:
    """``leaf`` is the smallest unit that is cited, and ``lone`` says whether its number alone names its chapter.

    A text without ``trigger`` does not name the book.
    """

    kind: str
    canonical: str
    leaf: str
    lone: bool
    trigger: Trigger
    about: re.Pattern[str]
    forms: tuple[re.Pattern[str], ...]
    bare: re.Pattern[str]


def _handbook(kind: str, canonical: str, name: str, needed: str, leaf: tuple[str, str], *, lone: bool) -> Handbook:
    word, unit = leaf

    def place(first: int) -> str:
        chapter, behind = _CHAPTER % first, _CHAPTER % (first + 1)
        leaves = [unit % (first + number) for number in range(3)]
        alone = f"|{leaves[2]}" if lone else ""
        return rf"(?:{chapter}(?:,?\s{{1,3}}{leaves[0]})?|{leaves[1]},?\s{{1,3}}(?:of|in)\s{{1,3}}{behind}{alone})"

    book = rf"\b(?:{name})"
    forms = (
        rf"{book}(?:,\s{{0,3}}|\s{{1,3}}|\s{{0,2}}[-–—:]\s{{0,2}}){place(0)}",
        rf"(?<!\w){place(0)},?\s{{1,3}}(?:of|in)\s{{1,3}}(?:the\s{{1,3}})?{book}",
    )
    bare = (unit % 0) if lone else rf"{_CHAPTER % 0},?\s{{1,3}}{unit % 0}"
    return Handbook(
        kind,
        canonical,
        word,
        lone,
        trigger(needed),
        re.compile(book),
        tuple(map(re.compile, forms)),
        re.compile(rf"(?<!\w){bare}(?!\()"),
    )


_LENDERS = r"Lender['’]?s?['’]?\s{1,3}Handbook"
_VA = (
    rf"(?:VA\s{{1,3}}(?:Pamphlet|Pam\.?)\s{{1,3}}(?:No\.\s?)?26-7|VA\s{{1,3}}(?:Home\s{{1,3}}Loan\s{{1,3}})?{_LENDERS}|(?:VA\s{{1,3}})?M26-7)"
    rf"(?:,?\s{{1,3}}\(?(?:Revised|(?:the\s{{1,3}})?(?:VA\s{{1,3}})?{_LENDERS}|M26-7|VA\s{{1,3}}Pamphlet\s{{1,3}}26-7)\)?){{0,2}}"
)
_USDA = r"(?:USDA\s{1,3})?(?:RD\s{1,3})?(?:Handbook\s{1,3})?(?:HB|Handbook)[-–\s]{1,2}1-%s"
_TOPIC = r"[Tt]opics?\s{1,3}(?P<l%d>\d{1,2}(?:\.[a-z])?)\b"
_PARAGRAPH = r"(?:[Ss]ections?|[Pp]ara(?:graphs?|s?\.)|§{1,2})\s{0,3}(?P<l%d>\d{1,2}\.\d{1,2})(?!\.?\d)(?:\s?[A-Z]\b)?"
HANDBOOKS = (
    _handbook("va_pamphlet", "VA Pamphlet 26-7", _VA, "26-7|Handbook", ("Topic", _TOPIC), lone=False),
    _handbook("usda_hb", "USDA HB-1-3555", _USDA % "3555", "1-3555", ("Section", _PARAGRAPH), lone=True),
    _handbook("other", "USDA HB-1-3550", _USDA % "3550", "1-3550", ("Section", _PARAGRAPH), lone=True),
)


def find_places(text: str, context: Mapping[str, str] | None) -> Iterator[Citation]:
    """The places of each book that the text names, or that the page belongs to by ``title`` or ``agency``."""
    page = " ".join(str(value) for key, value in (context or {}).items() if key in {"title", "agency"} and value)
    for book in HANDBOOKS:
        named = book.trigger.is_in(text) and book.about.search(text)
        for form in book.forms if named else ():
            for match in form.finditer(text):
                yield from _places(text, match, book)
        if named or book.about.search(page):
            for match in book.bare.finditer(text):
                yield from _places(text, match, book)


def _places(text: str, match: re.Match[str], book: Handbook) -> Iterator[Citation]:
    """What a match names; of "Topics 2 and 7" the second, too."""
    groups = {name[0]: value for name, value in match.groupdict().items() if value}
    start, end = match.span()
    last = "l" if "l" in groups else "c"
    plural = re.search(r"(?:s|§§)\s{1,3}[\d.a-z]{1,5}(?:\s?[A-Z])?$", match[0])
    for _ in range(_MOST):
        canonical = book.canonical + (f", Chapter {groups['c']}" if "c" in groups else "")
        yield Citation(start, end, book.kind, canonical + (f", {book.leaf} {groups['l']}" if "l" in groups else ""))
        following = _MORE.match(text, end) if plural else None
        if following is None:
            return
        groups[last], (start, end) = following["n"], following.span("n")
