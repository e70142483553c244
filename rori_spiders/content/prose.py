"""How much of each part of a page is running text: what tells an article from the boxes around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.content.asides import is_named_aside
from rori_spiders.content.names import names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml.html import HtmlElement

    from rori_spiders.content.weights import Weight

BLOCKS = names(
    "blockquote dl div img ol p pre table ul article section main h1 h2 h3 h4 h5 h6 form figure header footer aside nav"
    " li center fieldset address details"
)
_NEVER_RUNNING = names("h1 h2 h3 h4 h5 h6 a span b i em strong font small sup sub")
# A line of running text; headlines and captions of the 125 measured articles are mostly shorter.
_LINE_CHARS = 65
# What holds half of a page is no box beside it, whatever it is called.
_MOST_OF_IT = 0.5


class Prose(NamedTuple):
    """Characters without white space of an element, asides left out: outside links, and of those in running text."""

    plain: int
    running: int


def survey(body: HtmlElement, weights: Mapping[HtmlElement, Weight]) -> dict[HtmlElement, Prose]:
    """The prose of *body* and of each element in it; what stands beside articles is not in it."""
    most = _MOST_OF_IT * weights[body].text
    shown: list[HtmlElement] = []
    beside: set[HtmlElement] = set()
    for element in body.iter():
        if element.getparent() in beside or (element is not body and _stands_beside(element, weights[element], most)):
            beside.add(element)
        else:
            shown.append(element)
    found: dict[HtmlElement, Prose] = {}
    for element in reversed(shown):
        found[element] = _prose(element, weights[element], found)
    return found


def _stands_beside(element: HtmlElement, weight: Weight, most: float) -> bool:
    return weight.text < most and not weight.main_headings and is_named_aside(element)


def _prose(element: HtmlElement, weight: Weight, found: Mapping[HtmlElement, Prose]) -> Prose:
    inner = [(child, found[child]) for child in element if child in found]
    own = 0 if element.tag == "a" else _own_chars(element)
    plain = own + sum(prose.plain for child, prose in inner if child.tag != "a")
    running = sum(prose.running for _, prose in inner)
    if element.tag in _NEVER_RUNNING or plain - running < _LINE_CHARS:
        return Prose(plain, running)
    if own < _LINE_CHARS and weight.links > weight.text / 2:
        return Prose(plain, running)
    if not any(child.tag in BLOCKS for child in element):
        return Prose(plain, plain)
    return Prose(plain, running + own if own >= _LINE_CHARS else running)


def _own_chars(element: HtmlElement) -> int:
    pieces = [element.text, *(child.tail for child in element)]
    return sum(len("".join(piece.split())) for piece in pieces if piece)
