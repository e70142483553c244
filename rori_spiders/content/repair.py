"""The source text of a page that libxml2 would cut short or tangle, mended so that it keeps all of its words.

Browsers close open formatting at a table's row and an open link at the next one; libxml2 nests instead, level under
level, and stops at its limit. All repairs work on tags in the text, in one pass.
"""

from __future__ import annotations

import re
from itertools import islice

from rori_spiders.content.names import names

_VOID = names("area base br col embed hr img input link meta param source track wbr")
_SELF_CLOSING = names("p li tr td th option thead tbody tfoot")
_BLOCKS = names("div section article center table ul ol dl dt dd form blockquote fieldset main header footer")
_RAW = re.compile(r"<(script|style|textarea)\b[^>]*>.*?</\1\s*>|<!--.*?-->", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)([^<>]*)>")
_LOOKS_ONLY = re.compile(r"</?(?:font|big|small|nobr|basefont|blink)\b[^<>]*>", re.IGNORECASE)
_LONG_TAG = re.compile(r"<[a-zA-Z][^<>]{65536,}>")
_ATTRIBUTE = re.compile(r"\s[^\s=]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"']+))?")
# The element with most of them on 2,633 government pages has 61; libxml2 compares each with all others.
_MOST_ATTRIBUTES = 1000
_ENTRY = re.compile(r"<(/?)(a|dl|dt|dd)\b", re.IGNORECASE)


def shortened(text: str) -> str:
    """*text*, each tag in it with no more attributes than a parser can take in."""
    return _LONG_TAG.sub(_with_fewer, text)


def _with_fewer(found: re.Match[str]) -> str:
    tag = found[0]
    if tag.count("=") <= _MOST_ATTRIBUTES and tag.count(" ") <= _MOST_ATTRIBUTES:
        return tag  # one long picture, one long state of a form
    kept = [attribute[0] for attribute in islice(_ATTRIBUTE.finditer(tag), _MOST_ATTRIBUTES)]
    name = re.split(r"[\s/]", tag, maxsplit=1)[0]
    return f"{name}{''.join(kept)}>"


def untangle(text: str) -> str:
    """*text* without the tags that only set looks, and with each link, term and definition closed before the next."""
    return _ENTRY.sub(_Closer(), _LOOKS_ONLY.sub("", _RAW.sub(_only_json_ld, text)))


class _Closer:
    """Puts the end tags that HTML lets authors leave out, and libxml2 does not supply."""

    def __init__(self) -> None:
        self._link = False
        self._entries = [""]  # the open dt or dd of each open dl

    def __call__(self, found: re.Match[str]) -> str:
        tag, name, is_end = found[0], found[2].lower(), bool(found[1])
        if name == "a":
            was_open, self._link = self._link, not is_end
            return f"</a>{tag}" if was_open and not is_end else tag
        if name == "dl":
            if not is_end:
                self._entries.append("")
            elif len(self._entries) > 1:
                self._entries.pop()
            else:
                self._entries[-1] = ""
            return tag
        before, self._entries[-1] = self._entries[-1], "" if is_end else name
        return f"</{before}>{tag}" if before and not is_end else tag


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
