"""Measure the running text, links and headings of each element, in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.content.dom_names import names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.html import HtmlElement

_HEADINGS = names("h1 h2 h3 h4 h5 h6")


class Weight:
    """Counts within an element: characters without white space, and elements of two kinds."""

    __slots__ = ("headings", "link_count", "links", "main_headings", "text")

    def __init__(self) -> None:
        self.text = 0  # characters outside links
        self.links = 0  # characters inside links
        self.link_count = 0
        self.headings = 0
        self.main_headings = 0  # h1

    def add(self, other: Weight, sign: int = 1) -> None:
        self.text += sign * other.text
        self.links += sign * other.links
        self.link_count += sign * other.link_count
        self.headings += sign * other.headings
        self.main_headings += sign * other.main_headings

    @property
    def counts(self) -> tuple[int, ...]:
        return self.text, self.links, self.link_count, self.headings, self.main_headings


def weigh(root: HtmlElement) -> dict[HtmlElement, Weight]:
    """The weight of *root* and of each element in it. The keys keep the elements alive, so that they stay the same."""
    elements = list(root.iter())
    shared: dict[tuple[int, ...], Weight] = {}  # of elements without children: nobody changes theirs
    weights: dict[HtmlElement, Weight] = {element: Weight() for element in elements if len(element)}
    linked = {inner for link in root.iter("a") for inner in link.iter()}
    for element in reversed(elements):
        parent = weights.get(element)
        own = Weight() if parent is None else parent
        if (text := element.text) and not text.isspace():
            _count(own, text, inside_link=element in linked)
        if (tag := element.tag) == "a":
            own.link_count += 1
        elif tag in _HEADINGS:
            own.headings += 1
            own.main_headings += tag == "h1"
        if parent is None:
            own = weights[element] = shared.setdefault(own.counts, own)
        if element is not root:
            holder = element.getparent()
            above = weights[holder]
            above.add(own)
            if (tail := element.tail) and not tail.isspace():
                _count(above, tail, inside_link=holder in linked)
    return weights


def forget(element: HtmlElement, weights: dict[HtmlElement, Weight], root: HtmlElement) -> None:
    """Take the weight of *element* off all that it stands in; to be called before it is taken out of the tree."""
    own = weights[element]
    for above in element.iterancestors():
        weights[above].add(own, -1)
        if above is root:
            return


def remember(element: HtmlElement, weights: dict[HtmlElement, Weight], root: HtmlElement) -> None:
    """Put the weight of *element* on all that it stands in, after it was taken off by `forget` and changed."""
    own = weights[element]
    for above in element.iterancestors():
        weights[above].add(own)
        if above is root:
            return


def together(parts: Iterable[Weight]) -> Weight:
    """The weight of several parts as that of one."""
    whole = Weight()
    for part in parts:
        whole.add(part)
    return whole


def _count(weight: Weight, text: str, *, inside_link: bool) -> None:
    chars = len("".join(text.split()))
    if inside_link:
        weight.links += chars
    else:
        weight.text += chars
