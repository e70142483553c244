"""The lead of an article: what a page says between its main heading and the text that was taken for the article.

Publishers put their summary into the header, beside title and byline, where no scoring of blocks finds it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rori_spiders.content.asides import is_named_aside
from rori_spiders.content.names import names
from rori_spiders.content.panels import named_as

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lxml.html import HtmlElement

    from rori_spiders.content.weights import Weight

_LEADS = names("p h2 h3 div")
_BLOCKS = names("p div h1 h2 h3 h4 h5 h6 ul ol li table figure section header footer article aside form nav dl")
# Bylines, dates and captions are shorter; swept over 125 articles (2026-11): 0.5 to 1.5 of this give the same.
_LEAST_CHARS = 50
_NO_LEAD = re.compile(r"by-?line|author|caption|credit|error|media", re.IGNORECASE)
# What lies between a heading and its article is close to both.
_MOST_CHARS = 1000
_MOST_LEVELS = 6


def lead_before(article: HtmlElement, body: HtmlElement, weights: Mapping[HtmlElement, Weight]) -> list[HtmlElement]:
    """The blocks of running text between the one main heading of *body* and *article*, in order."""
    headings = [heading for heading in body.iter("h1") if heading in weights and weights[heading].text]
    if len(headings) != 1 or article in headings[0].iterancestors():
        return []
    around = set(headings[0].iterancestors())
    if not any(above in around for above in list(article.iterancestors())[:_MOST_LEVELS]):
        return []
    found, size = [], 0
    for block in _between(headings[0], article, body):
        if not _is_lead(block, weights):
            continue
        size += weights[block].text
        found.append(block)
    return found if size <= _MOST_CHARS else []


def _between(heading: HtmlElement, article: HtmlElement, body: HtmlElement) -> Iterator[HtmlElement]:
    has_begun = False
    for element in body.iter():
        if element is article:
            return
        if has_begun and element.tag in _LEADS:
            yield element
        has_begun = has_begun or element is heading


def _is_lead(block: HtmlElement, weights: Mapping[HtmlElement, Weight]) -> bool:
    weight = weights.get(block)
    if weight is None or weight.text < _LEAST_CHARS or weight.links > weight.text / 2:
        return False
    if _NO_LEAD.search(named_as(block)) or any(inner.tag in _BLOCKS for inner in block.iterdescendants()):
        return False
    return not any(is_named_aside(part) for part in (block, *block.iterancestors()) if part.tag != "body")
