"""The source text of a page that libxml2 would cut short or tangle, mended so that it keeps all of its words.

Browsers close open formatting at a table's row and an open link at the next one; libxml2 nests instead, level under
level, and stops at its limit. Both repairs work on tags in the text, in one pass.
"""

from __future__ import annotations

import re

from rori_spiders.content.names import names

_VOID = names("area base br col embed hr img input link meta param source track wbr")
_SELF_CLOSING = names("p li dt dd tr td th option thead tbody tfoot")
_BLOCKS = names("div section article center table ul ol dl form blockquote fieldset main header footer")
_RAW = re.compile(r"<(script|style|textarea)\b[^>]*>.*?</\1\s*>|<!--.*?-->", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)([^<>]*)>")
_LOOKS_ONLY = re.compile(r"</?(?:font|big|small|nobr|basefont|blink)\b[^<>]*>", re.IGNORECASE)
_LINK = re.compile(r"<(/?)a\b", re.IGNORECASE)


def untangle(text: str) -> str:
    """*text* without the tags that only set looks, and with each link closed before the next one begins."""
    text = _LOOKS_ONLY.sub("", _RAW.sub(_only_json_ld, text))
    is_open = False

    def close(found: re.Match[str]) -> str:
        nonlocal is_open
        was_open, is_open = is_open, not found[1]
        return f"</a>{found[0]}" if was_open and is_open else found[0]

    return _LINK.sub(close, text)


def _only_json_ld(found: re.Match[str]) -> str:
    return found[0] if "ld+json" in found[0][:200] else " "


def flatten(text: str, levels: int) -> str:
    """*text* without the tags that open more than *levels* deep; blocks among them leave a line break.

    Elements that HTML closes by itself are not counted.
    """
    return _Flattener(levels).run(_RAW.sub(" ", text))


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
