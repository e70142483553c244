"""Files within a Word file (``w:altChunk``, ECMA-376 part 1, §17.17.2): Word shows their text where they are named.

HTML and plain text are put in their place; of any other kind it is told that it was left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree, html

from rori_spiders.content.documents.file_types import kind_of
from rori_spiders.content.documents.word.wordprocessingml import W, text_run
from rori_spiders.content.encoding import plain_text
from rori_spiders.content.html import tree
from rori_spiders.content.html.hidden import drop_unseen
from rori_spiders.exceptions import UnreadableDocument

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml.etree import _Element
    from lxml.html import HtmlElement

    from rori_spiders.content.documents.office_package import Package

_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
#: Bytes of one; they are read beside the document, whose own bounds do not count them.
MAX_BYTES = 2_097_152

Chunks = dict[str, list["HtmlElement"]]


def set_aside(root: _Element, targets: Mapping[str, tuple[str, str]], package: Package) -> tuple[Chunks, list[str]]:
    """Leave a mark for each file in *root*; what is to stand at each mark, and ``embedded_files`` for what cannot."""
    chunks: Chunks = {}
    removed: list[str] = []
    for at, chunk in enumerate(list(root.iter(f"{W}altChunk"))):
        mark = f"\ue000{at}\ue001"
        blocks = _blocks(package, targets.get(chunk.get(_ID, ""), ("", ""))[1])
        if not blocks:
            removed.append("embedded_files")
        chunks[mark] = blocks
        holder = etree.Element(f"{W}p")
        holder.append(text_run(mark))
        chunk.getparent().replace(chunk, holder)  # type: ignore[union-attr]  # the root is the document
    return chunks, removed


def put_back(root: HtmlElement, chunks: Chunks) -> None:
    """Put the text of each file where its mark stands in *root*."""
    for holder in list(root.iter("p")) if chunks else ():
        blocks = chunks.get(holder.text_content())
        if blocks is not None:
            for block in blocks:
                holder.addprevious(block)
            tree.drop(holder)


def _blocks(package: Package, name: str) -> list[HtmlElement]:
    if name not in package.names or package.size(name) > MAX_BYTES:
        return []
    body = package.bytes(name)
    kind = kind_of(body, None)
    if kind == "text":
        return [_paragraph(part) for part in plain_text(body).split("\n\n") if part.strip()]
    if kind != "html":
        return []
    try:
        parsed = tree.parse(plain_text(body)).find("body")
    except UnreadableDocument:
        return []
    drop_unseen(parsed)
    whole = html.Element("div")
    whole.text = parsed.text
    whole.extend(list(parsed))
    return [whole]


def _paragraph(text: str) -> HtmlElement:
    made = html.Element("p")
    made.text = " ".join(text.split())
    return made
