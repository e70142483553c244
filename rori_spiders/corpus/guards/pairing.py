"""Which leaf of the draft each leaf of the cleaned text comes from, in order.

What is the same is found first, as a longest common subsequence; between these, headings that grew, bold lines that
became headings, and tables told as prose.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from rori_spiders.content.differences.alignment import align, gaps
from rori_spiders.corpus.guards.told import told

if TYPE_CHECKING:
    from rori_spiders.corpus.guards.headings import Naming
    from rori_spiders.corpus.guards.leaves import Leaf, Text

#: So many blocks of the draft in a row may be left out before the next is no longer found; of pages, 60 at most are.
_AHEAD = 300

How = Literal["same", "grown", "promoted", "told"]


@dataclass(slots=True)
class Pairing:
    """``of``: number in the cleaned text -> number in the draft, ``how`` it came from there.

    ``added`` and ``gone`` have no partner; ``titled`` is the number of a first heading that is the page's title.
    """

    of: dict[int, int] = field(default_factory=dict)
    how: dict[int, How] = field(default_factory=dict)
    added: list[int] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)
    titled: int | None = None

    def pair(self, new: int, old: int, how: How) -> None:
        """Note where *new* comes from."""
        self.of[new], self.how[new] = old, how


def pair(draft: Text, cleaned: Text, naming: Naming) -> Pairing:
    """The leaves of both, paired."""
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
    def __init__(self, draft: Text, cleaned: Text, naming: Naming, found: Pairing) -> None:
        self._draft = draft
        self._cleaned = cleaned
        self._naming = naming
        self._found = found

    def fill(self, old: range, new: range) -> None:
        at, here = old.start, new.start
        while here < new.stop:
            taken = self._take(range(at, min(old.stop, at + _AHEAD)), here, new.stop)
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
            if origin.kind == "table" and (count := told(origin, self._cleaned.leaves[here:end])):
                for step in range(count):
                    self._found.pair(here + step, number, "told")
                return number, count
            if (how := self._how(origin, leaf)) is not None:
                self._found.pair(here, number, how)
                return number, 1
        return None

    def _how(self, origin: Leaf, leaf: Leaf) -> How | None:
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
