"""Buttons that carry text of the page: the head of a panel, the name of a tab, a word within a sentence.

All others are controls, whose words ("Submit", "Print this page") are no text of the page.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rori_spiders.content.entries import has_headers
from rori_spiders.content.names import names
from rori_spiders.content.panels import is_overlay, named_as

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from rori_spiders.content.panels import Controls

_SAYS_ITSELF = names("h1 h2 h3 h4 h5 h6 summary dt")
_FOLDS = re.compile(r"accordion|collaps|toggle|expand|faq|question|unfold|(?:^|[\s_-])tab(?:$|[\s_-])", re.IGNORECASE)
# What a control does, and not what it opens: "Show more", "Print this page".
_ACTION = re.compile(
    r"(?:show|hide|expand|collapse|open|close|toggle|read|view|see|load|print|share|copy|search|menu|more|less|clear|reset"
    r"|sign up|subscribe|register|log ?in|sign in|send|start|continue|download|submit|apply|go|play|pause|stop"
    r"|next|previous|prev|back|top|edit|save|cancel|ok|yes|no|accept|dismiss|got it)"
    r"(?:\s+(?:all|more|less|this|the|details?|menu|sections?|full|table|contents?|pages?|links?|navigation|on|results?"
    r"|facebook|twitter|linkedin|e?-?mail|friend|a|with|by|filters?|answers?|text|to|clipboard|sub-?menu|panels?|questions?|cookies?|site|for))*\W*",
    re.IGNORECASE,
)
# A question of the text, "Is a mobile home a dwelling?"; what a page asks its reader is of "this page", or of "you".
_QUESTION = re.compile(
    r"(?!.*\b(?:this (?:page|site)|help you|your (?:password|question|location|state))\b)(?:\S+\s+){3,}\S+\?\W*",
    re.IGNORECASE,
)
_TARGETS = ("aria-controls", "data-target", "data-bs-target")
_INLINE = names("span a b strong i em u small abbr dfn mark font")
_LINES = names("p li td th dd dt div blockquote figcaption caption h1 h2 h3 h4 h5 h6") | _INLINE
_PARAGRAPHS = names("p li td dd blockquote")
_BOXES = names("div span h2 h3 h4 h5 h6 dt header")
# Labels of controls and of what they do are shorter.
_LINE_CHARS = 40
_GOES_ON = re.compile(r"[.,;:!?)\]’”\"'—–-]|\s+[(\[‘“\"']?\w|\w")


def keep_buttons(root: HtmlElement, controls: Controls) -> None:
    """Make those buttons of *root* text that are no controls only."""
    for button in list(root.iter("button")):
        if not (says := " ".join(button.text_content().split())) or _ACTION.fullmatch(says):
            continue
        if (button.get("type") or "").lower() in {"submit", "reset"} or is_overlay(named_as(button)):
            continue
        if is_amid_sentence(button) or is_in_paragraph(button) or _is_entry(button, says):
            button.tag = "span"
        elif not any(above.tag in _SAYS_ITSELF for above in button.iterancestors()) and _heads(button, controls, root):
            button.tag = "div"


def _heads(button: HtmlElement, controls: Controls, root: HtmlElement) -> bool:
    """Whether *button* says what the part of the page is about that it opens."""
    own = next(filter(None, (button.get(name) or "" for name in _TARGETS)), "").lstrip("#")
    is_tab = (button.get("role") or "") == "tab"
    opened = None
    if own:
        opened = next(iter(root.xpath(".//*[@id=$own]", own=own)), None)
        if own not in controls.expanded and not is_tab:
            return False
    elif button.get("aria-expanded") is not None or _FOLDS.search(f"{named_as(button)} {button.get('onclick') or ''}"):
        opened = _behind(button)
    asks = bool(_QUESTION.fullmatch(" ".join(button.text_content().split())))
    if asks and opened is None and not own:
        opened = _behind(button)
    if opened is None or is_overlay(named_as(opened)):
        return False
    least = 0 if is_tab or asks else len(button.text_content())
    return len(opened.text_content().strip()) > least


def _behind(button: HtmlElement) -> HtmlElement | None:
    """What follows *button*, or the box that holds nothing else."""
    holder = button
    while holder.getnext() is None:
        above = holder.getparent()
        if above is None or above.tag not in _BOXES or _has_words(holder.tail, above.text) or len(above) > 1:
            return None
        holder = above
    return holder.getnext()


def _is_entry(button: HtmlElement, says: str) -> bool:
    """Whether *button* is a figure in a table with headers, or one that nobody can press: "Effective"."""
    if not is_in_figures(button):
        return False
    return button.get("disabled") is not None or any(map(str.isdigit, says))


def is_in_figures(control: HtmlElement) -> bool:
    """Whether *control* is an entry of a table with headers."""
    cell = next(control.iterancestors("td", "th"), None)
    return cell is not None and has_headers(cell)


def is_switch(box: HtmlElement) -> bool:
    """Whether a checkbox is there to be clicked by a label far from it, which folds a part of the page or its menu."""
    named = named_as(box)
    is_unseen = box.get("hidden") is not None or box.get("style") is not None or "hidden" in named
    return is_unseen or is_overlay(named) or bool(_FOLDS.search(named))


def is_amid_sentence(control: HtmlElement) -> bool:
    """Whether a line of text leads to *control*, and goes on behind it."""
    parent = control.getparent()
    while parent is not None and parent.tag in _INLINE and not _has_words(parent.text, *(one.tail for one in parent)):
        control, parent = parent, parent.getparent()
    if parent is None or parent.tag not in _LINES or not _GOES_ON.match(control.tail or ""):
        return False
    before = _before(control, parent)
    return _has_words(before) and not before.rstrip().endswith(":")  # "Year: [ ] Category: [ ]"


def is_in_paragraph(inline: HtmlElement) -> bool:
    """Whether *inline* begins or ends a line of some length, and is no order to a page."""
    parent = inline.getparent()
    if parent is None or parent.tag not in _PARAGRAPHS or _ACTION.fullmatch(" ".join(inline.text_content().split())):
        return False
    return sum(len(text.strip()) for text in (parent.text, *(one.tail for one in parent)) if text) >= _LINE_CHARS


def _before(control: HtmlElement, parent: HtmlElement) -> str:
    """The text of the line that *control* stands on, up to it."""
    pieces: list[str | None] = []
    for sibling in control.itersiblings(preceding=True):
        pieces.append(sibling.tail)
        if sibling.tag == "br":
            break
        pieces.append(sibling.text_content() if sibling.tag in _INLINE or sibling.tag == "label" else None)
    else:
        pieces.append(parent.text)
    return "".join(piece for piece in reversed(pieces) if piece)


def _has_words(*texts: str | None) -> bool:
    return any(any(map(str.isalnum, text)) for text in texts if text)
