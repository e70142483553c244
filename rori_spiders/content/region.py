"""The content region of a page: the part that its own markup or the weight of its text marks as content."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rori_spiders.content.asides import is_named_aside
from rori_spiders.content.names import names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml.html import HtmlElement

    from rori_spiders.content.weights import Weight

_NAMED = re.compile(
    r"(?:^|\s)(?:(?:main|page|site|primary|body|region|center|left|block)[-_]?)?(?:content|contents|main|column)"
    r"(?:[-_]?(?:area|main|wrapper|container|body|column|region|block|section|page|\d))*(?:\s|$)",
    re.IGNORECASE,
)
# A main element with less is an empty frame, or a search box.
_LEAST_CHARS = 200
_LEAST_SHARE = 0.2
# What a block that is named as content may leave outside, once furniture has gone.
_NAMED_MAY_LEAVE = 0.4
# With more links than this outside, a page of little text is one of tiles, and its links are what it says.
_LINKS_MAY_LEAVE = 0.4
_UNDIVIDED = names("table tbody thead tr td ul ol dl p pre blockquote span a")


def find_region(body: HtmlElement, weights: Mapping[HtmlElement, Weight]) -> HtmlElement:
    """The region of *body*, furniture gone: ``main``, else what is named content, else as deep as nothing is lost."""
    main = _main(body, weights)
    if main is not None:
        return main
    region, was_named = body, False
    while True:
        heaviest = max(
            (child for child in region if child.tag not in _UNDIVIDED and child in weights),
            key=lambda child: weights[child].text,
            default=None,
        )
        if heaviest is None:
            return region
        left = weights[region].text - weights[heaviest].text
        if not was_named and _is_named(heaviest) and _may_leave(region, heaviest, weights):
            was_named = True
        elif left or not _rest_is_links(weights[region], weights[heaviest]):
            return region
        region = heaviest


def _main(body: HtmlElement, weights: Mapping[HtmlElement, Weight]) -> HtmlElement | None:
    total, links = weights[body].text, weights[body].links
    least = max(_LEAST_SHARE * total, min(_LEAST_CHARS, 0.25 * total))
    mains = (
        part
        for part in body.iter()
        if (part.tag == "main" or (part.get("role") or "").lower() == "main")
        and weights[part].text > least
        and weights[part].text + weights[part].links >= _LEAST_SHARE * (total + links)
    )
    return max(mains, key=lambda main: weights[main].text, default=None)


def _may_leave(outer: HtmlElement, inner: HtmlElement, weights: Mapping[HtmlElement, Weight]) -> bool:
    """Whether what *outer* holds beside *inner* is the lesser part, and nothing that a page is made for."""
    whole, part = weights[outer], weights[inner]
    if whole.text - part.text > _NAMED_MAY_LEAVE * whole.text:
        return False
    if whole.links - part.links > _LINKS_MAY_LEAVE * (whole.text + whole.links) and not _has_much(part):
        return False
    return not any(_is_content(other, weights) for other in outer if other is not inner and other in weights)


def _is_content(part: HtmlElement, weights: Mapping[HtmlElement, Weight]) -> bool:
    if weights[part].text < _LEAST_CHARS or weights[part].links > weights[part].text or is_named_aside(part):
        return False
    return any(True for _ in part.iter("article"))


def _has_much(part: Weight) -> bool:
    return part.text >= _LEAST_CHARS and part.text > part.links


def _is_named(element: HtmlElement) -> bool:
    return any(_NAMED.search(element.get(name) or "") for name in ("id", "class"))


def _rest_is_links(outer: Weight, inner: Weight) -> bool:
    """Whether going from *outer* to *inner* leaves out no heading, and links only where they are the lesser part."""
    return outer.headings == inner.headings and 2 * (outer.links - inner.links) <= inner.text + inner.links
