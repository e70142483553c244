"""Main content: which part of a page is the page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml.html import HtmlElement

    from rori_spiders.content.weights import Weight

_NAMED = re.compile(
    r"(?:^|\s)(?:(?:main|page|site|primary|body|region|center|left|block)[-_]?)?(?:content|contents|main|column)"
    r"(?:[-_]?(?:area|main|wrapper|container|body|column|region|block|section|page|\d))*(?:\s|$)",
    re.IGNORECASE,
)
_LEAST_CHARS = 200
_UNDIVIDED = frozenset("table tbody thead tr td ul ol dl p pre blockquote span a".split())


def find_region(body: HtmlElement, weights: Mapping[HtmlElement, Weight]) -> HtmlElement:
    total = weights[body].text
    mains = [e for e in body.iter() if e.tag == "main" or (e.get("role") or "").lower() == "main"]
    mains = [e for e in mains if weights[e].text > min(_LEAST_CHARS, 0.25 * total) and weights[e].text >= 0.2 * total]
    if mains:
        return max(mains, key=lambda e: weights[e].text)
    best = body
    was_named = False
    while True:
        children = [c for c in best if c in weights and c.tag not in _UNDIVIDED]
        heavy = max(children, key=lambda c: weights[c].text, default=None)
        if heavy is None:
            return best
        rest = weights[best].text - weights[heavy].text
        named = not was_named and any(_NAMED.search(heavy.get(n) or "") for n in ("id", "class"))
        if named and rest <= 0.4 * weights[best].text:
            was_named = True
        elif rest or weights[best].headings != weights[heavy].headings or 2*(weights[best].links-weights[heavy].links) > weights[heavy].text + weights[heavy].links:
            return best
        best = heavy
