"""Pair each leaf of the cleaned text with the leaf of the draft it comes from, in order; describe the changes of
those without a partner.  Equal leaves are paired first, as a longest common subsequence; between these, headings
that grew, bold lines that became headings, and tables rewritten as prose.
"""

from dataclasses import dataclass, field
from typing import Literal

from rapidfuzz.distance import Indel

from rori_spiders.content.changes.alignment import align, gaps
from rori_spiders.content.changes.legal_marks import marks_between
from rori_spiders.content.changes.word_diff import pieces_of
from rori_spiders.corpus.guards.headings import HeadingRules
from rori_spiders.corpus.guards.leaf_blocks import Leaf, LeafText
from rori_spiders.corpus.guards.table_as_prose import match_table_prose

#: The most consecutive blocks of the draft that may be omitted before the next is not found; real pages: at most 60.
_LOOKAHEAD = 300

PairingKind = Literal["same", "grown", "promoted", "prose"]


@dataclass(slots=True)
class Pairing:
    """``of``: index in the cleaned text -> index in the draft; ``how``: the kind of change.

    ``added`` and ``gone`` have no partner; ``titled`` is the number of a first heading that is the page's title.
    """

    of: dict[int, int] = field(default_factory=dict)
    how: dict[int, PairingKind] = field(default_factory=dict)
    added: list[int] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)
    titled: int | None = None

    def pair(self, new: int, old: int, how: PairingKind) -> None:
        """Record that *new* comes from *old*."""
        self.of[new], self.how[new] = old, how


def pair_leaves(draft: LeafText, cleaned: LeafText, naming: HeadingRules) -> Pairing:
    """Pair the leaves of both texts."""
    found = Pairing()
    runs = align([leaf.key for leaf in draft.leaves], [leaf.key for leaf in cleaned.leaves])
    for run in runs:
        for step in range(run.size):
            found.pair(run.j + step, run.i + step, "same")
    for old, new in gaps(runs, len(draft.leaves), len(cleaned.leaves)):
        _Gap(draft, cleaned, naming, found).fill(old, new)
    came = set(found.of.values())
    found.gone = [leaf.number for leaf in draft.leaves if leaf.number not in came]
    return found


class _Gap:
    def __init__(self, draft: LeafText, cleaned: LeafText, naming: HeadingRules, found: Pairing) -> None:
        self._draft = draft
        self._cleaned = cleaned
        self._naming = naming
        self._found = found

    def fill(self, old: range, new: range) -> None:
        at, here = old.start, new.start
        while here < new.stop:
            taken = self._take(range(at, min(old.stop, at + _LOOKAHEAD)), here, new.stop)
            if taken is None:
                self._unpaired(here)
                here += 1
            else:
                at, here = taken[0] + 1, here + taken[1]

    def _take(self, old: range, here: int, end: int) -> tuple[int, int] | None:
        """The leaf of the draft that *here* comes from, and how many leaves it takes."""
        leaf = self._cleaned.leaves[here]
        for number in old:
            origin = self._draft.leaves[number]
            if origin.kind == "table" and (count := match_table_prose(origin, self._cleaned.leaves[here:end])):
                for step in range(count):
                    self._found.pair(here + step, number, "prose")
                return number, count
            if (how := self._how(origin, leaf)) is not None:
                self._found.pair(here, number, how)
                return number, 1
        return None

    def _how(self, origin: Leaf, leaf: Leaf) -> PairingKind | None:
        if origin.key == leaf.key:
            return "same"
        if leaf.kind != "heading" or leaf.info:
            return None
        if origin.kind == "heading":
            return "grown" if self._naming.may_become(origin, leaf, self._draft) else None
        is_line = origin.is_strong and not origin.holders and not leaf.holders
        return "promoted" if is_line and origin.shown == leaf.shown else None

    def _unpaired(self, here: int) -> None:
        leaf = self._cleaned.leaves[here]
        if here == 0 and leaf.level == 1 and not leaf.shown.spans and self._naming.is_title(leaf.shown.text):
            self._found.titled = 0
        else:
            self._found.added.append(here)


# Blocks without a partner that are another's, changed: what changed in them, in words. In: texts and their pairing.
# Out: (code, words, draft's leaf, cleaned leaf), one at least for each added block.

LeafChange = tuple[str, str, "Leaf | None", "Leaf | None"]

#: Below this two blocks are two, and none is the other changed: half of their characters in the same order.
_MIN_SIMILARITY = 0.5
#: How many blocks are looked through for one that is alike, and how much of them.
_LOOKED_AT, _CHARS = 200, 2000


def describe_changes(draft: LeafText, cleaned: LeafText, pairing: Pairing) -> list[LeafChange]:
    """Describe changed, moved and added blocks."""
    gone = {number: draft.leaves[number] for number in pairing.gone}
    changes: list[LeafChange] = []
    for number in pairing.added:
        leaf = cleaned.leaves[number]
        old = _find_partner(leaf, list(gone.values())[:_LOOKED_AT])
        if old is not None:
            del gone[old.number]
        changes.append((*_describe_change(old, leaf), old, leaf))
    return changes


def _find_partner(leaf: Leaf, gone: list[Leaf]) -> Leaf | None:
    best, most = None, _MIN_SIMILARITY
    for old in gone:
        likeness = Indel.normalized_similarity(old.shown.text[:_CHARS], leaf.shown.text[:_CHARS])
        if likeness > most:
            best, most = old, likeness
    return best


def _describe_change(old: Leaf | None, new: Leaf) -> tuple[str, str]:
    if old is None:
        return "added", "the block is not in the draft"
    before, after = old.shown, new.shown
    if old.key == new.key:
        return "moved", "the block was moved"
    if before.text != after.text:
        marks = marks_between(before.text, after.text, pieces_of(before.text, after.text))
        kind = "heading" if {old.kind, new.kind} == {"heading"} else "table" if "table" in {old.kind, new.kind} else ""
        if marks:
            mark = marks[0]
            return f"{mark.kind}_changed", f"{mark.kind}: {mark.old or 'nothing'} became {mark.new or 'nothing'}"
        return (f"{kind}_changed" if kind else "words_changed"), "the words differ from the draft"
    if old.kind != new.kind or old.info != new.info:
        return "kind_changed", f"a {old.kind} became a {new.kind}"
    if old.marker != new.marker:
        return "label_changed", f"{old.marker or 'no mark'} became {new.marker or 'no mark'}"
    links = [[span for span in shown.spans if span.kind == "link"] for shown in (before, after)]
    if links[0] != links[1]:
        return "link_changed", "a link was added, removed, retargeted or reworded"
    if before.spans != after.spans:
        return "markup_changed", "strike-through, code or HTML differs"
    return ("table_changed", "the cells differ") if old.rows else ("nesting_changed", "the item is in another list")
