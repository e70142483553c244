"""What a reader sees of a block: its words, those of them that are links, and where these lead."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from rori_spiders.fields.plain import plain

_LINK = re.compile(r"\[((?:[^\[\]\\\n]|\\.){0,2000})\]\(([^()\s]{0,2000}(?:\([^()\s]{0,500}\)[^()\s]{0,2000}){0,5})\)")
_LEAD = re.compile(r"(?m)^\s*(?:[-*+]\s+|>\s?)+")
_ESCAPE = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_WORD = re.compile(r"\w+")


class Visible(NamedTuple):
    """``text``: on one line, without marks; ``words`` and ``link_words``: how many; ``targets``: of its links."""

    text: str
    words: int
    link_words: int
    targets: tuple[str, ...]


@lru_cache(maxsize=1024)
def visible(text: str) -> Visible:
    """A reader's view of a block of markdown."""
    links = [(found[1], found[2]) for found in _LINK.finditer(text)]
    shown = plain(_LEAD.sub("", text)).text.strip()
    words = len(_WORD.findall(shown))
    inside = sum(len(_WORD.findall(_ESCAPE.sub("", label))) for label, _ in links)
    return Visible(shown, words, min(words, inside), tuple(target for _, target in links))


def folded(text: str) -> str:
    """*text* as words are compared: single blanks, no capitals."""
    return " ".join(text.split()).casefold()
