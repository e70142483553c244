"""Names of WordprocessingML (ECMA-376 part 1, §17), and its ways to say yes and no."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from lxml.etree import _Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_NO = {"0", "false", "off", "none"}


def value(parent: _Element | None, *path: str) -> str | None:
    """The ``w:val`` at the end of a path of tags; "" when the element is there without one, None when it is not."""
    found = parent
    for tag in path:
        found = found.find(W + tag) if found is not None else None
    return None if found is None else found.get(f"{W}val", "")


def is_on(parent: _Element | None, *path: str) -> bool | None:
    """A toggle: None when nothing is said."""
    said = value(parent, *path)
    return None if said is None else said.lower() not in _NO


def run(text: str, style: str | None = None) -> _Element:
    """A run with *text*, in a style that `Styles.map` knows."""
    made = etree.Element(f"{W}r")
    if style:
        etree.SubElement(etree.SubElement(made, f"{W}rPr"), f"{W}rStyle").set(f"{W}val", style)
    inner = etree.SubElement(made, f"{W}t")
    inner.text = text
    inner.set(SPACE, "preserve")
    return made


def unwrap(element: _Element) -> None:
    """Put the children of *element* in its place."""
    parent = element.getparent()
    if parent is None:
        return
    at = parent.index(element)
    parent[at : at + 1] = list(element)
