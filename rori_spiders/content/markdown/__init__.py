"""Markdown from an lxml tree: CommonMark with pipe tables, that says what the page says and nothing else.

Rendered back it gives the same words in the same order. Deterministic; no recursion, so that depth cannot stop it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.content.markdown.walker import LegalMarkdown

if TYPE_CHECKING:
    from lxml.html import HtmlElement


def render(root: HtmlElement, *, base: str = "") -> str:
    """The markdown of *root*, links made absolute against *base*. The tree may be changed: give it a copy."""
    return LegalMarkdown(base).document(root)
