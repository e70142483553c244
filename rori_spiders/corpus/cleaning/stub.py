"""A page that only leads to a document: the document is the content.

Here it is found, and its text put below the page's own; others fetch it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from rori_spiders.corpus.cleaning.blocks import blocks_of, joined
from rori_spiders.corpus.cleaning.chrome import chrome_of
from rori_spiders.corpus.cleaning.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.corpus.cleaning.blocks import Block

#: Words of a page beside its links and headings, and in links. Of 755 pages 19 lead to one PDF: two meetings with
#: their minutes have 20 and 29 words of their own; a mission statement with its source, which is no stub, has 50.
STUB_WORDS, LINK_WORDS = 40, 40
_ENDING = ".pdf"
_LOWEST = 6


def linked_document(blocks: Sequence[Block]) -> str | None:
    """The one PDF that a page without a text of its own leads to; None for every other page.

    With several, nobody can tell which is meant: then the page is a list of them.
    """
    targets: dict[str, None] = {}
    words = link_words = 0
    for block in blocks:
        if block.kind in {"table", "code"}:
            return None
        seen = visible(block.text)
        targets |= dict.fromkeys(target.partition("#")[0] for target in seen.targets if is_pdf(target))
        if block.kind != "heading" and chrome_of(block) is None:
            words += seen.words - seen.link_words
        link_words += seen.link_words
        if words > STUB_WORDS or link_words > LINK_WORDS or len(targets) > 1:
            return None
    return next(iter(targets), None)


def with_document(body: str, document: str) -> str:
    """*body*, and below it the text of the *document*, whose headings come below the page's own."""
    text = document.strip("\n")
    blocks = blocks_of(text)
    if any(block.level == 1 for block in blocks):
        # Of the lowest level nothing is lower: two levels become one there.
        lower = [replace(block, text=f"#{block.text}") if 0 < block.level < _LOWEST else block for block in blocks]
        text = joined(lower, text)
    return f"{body.strip()}\n\n{text}\n"


def is_pdf(target: str) -> bool:
    """Whether an address names one."""
    try:
        return urlsplit(target).path.lower().endswith(_ENDING)
    except ValueError:
        return False
