"""Texts of cells, as markdown: raised and lowered parts stay apart from the number before them."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from lxml import etree
from openpyxl.styles.numbers import BUILTIN_FORMATS

from rori_spiders.content.documents.escaping import escaped
from rori_spiders.content.documents.excel.number_formats import Format
from rori_spiders.content.documents.xml.parser import HARDENED

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


# Styles of cells: of each, the number format; openpyxl knows the formats that files only name by number.

# Format 14 is the reader's own short date; in the United States this.
_SHORT_DATES = {"14": "m/d/yyyy", "22": "m/d/yyyy h:mm"}


class Styles:
    """The formats of a workbook, by the number that a cell gives."""

    def __init__(self, root: _Element | None, is_1904: bool) -> None:
        own = {each.get("numFmtId", ""): each.get("formatCode", "") for each in _all(root, "numFmt")}
        codes = {str(number): code for number, code in BUILTIN_FORMATS.items()} | _SHORT_DATES | own
        styles = root.find(f"{S}cellXfs") if root is not None else None
        numbers = [each.get("numFmtId", "0") for each in styles] if styles is not None else []
        made = {number: Format(codes.get(number, "General"), is_1904=is_1904) for number in {*numbers, "0"}}
        self._formats = [made[number] for number in numbers]
        self._general = made["0"]

    def format(self, style: str | None) -> Format:
        if style is None or not style.isdecimal() or int(style) >= len(self._formats):
            return self._formats[0] if style is None and self._formats else self._general
        return self._formats[int(style)]


def _all(root: _Element | None, name: str) -> list[_Element]:
    return list(root.iter(S + name)) if root is not None else []
