"""Find the published and modified dates of a page, with the place where it states them.

Markup comes first: meta tags, OpenGraph, Dublin Core, JSON-LD, microdata. The text is read only where the markup is
silent. A place that names several days names none: a list of articles does not date the page that lists them.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import cache, partial
from typing import Any, Literal, NamedTuple

from dateutil import parser
from lxml import etree
from lxml.html import HtmlElement

Field = Literal["published_date", "modified_date"]
Doubt = Literal["future", "before_1900"]


class Dated(NamedTuple):
    """A day (``YYYY-MM-DD``) and where it was read: "meta dcterms.issued", "text: Last updated: May 6, 2024"."""

    field: Field
    date: str
    source: str


# By rank: what a publisher's own system writes comes before what a template fills in.
_META: dict[Field, tuple[str, ...]] = {
    "published_date": (
        "article:published_time",
        "datepublished",
        "dcterms.issued",
        "dc.date.issued",
        "date.issued",
        "dcterms.created",
        "dc.date.created",
        "citation_publication_date",
        "publication_date",
        "publish_date",
        "pubdate",
        "dcterms.date",
        "dc.date",
        "date",
    ),
    "modified_date": (
        "article:modified_time",
        "og:updated_time",
        "datemodified",
        "dcterms.modified",
        "dc.date.modified",
        "dc.modified",
        "date.modified",
        "dcterms.updated",
        "last-modified",
        "last_modified",
        "lastmod",
        "revised",
    ),
}
_KEY: dict[Field, str] = {"published_date": "datePublished", "modified_date": "dateModified"}
_MODIFIED_LINE = re.compile(
    r"(?:last|page|content|date)\s+(?:last\s+)?(?:updated|modified|reviewed|revised|current)(?:\s*(?:/|or|and|,)\s*\w+)?"
    r"(?:\s+(?:on|as\s+of|date))*\s*(?::\s*)?(?P<day>.{6,40})",
    re.IGNORECASE,
)
# What may stand before such words on a line that dates its page: "This page was", "USDA.gov | ". A sentence on a rule
# or a form that was "last revised" then does not.
_OF_PAGE = re.compile(
    r"(?:.*[|•·–—:;.,()\[\]]\s*+)?+(?:(?:this|the|our)\s++)?(?:web\s*+)?"
    r"(?:page|site|content|document|article|information)?\s*+"
    r"(?:(?:was|were|is|has been|date)\s++)?(?:most\s++recently\s++|last\s++)?",
    re.IGNORECASE,
)
# Nothing but the word and the day: "Posted on March 4, 2024" dates a page, "published in the Register of" does not.
_PUBLISHED_LINE = re.compile(
    r"(?:date\s+(?:published|posted|issued)|(?:publication|posting|issue|release)\s+date|published|posted|issued)"
    r"(?:\s+on)?\s*:?\s*(?P<day>[^|]{6,30}?)\.?(?:\s*\|.{0,40})?",
    re.IGNORECASE,
)
_STAMP_WORDS = ("pdated", "odified", "eviewed", "evised", "urrent as of")
_PUBLISHED_WORDS = ("ublished", "osted", "ssued", "ublication", "ssue date", "elease", "osting")
_LINE_CHARS = 200
_PIECE_CHARS = 600
# A page with more such lines is a list; its last ones are looked at for a stamp.
_MOST_LINES = 400


def dates_in(root: HtmlElement, metas: dict[str, str], linked: list[dict[str, Any]], names: set[str]) -> list[Dated]:
    """Every day that the page is dated with, best first for each field.

    ``metas``: its meta tags by lower-case name; ``linked``: the objects of its JSON-LD; ``names``: its own addresses.
    """
    found: list[Dated] = []
    dated = cache(partial(_with_itemprop, root))
    whole = cache(partial(etree.tostring, root, method="text", encoding="unicode"))
    for field, key in _KEY.items():
        of_field = list(_in_markup(field, metas, _of_page(linked, key, names)))
        of_field += [] if of_field else _in_microdata(dated(), field)
        if believed(of_field, field) is None:
            of_field += _in_text(root, field, whole())
        found += of_field
    return found


def doubt(date: str, today: str | None = None) -> Doubt | None:
    """Why *date* is not to be believed, if so; ``today`` (``YYYY-MM-DD``) is the day on which the page was fetched."""
    if date < "1900":
        return "before_1900"
    return "future" if today is not None and date > today else None


def believed(dates: Iterable[Dated], field: Field, today: str | None = None) -> Dated | None:
    """The best of *dates* for *field* that is not doubted."""
    return next((dated for dated in dates if dated.field == field and doubt(dated.date, today) is None), None)


def _in_markup(field: Field, metas: dict[str, str], linked: str | None) -> Iterator[Dated]:
    for name in _META[field]:
        if day := iso_date(metas.get(name)):
            yield Dated(field, day, f"meta {name}")
    if linked is not None:
        yield Dated(field, linked, f"json-ld {_KEY[field]}")


def _of_page(linked: list[dict[str, Any]], key: str, names: set[str]) -> str | None:
    """The day on which the objects agree, else that of the one which is named as the page is."""
    days = [(item, day) for item in linked if isinstance(item.get(key), str) and (day := iso_date(item[key]))]
    if len({day for _, day in days}) > 1:
        days = [(item, day) for item, day in days if _addresses(item) & names]
    return days[0][1] if len({day for _, day in days}) == 1 else None


def _addresses(item: dict[str, Any]) -> set[str]:
    page = item.get("mainEntityOfPage")
    named = [item.get("url"), item.get("@id"), page.get("@id") if isinstance(page, dict) else page]
    return {value.partition("#")[0].rstrip("/") for value in named if isinstance(value, str)}


def _with_itemprop(root: HtmlElement) -> list[HtmlElement]:
    if not root.xpath("boolean(//@itemprop)"):
        return []
    keys = " or ".join(f"@itemprop='{key}'" for key in _KEY.values())
    elements: list[HtmlElement] = root.xpath(f"//*[{keys}]")
    return elements


def _in_microdata(elements: list[HtmlElement], field: Field) -> list[Dated]:
    days = set()
    for element in elements:
        if element.get("itemprop") == _KEY[field]:
            days.add(iso_date(element.get("datetime") or element.get("content") or element.text_content()))
    days.discard(None)
    return [Dated(field, day, f"microdata {_KEY[field]}") for day in days if day] if len(days) == 1 else []


def _in_text(root: HtmlElement, field: Field, whole: str) -> list[Dated]:
    """What a line of the page says: the last stamp ("Last updated: ..."); of "Published: ..." the only one."""
    if field == "modified_date":
        stamps = _texts_with(root, _STAMP_WORDS, whole)[: -_MOST_LINES - 1 : -1]
        last = next((dated for line in _lines(stamps) if (dated := _stamped(line))), None)
        return [last] if last else []
    texts = _texts_with(root, _PUBLISHED_WORDS, whole)
    published = {dated.date: dated for line in _lines(texts[:_MOST_LINES]) if (dated := _published(line))}
    return list(published.values()) if len(published) == 1 and len(texts) <= _MOST_LINES else []


def _texts_with(root: HtmlElement, words: tuple[str, ...], whole: str) -> list[Any]:
    """The texts of the page that hold one of *words*. Most pages hold none, which their *whole* text shows."""
    there = [word for word in words if word in whole]
    if not there:
        return []
    holds = " or ".join(f"contains(., {word!r})" for word in there)  # each of them is looked for in every text
    texts: list[Any] = root.xpath(f"//body/descendant::text()[{holds}]")
    return texts


def _lines(texts: Iterable[Any]) -> Iterator[str]:
    """The line that each text stands in: that of its element, then that of the element around it, each once."""
    seen: dict[HtmlElement, None] = {}
    for text in texts:
        holder = text.getparent()
        for element in (holder, holder.getparent() if holder is not None else None):
            if element is None or element in seen:
                continue
            seen[element] = None
            line = " ".join(element.text_content()[:_PIECE_CHARS].split())
            if len(line) < _LINE_CHARS:
                yield line


def _stamped(line: str) -> Dated | None:
    found = _MODIFIED_LINE.search(line)
    day = _leading_date(found["day"]) if found and _OF_PAGE.fullmatch(line, 0, found.start()) else None
    return Dated("modified_date", day, f"text: {line[found.start() :][:80].strip()}") if found and day else None


def _published(line: str) -> Dated | None:
    found = _PUBLISHED_LINE.fullmatch(line)
    day = iso_date(found["day"]) if found else None
    return Dated("published_date", day, f"text: {line[:80]}") if day else None


def _leading_date(text: str) -> str | None:
    """The date that *text* begins with, whatever follows it."""
    words = text.split()
    return next(
        (day for count in range(min(4, len(words)), 0, -1) if (day := iso_date(" ".join(words[:count]).rstrip(".|")))),
        None,
    )


# Dates as publishers write them, as ISO 8601, or None: a date is never guessed from parts of one.

# Two fillers that share no part: what differs between the two readings was not in the text.
_FILLERS = (datetime(1904, 1, 1), datetime(2003, 12, 31))  # noqa: DTZ001
_YEARS = range(1700, 2200)
# "06.05.2024" is a day in May to those who write it so, and one in June to the parser.
_DOTTED = re.compile(r"(?<!\d)(\d{1,2})\.(\d{1,2})\.\d{2,4}")
_HAS_YEAR = re.compile(r"\d{4}|\d{1,2}[/.-]\d{1,2}[/.-]\d{2}")


def iso_date(text: str | None) -> str | None:
    """The day that *text* names, as ``YYYY-MM-DD``; None if it names no whole day, or more than one reading fits."""
    text = " ".join((text or "").split())
    if not text or len(text) > 60 or not _HAS_YEAR.search(text) or _has_two_readings(text):
        return None
    try:
        first, second = (parser.parse(text, default=filler, ignoretz=True) for filler in _FILLERS)
    except (parser.ParserError, OverflowError, ValueError, TypeError):
        return None
    if first.date() != second.date() or first.year not in _YEARS:
        return None
    return first.date().isoformat()


def _has_two_readings(text: str) -> bool:
    found = _DOTTED.search(text)
    return found is not None and found[1] != found[2] and max(int(found[1]), int(found[2])) <= 12
