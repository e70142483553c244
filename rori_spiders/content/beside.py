"""What of the page's own text stands beside its content region: appendices, footnotes, a second ``main``.

A region is one element, and a page may keep its footnotes in the next one. What is law stays, wherever it stands; so
does a part that is called an appendix or notes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rori_spiders.content.asides import is_named_aside, states_law
from rori_spiders.content.names import class_and_id, names
from rori_spiders.content.terms import terms_in
from rori_spiders.content.titles import squeezed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lxml.html import HtmlElement

    from rori_spiders.content.weights import Weight

_WORDS = "foot-?notes?|end-?notes?|appendix|appendices|annex|addendum|errata"
_NOTES = re.compile(rf"(?:^|[\s_-])(?:{_WORDS})(?:$|[\s_-])", re.IGNORECASE)
_HEADS = re.compile(rf"(?:{_WORDS}|supplement i|subpart|part \d)\b", re.IGNORECASE)
_OF_SITE = re.compile(r"cookie|official website|javascript|©|all rights reserved", re.IGNORECASE)
# A paragraph of a text: blurbs of agencies are shorter.
_PARAGRAPH_CHARS = 80
_HEADINGS = names("h1 h2 h3 h4 h5 h6")


def with_law_beside(region: HtmlElement, body: HtmlElement, weights: Mapping[HtmlElement, Weight]) -> HtmlElement:
    """*region*, together with the parts of *body* beside it that are law or its notes, in the order of the page."""
    if region is body:
        return region
    beside = [part for other in _beside(region, body) if other in weights for part in _kept(other, region, weights)]
    beside += [part for part in _behind(region, body) if part in weights and part not in beside and _is_prose(part)]
    if not beside:
        return region
    kept = {region, *beside}
    ordered = [element for element in body.iter() if element in kept]
    whole = region.makeelement("div")
    ordered[0].addprevious(whole)
    for part in ordered:
        part.tail = None
        whole.append(part)
    return whole


def _beside(region: HtmlElement, body: HtmlElement) -> Iterator[HtmlElement]:
    inner = region
    while inner is not body:
        outer = inner.getparent()
        yield from (part for part in outer if part is not inner)
        inner = outer


def _behind(region: HtmlElement, body: HtmlElement) -> Iterator[HtmlElement]:
    inner = region
    while inner is not body:
        yield from inner.itersiblings()
        inner = inner.getparent()


def _kept(part: HtmlElement, region: HtmlElement, weights: Mapping[HtmlElement, Weight]) -> list[HtmlElement]:
    """What of *part* belongs to the page's text: all, the terms in it that *region* does not say, or nothing."""
    if not weights[part].text:
        return []
    if _belongs(part, weights[part]):
        return [part]
    terms = [] if part.find(".//h1") is not None else terms_in(part, weights, amounts=False)  # `titles` has the former
    said = squeezed(region.text_content()) if terms else ""
    return [term for term in terms if squeezed(term.text_content()) not in said]


def _belongs(part: HtmlElement, weight: Weight) -> bool:
    if weight.links > weight.text:
        return False
    if any(inner.tag == "main" or inner.get("role") == "main" for inner in part.iter()):
        return True
    return _is_called_notes(part) or states_law(part)


def _is_prose(part: HtmlElement) -> bool:
    """Whether *part* is a text of its own, of several paragraphs, and nothing that is said beside texts."""
    if is_named_aside(part) or any(is_named_aside(above) for above in part.iterancestors()):
        return False
    paragraphs = [paragraph for paragraph in part.iter("p") if paragraph.find(".//a") is None]
    if _OF_SITE.search(part.text_content()):
        return False
    return sum(len(squeezed(paragraph.text_content())) >= _PARAGRAPH_CHARS for paragraph in paragraphs) >= 2


def _is_called_notes(part: HtmlElement) -> bool:
    if _NOTES.search(class_and_id(part)):
        return True
    return any(_HEADS.match(" ".join(heading.text_content().split())) for heading in part.iter(*_HEADINGS))
