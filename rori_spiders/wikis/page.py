"""What the HTML of a wiki's page, as people see it, says of it: where its title leads, what kind it is. Steps.

Markup of MediaWiki's own (``includes/page/Article.php``) and of the templates that tell meanings apart.
"""

from __future__ import annotations

import re
from html import unescape
from typing import NamedTuple
from urllib.parse import urljoin

from rori_spiders.urls import normalise
from rori_spiders.wikis.titles import NotAPage, asked_by, url_of

_REDIRECTED = re.compile(rb'class="mw-redirectedfrom"|"wgRedirectedFrom":\s*"')
_CANONICAL = re.compile(rb'<link\s[^>]*\brel="canonical"[^>]*\bhref="([^"]+)"')
#: Where the title that a redirect leads to redirects itself, its stub is shown.
_STUB = re.compile(
    rb'<div class="redirectMsg">.{0,2000}?<ul class="redirectText">\s*<li><a [^>]*\bhref="([^"]+)"', re.DOTALL
)
_IS_STUB = re.compile(rb'<div class="redirectMsg">')
#: As wikis in English file and mark them; what other wikis call them nothing in their HTML tells.
_DISAMBIGUATION = re.compile(
    rb'"wgCategories":\s*\[[^\]]{0,20000}"(?:All )?(?:[Aa]rticle )?[Dd]isambiguation(?: pages)?"'
    rb'|\bid="disambig(?:box)?"|\bclass="[^"]{0,200}\bdmbox-disambig\b'
)


#: The head of a page, and the line below its title.
_HEAD_BYTES = 262_144


class Said(NamedTuple):
    """``leads_to``: the URL of the page that the title redirects to; "" where it does, and nobody can say where to.

    ``is_stub``: what is shown is no page, but where that page would be.
    """

    leads_to: str | None
    is_stub: bool
    is_disambiguation: bool


def read(body: bytes, url: str, prefix: str) -> Said:
    """What *body*, the page shown at *url*, says."""
    head = body[:_HEAD_BYTES]
    return Said(
        _leads_to(head, url, prefix), _IS_STUB.search(head) is not None, _DISAMBIGUATION.search(body) is not None
    )


def _leads_to(body: bytes, url: str, prefix: str) -> str | None:
    if _IS_STUB.search(body) is not None:
        return _page_at(_STUB.search(body), url, prefix) or ""
    if _REDIRECTED.search(body) is None:
        return None
    return _page_at(_CANONICAL.search(body), url, prefix)


def _page_at(link: re.Match[bytes] | None, url: str, prefix: str) -> str | None:
    """The page that a link names, as its wiki's pages are known to us; the link's own host says nothing of ours."""
    if link is None:
        return None
    try:
        asked = asked_by(urljoin(url, unescape(link[1].decode("utf-8", "replace"))), prefix)
        return normalise(url_of(asked.value, url, prefix)) if asked is not None and asked.by == "page" else None
    except (NotAPage, ValueError):
        return None
