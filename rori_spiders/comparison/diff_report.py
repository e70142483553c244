"""A difference as a report: in one sentence, its parts in words, as one JSON object for programs and the web page,
whose keys docs/reference/commands.md names, and as one HTML page.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC
from html import escape
from typing import Any

from rori_spiders.content.changes.compare import Change, Difference, Mark, Place, SectionChange, Words
from rori_spiders.content.changes.model import MarkKind, Op
from rori_spiders.ledger.pages.page_history import PageRow, VersionRow
from rori_spiders.runtime.control_characters import escape_one_line

#: What a mark is called: one, several.
MARK_NAMES: dict[MarkKind, tuple[str, str]] = {
    "number": ("number", "numbers"),
    "amount": ("amount", "amounts"),
    "percentage": ("percentage", "percentages"),
    "date": ("date", "dates"),
    "citation": ("citation", "citations"),
    "operative": ("operative word", "operative words"),
    "label": ("label", "labels"),
    "link": ("link", "links"),
}
#: What stands there for the heading of a text that has none.
NO_HEADING = "(before the first heading)"
_LINK = re.compile(r"!?\[([^\[\]]*)\]\((?:[^()\s]|\([^()]*\))*\)")


def summarize_difference(difference: Difference) -> str:
    """One sentence: how many sections changed, came, went, moved; how many figures and words that matter."""
    if difference.is_empty:
        return "The two texts are the same."
    sections = difference.section_counts()
    parts = [_count_noun(sections["changed"], "section changed", "sections changed")]
    parts += [f"{sections[how]} {how}" if sections[how] else "" for how in ("added", "removed", "moved")]
    if not sections["changed"]:
        parts = ["No section changed its words", *parts]
    layout = sections["layout"]
    parts.append(f"{_count_noun(layout, 'differs', 'differ')} only in what no reader sees" if layout else "")
    counts = difference.mark_counts()
    for kind, (one, several) in MARK_NAMES.items():
        for how in ("changed", "added", "removed"):
            number = counts.get(kind, {}).get(how, 0)
            parts.append(f"{_count_noun(number, one, several)} {how}" if number else "")
    return f"{', '.join(part for part in parts if part)}."


def _count_noun(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}" if number else ""


def readable_path(path: str) -> str:
    """A heading path as a person reads it: without the targets of links."""
    return _LINK.sub(r"\1", path) or NO_HEADING


def section_heading(section: SectionChange) -> str:
    """The section, and what became of it as a whole."""
    became = {"added": " (added)", "removed": " (removed)"}.get(section.kind, "")
    return f"{readable_path(section.path)}{became}"


def section_location(section: SectionChange) -> list[str]:
    """Where the section stood and stands, and how it was called."""
    parts = []
    if section.path_before is not None:
        parts.append(f"before: {readable_path(section.path_before)}")
    if section.stands_after is not None:
        more = section.sections - 1
        along = f", with the {_count_noun(more, 'section', 'sections')} behind it" if more else ""
        parts.append(
            f"moved{along}: stood {_after_path(section.stood_after)}, stands {_after_path(section.stands_after)}"
        )
    return parts


def _after_path(path: str | None) -> str:
    return f"after “{readable_path(path)}”" if path else "at the beginning"


def describe_change(change: Change) -> str:
    """What changed and how, without its text."""
    what = f"{change.blocks} {change.what}s" if change.blocks > 1 else change.what
    place = change.new or change.old
    numbered = f"{what} {place.number}" if place and change.blocks == 1 else what
    ways = {
        "changed": numbered,
        "inserted": f"{numbered} inserted",
        "deleted": f"{numbered} deleted",
        "moved": f"{what} moved here from {_position_words(change.old)}",
        "moved_and_changed": f"{what} moved here from {_position_words(change.old)}, and changed",
        "moved_away": f"{what} moved from {change.old.number if change.old else ''} to {_position_words(change.new)}",
        "layout": f"{what}: only {change.note} differ",
    }
    note = f" (only {change.note})" if change.note and change.kind != "layout" else ""
    return ways[change.kind] + note + (f" ({change.coarse})" if change.coarse else "")


def _position_words(place: Place | None) -> str:
    return f"“{readable_path(place.path)}”, {place.number}" if place else ""


def version_diff_document(
    difference: Difference,
    page: PageRow,
    old: VersionRow,
    new: VersionRow,
    notes: Sequence[str],
    pages: Mapping[int, PageRow],
) -> dict[str, Any]:
    """What differs between two versions of *page*; *pages* are its addresses, by their number."""
    return {
        "source": page.source_id,
        "url": page.url,
        "from": _version_fields(old, pages[old.page_id]),
        "to": _version_fields(new, pages[new.page_id]),
        **text_diff_document(difference, notes),
    }


def text_diff_document(difference: Difference, notes: Sequence[str]) -> dict[str, Any]:
    """What differs between two texts, whatever they are."""
    return {
        "notes": list(notes),
        "summary": {
            "text": summarize_difference(difference),
            "sections": difference.section_counts(),
            "marks": difference.mark_counts(),
        },
        "sections": [_section_fields(section) for section in difference.sections],
    }


def _version_fields(version: VersionRow, page: PageRow) -> dict[str, Any]:
    return {
        "url": page.url,
        "version": version.seq,
        **({"provenance": "imported"} if version.is_import else {}),
        "version_id": version.version_id,
        "captured_at": version.captured_at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "change_type": version.change_type,
        "content_hash": f"sha256:{version.content_hash}",
        "converter_version": version.converter_version,
        "tier": version.tier,
        "run_id": version.run_id,
    }


def _section_fields(section: SectionChange) -> dict[str, Any]:
    return {
        "change": section.kind,
        "path": section.path,
        "path_before": section.path_before,
        "stood_after": section.stood_after,
        "stands_after": section.stands_after,
        "sections": section.sections,
        "changes": [_change_fields(change) for change in section.changes],
    }


def _change_fields(change: Change) -> dict[str, Any]:
    return {
        "change": change.kind,
        "what": change.what,
        "from": _place_fields(change.old),
        "to": _place_fields(change.new),
        "words": [list(word) for word in change.words],
        "cells": [
            {
                "row": cell.row,
                "column": cell.column,
                "words": [list(word) for word in cell.words],
                "marks": _mark_fields(cell.marks),
            }
            for cell in change.cells
        ],
        "marks": _mark_fields(change.marks),
        "note": change.note or None,
        "coarse": change.coarse or None,
        "blocks": change.blocks,
    }


def _mark_fields(marks: Iterable[Mark]) -> list[dict[str, Any]]:
    return [mark._asdict() for mark in marks]


def _place_fields(place: Place | None) -> dict[str, Any] | None:
    return place._asdict() if place else None


# As one HTML page, for a file or a mail: `<del>` and `<ins>`, no script, nothing from elsewhere.

_STYLE = (
    "body{font:16px/1.5 serif;max-width:50em;margin:2em auto;padding:0 1em}"
    "del{background:#fdd;color:#700}ins{background:#dfd;color:#050}"
    ".how,.mark{color:#555;font:14px sans-serif}p{margin:.3em 0}"
)
_TAGS: dict[Op, str] = {"-": "del", "+": "ins"}


def render_diff_html(difference: Difference, head: list[str]) -> str:
    """The whole page. All text in it is escaped: it came from the web."""
    return "\n".join(_html_parts(difference, head)) + "\n"


def _html_parts(difference: Difference, head: list[str]) -> Iterator[str]:
    yield f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{_escape_html(head[0])}</title>'
    yield f"<style>{_STYLE}</style>\n</head>\n<body>"
    yield from (f'<p class="how">{_escape_html(line)}</p>' for line in head)
    yield f"<p><strong>{_escape_html(summarize_difference(difference))}</strong></p>"
    for section in difference.sections:
        yield f"<section>\n<h2>{_escape_html(section_heading(section))}</h2>"
        yield from (f'<p class="how">{_escape_html(line)}</p>' for line in section_location(section))
        for change in section.changes:
            yield from _change_html(change)
        yield "</section>"
    yield "</body>\n</html>"


def _change_html(change: Change) -> Iterator[str]:
    yield f'<p class="how">{_escape_html(describe_change(change))}</p>'
    for cell in change.cells:
        yield f"<p>{_escape_html(f'{cell.row} / {cell.column}')}: {_words_html(cell.words)}</p>"
    if change.words and not change.cells:
        yield f"<p>{_words_html(change.words)}</p>"
    if change.kind in {"changed", "moved_and_changed"}:
        for kind, old, new in change.marks:
            before, after = _escape_html(old or "none"), _escape_html(new or "none")
            yield f'<p class="mark">{MARK_NAMES[kind][0]}: {before} → {after}</p>'


def _words_html(words: Words) -> str:
    return "".join(
        f"<{_TAGS[op]}>{_escape_html(text)}</{_TAGS[op]}>" if op in _TAGS else _escape_html(text) for op, text in words
    )


def _escape_html(text: str) -> str:
    return escape(escape_one_line(text))
