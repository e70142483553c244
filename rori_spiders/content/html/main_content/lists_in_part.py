"""Lists that a page shows in part, and of which only a script shows more: by what the page says of them.

A list that goes on at an address of its own is walked. Another has a button below it ("Load more"), or says "Showing
1-20 of 240", or tells screen readers how many rows it has (WAI-ARIA 1.2 §6.6).
"""

import re
from collections.abc import Iterator
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from rori_spiders.content.dom_names import names

_FIND_MARKED = etree.XPath("//@aria-rowcount/.. | //@aria-setsize/.. | //@role[. = 'button']/..")
_FIND_COUNTED = etree.XPath("//*[text()[contains(., 'of') and string-length(.) < 100]]")
# To look at each text takes a third of the time; few pages have such a count.
_MAY_COUNT = re.compile(r"\d\s+(?:\w+\s+)?(?:out\s+)?of\s+(?:(?:about|over)\s+)?\d")
_ROWS = (
    r"(?:results?|records?|items?|entries|rows?|documents?|matches|opinions?|decisions?|cases|filings|orders?|rules?"
    r"|notices?|news|posts?|articles?|publications?|updates?|events?|releases?|resources?|pages?)"
)
_BUTTON = re.compile(
    rf"load(?: \d{{1,4}})? more(?: [\w-]{{1,20}}){{0,3}}|more {_ROWS}"
    rf"|(?:show|view|see|display|get)(?: the)?(?: next)?(?: \d{{1,4}})? more(?: [\w-]{{1,20}})?(?: {_ROWS})?"
    rf"|(?:load|show|view|see|display|get)(?: the)? next(?: \d{{1,4}})?(?: [\w-]{{1,20}})?(?: {_ROWS})?",
    re.IGNORECASE,
)
#: What a button says that shows more of one thing.
_OF_ONE_THING = re.compile(
    r"\b(?:info(?:rmation)?|details?|about|options?|filters?|text|content|settings|help|fields|less|like|page)\b",
    re.IGNORECASE,
)
_AROUND_BUTTON = " .…+▾▼↓›»>"
_FROM = r"\d{1,9} ?(?:-|–|—|to|through) ?"
_OF_ALL = rf"(\d{{1,9}})(?: {_ROWS})? (?:out )?of (?:about |over )?(\d{{1,9}})"
_COUNTED = re.compile(
    rf"\b(?:showing|displaying|viewing):? (?:{_ROWS} )?(?:{_FROM})?{_OF_ALL}\b"
    rf"|^(?:results|records|items|entries|rows):? {_FROM}{_OF_ALL}\b"
    rf"|^{_FROM}{_OF_ALL} {_ROWS}(?: (?:for|found|match|in|shown|per)\b|\W*$)",
    re.IGNORECASE,
)
_COMMA = re.compile(r"(?<=\d),(?=\d{3})")
_MAX_SIGN_CHARS = 90
#: Signs that are looked at: a page has one list, or a few.
_MOST_LOOKS = 20
#: No part of these is the list that a reader came for.
_OUTSIDE = names("nav header footer aside dialog template noscript select details")
_NO_ROWS = names("menuitem menuitemcheckbox menuitemradio tab radio treeitem option")
#: Elements of one kind in a row that are a list.
_FEWEST_ROWS = 3
_ROW_TAGS = names("li tr article section div a dt")


def sign_of_rest(root: HtmlElement) -> str:
    """By what the page says that it shows a list in part: its own words, or "20 of 240 rows"; '' for none."""
    sign, looked, looks = "", set[HtmlElement](), 0
    for one in _iter_candidates(root):
        holder = one if one.get("aria-rowcount") else one.getparent()
        text = _short_text(one) or one.get("value") or one.get("aria-label") or ""
        counted = _COUNTED.search(_COMMA.sub("", text))
        is_button = counted is None and _says_more(one, text)
        is_row = not is_button and counted is None and (one.get("aria-rowcount") or one.get("aria-setsize"))
        if not (counted or is_button or is_row) or (is_row and holder in looked) or _is_outside(one):
            continue
        looked.add(holder)
        looks += 1
        if looks > _MOST_LOOKS:
            break
        if counted is not None:
            last, of_all = (int(number) for number in counted.groups() if number)
            if max(last, _longest_list(root, of_all)) >= of_all:
                return ""  # these are the last, or all are there
            sign = sign or text
        elif not sign:
            sign = (text if _is_below_list(one) else "") if is_button else _rows_missing(one)
    return sign


