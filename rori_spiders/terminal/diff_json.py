"""A difference as one JSON object, for programs. docs/commands.md names its keys."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rori_spiders.terminal.diff_summary import summary
from rori_spiders.terminal.listing import exact

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rori_spiders.content.differences import Change, Difference, Mark, Place, SectionChange
    from rori_spiders.ledger.history import PageRow, VersionRow


def as_json(
    difference: Difference,
    page: PageRow,
    old: VersionRow,
    new: VersionRow,
    notes: list[str],
    pages: Mapping[int, PageRow],
) -> str:
    found = {
        "source": page.source_id,
        "url": page.url,
        "from": _version(old, pages[old.page_id]),
        "to": _version(new, pages[new.page_id]),
        "notes": notes,
        "summary": {
            "text": summary(difference),
            "sections": difference.section_counts(),
            "marks": difference.mark_counts(),
        },
        "sections": [_section(section) for section in difference.sections],
    }
    text = json.dumps(found, indent=2, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode() + "\n"


def _version(version: VersionRow, page: PageRow) -> dict[str, Any]:
    return {
        "url": page.url,
        "version": version.seq,
        "captured_at": exact(version.captured_at),
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
            {"row": cell.row, "column": cell.column, "words": [list(word) for word in cell.words]}
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
