"""Distinguish real text from lines that look like clocks and counters: sentences, table and list entries.

"The look-back is <b>3 days ago</b> or more" loses its figure with its mark-up; "60 days ago" in a cell is a term.
"""

import re
from typing import NamedTuple

from lxml.html import HtmlElement

from rori_spiders.content.dom_names import class_and_id, names

_INLINE = names(
    "a abbr acronym b bdi bdo big cite code dfn em font i kbd mark q s samp small span strong sub sup time u"
)
_ENTRIES = names("td th li dd")
_WORD = re.compile(r"[^\W_]")
_PARTED_AFTER = re.compile(r"\s*[|•·–—/]")
_PARTED_BEFORE = re.compile(r"[|•·–—/:]\s*$")
_OF_TIME = re.compile(r"time|date|ago|stamp|updated|count|clock|visit|views", re.IGNORECASE)
# A figure and what it counts, without a word that says that it is the page which is counted.
_FIGURE = re.compile(r"(?:about |over )?(?:\d[\d,]*|an?)\s+(?:[a-z]+\s+)?[a-z]+(?:\s+ago)?\W*", re.IGNORECASE)
_BY_THE_HOUR = re.compile(r"(?:second|minute|hour)s?\s+ago", re.IGNORECASE)


def is_in_sentence(element: HtmlElement) -> bool:
    """Whether words before or after *element*, on its line, go on with what it says."""
    if element.tag not in _INLINE:
        return False
    if _goes_on(element.tail):
        return True
    named = class_and_id(element)
    return element.tag != "time" and not _OF_TIME.search(named) and _leads_to(_text_before(element))


def is_text_in_sentence(element: HtmlElement, *, is_tail: bool) -> bool:
    """Whether the text of *element*, or that behind it, stands on a line with marked-up words."""
    text = (element.tail if is_tail else element.text) or ""
    after = element.getnext() if is_tail else next(iter(element), None)
    if _is_words(after):
        return not _PARTED_BEFORE.search(text)
    return is_tail and _is_words(element) and not _PARTED_AFTER.match(text) and not _BY_THE_HOUR.search(text)


def is_entry(element: HtmlElement, text: str) -> bool:
    """Whether *text*, in *element*, is an entry: a cell of a table with headers; a figure alone in an item."""
    for holder in (element, *element.iterancestors()):
        if holder.tag in {"td", "th"} and has_headers(holder):
            return True
        if holder.tag in _ENTRIES:
            line = " ".join(text.split())
            return bool(_FIGURE.fullmatch(line)) and not _BY_THE_HOUR.search(line) and _is_all_of(holder, line)
    return False


def has_headers(part: HtmlElement) -> bool:
    """Whether the table that *part*, a cell or a row, belongs to has headers."""
    table = next(part.iterancestors("table"), None)
    return table is not None and table.find(".//th") is not None


def _is_all_of(holder: HtmlElement, line: str) -> bool:
    return " ".join(holder.text_content().split()) == line


def _is_words(element: HtmlElement | None) -> bool:
    return element is not None and element.tag in _INLINE and bool(_WORD.search(element.text_content()))


def _text_before(element: HtmlElement) -> str | None:
    previous, parent = element.getprevious(), element.getparent()
    text: str | None = parent.text if previous is None and parent is not None else previous.tail
    return text


def _goes_on(text: str | None) -> bool:
    return bool(text) and bool(_WORD.search(text or "")) and not _PARTED_AFTER.match(text or "")


def _leads_to(text: str | None) -> bool:
    return bool(text) and bool(_WORD.search(text or "")) and not _PARTED_BEFORE.search(text or "")


# Very large tables, of which only the first rows are looked at for what hides, changes by itself or is boilerplate. A
# register of 100,000 rows is one thing; to weigh each of its cells takes longer than all else. The rows beyond the
# first few hundred are set aside, and put back before markdown is written: from the tree, straight.

# Rows left to tell by what the table is. No menu or layout of 2,633 measured pages had as many.
_ROWS_IN_TREE = 500
_LARGE = 2000
_GROUPS = ("table", "tbody")


class Aside(NamedTuple):
    """Rows that were taken out of the end of ``group``, in ``rows``."""

    group: HtmlElement
    rows: HtmlElement


def set_aside(root: HtmlElement) -> list[Aside]:
    """Take all but the first rows out of the very large tables of *root*."""
    found = []
    for group in list(root.iter(*_GROUPS)):
        if len(group) > _LARGE:
            rows = group.makeelement("tbody")
            rows.extend(group[_ROWS_IN_TREE:])
            found.append(Aside(group, rows))
    return found


def put_back(asides: list[Aside]) -> None:
    """Give the tables their rows back; those that were taken out of the page keep what they have."""
    for group, rows in asides:
        group.extend(rows)
