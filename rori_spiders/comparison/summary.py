"""A difference in one sentence, and its parts in words: the same in every format."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rori_spiders.content.differences import Change, Difference, Place, SectionChange
    from rori_spiders.content.differences.difference import MarkKind

#: What a mark is called: one, several.
MARKS: dict[MarkKind, tuple[str, str]] = {
    "number": ("number", "numbers"),
    "amount": ("amount", "amounts"),
    "percentage": ("percentage", "percentages"),
    "date": ("date", "dates"),
    "citation": ("citation", "citations"),
    "operative": ("operative word", "operative words"),
    "label": ("label", "labels"),
    "link": ("link", "links"),
}
_LINK = re.compile(r"!?\[([^\[\]]*)\]\((?:[^()\s]|\([^()]*\))*\)")


def summary(difference: Difference) -> str:
    """One sentence: how many sections changed, came, went, moved; how many figures and words that matter."""
    if difference.is_empty:
        return "The two texts are the same."
    sections = difference.section_counts()
    parts = [_several(sections["changed"], "section changed", "sections changed")]
    parts += [f"{sections[how]} {how}" if sections[how] else "" for how in ("added", "removed", "moved")]
    if not sections["changed"]:
        parts = ["No section changed its words", *parts]
    layout = sections["layout"]
    parts.append(f"{_several(layout, 'differs', 'differ')} only in what no reader sees" if layout else "")
    counts = difference.mark_counts()
    for kind, (one, several) in MARKS.items():
        for how in ("changed", "added", "removed"):
            number = counts.get(kind, {}).get(how, 0)
            parts.append(f"{_several(number, one, several)} {how}" if number else "")
    return f"{', '.join(part for part in parts if part)}."


def _several(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}" if number else ""


def readable(path: str) -> str:
    """A heading path as a person reads it: without the targets of links."""
    return _LINK.sub(r"\1", path) or "(before the first heading)"


def heading(section: SectionChange) -> str:
    """The section, and what became of it as a whole."""
    became = {"added": " (added)", "removed": " (removed)"}.get(section.kind, "")
    return f"{readable(section.path)}{became}"


def whereabouts(section: SectionChange) -> list[str]:
    """Where the section stood and stands, and how it was called."""
    said = []
    if section.path_before is not None:
        said.append(f"before: {readable(section.path_before)}")
    if section.stands_after is not None:
        more = section.sections - 1
        along = f", with the {_several(more, 'section', 'sections')} behind it" if more else ""
        said.append(f"moved{along}: stood {_after(section.stood_after)}, stands {_after(section.stands_after)}")
    return said


def _after(path: str | None) -> str:
    return f"after “{readable(path)}”" if path else "at the beginning"


def change_line(change: Change) -> str:
    """What changed and how, without its text."""
    what = f"{change.blocks} {change.what}s" if change.blocks > 1 else change.what
    place = change.new or change.old
    numbered = f"{what} {place.number}" if place and change.blocks == 1 else what
    ways = {
        "changed": numbered,
        "inserted": f"{numbered} inserted",
        "deleted": f"{numbered} deleted",
        "moved": f"{what} moved here from {_at(change.old)}",
        "moved_and_changed": f"{what} moved here from {_at(change.old)}, and changed",
        "moved_away": f"{what} moved from {change.old.number if change.old else ''} to {_at(change.new)}",
        "layout": f"{what}: only {change.note} differ",
    }
    note = f" (only {change.note})" if change.note and change.kind != "layout" else ""
    return ways[change.kind] + note + (f" ({change.coarse})" if change.coarse else "")


def _at(place: Place | None) -> str:
    return f"“{readable(place.path)}”, {place.number}" if place else ""
