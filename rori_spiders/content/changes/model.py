"""The result of a comparison: changed sections with their changes, figures and operative words."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

Op = Literal["=", "-", "+"]
#: A text as runs of (op, text): kept, deleted, inserted. Those with "=" and "-" are the old text, with "=" and "+" the
#: new one, white space apart.
Words: TypeAlias = tuple[tuple[Op, str], ...]


def text_of_side(words: Iterable[Sequence[str]], side: str) -> str:
    """The text before (``-``) or after (``+``)."""
    return "".join(text for op, text in words if op in {"=", side})


MarkKind = Literal["link", "citation", "date", "percentage", "amount", "number", "label", "operative"]
ChangeKind = Literal["changed", "inserted", "deleted", "moved", "moved_and_changed", "moved_away", "layout"]
SectionKind = Literal["changed", "added", "removed", "moved"]


class Mark(NamedTuple):
    """A figure, date, citation, operative word or link target that changed; None on the side that has none."""

    kind: MarkKind
    old: str | None
    new: str | None


class Place(NamedTuple):
    """The position of a block: its section's heading path, and its number within the section, from 1."""

    path: str
    number: int


class Cell(NamedTuple):
    """A cell of a table row that changed, found by the row's first cell and the column's title ("" if it has none)."""

    row: str
    column: str
    words: Words
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """One block that changed: a heading, paragraph, list item, table row or line of code.

    What moved to another section is in both: ``moved_away`` in the one that it left. ``layout`` is what no reader
    sees, and ``note`` says what. ``blocks`` counts those that moved together. ``coarse`` says how it was compared where
    that was less than word by word. ``paragraph`` is its enumerators within the section, such as "(c)(1)"; "" where
    they are not sure.
    """

    kind: ChangeKind
    what: str
    old: Place | None
    new: Place | None
    words: Words = ()
    cells: tuple[Cell, ...] = ()
    marks: tuple[Mark, ...] = ()
    note: str = ""
    blocks: int = 1
    coarse: str = ""
    paragraph: str = ""

    @property
    def texts(self) -> list[Words]:
        """What changed in it word by word: itself, then its cells."""
        return [self.words, *(cell.words for cell in self.cells)]


@dataclass(frozen=True, slots=True)
class SectionChange:
    """A section with what changed in it. ``path`` is its new heading path (the old one if it was removed).

    ``path_before`` is set when it was another one. A section that moved says after which one it stood and stands
    ("" at the beginning), be its text the same (``moved``) or not; ``sections`` counts those that moved with it.
    """

    kind: SectionKind
    path: str
    changes: tuple[Change, ...]
    path_before: str | None = None
    stood_after: str | None = None
    stands_after: str | None = None
    sections: int = 1


@dataclass(frozen=True, slots=True)
class Difference:
    """The differences between two texts, in the order of the new one. ``sections`` is empty only for equal texts."""

    sections: tuple[SectionChange, ...] = field(default=())

    @property
    def is_empty(self) -> bool:
        return not self.sections

    def section_counts(self) -> dict[str, int]:
        """How many sections ``changed``, were ``added`` and ``removed``, how many things ``moved``, whole sections or
        parts of them; ``layout`` are sections in which only what no reader sees differs."""
        found = Counter({"changed": 0, "added": 0, "removed": 0, "moved": 0, "layout": 0})
        for section in self.sections:
            kinds = Counter(change.kind for change in section.changes)
            found["moved"] += kinds["moved"] + kinds["moved_and_changed"] + (section.stands_after is not None)
            if section.kind in {"added", "removed"}:
                found[section.kind] += 1
            elif set(kinds) - {"moved", "moved_away", "layout"}:
                found["changed"] += 1
            elif kinds["layout"] and len(kinds) == 1:
                found["layout"] += 1
        return dict(found)

    def mark_counts(self) -> dict[MarkKind, dict[str, int]]:
        """How many marks of each kind were ``changed``, ``added`` and ``removed``."""
        found: dict[MarkKind, Counter[str]] = {}
        for section in self.sections:
            for change in section.changes:
                for mark in change.marks:
                    how = "added" if mark.old is None else "removed" if mark.new is None else "changed"
                    found.setdefault(mark.kind, Counter())[how] += 1
        return {kind: dict(counts) for kind, counts in found.items()}
