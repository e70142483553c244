"""A markdown text as a reader sees it, with the way back: each character knows where it stands in the original.

White space is one blank, quote marks are straight, marks of emphasis, link targets and escapes are gone. Two texts that
differ in these alone read the same.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

_QUOTES = str.maketrans("‘’‚‛′´“”„‟″«»", "'" * 6 + '"' * 7)
# A link's brackets and target, which a reader does not see; its words stay. Bounded, so that no page takes long.
_LINK = re.compile(r"!?\[([^\[\]]{0,2000})\](\((?:[^()\s]|\([^()\s]{0,500}\)){0,2000}(?: \"[^\"\n]{0,500}\")?\))")
_BREAKS = re.compile(
    r"(?P<blank>\s+)|(?P<unseen>[\u200b-\u200d\u2060\ufeff\u00ad]+)|(?P<escape>\\(?=[!-/:-@\[-`{-~]))|(?P<mark>[*`]+)"
)


class Plain(NamedTuple):
    """``text`` as a reader sees it; ``places[n]`` is where its n-th character stands in the original."""

    text: str
    places: list[int]

    def between(self, start: int, end: int) -> tuple[int, int]:
        """The part of ``text`` that comes from the original's characters *start* to *end*."""
        return bisect_left(self.places, start), bisect_left(self.places, end)

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Where ``text[start:end]``, which is not empty, stands in the original."""
        return self.places[start], self.places[end - 1] + 1


def plain(markdown: str) -> Plain:
    """*markdown* as a reader sees it."""
    parts: list[str] = []
    places: list[int] = []
    at = 0
    ends_blank = False
    for start, end, shown in (*_changes(markdown), (len(markdown), len(markdown), "")):
        if start < at:  # within something that is hidden already
            continue
        if start > at:
            parts.append(markdown[at:start].translate(_QUOTES))
            places.extend(range(at, start))
            ends_blank = False
        if shown and not ends_blank:
            parts.append(shown)
            places.append(start)
            ends_blank = True
        at = end
    return Plain("".join(parts), places)


def _changes(markdown: str) -> list[tuple[int, int, str]]:
    """What is shown otherwise than it stands there: start, end, what is shown, in order."""
    changes = []
    for link in _LINK.finditer(markdown):
        changes += [(link.start(), link.start(1), ""), (link.end(1), link.end(), "")]
    for found in _BREAKS.finditer(markdown):
        if found["escape"]:
            # The next character is text: a star that is escaped marks nothing.
            changes.append((found.start(), found.end(), ""))
        elif found["mark"] and _is_escaped(markdown, found.start()):
            if len(found[0]) > 1:
                changes.append((found.start() + 1, found.end(), ""))
        else:
            changes.append((found.start(), found.end(), " " if found["blank"] else ""))
    return sorted(changes)


def _is_escaped(markdown: str, at: int) -> bool:
    return at > 0 and markdown[at - 1] == "\\" and not (at > 1 and markdown[at - 2] == "\\")
