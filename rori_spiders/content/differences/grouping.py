"""Changes of blocks told as changes of sections: which changed, came, went, or stands elsewhere now."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from rori_spiders.content.differences.difference import Change, SectionChange
from rori_spiders.content.differences.unseen import BLANK_LINES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rori_spiders.content.differences.blocks import Text
    from rori_spiders.content.differences.difference import SectionKind
    from rori_spiders.content.differences.matching import Match


class _Group(NamedTuple):
    """The blocks of one section and their changes; its number in the old and in the new text, None where it is not."""

    old: int | None
    new: int | None
    matches: list[Match]
    changes: list[Change]


def grouped(before: Text, after: Text, changes: Sequence[tuple[Match, Change | None]]) -> list[SectionChange]:
    """The sections that changed, in the order of the new text; one that was removed stands where it was."""
    told = [_told(before, after, group) for group in _groups(before, after, changes)]
    found = _together(told)
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


def _told(before: Text, after: Text, group: _Group) -> tuple[_Group, SectionChange | None]:
    old, new = group.old, group.new
    if old is None or new is None:
        path = after.sections[new].path if new is not None else before.sections[old or 0].path
        changes = tuple(_joined(group.changes))
        return group, SectionChange(_one_sided(group), path, changes) if changes else None
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


def _one_sided(group: _Group) -> SectionKind:
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


def _together(told: Iterable[tuple[_Group, SectionChange | None]]) -> list[SectionChange]:
    """The changes; sections that moved one behind the other are one."""
    found: list[SectionChange] = []
    last: _Group | None = None
    for group, change in told:
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
