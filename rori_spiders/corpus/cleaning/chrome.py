"""Blocks that steer a reader rather than tell anything: calls to action, and links with hardly a word beside them.

Only these may go because they repeat. Prose that stands on every page of a site may be what matters most on it: a
court's "these electronic orders may contain errors", "opinions ordered published may be cited", a status that is NONE
(all seen on real pages), so that how often it stands there proves nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from rori_spiders.corpus.cleaning.binding import binds
from rori_spiders.corpus.cleaning.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.corpus.cleaning.blocks import Block

Chrome = Literal["call to action", "links"]

#: The longest of 51 on 755 pages has 12; what is much longer goes on to say something.
ACTION_WORDS = 15
#: Words in links, of all; the rest is what stands between them ("|", "and", "Jump to:").
LINK_SHARE = 0.8
#: A longer run of links is a table of contents or an index, which is what its page says.
LINK_WORDS = 40
_ACTION = re.compile(
    r"(?:(?:book|request|schedule|get|start|try|watch|see|claim|arrange) (?:(?:an?|your|our|the|my) )?"
    r"(?:free |live |quick |personal )*"
    r"(?:demo|trial|quote|tour|call|consultation|walkthrough|started|in touch)\b"
    r"|subscribe\b|sign up\b|join (?:our|the) (?:newsletter|mailing list|community)\b"
    r"|(?:learn|read|view|see|show|find out) more\b"
    r"|(?:talk|speak|chat|contact) (?:to |with )?(?:sales|our (?:team|experts?))\b"
    r"|follow us\b|like us\b|find us on\b|connect with us\b|share (?:this|on|via)\b|tweet\b"
    r"|(?:e-?mail|print) this (?:page|article|post)\b|(?:go |jump |return )?(?:back )?to (?:the )?top\b|skip to\b"
    r"|related (?:articles?|posts?|stories|content|pages|links)\b"
    r"|was this (?:page|article|information) helpful|leave a comment\b|download (?:the|our) app\b)",
    re.IGNORECASE,
)
_ROW = re.compile(r"(?m)^\s+\|")


def chrome_of(block: Block) -> Chrome | None:
    """What makes *block* one that steers; None for every other, and for whatever binds."""
    if block.kind not in {"paragraph", "item"} or block.changed or len(block.text) > 4_000:
        return None
    seen = visible(block.text)
    is_action = seen.words <= ACTION_WORDS and _ACTION.match(seen.text)
    is_links = seen.targets and seen.words <= LINK_WORDS and seen.link_words >= LINK_SHARE * seen.words
    if not seen.words or not (is_action or is_links) or _ROW.search(block.text) or binds(block.text):
        return None
    return "call to action" if is_action else "links"


def follows_a_lead(blocks: Sequence[Block], at: int) -> bool:
    """Whether block *at* is part of what a sentence with a colon announces ("The lender gives:")."""
    before = at - 1
    if blocks[at].kind == "item":
        while before >= 0 and blocks[before].kind == "item":
            before -= 1
    if before < 0 or blocks[before].kind in {"heading", "rule", "tag"}:
        return False
    return visible(blocks[before].text).text.endswith(":") and chrome_of(blocks[before]) is None
