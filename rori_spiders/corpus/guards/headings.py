"""What a heading may become: itself, with the title, the site's name or headings above it before or behind it.

S: "Exceptions" below "FHA loan limits" may become "FHA loan limits - Exceptions". Nothing else of these is taken than
the whole, or a part between separators of one that denies nothing: half a title says something else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rori_spiders.corpus.guards.boilerplate import NEGATION
from rori_spiders.corpus.guards.shown import straight

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rori_spiders.corpus.guards.leaves import Leaf, Text

_SEGMENTS = re.compile(r"\s+[|–—>»·-]\s+|:\s+")
#: What may stand between a heading and what is added to it.
_JOINT = r"\s*(?::|\||–|—|>|·|,|\s-)\s+"
_BEFORE = re.compile(_JOINT)


class Naming:
    """What headings of one page may take from its title and the site's name (*entity*)."""

    def __init__(self, title: str | None, entity: str | None) -> None:
        self.title = _folded(title or "")
        self.entity = _folded(entity or "")

    def is_title(self, text: str) -> bool:
        """Whether *text* is the page's title, or its first part before a separator."""
        folded = _folded(text)
        return bool(folded) and folded in {self.title, next(iter(_parts(self.title)), "")}

    def may_become(self, heading: Leaf, cleaned: Leaf, draft: Text) -> bool:
        """Whether *cleaned* is *heading* of *draft*, as it was or with more of its own names."""
        if cleaned.kind != "heading" or cleaned.holders != () or heading.holders != ():
            return False
        old, new = heading.shown, cleaned.shown
        at = new.text.casefold().find(old.text.casefold())
        while at >= 0:
            end = at + len(old.text)
            spans = tuple(span.moved(at) for span in old.spans)
            if spans == new.spans and same_but_capitals(old.text, new.text[at:end]):
                phrases = self._phrases(draft.headings(heading))
                if self._led(new.text[:at], phrases) and self._followed(new.text[end:], phrases):
                    return True
            at = new.text.casefold().find(old.text.casefold(), at + 1)
        return False

    def _phrases(self, above: Sequence[str]) -> list[str]:
        sources = [self.title, self.entity, *map(_folded, above)]
        parts = (part for source in sources for part in (source, *_parts(source)))
        return sorted({part for part in parts if part}, key=len, reverse=True)

    def _led(self, text: str, phrases: Sequence[str]) -> bool:
        if not text:
            return True
        for phrase in phrases:
            if text.casefold().startswith(phrase):
                rest = text[len(phrase) :]
                joint = _BEFORE.match(rest)
                if joint is not None and self._led(rest[joint.end() :], phrases):
                    return True
                if phrase == self.entity and rest == " ":
                    return True
        return False

    def _followed(self, text: str, phrases: Sequence[str]) -> bool:
        if not text:
            return True
        joint = re.match(rf"{_JOINT}|\s+(?=\()", text)
        if joint is None:
            return False
        rest = text[joint.end() :]
        if rest.startswith("(") and rest.endswith(")"):
            return rest[1:-1].casefold() in phrases
        return rest.casefold() in phrases


def same_but_capitals(old: str, new: str) -> bool:
    """Whether both are the same, but for first letters, or for what stood all in capitals."""
    if old == new or (old.isupper() and old.casefold() == new.casefold() and len(old.split()) > 1):
        return True
    pairs = zip(old.split(" "), new.split(" "), strict=False)
    return len(old) == len(new) and all(
        a == b or (a[1:] == b[1:] and a[:1].casefold() == b[:1].casefold() and len(a) > 1) for a, b in pairs
    )


def _parts(source: str) -> Iterator[str]:
    if not NEGATION.search(source):
        yield from (part.strip() for part in _SEGMENTS.split(source) if part.strip())


def _folded(text: str) -> str:
    return " ".join(straight(text).split()).casefold()
