"""Blocks without a partner that are another's, changed: what changed in them, in words.

In: texts and their pairing. Out: (code, words, draft's leaf, cleaned leaf), one at least for each added block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rapidfuzz.distance import Indel

from rori_spiders.content.differences.marks import marks_between
from rori_spiders.content.differences.words import pieces_of

if TYPE_CHECKING:
    from rori_spiders.corpus.guards.leaves import Leaf, Text
    from rori_spiders.corpus.guards.pairing import Pairing

Told = tuple[str, str, "Leaf | None", "Leaf | None"]

#: Below this two blocks are two, and none is the other changed: half of their characters in the same order.
_ALIKE = 0.5
#: How many blocks are looked through for one that is alike, and how much of them.
_LOOKED_AT, _CHARS = 200, 2000


def told_apart(draft: Text, cleaned: Text, pairing: Pairing) -> list[Told]:
    """What became of the blocks that were changed, moved or added."""
    gone = {number: draft.leaves[number] for number in pairing.gone}
    told: list[Told] = []
    for number in pairing.added:
        leaf = cleaned.leaves[number]
        old = _partner(leaf, list(gone.values())[:_LOOKED_AT])
        if old is not None:
            del gone[old.number]
        told.append((*_what(old, leaf), old, leaf))
    return told


def _partner(leaf: Leaf, gone: list[Leaf]) -> Leaf | None:
    best, most = None, _ALIKE
    for old in gone:
        likeness = Indel.normalized_similarity(old.shown.text[:_CHARS], leaf.shown.text[:_CHARS])
        if likeness > most:
            best, most = old, likeness
    return best


def _what(old: Leaf | None, new: Leaf) -> tuple[str, str]:
    if old is None:
        return "added", "the draft has no such block"
    before, after = old.shown, new.shown
    if old.key == new.key:
        return "moved", "it stands elsewhere in the order"
    if before.text != after.text:
        marks = marks_between(before.text, after.text, pieces_of(before.text, after.text))
        kind = "heading" if {old.kind, new.kind} == {"heading"} else "table" if "table" in {old.kind, new.kind} else ""
        if marks:
            mark = marks[0]
            return f"{mark.kind}_changed", f"{mark.kind}: {mark.old or 'nothing'} became {mark.new or 'nothing'}"
        return (f"{kind}_changed" if kind else "words_changed"), "other words than in the draft"
    if old.kind != new.kind or old.info != new.info:
        return "kind_changed", f"a {old.kind} became a {new.kind}"
    if old.marker != new.marker:
        return "label_changed", f"{old.marker or 'no mark'} became {new.marker or 'no mark'}"
    links = [[span for span in shown.spans if span.kind == "link"] for shown in (before, after)]
    if links[0] != links[1]:
        return "link_changed", "a link leads elsewhere, has other words, came or went"
    if before.spans != after.spans:
        return "markup_changed", "struck out, code or HTML is another than it was"
    return ("table_changed", "its cells differ") if old.rows else ("nesting_changed", "it stands in another list")
