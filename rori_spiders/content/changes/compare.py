"""Compare two texts of one page section by section: words, table cells, moved passages.

`compare` is the door. Two texts that are not the same never have an empty difference: what no reader sees (blank lines,
escapes, invisible characters) is said in words. Deterministic, and bounded in time also for tables of megabytes.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from rori_spiders.content.changes.alignment import align, gaps
from rori_spiders.content.changes.block_matching import Match, match_blocks
from rori_spiders.content.changes.blocks import Block, Text, cells_of, read_text
from rori_spiders.content.changes.invisible_changes import BLANK_LINES, WHITE_SPACE, unread, unseen
from rori_spiders.content.changes.legal_marks import CITED_CHARS, marks_between, marks_in
from rori_spiders.content.changes.model import (
    Cell,
    Change,
    ChangeKind,
    Difference,
    Mark,
    Op,
    Place,
    SectionChange,
    SectionKind,
    Words,
)
from rori_spiders.content.changes.word_diff import as_words, pieces_of

__all__ = ["Cell", "Change", "Difference", "Mark", "Place", "SectionChange", "Words", "compare"]


# The door of this room: two markdown texts in, their difference out.

_COARSE = (
    "{:,} characters differ: they were compared in pieces, not as a whole, and citations in them were not looked for; "
    "every figure is marked"
)
_IN_PARAGRAPHS = {"changed", "inserted", "deleted", "moved_and_changed"}
#: Each costs a look at the enumerators above it; a page with more changes is another text.
_PLACED_CHANGES = 100


def compare(old: str, new: str) -> Difference:
    """What differs between two markdown texts of one page. ``sections`` is empty only if they are the same."""
    if old == new:
        return Difference()
    before, after = read_text(old), read_text(new)
    changes = []
    placed = 0
    for one in match_blocks(before, after):
        out = None if one.old is None else before.blocks[one.old]
        put = None if one.new is None else after.blocks[one.new]
        here = None if out is None else before.place(out)
        there = None if put is None else after.place(put)
        change = _change(out, put, here, there, moved=one.moved)
        if change is not None and change.kind in _IN_PARAGRAPHS and placed < _PLACED_CHANGES:
            placed += 1
            own = after.paragraph(put) if put is not None else before.paragraph(out) if out is not None else ""
            change = replace(change, paragraph=own) if own else change
        changes.append((one, change))
    return Difference(tuple(grouped(before, after, changes)))


def _change(
    out: Block | None, put: Block | None, here: Place | None, there: Place | None, *, moved: bool
) -> Change | None:
    """What became of one block; None if nothing did."""
    if out is None or put is None:
        block = put or out
        assert block is not None
        return _one_sided(block, here, there)
    if out.key == put.key:
        if moved:
            return Change("moved", put.kind, here, there, words=(("=", put.key),))
        return None if out.text == put.text else Change("layout", put.kind, here, there, note=WHITE_SPACE)
    note = unseen(out.text, put.text)
    kind: ChangeKind = "moved_and_changed" if moved else "layout" if note else "changed"
    cells = () if note else changed_cells(out, put)
    if cells:
        return Change(
            kind, put.kind, here, there, cells=cells, marks=tuple(mark for cell in cells for mark in cell.marks)
        )
    pieces = pieces_of(out.key, put.key)
    marks = () if note else marks_between(out.key, put.key, pieces)
    words = as_words(out.key, put.key, pieces)
    changed = sum(len(text) for op, text in words if op != "=")
    return Change(
        kind,
        put.kind,
        here,
        there,
        words,
        marks=marks,
        note=note or unread(out.text, put.text),
        coarse=_coarse(changed),
    )


def _coarse(changed: int) -> str:
    return _COARSE.format(changed) if changed > CITED_CHARS else ""


def _one_sided(block: Block, here: Place | None, there: Place | None) -> Change:
    op: Op = "-" if there is None else "+"
    marks, words = marks_in(block.key, added=op == "+"), ((op, block.key),)
    kind: ChangeKind = "deleted" if op == "-" else "inserted"
    return Change(kind, block.kind, here, there, words, marks=marks, coarse=_coarse(len(block.key)))


# Changes of blocks, reported as changes of sections: which changed, came, went, or stands elsewhere now.


class _Group(NamedTuple):
    """The blocks of one section and their changes; its number in the old and in the new text, None where it is not."""

    old: int | None
    new: int | None
    matches: list[Match]
    changes: list[Change]


def grouped(before: Text, after: Text, changes: Sequence[tuple[Match, Change | None]]) -> list[SectionChange]:
    """The sections that changed, in the order of the new text; one that was removed stands where it was."""
    sections = [_section_change(before, after, group) for group in _groups(before, after, changes)]
    found = _together(sections)
    return found or [SectionChange("changed", "", (Change("layout", "text", None, None, note=BLANK_LINES),))]


def _groups(before: Text, after: Text, changes: Sequence[tuple[Match, Change | None]]) -> Iterable[_Group]:
    partners = _partners(before, after, [match for match, _ in changes])
    origins = {new: old for old, new in partners.items()}
    groups: dict[tuple[int | None, int | None], _Group] = {}
    for match, change in changes:
        if match.new is not None:
            new: int | None = after.blocks[match.new].section
            old = origins.get(after.blocks[match.new].section)
        else:
            assert match.old is not None
            old = before.blocks[match.old].section
            new = partners.get(before.blocks[match.old].section)
        group = groups.setdefault((old, new), _Group(old, new, [], []))
        group.matches.append(match)
        if change is not None:
            group.changes.append(change)
    for match, change in changes:
        if match.moved and match.old is not None and match.new is not None and change is not None:
            origin = before.blocks[match.old].section
            left = groups.get((origin, partners.get(origin)))
            if left is not None and left.new not in {None, after.blocks[match.new].section}:
                left.changes.append(Change("moved_away", change.what, change.old, change.new))
    return groups.values()


def _partners(before: Text, after: Text, matches: Iterable[Match]) -> dict[int, int]:
    """Which section is which, by their headings; what stands before the first heading is one section on both sides."""
    partners = {}
    for old, new, _ in matches:
        if old is not None and new is not None and before.blocks[old].kind == after.blocks[new].kind == "heading":
            partners[before.blocks[old].section] = after.blocks[new].section
    if before.begins_without_heading and after.begins_without_heading:
        partners[0] = 0
    return partners


def _section_change(before: Text, after: Text, group: _Group) -> tuple[_Group, SectionChange | None]:
    old, new = group.old, group.new
    if old is None or new is None:
        path = after.sections[new].path if new is not None else before.sections[old or 0].path
        changes = tuple(_joined(group.changes))
        return group, SectionChange(_is_one_sided(group), path, changes) if changes else None
    path, path_before = after.sections[new].path, before.sections[old].path
    has_moved = any(match.moved and after.blocks[match.new or 0].kind == "heading" for match in group.matches)
    own = _apart_from_the_move(group.changes, path_before) if has_moved else group.changes
    changes = tuple(_joined(own))
    if not changes and not has_moved:
        if before.of_section(old) == after.of_section(new):
            return group, None
        changes = (Change("layout", "text", None, None, note=BLANK_LINES),)
    return group, SectionChange(
        "changed" if changes else "moved",
        path,
        changes,
        path_before=path_before if path_before != path else None,
        stood_after=before.path_above(old) if has_moved else None,
        stands_after=after.path_above(new) if has_moved else None,
    )


def _is_one_sided(group: _Group) -> SectionKind:
    kinds = Counter(change.kind for change in group.changes)
    if group.old is None and kinds["inserted"] == len(group.matches):
        return "added"
    return "removed" if group.new is None and kinds["deleted"] == len(group.matches) else "changed"


def _apart_from_the_move(changes: Iterable[Change], path: str) -> Iterator[Change]:
    """What changed in a section besides its place: its blocks, of the old heading *path*, went along with it."""
    for change in changes:
        if change.old is None or change.old.path != path or "moved" not in change.kind:
            yield change
        elif change.kind == "moved_and_changed":
            yield replace(change, kind="changed")


def _joined(changes: Iterable[Change]) -> Iterator[Change]:
    """The changes; blocks that moved together are one, and so are those in which the same unseen thing differs."""
    unseen: dict[str, Change] = {}
    last: Change | None = None
    for change in changes:
        if change.kind == "layout" and not change.words:
            first = unseen.get(change.note)
            unseen[change.note] = replace(first, blocks=first.blocks + 1) if first else change
            continue
        if last is not None and _follows(last, change):
            last = replace(last, blocks=last.blocks + 1)
            continue
        if last is not None:
            yield last
        last = change
    if last is not None:
        yield last
    yield from unseen.values()


def _follows(last: Change, change: Change) -> bool:
    if last.kind != change.kind or change.kind not in {"moved", "moved_away"}:
        return False
    assert last.old and last.new and change.old and change.new
    return all(
        one.path == other.path and one.number + last.blocks == other.number
        for one, other in ((last.old, change.old), (last.new, change.new))
    )


def _together(sections: Iterable[tuple[_Group, SectionChange | None]]) -> list[SectionChange]:
    """The changes; sections that moved one behind the other are one."""
    found: list[SectionChange] = []
    last: _Group | None = None
    for group, change in sections:
        if change is None:
            continue
        goes_on = (
            last is not None
            and (last.old, last.new) == ((group.old or 0) - 1, (group.new or 0) - 1)
            and found[-1].kind == change.kind == "moved"
        )
        if goes_on:
            found[-1] = replace(found[-1], sections=found[-1].sections + 1)
        else:
            found.append(change)
        last = group
    return found


# A table row in two versions, cell by cell.


def changed_cells(old: Block, new: Block) -> tuple[Cell, ...]:
    """The cells that differ; those of a column that only one side has are empty on the other. () if it is not a row."""
    before, after = cells_of(old.text), cells_of(new.text)
    if not before or not after:
        return ()
    found = []
    for i, j in _matched(before, after):
        a, b = ("" if i is None else before[i]), ("" if j is None else after[j])
        if a != b:
            pieces = pieces_of(a, b)
            words, marks = as_words(a, b, pieces), marks_between(a, b, pieces)
            found.append(Cell(after[0] or before[0], _title(old, new, i, j), words, marks))
    return tuple(found)


def _matched(before: tuple[str, ...], after: tuple[str, ...]) -> Iterator[tuple[int | None, int | None]]:
    """Which cell is which: by number in rows of one length, else by what is equal on both sides."""
    if len(before) == len(after):
        yield from ((at, at) for at in range(len(before)))
        return
    for old, new in gaps(align(before, after), len(before), len(after)):
        both = min(len(old), len(new))
        yield from ((old[k], new[k]) for k in range(both))
        yield from ((i, None) for i in old[both:])
        yield from ((None, j) for j in new[both:])


def _title(old: Block, new: Block, i: int | None, j: int | None) -> str:
    """The title of the cell's column, or its number where the table has none."""
    titles, at = (new.titles, j) if j is not None else (old.titles, i)
    assert at is not None
    return titles[at] if at < len(titles) and titles[at] else f"column {at + 1}"
