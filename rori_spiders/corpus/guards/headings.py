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
    from collections.abc import Iterable, Iterator, Sequence

    from rori_spiders.corpus.guards.leaves import Leaf, Text
    from rori_spiders.corpus.guards.shown import Shown, Span

_SEGMENTS = re.compile(r"\s+[|–—>»·-]\s+|:\s+")
#: What may stand between a heading and what is added to it.
_JOINT = r"\s*(?::|\||–|—|>|·|,|\s-)\s+"
_BEFORE = re.compile(_JOINT)
_BORDERS = rf"(?:^|{_JOINT}|\()", rf"(?:$|{_JOINT}|\))"


class Naming:
    """What headings of one page may take from its title and the site's name (*entity*)."""

    def __init__(self, title: str | None, entity: str | None) -> None:
        self.title = _folded(title or "")
        self.entity = _folded(entity or "")

    def is_title(self, text: str) -> bool:
        """Whether *text* is the page's title, or what stands before one of its separators and denies nothing."""
        folded = _folded(text)
        if NEGATION.search(self.title):
            return bool(folded) and folded == self.title
        beginnings = (self.title[: found.start()].strip() for found in _SEGMENTS.finditer(self.title))
        return bool(folded) and folded in {self.title, *beginnings}

    def may_become(self, heading: Leaf, cleaned: Leaf, draft: Text) -> bool:
        """Whether *cleaned* is *heading* of *draft*, as it was or with more of its own names."""
        if cleaned.kind != "heading" or cleaned.holders != () or heading.holders != ():
            return False
        old, new = heading.shown, cleaned.shown
        above = [draft.leaves[number].shown for number in heading.above]
        at = new.text.casefold().find(old.text.casefold())
        while at >= 0:
            end = at + len(old.text)
            spans = tuple(span.moved(at) for span in old.spans)
            rest = [span for span in new.spans if span not in spans]
            is_whole = len(rest) + len(spans) == len(new.spans) and _taken_over(rest, new, above)
            if is_whole and same_but_capitals(old.text, new.text[at:end]):
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


def repeats(heading: str, words: str) -> bool:
    """Whether *heading* says *words* whole, set off from its own."""
    return re.search(_BORDERS[0] + re.escape(words) + _BORDERS[1], heading, re.IGNORECASE) is not None


def _taken_over(spans: Iterable[Span], new: Shown, above: Sequence[Shown]) -> bool:
    """Whether all of *spans* are links that a heading above has, of the same words to the same address."""
    links = {_link(one, span) for one in above for span in one.spans if span.kind == "link"}
    return all(span.kind == "link" and _link(new, span) in links for span in spans)


def _link(shown: Shown, span: Span) -> tuple[str, str]:
    return shown.text[span.start : span.end].casefold(), span.value


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
