"""GPO's XML as HTML: paragraphs, headings, footnotes and tables."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

from tools.demo_site.gpo_xml import text_at, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lxml.etree import _Element


@dataclass
class _Head:
    """One column heading with those below it."""

    text: str
    below: list[_Head] = field(default_factory=list)

    @property
    def width(self) -> int:
        return sum(head.width for head in self.below) or 1

    @property
    def depth(self) -> int:
        return 1 + max((head.depth for head in self.below), default=0)


def table_html(gpotable: _Element, inline: Callable[[_Element], str]) -> str:
    """The HTML of *gpotable*; *inline* renders what is inside a cell."""
    captions = [inline(found) for found in gpotable.iterfind("*") if found.tag in {"TTITLE", "TDESC"}]
    caption = " ".join(text for text in captions if text)
    return "\n".join(
        [
            "<table>",
            *([f"<caption>{caption}</caption>"] if caption else []),
            "<thead>",
            *_header_rows(_read_headings(gpotable, inline)),
            "</thead>",
            "<tbody>",
            *(_row_html(row, inline) for row in gpotable.iterfind("ROW")),
            "</tbody>",
            "</table>",
        ]
    )


def _read_headings(gpotable: _Element, inline: Callable[[_Element], str]) -> list[_Head]:
    """The tree of headings: CHED's H is the level, 1 the uppermost."""
    top: list[_Head] = []
    levels: list[list[_Head]] = [top]
    for ched in gpotable.iterfind("BOXHD/CHED"):
        head = _Head(inline(ched))
        del levels[int(ched.get("H", "1")) :]
        levels[-1].append(head)
        levels.append(head.below)
    return top


def _header_rows(heads: list[_Head]) -> Iterator[str]:
    rows = max((head.depth for head in heads), default=0)
    for level in range(rows):
        cells = "".join(_header_cell(head, rows - level) for head in heads)
        yield f"<tr>{cells}</tr>"
        heads = [below for head in heads for below in head.below]


def _header_cell(head: _Head, rows_left: int) -> str:
    columns = f' colspan="{head.width}"' if head.width > 1 else ""
    rows = f' rowspan="{rows_left}"' if rows_left > 1 and not head.below else ""
    return f'<th scope="{"colgroup" if head.below else "col"}"{columns}{rows}>{head.text}</th>'


def _row_html(row: _Element, inline: Callable[[_Element], str]) -> str:
    cells = [inline(entry) for entry in row.iterfind("ENT")]
    return f'<tr><th scope="row">{cells[0]}</th>{"".join(f"<td>{cell}</td>" for cell in cells[1:])}</tr>'


# GPO's XML elements as HTML: paragraphs with their (a)(1)(i) levels, headings, footnotes, amendments, tables.

_EMPHASIS = {"03": "em", "02": "strong", "04": "strong", "52": "sub"}
_HEADINGS = {"HED": "h2", "HD1": "h2", "HD2": "h3", "HD3": "h4"}
_LEFT_OUT = {"PRTPAGE", "EAR", "GPH", "AGENCY", "CFR", "SUBJECT", "SECTNO", "RIN", "DEPDOC"}
_SIGNED = {"DATED", "NAME", "TITLE", "FRDOC", "BILCOD"}
# "(2)(i)", and with headings between them: "(d) Required information—(1) In general. (i) Either"
_MARKERS = re.compile(r"(?:\([A-Za-z0-9]{1,5}\)\s?(?:[^—()]{1,160}(?:—|\. )(?=\(\w+\)))?)+")
_ROMAN = re.compile(r"x{0,3}(?:ix|iv|v?i{0,3})")


