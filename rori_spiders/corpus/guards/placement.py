"""Check that each leaf still stands where it stood: below the same headings, in the same list item.

A heading may be left out between a leaf and the top where those that remain repeat its words; the page's title may come
on top. Else a paragraph is said of something else than before.
"""

from collections.abc import Callable, Iterator

from rori_spiders.corpus.guards.headings import HeadingRules, repeats_words
from rori_spiders.corpus.guards.leaf_blocks import Leaf, LeafText
from rori_spiders.corpus.guards.leaf_pairing import Pairing
from rori_spiders.corpus.guards.refusal import Refusal


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
