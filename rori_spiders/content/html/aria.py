"""Write as HTML what ARIA says of elements that have no such tag: headings, states of boxes, marks in cells."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from rori_spiders.content.dom_names import names

if TYPE_CHECKING:
    from lxml.html import HtmlElement

FOR_READERS_ALOUD = re.compile(
    r"(?:^|[\s_-])(?:sr-only|visually-?hidden|element-invisible|screen-reader(?:-text|-only)?|offscreen)(?:$|\s)"
    r"|(?:^|\s)usa-sr-only(?:$|\s)",
    re.IGNORECASE,
)
_HEADINGS = names("h1 h2 h3 h4 h5 h6")
_HEADABLE = _HEADINGS | names("div span p")
_LEVELS = frozenset("123456")
_STATES = {"true": "☑", "false": "☐"}
_BOXES = frozenset({"checkbox", "radio", "switch"})
_NATIVE = names("input option")
_GROUPS = names("ul ol table fieldset")
_MOST_LEVELS = 40  # of elements around a box, so that deep nesting takes no time
#: What a cell shows as a mark stands for a word or two: "Yes", "Not required".
_MARK_CHARS = 40
_MARKS = names("i span em b strong svg img div")
_OF_DRAWINGS = names("path g use circle rect line polyline polygon defs title desc")


def write_aria(root: HtmlElement) -> None:
    """Turn what ARIA says of elements of *root* into elements and text that say so themselves."""
    boxes = []
    for element in root.xpath(".//*[@role]"):
        role = element.get("role", "").strip().lower()
        if role == "heading":
            _make_heading(element)
        elif role in _BOXES:
            boxes.append(element)
    if boxes:
        _write_states(boxes)
    _write_marks(root)


def _make_heading(element: HtmlElement) -> None:
    """A heading of the level that is stated, where *element* holds no block, and stands in no other heading."""
    level, parent = element.get("aria-level", "").strip(), element.getparent()
    if level not in _LEVELS or element.tag not in _HEADABLE or parent is None:
        return
    holds_more = any(one is not element for one in element.iter("p", "div", "ul", "ol", "table", *_HEADINGS))
    if (element.tag in _HEADINGS or not holds_more) and parent.tag not in _HEADINGS and element.text_content().strip():
        element.tag = f"h{level}"


def _write_states(boxes: list[HtmlElement]) -> None:
    """The state of boxes that nobody can change, and of those of a group, in no form, of which some are ticked."""
    settled = set()
    for box in boxes:
        above = list(islice(box.iterancestors(), _MOST_LEVELS))
        if _is_ticked(box) and not any(one.tag == "form" for one in above):
            settled.add(next((one for one in above if _is_group(one)), box.getparent()))
    for box in boxes:
        mark = _STATES.get(box.get("aria-checked", ""))
        is_fixed = "true" in (box.get("aria-disabled"), box.get("aria-readonly"))
        is_of_group = box.get("role") == "checkbox" and any(
            one in settled for one in islice(box.iterancestors(), _MOST_LEVELS)
        )
        if mark is None or box.tag in _NATIVE or not (is_fixed or is_of_group):
            continue
        box.text = f"{mark} {(box.text or '').lstrip()}" if box.text_content().strip() else mark
        if box.tag == "button":
            box.tag = "span"


def _is_ticked(box: HtmlElement) -> bool:
    """Whether somebody has ticked *box*: of radio buttons one is chosen from the start, and switches fold things."""
    return (box.get("role"), box.get("aria-checked")) == ("checkbox", "true")


def _is_group(element: HtmlElement) -> bool:
    return element.tag in _GROUPS or element.get("role") in ("group", "radiogroup")


def _write_marks(root: HtmlElement) -> None:
    """The words of cells, in tables with headers, that show nothing but a picture, or a word for reading aloud."""
    tables = {next(head.iterancestors("table"), None) for head in root.iter("th")}
    if not tables:
        return
    for cell in list(root.iter("td")):
        if len(cell) and next(cell.iterancestors("table"), None) in tables and (names_found := _mark_of(cell)):
            for one in list(cell):
                cell.remove(one)
            cell.text = names_found


def _mark_of(cell: HtmlElement) -> str:
    """What the only mark of *cell* stands for; "" where it shows text, or is more than a mark."""
    names_found: list[str] = []
    aloud: HtmlElement | None = None
    for element in cell.iter():
        if aloud is not None and any(above is aloud for above in element.iterancestors()):
            continue
        if element is not cell:
            if element.tag in _OF_DRAWINGS:
                continue
            if element.tag not in _MARKS or element.get("role") in ("button", *_BOXES):
                return ""
            if FOR_READERS_ALOUD.search(element.get("class", "")):
                aloud = element
                names_found.append(element.text_content())
            elif word := _name_of(element):
                names_found.append(word)
            if (element.tail or "").strip():
                return ""
        if aloud is not element and (element.text or "").strip():
            return ""
    words = [" ".join(word.split()) for word in dict.fromkeys(names_found)]
    return words[0] if len(words) == 1 and 0 < len(words[0]) <= _MARK_CHARS else ""


def _name_of(element: HtmlElement) -> str:
    if element.tag == "img":
        return str(element.get("alt", "")).strip()
    if element.get("aria-hidden") == "true":
        return ""
    title = element.find("title") if element.tag == "svg" else None
    return str(element.get("aria-label") or (title.text if title is not None else element.get("title")) or "")
