"""Places in agencies' handbooks: "VA Pamphlet 26-7, Chapter 4, Topic 2", "Paragraph 9.3 of HB-1-3555".

One grammar for all: the book and then the place, or the place "of" the book; a place without its book only where the
text or the page is about that book. A place is a chapter, a leaf (topic, paragraph), or both in either order, or an
attachment or appendix.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rori_spiders.content.citations.expressions import Trigger, trigger
from rori_spiders.content.citations.model import Citation

_CHAPTER = r"[Cc]h(?:apters?|\.)\s{1,3}(?P<c%d>\d{1,2})(?![\d.]\d)"
# "Attachment 9-A", "Appendix 5": what stands behind the chapters.
_ANNEX = r"(?P<a%d>(?:Attachment|Appendix)\s{1,3}(?:\d{1,2}(?:-[A-Z])?|[A-Z]))(?![\w(]|[.-]\d)"
_AND = r"(?:,\s{1,3}(?:and\s|or\s)?|\s(?:and|or|through)\s)\s{0,2}"
_MORE = re.compile(_AND + r"(?P<n>\d{1,2}(?:\.[a-z\d]{1,2})?)\b(?!\.?\d)")
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


def _handbook(
    kind: str, canonical: str, name: str, needed: str, leaf: tuple[str, str], *, lone: bool, short: str = ""
) -> Handbook:
    """``short`` is what a text that names the book calls it from there on."""
    word, unit = leaf

    def place(first: int, *, bare: bool = False) -> str:
        chapter, behind = _CHAPTER % first, _CHAPTER % (first + 1)
        leaves = [unit % (first + number) for number in range(3)]
        alone = f"|{leaves[2]}" if lone else ""
        of_chapter = rf"{leaves[1]}(?P<m{first}>(?:{_AND}\d{{1,2}}(?:\.[a-z\d]{{1,2}})?){{0,9}})"
        annex = rf"(?:[Cc]h(?:apter|\.)\s{{1,3}}\d{{1,2}},?\s{{1,3}})?{_ANNEX % first}"
        if bare:
            return rf"(?:{chapter},?\s{{1,3}}{leaves[0]}|{of_chapter}\s{{1,3}}(?:of|in)\s{{1,3}}{behind})"
        of_chapter = rf"{of_chapter}(?:,?\s{{1,3}}(?:of|in)|,)\s{{1,3}}{behind}"
        return rf"(?:{annex}|{chapter}(?:,?\s{{1,3}}{leaves[0]})?|{of_chapter}{alone})"

    book = rf"\b(?:{name})"
    forms = (
        rf"{book}(?:,\s{{0,3}}|\s{{1,3}}|\s{{0,2}}[-–—:]\s{{0,2}}){place(0)}",
        rf"(?<!\w){place(0)},?\s{{1,3}}(?:of|in|to)\s{{1,3}}(?:the\s{{1,3}})?\b(?:{name}{short and '|' + short})",
    )
    bare = rf"(?:{unit % 0}|{_ANNEX % 0}(?<=-[A-Z]))" if lone else place(0, bare=True)
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
_USDA = r"(?:USDA\s{1,3})?(?:RD\s{1,3})?(?:Handbook\s{1,3})?(?:HB|Handbook)[-–\s]{1,2}%s"
_TOPIC = r"[Tt]opics?\s{1,3}(?P<l%d>\d{1,2}(?:\.[a-z])?)\b"
_PARAGRAPH = r"(?:[Ss]ections?|[Pp]ara(?:graphs?|s?\.)|§{1,2})\s{0,3}(?P<l%d>\d{1,2}\.\d{1,2})(?!\.?\d)(?:\s?[A-Z]\b)?"
_VA_MANUAL = r"(?:(?:VA\s{1,3})?(?:Servicer\s{1,3}Handbook|Manual)\s{1,3})?M26-(?P<n>[1-689])\b"
HANDBOOKS = (
    _handbook("va_pamphlet", "VA Pamphlet 26-7", _VA, "26-7|Handbook", ("Topic", _TOPIC), lone=False, short=_LENDERS),
    _handbook("usda_hb", "USDA HB-1-3555", _USDA % "1-3555", "1-3555", ("Section", _PARAGRAPH), lone=True),
    _handbook(
        "other", "USDA HB-{n}", _USDA % "(?P<n>[123]-35[56]0|1-3565)", r"\d-35[56]", ("Section", _PARAGRAPH), lone=True
    ),
    # M26-7 is the Lenders Handbook.
    _handbook("other", "VA Manual M26-{n}", _VA_MANUAL, r"M26-[1-689]", ("Topic", _TOPIC), lone=False),
)


def find_places(text: str, context: Mapping[str, str] | None) -> Iterator[Citation]:
    """The places of each book that the text names, or that the page belongs to by ``title`` or ``agency``."""
    page = " ".join(str(value) for key, value in (context or {}).items() if key in {"title", "agency"} and value)
    for book in HANDBOOKS:
        named = book.about.search(text) if book.trigger.is_in(text) else None
        for form in book.forms if named else ():
            for match in form.finditer(text):
                yield from _places(text, match, book, _name_of(book, match))
        if about := named or book.about.search(page):
            for match in book.bare.finditer(text):
                yield from _places(text, match, book, _name_of(book, about))


def _name_of(book: Handbook, match: re.Match[str]) -> str:
    """What the book that *match* names is called; of several handbooks of one kind its number tells which."""
    return book.canonical.format_map(match.groupdict())


def _places(text: str, match: re.Match[str], book: Handbook, name: str) -> Iterator[Citation]:
    """What a match names; of "Topics 2 and 7" the second, too."""
    named = {group: value for group, value in match.groupdict().items() if value}
    groups = {group[0]: value for group, value in named.items()}
    if "a" in groups:
        yield Citation(*match.span(), book.kind, f"{name}, {' '.join(groups['a'].split())}")
        return
    canonical = name + (f", Chapter {groups['c']}" if "c" in groups else "")
    leaf = f"{canonical}, {book.leaf} " if "l" in groups else ""
    start, end = match.span()
    if "m" in groups:  # "Topics 1 through 6 of Chapter 3"
        between = match.span(next(group for group in named if group[0] == "m"))
        more = list(_MORE.finditer(text, *between))
        yield Citation(start, between[0], book.kind, leaf + groups["l"])
        for one in more:
            yield Citation(one.start("n"), end if one is more[-1] else one.end(), book.kind, leaf + one["n"])
        return
    yield Citation(start, end, book.kind, leaf + groups["l"] if leaf else canonical)
    plural = re.search(r"(?:s|§§)\s{1,3}[\d.a-z]{1,5}(?:\s?[A-Z])?$", match[0])
    following = _MORE.match(text, end) if plural else None
    for _ in range(_MOST):
        if following is None:
            return
        yield Citation(*following.span("n"), book.kind, (leaf or f"{name}, Chapter ") + following["n"])
        following = _MORE.match(text, following.end())
