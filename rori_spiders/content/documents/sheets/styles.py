"""Styles of cells: of each, the number format; openpyxl knows the formats that files only name by number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openpyxl.styles.numbers import BUILTIN_FORMATS

from rori_spiders.content.documents.sheets.numbers import Format
from rori_spiders.content.documents.sheets.strings import S

if TYPE_CHECKING:
    from lxml.etree import _Element

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
