"""What a page says of itself and of the pages that it links: title, description, link texts, contents, what is next.

For people who want to see a site before it is collected; a collection walks by ``content/links.py`` alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.content import tree
from rori_spiders.content.decode import decode
from rori_spiders.content.links import CONTENTS, absolute, base_of
from rori_spiders.exceptions import ConversionError

if TYPE_CHECKING:
    from lxml.html import HtmlElement

#: A link's text beyond this says no more: the longest titles of regulations have some 250 characters.
MAX_CHARS = 300
#: What links between pages say of the way, and nothing of where it leads.
_GUIDING = {"next", "next page", "previous", "previous page", "prev", "back", "up", "home", "continue"}


class Linked(NamedTuple):
    """``texts`` by absolute URL without fragment: the longest of its links' ("next" says less than a heading).

    A link to a part of the page names that part: it counts only where no link that leads to the page itself names it.
    """

    title: str | None = None
    description: str | None = None
    texts: tuple[tuple[str, str], ...] = ()
    contents: tuple[str, ...] = ()
    next: str | None = None


def read(body: bytes, *, url: str, content_type: str | None = None) -> Linked:
    """What the HTML *body* fetched from *url* says; nothing when it cannot be read."""
    try:
        root = tree.parse(decode(body, content_type).text)
    except ConversionError:
        return Linked()
    base = base_of(root, url)
    texts: dict[str, str] = {}
    of_parts: dict[str, str] = {}
    contents: dict[str, None] = {}
    following = None
    for element in root.iter("a", "area", "link"):
        target = absolute(element.get("href"), base)
        if target is None:
            continue
        rel = set((element.get("rel") or "").lower().split())
        if element.tag != "link":
            text = _text(element)
            names_it = "#" not in (element.get("href") or "") and text.lower().strip(" <>«»‹›←→.") not in _GUIDING
            to = texts if names_it else of_parts
            to[target] = max(text, to.get(target, ""), key=len)
        if rel & CONTENTS:
            contents.setdefault(target)
        if "next" in rel and following is None:
            following = target
    said = {target: texts.get(target) or of_parts.get(target) for target in (*texts, *of_parts)}
    named = tuple((target, text) for target, text in said.items() if text)
    return Linked(_title(root), _description(root), named, tuple(contents), following)


def _text(element: HtmlElement) -> str:
    said = "".join(element.itertext()) or element.get("title") or element.get("aria-label") or ""
    return " ".join(said.split())[:MAX_CHARS]


def _title(root: HtmlElement) -> str | None:
    return next((text for one in root.iter("title") if (text := _text(one))), None)


def _description(root: HtmlElement) -> str | None:
    metas = (one.get("content") or "" for one in root.iter("meta") if (one.get("name") or "").lower() == "description")
    return next((text[:MAX_CHARS] for meta in metas if (text := " ".join(meta.split()))), None)