class Body:
    """The HTML of one page's text. One object a page: it knows the paragraph ids and footnotes given out."""

    def __init__(self, *, closed_up: bool = False) -> None:
        # Federal Register files have lost the space around an element: "the<E>Federal Register</E>".
        self._closed_up = closed_up
        self._path: list[str] = []
        self._ids: set[str] = set()

    def html(self, elements: Iterable[_Element]) -> str:
        """The blocks of *elements*; the count of paragraphs starts anew, ids stay unique on the page."""
        self._path = []
        return "\n".join(line for element in elements for line in self._block(element))

    def _block(self, element: _Element) -> list[str]:
        tag = str(element.tag)
        if tag in _LEFT_OUT:
            return []
        if tag in {"P", "FP"}:
            return self._paragraph(element)
        if tag == "HD":
            return self._heading(_HEADINGS.get(element.get("SOURCE", ""), "h4"), element)
        if tag == "GPOTABLE":
            return [table_html(element, self.inline)]
        if tag == "STARS":
            return ['<p class="stars">* * * * *</p>']
        if tag == "FTNT":
            return self._footnote(element)
        if tag == "AMDPAR":
            return [f'<p class="amendment"><strong>{self.inline(element)}</strong></p>']
        if tag in _SIGNED:
            return [f'<p class="{tag.lower()}">{self.inline(element)}</p>']
        return self._inner(element)

    def _inner(self, element: _Element) -> list[str]:
        inner = [line for child in element for line in self._block(child)]
        if element.tag == "SECTION":
            label = escape(f"{text_at(element, 'SECTNO')} {text_at(element, 'SUBJECT')}")
            return [f"<h3>{label}</h3>", *inner]
        return ['<div class="extract">', *inner, "</div>"] if element.tag == "EXTRACT" else inner

    def _heading(self, level: str, element: _Element) -> list[str]:
        text = self.inline(element)
        return [f"<{level}>{text}</{level}>"] if text else []

    def _paragraph(self, element: _Element) -> list[str]:
        text = self.inline(element)
        if not text:
            return []
        markers = _MARKERS.match(text_of(element))
        if markers is None or element.tag == "FP" or self._closed_up:
            return [f"<p>{text}</p>"]
        for marker in re.findall(r"\((\w+)\)", markers.group()):
            self._path = [*self._path[: self._level(marker) - 1], marker]
        return [f'<p class="level-{len(self._path)}"{self._id()}>{text}</p>']

    def _level(self, marker: str) -> int:
        """1 for (a), 2 for (1), 3 for (i), 4 for (A); never deeper than one below the last paragraph."""
        if marker.isdigit():
            level = 2
        elif marker.isupper():
            level = 4
        else:
            level = 3 if _ROMAN.fullmatch(marker) and len(self._path) > 1 else 1
        return min(level, len(self._path) + 1)

    def _id(self) -> str:
        name = "-".join(self._path)
        if name in self._ids:
            return ""
        self._ids.add(name)
        return f' id="{name}"'

    def _footnote(self, element: _Element) -> list[str]:
        number = text_at(element, "P/SU")
        return [f'<p class="footnote" id="footnote-{number}">{self.inline(element[0])}</p>']

    def inline(self, element: _Element) -> str:
        """What is inside *element*, as one line of HTML."""
        pieces = [escape(element.text or "", quote=False)]
        for child in element:
            before = "".join(pieces)
            inner = self._inline_child(child)
            tail = escape(child.tail or "", quote=False)
            pieces.append(("" if child.tag == "SU" else self._space(before, inner)) + inner)
            pieces.append(self._space(inner or before, tail) + tail)
        return " ".join("".join(pieces).split())

    def _inline_child(self, child: _Element) -> str:
        inner = self.inline(child)
        if child.tag == "E" and inner and child.get("T") in _EMPHASIS:
            name = _EMPHASIS[child.get("T", "")]
            return f"<{name}>{inner}</{name}>"
        if child.tag == "SU" and inner:
            following = child.getnext()
            if following is not None and following.tag == "FTREF":
                return f'<sup><a href="#footnote-{inner}">{inner}</a></sup>'
            return f"<sup>{inner}</sup> "
        return inner

    def _space(self, left: str, right: str) -> str:
        left, right = re.sub(r"<[^>]*>", "", left), re.sub(r"<[^>]*>", "", right)
        both = self._closed_up and left and right and (left[-1].isalnum() or left[-1] in ".,;:") and right[0].isalnum()
        return " " if both else ""
