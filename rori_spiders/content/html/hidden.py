"""Remove elements that a reader of the page cannot see, before measuring or writing anything.

What the page opens for its readers (`panels`) stays, and what is only not read aloud while it is seen. A dialog's text
goes behind the link that opens it: courts keep their summaries there, agencies definitions. A dialog of the site stays
out (a menu, a search, a sign-in, a newsletter, consent to cookies, a survey), and so does one that nothing in the
page's text opens.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from lxml.html import HtmlElement

from rori_spiders.content.dom_names import names
from rori_spiders.content.html.aria import FOR_READERS_ALOUD, write_aria
from rori_spiders.content.html.controls import keep_buttons, write_out
from rori_spiders.content.html.panels import (
    Controls,
    controls_in,
    is_overlay,
    is_panel,
    named_as,
    opener_ids,
    openers_in,
)
from rori_spiders.content.html.tree import drop, move_to_main

# Not shown, or shown out of the window, where only programs that read aloud find it, as `aria.FOR_READERS_ALOUD`.
_STYLE = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|(?:left|top)\s*:\s*-\d{4,}|clip\s*:\s*rect\([01])",
    re.IGNORECASE,
)
# Folded, and opened by a search in the page or a link into it.
_FOUND_BY_SEARCH = "until-found"
_HIDING_CLASS = re.compile(r"(?:^|\s)(?:hidden|hide|ms-hidden|d-none)(?:\s|$)")
# What of both there is in every name that they fit, in lower case.
_HIDING_PARTS = ("hid", "sr-only", "visually", "invisible", "d-none", "screen-reader", "offscreen")
_HEADINGS = names("h1 h2 h3 h4 h5 h6")
# Text that is not read aloud: what an icon is labelled with is shorter.
_LABEL_CHARS = 80
_ICON = re.compile(
    r"icon|glyph|material|(?:^|\s)fa[srlb]?(?:$|[\s-])|arrow|caret|close|toggle|counter|remain", re.IGNORECASE
)
# Shown from some width of the window on: Bootstrap, Tailwind, Foundation.
_SHOWN_SOMEWHERE = re.compile(
    r"(?:^|\s)(?:d-(?:sm|md|lg|xl|xxl)-|(?:sm|md|lg|xl|2xl):)(?:inline|flex|grid|table|block|contents)", re.IGNORECASE
)
_SEEN_BLOCKS = names("p li td th dd dt h1 h2 h3 h4 h5 h6 div")
_SENTENCE = re.compile(r"(?<!\S)\S+\s+\S+\s+\S+\s+\S")
_SEEN_INLINE = names("span b strong i em sup sub small font u bdi data time abbr")
_IN_CONTROLS = names("a button label summary form nav header footer")
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
    write_aria(root)
    place_dialogs(root)
    unseen = write_out(root)
    controls = None
    if next(root.iter("button"), None) is not None:
        controls = controls_in(root)
        keep_buttons(root, controls)
    return _drop_hidden(root, controls, unseen)


def _drop_hidden(root: HtmlElement, controls: Controls | None, hidden: list[str]) -> Hidden | None:
    gone: set[HtmlElement] = set()
    for element, present in [(element, names) for element in root.iterdescendants() if (names := element.keys())]:
        if element in gone or not _is_hidden(element, present):
            continue
        controls = controls or controls_in(root)
        if is_panel(element, controls) or _is_shown_as_image(element):
            continue
        if text := " ".join(element.text_content().split()):
            hidden.append(text)
        gone.update(element.iterdescendants())
        drop(element)
    if not hidden:
        return None
    return Hidden(len(hidden), sum(map(len, hidden)), max(hidden, key=len)[:_BEGINNING_CHARS])


def _is_hidden(element: HtmlElement, present: list[str]) -> bool:
    """*present*: the names of its attributes; to look among them takes a third of asking for a value."""
    get = element.get
    if "hidden" in present and get("hidden", "").lower() != _FOUND_BY_SEARCH:
        return True
    if "popover" in present or ("style" in present and _hides(get("style", ""))):
        return True
    if "aria-hidden" in present and get("aria-hidden") == "true":
        return is_overlay(named_as(element)) or (
            len(element.text_content()) < _LABEL_CHARS and not _is_seen_in_text(element)
        )
    named = get("class", "") if "class" in present else ""
    if not named or not _may_hide(named):
        return False
    if FOR_READERS_ALOUD.search(named):
        return not _is_content_heading(element)
    return bool(_HIDING_CLASS.search(named)) and "-block" not in named and not _SHOWN_SOMEWHERE.search(named)


@lru_cache(maxsize=4096)
def _hides(style: str) -> bool:
    return _STYLE.search(style) is not None


@lru_cache(maxsize=4096)
def _may_hide(named: str) -> bool:
    lowered = named.lower()
    if named.isascii() and not any(part in lowered for part in _HIDING_PARTS):
        return False
    return bool(FOR_READERS_ALOUD.search(named) or _HIDING_CLASS.search(named))


def _is_seen_in_text(element: HtmlElement) -> bool:
    """Whether a word or figure that is not read aloud stands in a text, where readers see it: "<span>$5</span>"."""
    if _ICON.search(named_as(element)) or any(above.tag in _IN_CONTROLS for above in element.iterancestors()):
        return False
    text = element.text_content()
    if element.tag in _SEEN_BLOCKS:  # a cell says its figure, other blocks a sentence
        is_entry = element.tag in {"td", "th"} and any(map(str.isalnum, text))
        return is_entry or (bool(_SENTENCE.search(text.strip())) and element.find(".//a") is None)
    if element.tag not in _SEEN_INLINE:
        return False
    return any(map(str.isdigit, text)) or (any(map(str.isalpha, text)) and _has_sibling_text(element))


def _has_sibling_text(element: HtmlElement) -> bool:
    parent = element.getparent()
    texts = [] if parent is None else [parent.text, *(child.tail for child in parent)]
    return any(any(map(str.isalnum, text)) for text in texts if text)


def _is_shown_as_image(element: HtmlElement) -> bool:
    """Whether *element* is the formula that the image behind it shows, as wikis write it."""
    behind = element.getnext()
    return behind is not None and behind.tag == "img" and next(element.iter("math"), None) is not None


def _is_content_heading(element: HtmlElement) -> bool:
    """Headings read aloud only name parts of the layout ("You are here"); titles and dates say what follows."""
    return element.tag == "h1" or (element.tag in _HEADINGS and any(map(str.isdigit, element.text_content())))


_OF_SITE = names("nav header footer")
_OF_SITE_ROLES = names("navigation banner contentinfo search menu menubar dialog alertdialog")
# Its name or its heading.
_SITE_DIALOG = re.compile(
    r"menu|(?:^|[\s_-])nav|cookie|consent|gdpr|search|share|sharing|feedback|survey|newsletter|subscri|"
    r"log-?in|log in|sign-?in"
    r"|sign in|sign-?up|sign up|account|register|language|chat|video|gallery|cart|exit|leaving|external|"
    r"disclaimer|session"
    r"|time-?out|print",
    re.IGNORECASE,
)
# What a dialog asks of whoever comes, where no name or heading says so.
_ASKS_VISITORS = re.compile(
    r"cookies?\b|newsletter|subscribe|survey|feedback|(?:sign|log)[ -](?:in|up)\b|leaving", re.IGNORECASE
)
_ASKS = "boolean(.//input[@type='password' or @type='email'])"
# What a dialog says that is a text; a label or a tip is shorter.
_TEXT_CHARS = 80
_CLOSES = re.compile(
    r"(?:close|dismiss|cancel|ok|x|×|✕|✖|\[x\]|back)(?: (?:this |the )?(?:window|dialog|popup))?", re.IGNORECASE
)
_HIDES = names("id class role style hidden popover aria-hidden aria-modal open")
_HOLDERS = names("li td th dd div section article main body")
_BLOCKS = names("p h1 h2 h3 h4 h5 h6 ul ol dl table blockquote pre")


def place_dialogs(root: HtmlElement) -> None:
    """Move each dialog of *root* that its text opens behind the block with the link to it, shown.

    One that is open when the page is shown is the first thing that people read: it becomes a section of the main part.
    """
    if opened := [dialog for dialog in root.iter("dialog") if dialog.get("open") is not None]:
        main = next(iter(root.xpath("descendant::main | descendant::*[@role='main']")), None)
        for dialog in opened:
            if not _is_notice_of_site(dialog):
                _drop_closers(dialog)
                move_to_main(dialog, main, without=_HIDES)
    by_id = {own: element for element in root.xpath("descendant-or-self::*[@id]") if (own := element.get("id"))}
    openers = openers_in(root) if by_id else []
    if all(_dialog_of(by_id.get(own)) is None for opener in openers for own in opener_ids(opener)):
        return
    placed: set[HtmlElement] = set()
    order = {element: at for at, element in enumerate(root.iter())}
    for opener in sorted(dict.fromkeys(openers), key=order.__getitem__):
        for own in opener_ids(opener):
            dialog = _dialog_of(by_id.get(own))
            if dialog is None or dialog in placed or _is_of_site(opener, dialog):
                continue
            placed.add(dialog)
            _place(opener, dialog)


def _dialog_of(target: HtmlElement | None) -> HtmlElement | None:
    """The box that *target* is, or is the only content of; None for a part that is not a dialog."""
    if target is None:
        return None
    if target.tag == "dialog" or target.get("popover") is not None or is_overlay(named_as(target)):
        return target
    above = target.getparent()
    is_hidden = "none" in (target.get("style") or "")
    if (
        above is not None
        and len(above) == 1
        and "none" in (above.get("style") or "")
        and not (above.text or "").strip()
    ):
        return above
    return target if is_hidden and above is not None and above.tag == "body" else None


def _is_of_site(opener: HtmlElement, dialog: HtmlElement) -> bool:
    if dialog in opener.iterancestors() or opener in dialog.iterancestors():
        return True
    if any(above.tag in _OF_SITE or (above.get("role") or "") in _OF_SITE_ROLES for above in opener.iterancestors()):
        return True
    return _is_named_of_site(dialog, " ".join(dialog.text_content().split()), opener.text_content())


def _is_named_of_site(dialog: HtmlElement, text: str, opener_text: str = "") -> bool:
    heads = [" ".join(head.text_content().split()) for head in dialog.iter("h1", "h2", "h3", "h4", "h5", "h6")]
    inner = [named_as(part) for part in dialog.iter() if isinstance(part.tag, str) and part.get("id")]
    named = " ".join((named_as(dialog), opener_text, *heads[:1], *inner[:1]))
    return len(text) < _TEXT_CHARS or bool(dialog.xpath(_ASKS)) or _SITE_DIALOG.search(named) is not None


def _is_notice_of_site(dialog: HtmlElement) -> bool:
    """Whether a dialog that is open at first is about the site and its visitors."""
    text = " ".join(dialog.text_content().split())
    return _is_named_of_site(dialog, text) or _ASKS_VISITORS.search(text) is not None


def _drop_closers(dialog: HtmlElement) -> None:
    for control in list(dialog.iter("a", "button")):
        if _CLOSES.fullmatch(" ".join(control.text_content().split()) or "x"):
            drop(control)


def _place(opener: HtmlElement, dialog: HtmlElement) -> None:
    _drop_closers(dialog)
    for part in [dialog, *dialog.iter("div", "section")]:
        for attribute in _HIDES:
            part.attrib.pop(attribute, None)
    dialog.tag = "div"
    opener.attrib.pop("class", None)  # "popup" is said of the link, too
    opener.attrib.pop("id", None)
    drop_from = dialog.getparent()
    if drop_from is None:
        return
    drop(dialog)
    block = opener
    while block.tag not in _BLOCKS and (above := block.getparent()) is not None and above.tag not in _HOLDERS:
        block = above
    if block.tag in _BLOCKS or (above := block.getparent()) is None or above.tag not in names("li td th dd"):
        dialog.tail, block.tail = block.tail, None
        block.addnext(dialog)
    else:
        above.append(dialog)
