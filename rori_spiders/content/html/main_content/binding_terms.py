"""Find binding terms in boilerplate blocks: tables of figures, key dates, amounts, duties, a document's last line.

Agencies put "Comments due March 3, 2026", a table of fees and what a lender must do into the sidebar of a rule, or into
the foot of a card. The block goes; these stay.
"""

import re
from collections.abc import Iterator, Mapping

from lxml.html import HtmlElement

from rori_spiders.content.dom_names import names
from rori_spiders.content.html.main_content.asides import blocks
from rori_spiders.content.html.main_content.element_weights import Weight

#: How an agency says what has become of a rule, as a pattern.
STATES = (
    "stayed|rescinded|withdrawn|repealed|superseded|vacated|enjoined|revoked|suspended|expired|reserved|terminated"
    "|(?:no longer|not yet) (?:in )?(?:effect|effective)"
)


_MONTHS = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,12}\.?"
_DATE = (
    rf"(?:{_MONTHS} \d{{1,2}}\b|\b\d{{1,2}} {_MONTHS} \d{{4}}|\b\d{{1,2}}/\d{{1,2}}/\d{{2,4}}\b|\b\d{{4}}-\d\d-\d\d\b)"
)
_BINDS = (
    r"\b(?:effective|due|deadlines?|comments?|compl(?:y|iance)|expires?|hearing|appl(?:y|ies)|period|by|until|before"
    r"|after)\b"
)
_DATED = re.compile(
    rf"{_BINDS}.{{0,80}}{_DATE}|{_DATE}.{{0,80}}{_BINDS}|\[FR Doc\b|\bBILLING CODE\b|^Authority:|\b(?:{STATES})\b"
    r"|\d (?:CFR|U\.S\.C\.|Fed\. Reg\.)",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"\$ ?\d|\d ?(?:%|percent\b)", re.IGNORECASE)
# A sentence that puts a duty on somebody other than the reader of the page, and is no line of a site's own.
_DUTY = re.compile(
    r"^[A-Z](?!ou\b)[^.?!]{8,200}\b(?:must|shall|may not|(?:is|are) (?:required to|prohibited from))\b[^?!]{20,}\.$"
)
_OF_SITE = re.compile(
    r"\b(?:you|your|we|our|browser|javascript|web ?site|page|cookies?|subscri\w+|newsletter|accounts?|passwords?"
    r"|(?:log|sign) ?in|plug-?in|download|viewer|reproduc\w+|permission|trademarks?|reader|users?|comments?)\b",
    re.IGNORECASE,
)
# What pages say of themselves.
_OF_PAGE = re.compile(
    r"©|copyright|all rights reserved|page last|last (?:updated|modified|reviewed)|cookie", re.IGNORECASE
)
_DAY = re.compile(r"\d{1,2}|[A-Za-z]{0,3}|[«»<>‹›]*")
_INLINE = ("span", "b", "strong", "em", "i", "time", "font", "label")
_BOXES = names("div section aside footer form header article center")
_ENTRIES = ("dd", "td")
_LEAST_FIGURES = 2
# What stands around a term: its heading, and a few lines.
_AROUND_CHARS = 600


def terms_in(block: HtmlElement, weights: Mapping[HtmlElement, Weight], *, amounts: bool = True) -> list[HtmlElement]:
    """The parts of *block* that bind, in order, none in another, each with what stands around it and is no link.

    A line of an amount or a duty alone binds where ``amounts`` says so: within the text, but not at the page's edge.
    """
    if "cookie" in block.text_content().lower():
        return []
    found: dict[HtmlElement, None] = {}
    for bound in _bound(block, amounts=amounts):
        if not any(above in found for above in (bound, *bound.iterancestors())):
            whole = next(bound.iterancestors("dl", "table"), bound) if bound.tag in _ENTRIES else bound
            if whole in block.iterancestors():  # a cell that is itself a block of the page
                whole = bound
            found[_with_around(whole, block, weights)] = None
    outermost = [part for part in found if not any(above in found for above in part.iterancestors())]
    return [element for element in block.iter() if element in outermost] if len(outermost) > 1 else outermost


def _bound(block: HtmlElement, *, amounts: bool) -> Iterator[HtmlElement]:
    yield from (table for table in block.iter("table") if _is_of_figures(table))
    for leaf in (*(leaf for leaf, _ in blocks(block)), *_lines(block)):
        head = leaf.getprevious() if leaf.tag in _ENTRIES else None
        text = " ".join(f"{'' if head is None else head.text_content()} {leaf.text_content()}".split())
        if leaf.find(".//a") is not None or _OF_PAGE.search(text):
            continue
        is_within = (_DUTY.match(text) and not _OF_SITE.search(text)) or _AMOUNT.search(text)
        if _DATED.search(text) or (amounts and is_within):
            yield leaf


def _lines(block: HtmlElement) -> Iterator[HtmlElement]:
    """Marked-up words of *block* that are a line of their own, in no paragraph."""
    for inline in block.iter(*_INLINE):
        above = inline.getparent()
        if inline is not block and (above is None or above.tag not in _BOXES):
            continue
        if next(inline.iterancestors("li"), None) is None:  # there it is the label of a menu
            yield inline


def _is_of_figures(table: HtmlElement) -> bool:
    """Whether entries of *table* are figures, and it is no calendar, no form, and puts no links side by side."""
    if table.find(".//table") is not None:
        return False
    cells = [cell for cell in table.iter("td", "th") if cell.text_content().strip()]
    figures = [cell for cell in cells if any(map(str.isdigit, cell.text_content())) and cell.find(".//a") is None]
    if len(figures) < _LEAST_FIGURES or 2 * sum(cell.find(".//a") is not None for cell in cells) > len(cells):
        return False
    return not all(_DAY.fullmatch(cell.text_content().strip()) for cell in cells)


def _with_around(bound: HtmlElement, block: HtmlElement, weights: Mapping[HtmlElement, Weight]) -> HtmlElement:
    """The largest part of *block* around *bound* that holds little more than it, and hardly any links."""
    part, most = bound, weights[bound].text + _AROUND_CHARS
    while part is not block:
        above = part.getparent()
        if weights[above].text > most or 2 * weights[above].links > weights[above].text:
            break
        part = above
    return part
