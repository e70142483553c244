"""Put the text of a dialog behind the link that opens it: courts keep their summaries there, agencies definitions.

A dialog of the site stays out: a menu, a search, a sign-in, a newsletter, consent to cookies, a survey. So does one
that nothing in the page's text opens.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rori_spiders.content.dom_names import names
from rori_spiders.content.html.panels import is_overlay, named_as, opener_ids, openers_in
from rori_spiders.content.html.tree import drop

if TYPE_CHECKING:
    from lxml.html import HtmlElement

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
    """Move each dialog of *root* that its text opens behind the block with the link to it, shown."""
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
    """The box that *target* is, or is the only content of; None for a part that is no dialog."""
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
    text = " ".join(dialog.text_content().split())
    heads = [" ".join(head.text_content().split()) for head in dialog.iter("h1", "h2", "h3", "h4", "h5", "h6")]
    inner = [named_as(part) for part in dialog.iter() if isinstance(part.tag, str) and part.get("id")]
    named = " ".join((named_as(dialog), opener.text_content(), *heads[:1], *inner[:1]))
    return len(text) < _TEXT_CHARS or bool(dialog.xpath(_ASKS)) or _SITE_DIALOG.search(named) is not None


def _place(opener: HtmlElement, dialog: HtmlElement) -> None:
    for control in list(dialog.iter("a", "button")):
        if _CLOSES.fullmatch(" ".join(control.text_content().split()) or "x"):
            drop(control)
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
