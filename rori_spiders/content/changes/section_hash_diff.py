"""Find changed sections from the hashes that the ledger keeps of each version, without reading any text."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.content.changes.alignment import align

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rori_spiders.content.changes.model import SectionKind


class ChangedSection(NamedTuple):
    """A section's heading path, and what became of it."""

    kind: SectionKind
    path: str


def changed_sections(old: Sequence[tuple[str, str]], new: Sequence[tuple[str, str]]) -> list[ChangedSection]:
    """What differs between two results of ``content.changes.section_hashes``: those of the new text in its order, then
    those that were removed.

    Empty only if both are the same sections in the same order. One whose own text is the same has not changed because
    a heading above it did; one whose own heading changed is another: removed and added.
    """
    runs = align([digest for _, digest in old], [digest for _, digest in new])
    same_old = {run.i + k for run in runs for k in range(run.size)}
    same_new = {run.j + k for run in runs for k in range(run.size)}
    out = [section for at, section in enumerate(old) if at not in same_old]
    put = [section for at, section in enumerate(new) if at not in same_new]
    moved = Counter(digest for _, digest in out) & Counter(digest for _, digest in put)
    gone = {path for path, digest in out if not moved[digest]}
    changes = []
    for path, digest in put:
        kind: SectionKind = "moved" if moved[digest] else "changed" if path in gone else "added"
        gone.discard(path)
        changes.append(ChangedSection(kind, path))
    return changes + [ChangedSection("removed", path) for path, _ in out if path in gone]
