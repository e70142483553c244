"""What a reader of the page does not see: taken out of the tree before anything is measured or written.

Hidden panels that a visible control opens (tabs, accordions) are content: regulators fold their questions and answers
that way. They stay.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.content.names import names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.html import HtmlElement

_NEVER_SEEN = names(
    "script style noscript template svg iframe object embed video audio canvas map applet input textarea select"
    " datalist head link meta title base dialog progress meter"
)
_STYLE = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))", re.IGNORECASE)
_FOR_READERS_ALOUD = re.compile(
    r"(?:^|[\s_-])(?:sr-only|visually-?hidden|element-invisible|screen-reader(?:-text|-only)?|offscreen)(?:$|\s)"
    r"|(?:^|\s)usa-sr-only(?:$|\s)",
    re.IGNORECASE,
)
_HIDING_CLASS = re.compile(r"(?:^|\s)(?:hidden|hide|ms-hidden|d-none)(?:\s|$)")
_OVERLAY = re.compile(
    r"modal|dialog|popup|pop-up|lightbox|offcanvas|overlay|menu|nav|tooltip|cookie|search", re.IGNORECASE
)
_HEADINGS = names("h1 h2 h3 h4 h5 h6")
# Controls by which a form asks its reader something; a form without any only carries a site's state.
_TYPED = names("text email search tel radio checkbox url number password")
ASKS = "data-asks"
# An accordion's panel says more than an icon's label or a toggle's second state.
_PANEL_CHARS = 80
_BEGINNING_CHARS = 120


class Hidden(NamedTuple):
    """The text that the page itself hides: in how many elements, how many characters, and how the longest begins."""

    elements: int
    chars: int
    begins: str


def together(found: Iterable[Hidden | None]) -> Hidden | None:
    """What several parts of a page hide, as of one."""
    every = [hidden for hidden in found if hidden is not None]
    if not every:
        return None
    longest = max((hidden.begins for hidden in every), key=len)
    return Hidden(sum(hidden.elements for hidden in every), sum(hidden.chars for hidden in every), longest)


def drop_unseen(root: HtmlElement) -> Hidden | None:
    """Remove what is never shown from *root*; what of it was text that the page itself hides, if any."""
    for element in root.iter("input", "textarea"):
        if (element.get("type") or "text").lower() in _TYPED:
            _mark_form(element)
    for element in list(root.iter(*_NEVER_SEEN)):
        if element is not root:
            drop(element)
    return _drop_hidden(root)


def _drop_hidden(root: HtmlElement) -> Hidden | None:
    opened: frozenset[str] | None = None
    hidden: list[str] = []
    gone: set[HtmlElement] = set()
    for element in root.xpath(".//*[@hidden or @style or @aria-hidden or @class]"):
        if element in gone or not _is_hidden(element):
            continue
        if opened is None:
            opened = _opened_by_controls(root)
        if _is_panel(element, opened):
            continue
        if text := " ".join(element.text_content().split()):
            hidden.append(text)
        gone.update(element.iterdescendants())
        drop(element)
    if not hidden:
        return None
    return Hidden(len(hidden), sum(map(len, hidden)), max(hidden, key=len)[:_BEGINNING_CHARS])


def _mark_form(control: HtmlElement) -> None:
    form = next(control.iterancestors("form"), None)
    if form is not None:
        form.set(ASKS, "")


def drop(element: HtmlElement) -> None:
    """Take *element* with all it holds out of its tree, and leave the text that follows it."""
    parent = element.getparent()
    if parent is None:
        return
    tail = element.tail
    if tail:
        before = element.getprevious()
        if before is None:
            parent.text = (parent.text or "") + tail
        else:
            before.tail = (before.tail or "") + tail
    element.tail = None
    parent.remove(element)


def _is_hidden(element: HtmlElement) -> bool:
    get = element.get
    if get("hidden") is not None or ((style := get("style")) and _hides(style)):
        return True
    if get("aria-hidden") == "true":
        return len(element.text_content()) < _PANEL_CHARS or bool(_OVERLAY.search(_named(element)))
    named = get("class")
    if not named or not _may_hide(named):
        return False
    if _FOR_READERS_ALOUD.search(named):
        return not _is_kept_heading(element)
    return bool(_HIDING_CLASS.search(named)) and "-block" not in named


@lru_cache(maxsize=4096)
def _hides(style: str) -> bool:
    return _STYLE.search(style) is not None


@lru_cache(maxsize=4096)
def _may_hide(named: str) -> bool:
    return bool(_FOR_READERS_ALOUD.search(named) or _HIDING_CLASS.search(named))


def _is_kept_heading(element: HtmlElement) -> bool:
    """Headings read aloud only name parts of the layout ("You are here"); titles and dates say what follows."""
    return element.tag == "h1" or (element.tag in _HEADINGS and any(map(str.isdigit, element.text_content())))


def _named(element: HtmlElement) -> str:
    return f"{element.get('id') or ''} {element.get('class') or ''} {element.get('role') or ''}"


def _is_panel(element: HtmlElement, opened: frozenset[str]) -> bool:
    if (element.get("id") or "") not in opened and (element.get("role") or "") != "tabpanel":
        return False
    return len(element.text_content().strip()) >= _PANEL_CHARS and not _OVERLAY.search(_named(element))


def _opened_by_controls(root: HtmlElement) -> frozenset[str]:
    """The ids that controls of the page open: named by ARIA, by Bootstrap, or by a link to the panel."""
    names = root.xpath(".//@aria-controls | .//@data-target | .//@data-bs-target | .//a/@href[starts-with(., '#')]")
    return frozenset(word.lstrip("#") for name in names for word in str(name).split())
