"""The mark behind a heading that links to the heading itself: generators of manuals write one ("¶"), seen on hovering.

It is no text of the page. A mark that a citation is written with is no such link, even where it is a link: "¶ 12".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rori_spiders.content.names import class_and_id

if TYPE_CHECKING:
    from lxml.html import HtmlElement

# Sphinx: headerlink; Docusaurus: hash-link; MkDocs, Pelican: headerlink; AnchorJS, Jekyll: header-anchor.
_NAMED = re.compile(
    r"(?:^|\s)(?:header-?link|heading-?(?:anchor|link)|header-?anchor|hash-?link|anchorjs-link|anchor-?link|perma-?link)(?:$|\s)",
    re.IGNORECASE,
)
_TITLED = re.compile(r"(?:perma(?:nent )?|direct )?link to this\b", re.IGNORECASE)
_MARK_CHARS = 2


def drop_permalinks(root: HtmlElement) -> None:
    """Take the marks from *root*; the anchors stay, which other pages link to."""
    for anchor in root.iter("a"):
        if (anchor.get("href") or "").startswith("#") and is_permalink(anchor):
            for inner in list(anchor):
                anchor.remove(inner)
            anchor.text = None


def is_permalink(anchor: HtmlElement) -> bool:
    """Whether *anchor*, a link within its page, is called a permanent link and shows a mark only."""
    mark = anchor.text_content().strip()
    if len(mark) > _MARK_CHARS or any(map(str.isalnum, mark)):
        return False
    return bool(_NAMED.search(class_and_id(anchor)) or _TITLED.match(anchor.get("title") or ""))
