"""The sections of a page for who cuts it: where each stands in the text, its hash, and its anchor on the page.

The anchor is the ``id`` (or old ``name``) that a heading, a link inside of it or right before it, or the block that it
opens carries: the page's address with it leads to the section.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.content.changes import section_hashes
from rori_spiders.content.sections import outline

if TYPE_CHECKING:
    from lxml.html import HtmlElement

#: What a heading says without its markup, and the anchor of each heading of the page that says so, in page order.
Anchors = dict[str, list[str | None]]

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BLOCKS = frozenset({"section", "article", "div", "li", "details"})
_MARKUP = re.compile(r"\]\((?:[^()\s]|\([^()]*\))*\)|<[^<>]*>|&\w+;")
_WORDS = re.compile(r"\w+")
_USABLE = re.compile(r"\S{1,200}$")


class Part(NamedTuple):
    """A heading with what follows up to the next one.

    ``path`` is the section's name in the ledger: the headings that lead to it, joined by " > ", "" for what stands
    before the first, the second of the same path with " (2)". ``start`` and ``end`` are offsets in characters of the
    text, ``hash`` is the hex SHA-256 of what is between them.
    """

    path: str
    level: int  # 1 to 6; 0 for what stands before the first heading
    anchor: str | None
    start: int
    end: int
    hash: str


def parts_of(markdown: str, anchors: Anchors) -> tuple[Part, ...]:
    """The sections of *markdown* in order; together they cover it whole.

    A heading has an anchor only where page and text have as many headings with its words: else it may be another's.
    """
    sections = outline(markdown)
    keys = [_key(markdown[section.start : section.end].partition("\n")[0]) for section in sections]
    counts: dict[str, int] = {}
    for section, key in zip(sections, keys, strict=True):
        counts[key] = counts.get(key, 0) + (section.level > 0)
    left = {key: iter(found) for key, found in anchors.items() if len(found) == counts.get(key)}
    return tuple(
        Part(path, section.level, next(left.get(key, iter(())), None) if section.level else None, *section[2:4], digest)
        for section, key, (path, digest) in zip(sections, keys, section_hashes(markdown), strict=True)
    )


def anchors_in(root: HtmlElement) -> Anchors:
    """The anchors of the headings in *root*."""
    anchors: Anchors = {}
    for heading in root.iter(*_HEADINGS):
        if key := _key(heading.text_content()):
            anchors.setdefault(key, []).append(_anchor_of(heading))
    return anchors


def _key(text: str) -> str:
    return " ".join(_WORDS.findall(_MARKUP.sub(" ", text).replace("\\", "").replace("_", " ")))


def _anchor_of(heading: HtmlElement) -> str | None:
    inside = (link.get("id") or link.get("name") for link in heading.iter("a", "span"))
    found = heading.get("id") or next(filter(None, inside), None) or _before(heading)
    return found if found and _USABLE.match(found) else None


def _before(heading: HtmlElement) -> str | None:
    """The anchor right before a heading, else that of the block which it opens."""
    previous, block = heading.getprevious(), heading.getparent()
    holder = None
    if previous is not None:
        if previous.tag == "a" and not previous.get("href") and not (previous.tail or "").strip():
            holder = previous
    elif block is not None and block.tag in _BLOCKS and not (block.text or "").strip():
        holder = block
    return None if holder is None else holder.get("id") or holder.get("name")
