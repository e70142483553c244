"""A difference as one JSON object, for programs and for the web page. docs/commands.md names its keys."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any

from rori_spiders.comparison.summary import summary

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rori_spiders.content.differences import Change, Difference, Mark, Place, SectionChange
    from rori_spiders.ledger.history import PageRow, VersionRow


def document(
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
        "from": _version(old, pages[old.page_id]),
        "to": _version(new, pages[new.page_id]),
        **told(difference, notes),
    }


def told(difference: Difference, notes: Sequence[str]) -> dict[str, Any]:
    """What differs between two texts, whatever they are."""
    return {
        "notes": list(notes),
        "summary": {
            "text": summary(difference),
            "sections": difference.section_counts(),
            "marks": difference.mark_counts(),
        },
        "sections": [_section(section) for section in difference.sections],
    }


def _version(version: VersionRow, page: PageRow) -> dict[str, Any]:
    return {
        "url": page.url,
        "version": version.seq,
        "version_id": version.version_id,
        "captured_at": version.captured_at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "change_type": version.change_type,
        "content_hash": f"sha256:{version.content_hash}",
        "converter_version": version.converter_version,
        "tier": version.tier,
        "run_id": version.run_id,
    }


def _section(section: SectionChange) -> dict[str, Any]:
    return {
        "change": section.kind,
        "path": section.path,
        "path_before": section.path_before,
        "stood_after": section.stood_after,
        "stands_after": section.stands_after,
        "sections": section.sections,
        "changes": [_change(change) for change in section.changes],
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "change": change.kind,
        "what": change.what,
        "from": _place(change.old),
        "to": _place(change.new),
        "words": [list(word) for word in change.words],
        "cells": [
            {
                "row": cell.row,
                "column": cell.column,
                "words": [list(word) for word in cell.words],
                "marks": _marks(cell.marks),
            }
            for cell in change.cells
        ],
        "marks": _marks(change.marks),
        "note": change.note or None,
        "coarse": change.coarse or None,
        "blocks": change.blocks,
    }


def _marks(marks: Iterable[Mark]) -> list[dict[str, Any]]:
    return [mark._asdict() for mark in marks]


def _place(place: Place | None) -> dict[str, Any] | None:
    return place._asdict() if place else None
