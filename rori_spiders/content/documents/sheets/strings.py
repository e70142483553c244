"""Texts of cells, as markdown: raised and lowered parts stay apart from the number before them."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from lxml import etree

from rori_spiders.content.documents.escape import escaped
from rori_spiders.content.documents.xml_parser import HARDENED

if TYPE_CHECKING:
    from lxml.etree import _Element

S = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_MARKS = {"superscript": ("<sup>", "</sup>"), "subscript": ("<sub>", "</sub>")}


def shared(part: bytes) -> list[str]:
    """The table of shared strings."""
    found = []
    for _, element in parsed(part, f"{S}si"):
        found.append(rich(element))
        element.clear()
    return found


def parsed(part: bytes, *tags: str) -> etree.iterparse:
    """The elements of these names as they end: nothing fetched, no entity expanded.

    Raises ValueError for a part with a document type: only that could declare entities, and no such part has one.
    """
    if b"<!DOCTYPE" in part or "<!DOCTYPE".encode("utf-16-le") in part or "<!DOCTYPE".encode("utf-16-be") in part:
        raise ValueError("a part has a document type")
    return etree.iterparse(io.BytesIO(part), events=("end",), tag=tags, **HARDENED)


def rich(element: _Element) -> str:
    """A string item or inline string: its runs, without phonetic readings."""
    out = []
    for part in element:
        if part.tag == f"{S}t":
            out.append(_plain(part.text))
        elif part.tag == f"{S}r":
            text = _plain(part.findtext(f"{S}t"))
            raised = part.find(f"{S}rPr/{S}vertAlign")
            struck = part.find(f"{S}rPr/{S}strike")
            start, end = _MARKS.get(raised.get("val", ""), ("", "")) if raised is not None else ("", "")
            if struck is not None and struck.get("val", "1") not in ("0", "false"):
                start, end = f"{start}~~", f"~~{end}"
            out.append(f"{start}{text}{end}" if text.strip() else text)
    return "".join(out)


def _plain(text: str | None) -> str:
    """Text as markdown; ``_x000D_`` is how the format writes a line end that XML would change."""
    return escaped((text or "").replace("_x000D_", "").replace("_x005F_", "_"))
