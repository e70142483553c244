"""Feeds (RSS, Atom) carry pages in their text: HTML whose tags are escaped, so that XML sees none of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rori_spiders.content import tree
from rori_spiders.content.documents.vocabulary import local
from rori_spiders.content.hidden import drop_unseen
from rori_spiders.content.markdown import render
from rori_spiders.exceptions import UnreadableDocument

if TYPE_CHECKING:
    from lxml import etree

# RSS 2.0 (description), its content module (encoded), Atom (summary, content).
_HOLDERS = frozenset({"DESCRIPTION", "ENCODED", "SUMMARY", "CONTENT"})
_MARKUP = re.compile(r"</[a-z][a-z0-9]*\s*>|<(?:p|br|img|hr)\b[^<>]*>", re.IGNORECASE)


def escaped_html(element: etree._Element, base: str) -> str:
    """The markdown of HTML that is *element*'s text; "" if its text is none, or it is no part of a feed for that."""
    said = element.text or ""
    if local(element.tag) not in _HOLDERS or len(element) or not _MARKUP.search(said):
        return ""
    try:
        root = tree.parse(said)
    except UnreadableDocument:
        return ""
    drop_unseen(root)
    return render(root, base=base).strip()