def _iter_candidates(root: HtmlElement) -> Iterator[HtmlElement]:
    marked: Any = _FIND_MARKED(root)
    if _MAY_COUNT.search(root.text_content()):
        counted: Any = _FIND_COUNTED(root)
        yield from counted
    yield from marked
    for one in root.iter("button", "a", "input"):
        if one.tag == "button" or (one.get("type") == "button" if one.tag == "input" else _leads_nowhere(one)):
            yield one


def _leads_nowhere(link: HtmlElement) -> bool:
    return (link.get("href") or "#").lower().startswith(("#", "javascript:"))


def _short_text(element: HtmlElement) -> str:
    """The words of *element*; of one that has more than a sign, '' and no more is read."""
    words, size = [], 0
    for text in element.itertext():
        words.append(text)
        size += len(text.strip())
        if size > _MAX_SIGN_CHARS:
            return ""
    return " ".join("".join(words).split())


def _longest_list(root: HtmlElement, enough: int) -> int:
    """Rows of the first list that has *enough*, else 0."""
    holders = root.iter("tbody", "table", "ul", "ol", "dl")
    return next((len(holder) for holder in holders if len(holder) >= enough), 0)


def _rows_missing(element: HtmlElement) -> str:
    for name in ("aria-rowcount", "aria-setsize"):
        count = element.get(name, "")
        if not (count.isascii() and count.isdigit()) or element.get("role") in _NO_ROWS:
            continue
        holder = element if name == "aria-rowcount" else element.getparent()
        rows = ".//tr | .//*[@role='row']" if name == "aria-rowcount" else f".//*[@aria-setsize='{count}']"
        shown = 0 if holder is None else len(holder.xpath(rows))
        if 0 < shown < int(count):
            return f"{shown} of {count} rows"
    return ""


def _says_more(element: HtmlElement, text: str) -> bool:
    """Whether *element* is a button for more rows that answers, and no toggle of what is there."""
    is_button = element.tag in {"a", "button", "input"} or element.get("role") == "button"
    if not is_button or not _leads_nowhere(element):
        return False
    words = text.strip(_AROUND_BUTTON)
    is_toggle = any(element.get(name) is not None for name in ("aria-expanded", "data-toggle", "data-bs-toggle"))
    is_off = element.get("disabled") is not None or element.get("aria-disabled") == "true"
    return bool(_BUTTON.fullmatch(words)) and not (_OF_ONE_THING.search(words) or is_toggle or is_off)


def _is_below_list(element: HtmlElement) -> bool:
    """Whether elements of one kind stand in a row above it."""
    at: HtmlElement | None = element
    for _ in range(4):
        if at is None or at.tag in {"body", "main", "html"}:
            return False
        before = at.getprevious()
        for _ in range(3):
            if before is None:
                break
            if _has_rows(before):
                return True
            before = before.getprevious()
        at = at.getparent()
    return False


def _has_rows(element: HtmlElement) -> bool:
    """Whether *element* holds a list: rows of its own, or of what it holds."""
    for holder in (element, *element.iterdescendants("ul", "ol", "tbody", "dl", "div", "section")):
        kinds: dict[tuple[object, str | None], int] = {}
        for child in holder:
            if child.tag in _ROW_TAGS:
                kind = (child.tag, child.get("class") if child.tag in {"div", "section", "a"} else None)
                kinds[kind] = kinds.get(kind, 0) + 1
        if max(kinds.values(), default=0) >= _FEWEST_ROWS:
            return True
    return False


def _is_outside(element: HtmlElement) -> bool:
    return any(
        above.tag in _OUTSIDE or above.get("hidden") is not None or above.get("role") in {"navigation", "dialog"}
        for above in (element, *element.iterancestors())
    )
