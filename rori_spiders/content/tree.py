"""The text of an HTML page in, one lxml tree out, with everything that was in the text, however deep it nests."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree, html

from rori_spiders.content.names import names
from rori_spiders.exceptions import UnreadableDocument

if TYPE_CHECKING:
    from lxml.html import HtmlElement

# libxml2 stops at 256 levels, at 2,048 with huge_tree, and drops the rest without an error to catch (libxml2 2.14).
# Readable pages nest 15 to 40 levels; of 2,633 measured ones none reached 256.
_MOST_LEVELS = 200
# Not counted are elements that HTML closes by itself: rows and items multiply this by up to three.
_KEPT_LEVELS = 60
_VOID = names("area base br col embed hr img input link meta param source track wbr")
_SELF_CLOSING = names("p li dt dd tr td th option thead tbody tfoot")
_METADATA = names("title meta link base script style noscript template object bgsound basefont")
_BLOCKS = names("div section article center table ul ol dl form blockquote fieldset main header footer")
_RAW = re.compile(r"<(script|style|textarea|title)\b[^>]*>.*?</\1\s*>|<!--.*?-->", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)([^<>]*)>")
_CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), *range(0xFDD0, 0xFDF0), 0xFFFE, 0xFFFF, 0x2028, 0x2029])
_HAS_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\u2028\u2029\ufdd0-\ufdef\ufffe\uffff]")
_CONTROLS |= {11: " ", 12: " ", 0x2028: "\n", 0x2029: "\n"}


def parse(text: str) -> HtmlElement:
    """The tree of *text*, its root an ``html`` element. Raises UnreadableDocument when there is nothing in it."""
    clean = text.translate(_CONTROLS) if _HAS_CONTROLS.search(text) else text
    if not clean.strip():
        raise UnreadableDocument("the page is empty: its body has no character that could be read")
    root = _parsed(clean)
    if _reaches(root, _MOST_LEVELS):
        root = _parsed(flatten(clean, _KEPT_LEVELS))
    return root


def _parsed(text: str) -> HtmlElement:
    parser = html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        root = html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError, AssertionError) as error:
        raise UnreadableDocument(f"the page cannot be read as HTML: {error}") from error
    return _with_one_body(root)


def _with_one_body(root: HtmlElement) -> HtmlElement:
    """*root* with all that is shown in one ``body``: browsers put content there wherever broken markup left it."""
    body = root.find("body")
    if body is None:
        body = etree.SubElement(root, "body")
    at = 0
    for part in [*root.findall("head/*"), *(part for part in root if part.tag not in {"head", "body"})]:
        if part.tag not in _METADATA and part.getparent() is not body:
            body.insert(at, part)
            at += 1
    for further in root.findall("body")[1:]:
        further.tag = "div"
        body.append(further)
    return root


def _reaches(root: HtmlElement, levels: int) -> bool:
    nodes = [root]
    for _ in range(levels):
        nodes = [child for node in nodes for child in node]
        if not nodes:
            return False
    return True


def flatten(text: str, levels: int) -> str:
    """*text* without the tags that open more than *levels* deep; blocks among them leave a line break.

    Raw text elements and comments are taken out of the count, elements that HTML closes by itself are not counted.
    """
    return _Flattener(levels).run(_RAW.sub(_without_inner_tags, text))


def _without_inner_tags(found: re.Match[str]) -> str:
    return found[0] if (found[1] or "").lower() == "title" else " "


class _Flattener:
    def __init__(self, levels: int) -> None:
        self._levels = levels
        self._open: list[str] = []
        self._dropped: dict[str, int] = {}

    def run(self, text: str) -> str:
        return _TAG.sub(self._tag, text)

    def _tag(self, found: re.Match[str]) -> str:
        name = found[2].lower()
        if name in _VOID or name in _SELF_CLOSING or found[3].endswith("/"):
            return found[0]
        return self._close(found[0], name) if found[1] else self._start(found[0], name)

    def _start(self, tag: str, name: str) -> str:
        if len(self._open) < self._levels:
            self._open.append(name)
            return tag
        self._dropped[name] = self._dropped.get(name, 0) + 1
        return "<br>" if name in _BLOCKS else ""

    def _close(self, tag: str, name: str) -> str:
        if self._dropped.get(name):
            self._dropped[name] -= 1
            return "<br>" if name in _BLOCKS else ""
        if name in self._open:
            while self._open.pop() != name:
                pass
        return tag
