"""Check headings: what a heading may become, and whether each leaf still stands below its headings and in its list
item.  A heading may become itself with the page title, the site name or a heading above it before or behind it:
"Exceptions" below "FHA loan limits" may become "FHA loan limits - Exceptions". It takes these whole, or a part
between separators; half a title may say something else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rori_spiders.corpus.documents.titles import names_with_figures
from rori_spiders.corpus.guards.leaf_blocks import InlineText, Leaf, LeafText, Span, normalize_characters
from rori_spiders.corpus.guards.removals import NEGATION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rori_spiders.corpus.guards.judgement import Refusal
    from rori_spiders.corpus.guards.leaf_pairing import Pairing


_SEGMENTS = re.compile(r"(?<!\s)\s+[|–—>»·-]\s+|:\s+")
_BARS = re.compile(r"(?<!\s)\s+\|\s+")
#: What may be between a heading and the words added to it.
_JOINT = r"\s*(?::|\||–|—|>|·|,|\s-)\s+"
_BEFORE = re.compile(_JOINT)
_BORDERS = rf"(?:^|{_JOINT}|\()", rf"(?:$|{_JOINT}|\))"


class HeadingRules:
    """The changes allowed to headings of a page, given its title and the site's name (*entity*)."""

    def __init__(self, title: str | None, entity: str | None) -> None:
        self.title = _fold_case(title or "")
        self.entity = _fold_case(entity or "")
        self.names = names_with_figures(title, entity)

    def is_title(self, text: str) -> bool:
        """Return whether *text* is the page's title, or its part before a separator without a denial.

        A title that denies something ends at a bar alone, behind which nothing is denied: no sentence has one.
        """
        folded = _fold_case(text)
        separators = _SEGMENTS.finditer(self.title)
        if NEGATION.search(self.title):
            separators = (one for one in _BARS.finditer(self.title) if not NEGATION.search(self.title, one.end()))
        return bool(folded) and folded in {self.title, *(self.title[: one.start()].strip() for one in separators)}

    def may_become(self, heading: Leaf, cleaned: Leaf, draft: LeafText) -> bool:
        """Return whether *cleaned* is *heading* of *draft*, unchanged or extended by allowed names."""
        if cleaned.kind != "heading" or cleaned.holders != () or heading.holders != ():
            return False
        old, new = heading.shown, cleaned.shown
        above = [draft.leaves[number].shown for number in heading.above]
        at = new.text.casefold().find(old.text.casefold())
        while at >= 0:
            end = at + len(old.text)
            spans = tuple(span.moved(at) for span in old.spans)
            rest = [span for span in new.spans if span not in spans]
            is_whole = len(rest) + len(spans) == len(new.spans) and _are_links_of_headings_above(rest, new, above)
            if is_whole and differs_only_in_case(old.text, new.text[at:end]):
                ancestors = draft.headings(heading)
                others = {_fold_case(one.shown.text) for one in draft.leaves if one.kind == "heading"}
                # What heads another section leads to that, though it be a part of the title.
                others -= {_fold_case(one) for one in ancestors}
                phrases = [one for one in self._phrases(ancestors) if one not in others]
                if self._led(new.text[:at], phrases) and self._followed(new.text[end:], phrases):
                    return True
            at = new.text.casefold().find(old.text.casefold(), at + 1)
        return False

    def _phrases(self, above: Sequence[str]) -> list[str]:
        sources = [self.title, self.entity, *map(_fold_case, above)]
        parts = (part for source in sources for part in (source, *_title_parts(source)))
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


def repeats_words(heading: str, words: str) -> bool:
    """Return whether *heading* has *words* as a whole, set off from its own."""
    return re.search(_BORDERS[0] + re.escape(words) + _BORDERS[1], heading, re.IGNORECASE) is not None


def _are_links_of_headings_above(spans: Iterable[Span], new: InlineText, above: Sequence[InlineText]) -> bool:
    """Return whether all of *spans* are links of a heading above, with the same words and target."""
    links = {_link_of_span(one, span) for one in above for span in one.spans if span.kind == "link"}
    return all(span.kind == "link" and _link_of_span(new, span) in links for span in spans)


def _link_of_span(shown: InlineText, span: Span) -> tuple[str, str]:
    return shown.text[span.start : span.end].casefold(), span.value


