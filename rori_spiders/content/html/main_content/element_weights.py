"""Measure the running text, links and headings of each element, in one pass."""

from __future__ import annotations

from collections.abc import Iterable

from lxml.html import HtmlElement

from rori_spiders.content.dom_names import names

_HEADINGS = names("h1 h2 h3 h4 h5 h6")


class Weight:
    """Counts within an element: characters without white space, and elements of two kinds."""

    __slots__ = ("headings", "link_count", "links", "main_headings", "text")

    def __init__(
        self, text: int = 0, links: int = 0, link_count: int = 0, headings: int = 0, main_headings: int = 0
    ) -> None:
        self.text = text  # characters outside links
        self.links = links  # characters inside links
        self.link_count = link_count
        self.headings = headings
        self.main_headings = main_headings  # h1

    def add(self, other: Weight, sign: int = 1) -> None:
        self.text += sign * other.text
        self.links += sign * other.links
        self.link_count += sign * other.link_count
        self.headings += sign * other.headings
        self.main_headings += sign * other.main_headings


def weigh(root: HtmlElement) -> dict[HtmlElement, Weight]:
    """The weight of *root* and of each element in it. The keys keep the elements alive, so that they stay the same."""
    elements = list(root.iter())
    nothing = Weight()
    shared: dict[tuple[int, ...], Weight] = {(0,) * 5: nothing}  # of elements without children: nobody changes theirs
    weights: dict[HtmlElement, Weight] = {element: Weight() for element in elements if len(element)}
    linked: set[HtmlElement] = set()
    for link in root.iter("a"):
        linked.update(link.iter())
    for element in reversed(elements):
        text, tag = element.text, element.tag
        chars = len("".join(text.split())) if text else 0
        is_link = int(tag == "a")
        is_heading, is_main = (1, int(tag == "h1")) if tag in _HEADINGS else (0, 0)
        own = weights.get(element)
        if own is None:
            if chars or is_link or is_heading:
                outside, inside = (0, chars) if element in linked else (chars, 0)
                counts = outside, inside, is_link, is_heading, is_main
                own = shared.get(counts)
                if own is None:
                    own = shared[counts] = Weight(*counts)
            else:
                own = nothing
            weights[element] = own
        else:
            if chars:
                _count(own, chars, inside_link=element in linked)
            own.link_count += is_link
            own.headings += is_heading
            own.main_headings += is_main
        if element is root:
            break
        holder = element.getparent()
        above = weights[holder]
        if own is not nothing:
            above.add(own)
        if (tail := element.tail) and (chars := len("".join(tail.split()))):
            _count(above, chars, inside_link=holder in linked)
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


def _count(weight: Weight, chars: int, *, inside_link: bool) -> None:
    if inside_link:
        weight.links += chars
    else:
        weight.text += chars
