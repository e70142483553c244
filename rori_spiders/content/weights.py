"""How much each element of a page says: its running text, its links, its headings, in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.content.names import names

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_HEADINGS = names("h1 h2 h3 h4 h5 h6")


class Weight:
    """Characters inside an element, white space not counted."""

    __slots__ = ("headings", "link_count", "links", "main_heading", "text")

    def __init__(self) -> None:
        self.text = 0  # outside links
        self.links = 0  # inside links
        self.link_count = 0
        self.headings = 0
        self.main_heading = False  # an h1 stands in it


def weigh(root: HtmlElement) -> dict[HtmlElement, Weight]:
    """The weight of *root* and of each element in it. The keys keep the elements alive, so that they stay the same."""
    elements = list(root.iter())
    weights = {element: Weight() for element in elements}
    linked = {inner for link in root.iter("a") for inner in link.iter()}
    for element in reversed(elements):
        own = weights[element]
        if element.text:
            _add(own, len("".join(element.text.split())), inside_link=element in linked)
        if element.tag == "a":
            own.link_count += 1
        if element.tag in _HEADINGS:
            own.headings += 1
            own.main_heading = own.main_heading or element.tag == "h1"
        parent = element.getparent()
        if element is root or parent is None:
            continue
        above = weights[parent]
        above.text += own.text
        above.links += own.links
        above.link_count += own.link_count
        above.headings += own.headings
        above.main_heading = above.main_heading or own.main_heading
        if element.tail:
            _add(above, len("".join(element.tail.split())), inside_link=parent in linked)
    return weights


def _add(weight: Weight, chars: int, *, inside_link: bool) -> None:
    if inside_link:
        weight.links += chars
    else:
        weight.text += chars
