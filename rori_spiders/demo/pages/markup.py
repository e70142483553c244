"""GPO's XML elements as HTML: paragraphs with their (a)(1)(i) levels, headings, footnotes, amendments, tables."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from rori_spiders.demo.pages.reading import text_of, words
from rori_spiders.demo.pages.tables import table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.etree import _Element

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
            return [table(element, self.inline)]
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
            label = escape(f"{words(element, 'SECTNO')} {words(element, 'SUBJECT')}")
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
        number = words(element, "P/SU")
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