def differs_only_in_case(old: str, new: str) -> bool:
    """Return whether both differ only in the case of first letters, or of words all in capitals."""
    if old == new or (old.isupper() and old.casefold() == new.casefold() and len(old.split()) > 1):
        return True
    pairs = zip(old.split(" "), new.split(" "), strict=False)
    return len(old) == len(new) and all(
        a == b or (a[1:] == b[1:] and a[:1].casefold() == b[:1].casefold() and len(a) > 1) for a, b in pairs
    )


def _title_parts(source: str) -> Iterator[str]:
    if not NEGATION.search(source):
        yield from (part.strip() for part in _SEGMENTS.split(source) if part.strip())


def _fold_case(text: str) -> str:
    return " ".join(normalize_characters(text).split()).casefold()


# Whether each leaf still stands where it stood: below the same headings, in the same list item. A heading may be left
# out between a leaf and the top where those that remain repeat its words; the page's title may come on top. Else a
# paragraph is said of something else than before.


class PlacementCheck:
    """Check the positions of paired leaves. *refusal* creates a refusal from code, sentence and both leaves."""

    def __init__(self, draft: LeafText, cleaned: LeafText, pairing: Pairing, naming: HeadingRules) -> None:
        self._draft = draft
        self._cleaned = cleaned
        self._pairing = pairing
        self._naming = naming
        self._promoted = {pairing.of[number] for number, how in pairing.how.items() if how == "promoted"}
        self._first_prose: dict[int, int] = {}
        for number in sorted(pairing.of):
            if pairing.how[number] == "prose":
                self._first_prose.setdefault(pairing.of[number], number)

    def wrong(self, refusal: Callable[..., Refusal]) -> Iterator[Refusal]:
        """Yield a refusal for each leaf at a different position."""
        for number, origin in sorted(self._pairing.of.items()):
            leaf, old = self._cleaned.leaves[number], self._draft.leaves[origin]
            if (says := self._headings(leaf, old)) is not None:
                yield refusal("subject_changed", says, old, leaf)
            elif self._pairing.how[number] != "prose" and not self._same_holders(leaf, old):
                yield refusal("nesting_changed", "the block is now in another list item or quotation", old, leaf)

    def _headings(self, leaf: Leaf, old: Leaf) -> str | None:
        got = [number for number in leaf.above if not self._is_own(number, leaf)]
        came = [self._pairing.of.get(number) for number in got if number != self._pairing.titled]
        leading = [*leaf.above, *([leaf.number] if leaf.kind == "heading" else ())]
        path = [self._cleaned.leaves[number].shown.text for number in leading]
        for number in old.above:
            words = self._draft.leaves[number].shown.text
            if number not in came and not any(repeats_words(heading, words) for heading in path):
                return f"the block was below {words!r}"
        for number in got:
            origin = self._pairing.of.get(number)
            if number != self._pairing.titled and origin not in old.above and not self._may_lead(number, origin, old):
                return f"the block was not below {self._cleaned.leaves[number].shown.text!r}"
        return None

    def _is_own(self, number: int, leaf: Leaf) -> bool:
        """Whether the heading *number* tells the row that *leaf* is of."""
        how, of = self._pairing.how, self._pairing.of
        return how.get(number) == how[leaf.number] == "prose" and of[number] == of[leaf.number]

    def _may_lead(self, number: int, origin: int | None, old: Leaf) -> bool:
        if origin is None:
            return False
        head = self._draft.leaves[origin]
        if origin in self._promoted:
            between = self._draft.leaves[origin + 1 : old.number]
            is_free = all(one.number in self._promoted for one in between if one.is_strong and not one.holders)
            # A line leads what follows it up to the next heading.
            return origin < old.number and head.above == old.above and is_free and old.kind != "heading"
        return self._naming.is_title(head.shown.text) and self._cleaned.leaves[number].level == 1 and origin == 0

    def _same_holders(self, leaf: Leaf, old: Leaf) -> bool:
        if len(leaf.holders) != len(old.holders):
            return False
        return all(
            new.kind == was.kind and self._pairing.of.get(new.first) == was.first
            for new, was in zip(leaf.holders, old.holders, strict=True)
        )
