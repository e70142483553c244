"""What the cleaned text left out: each block boilerplate that holds nothing, or a refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.corpus.guards.boilerplate import why_not_emptied, why_not_removed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from rori_spiders.corpus.guards.leaves import Leaf, Text
    from rori_spiders.corpus.guards.pairing import Pairing


class Removal:
    """The blocks of *draft* that a pairing has no partner for. *known*: folded texts of the site's boilerplate."""

    def __init__(self, draft: Text, pairing: Pairing, known: Collection[str]) -> None:
        self._draft = draft
        self._known = known
        self._gone = set(pairing.gone)

    def refused(self, but: Collection[int]) -> Iterator[tuple[str, str, Leaf, None]]:
        """Why blocks may not be left out: code, words, block. *but*: those of which something was said already."""
        for number in sorted(self._gone.difference(but)):
            leaf = self._draft.leaves[number]
            if leaf.kind == "heading":
                # Where something below it remains, its place tells whether the heading is missed.
                why = None if self._stands_below(leaf) else why_not_emptied(leaf, self._draft)
            else:
                why = why_not_removed(leaf, self._draft, self._known) or self._leads(leaf) or self._is_choice(leaf)
            if why is not None:
                yield *why, leaf, None

    def _stands_below(self, heading: Leaf) -> bool:
        below = (leaf for leaf in self._draft.leaves[heading.number + 1 :] if heading.number in leaf.above)
        return any(leaf.number not in self._gone for leaf in below)

    def _is_choice(self, leaf: Leaf) -> tuple[str, str] | None:
        """A list goes whole or not at all: what its items have in common may be all that they say."""
        leaves, number = self._draft.leaves, leaf.number
        for step in (-1, 1):
            at = number + step
            while leaf.holders and 0 <= at < len(leaves) and leaves[at].holders:
                if at not in self._gone:
                    return "removed_substance", "the rest of its list remains"
                at += step
        return None

    def _leads(self, leaf: Leaf) -> tuple[str, str] | None:
        following = self._draft.leaves[leaf.number + 1 : leaf.number + 2]
        if leaf.shown.text.endswith(":") and following and following[0].number not in self._gone:
            return "lead_dropped", "what it leads to remains"
        return None
