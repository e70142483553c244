"""Keep the main heading of a page with its byline, where the page puts it far from its text.

"Effective January 1, 2026" and a docket's number stand under the title, in a header that otherwise steers.
"""

import re
from collections.abc import Iterator
from copy import deepcopy

from lxml.html import HtmlElement

from rori_spiders.content.dom_names import names
from rori_spiders.content.html.main_content.asides import is_named_aside
from rori_spiders.content.html.main_content.binding_terms import STATES

_LINES = names("p div span time h2 h3 dl")
_MOST_LINES = 3
_STATE = re.compile(rf"\b(?:{STATES}|proposed|final|draft|interim|archived)\b", re.IGNORECASE)
# A line; what is longer is a text, which is found as such.
_LINE_CHARS = 150


def title_of(body: HtmlElement) -> list[HtmlElement]:
    """Copies of the one main heading of *body*, if it has one, and of the lines under it that hold a number."""
    found = [heading for heading in body.iter("h1") if heading.text_content().strip()]
    return [deepcopy(part) for part in (found[0], *_lines_under(found[0]))] if len(found) == 1 else []


def _lines_under(heading: HtmlElement) -> Iterator[HtmlElement]:
    for line in [*heading.itersiblings()][:_MOST_LINES]:
        text = line.text_content()
        if line.tag not in _LINES or len(squeezed(text)) > _LINE_CHARS:
            return
        if (
            (any(map(str.isdigit, text)) or _STATE.search(text))
            and line.find(".//a") is None
            and not is_named_aside(line)
        ):
            yield line


def with_title(element: HtmlElement, title: list[HtmlElement]) -> HtmlElement:
    """*element* with *title* before it, if that stood outside."""
    if not title or element.find(".//h1") is not None or element.tag == "h1":
        return element
    if squeezed(title[0].text_content()) in {squeezed(h.text_content()) for h in element.iter("h2", "h3")}:
        return element
    whole: HtmlElement = element.makeelement("div")
    element_text = squeezed(element.text_content()) if len(title) > 1 else ""
    for part in title:
        if part is title[0] or squeezed(part.text_content()) not in element_text:
            part.tail = None
            whole.append(part)
    element.tail = None
    parent = element.getparent()
    if parent is not None:
        parent.replace(element, whole)
    whole.append(element)
    return whole


def squeezed(text: str) -> str:
    """*text* without white space."""
    return "".join(text.split())
