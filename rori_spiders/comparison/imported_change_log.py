"""Describe what differs between imported texts once: after an import, or when somebody asks for the list.

In: pairs of imported texts without a row in ``imported_changes``. Out: the rows. It can be interrupted, repeated, and
done by two processes at once.
"""

import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from rori_spiders.comparison.change_description import (
    ChangeDescription,
    describe_difference,
    describe_whole_page,
)
from rori_spiders.comparison.change_log import present_lines
from rori_spiders.comparison.staged_text import TextMissing
from rori_spiders.comparison.version_diff import TextArchive, compare_versions, read_version_texts
from rori_spiders.exceptions import DamagedObject
from rori_spiders.ledger.pages import imported_captures, imported_changes
from rori_spiders.ledger.pages.imported_captures import ABSENT, ImportedCapture, as_page, as_version
from rori_spiders.ledger.pages.imported_changes import ImportedPair

#: Pairs that are described and recorded together.
_BATCH = 20


def describe_imported_changes(
    archive: TextArchive, *, clock: Callable[[], datetime], longest_s: float | None = None
) -> int:
    """Describe what is not described yet; how many pairs are left after *longest_s* seconds (None: no limit).

    Raises LedgerError and StagingError (of a store that cannot be read at all).
    """
    ledger, end = archive.ledger, None if longest_s is None else time.monotonic() + longest_s
    while found := ledger.read(lambda conn: imported_changes.list_undescribed_pairs(conn, _BATCH)):
        if end is not None and time.monotonic() >= end:
            return ledger.read(imported_changes.count_undescribed_pairs)
        rows = [_change_row(archive, pair, clock()) for pair in found]
        ledger.write(lambda conn, rows=rows: imported_changes.add_imported_changes(conn, rows))  # type: ignore[misc]
    return 0


def _change_row(archive: TextArchive, pair: ImportedPair, now: datetime) -> dict[str, Any]:
    with archive.ledger.connect() as conn:
        new = imported_captures.find_capture(conn, pair.import_id, pair.record)
        old = (
            None
            if pair.from_import_id is None or pair.from_record is None
            else imported_captures.find_capture(conn, pair.from_import_id, pair.from_record)
        )
        assert new is not None
        was_absent = old is not None and old.state == ABSENT
        if was_absent:
            old = _text_before(imported_captures.list_texts(conn, pair.url, pair.source_id), new)
    described = _describe(archive, pair, old, new, was_absent=was_absent)
    return {
        "change_id": pair.change_id,
        "import_id": pair.import_id,
        "record": pair.record,
        "from_import_id": pair.from_import_id,
        "from_record": pair.from_record,
        "kind": described.kind,
        "importance": int(described.importance),
        "details": described.details,
        "described_at": now,
    }


def _text_before(
    texts: list[tuple[ImportedCapture, imported_captures.ImportedFile]], new: ImportedCapture
) -> ImportedCapture | None:
    """The last text before *new* that the same kind of witness states."""
    assert new.captured_at is not None
    is_stated = new.trust == "publisher"
    earlier = [
        one
        for one, _ in texts
        if one.captured_at is not None and one.captured_at < new.captured_at and (one.trust == "publisher") is is_stated
    ]
    return earlier[-1] if earlier else None


def _describe(
    archive: TextArchive, pair: ImportedPair, old: ImportedCapture | None, new: ImportedCapture, *, was_absent: bool
) -> ChangeDescription:
    page = as_page(new, new)
    if new.state == ABSENT:
        return describe_whole_page("removed", None if old is None else old.title, pair.url, notes=[new.reason or ""])
    if old is None:
        return describe_whole_page("new_page", new.title, pair.url)
    notes = ["The page is back after its absence."] if was_absent else []
    if old.content_hash == new.content_hash:
        return describe_whole_page("returned", new.title, pair.url, notes=notes)
    first, second = as_version(old, page.page_id), as_version(new, page.page_id)
    try:
        texts = read_version_texts(archive, {page.page_id: page}, first, second)
    except (TextMissing, DamagedObject) as error:
        return describe_whole_page("unknown", new.title, pair.url, notes=[*notes, str(error)])
    return describe_difference(
        compare_versions(texts, first, second),
        first,
        second,
        pair.url,
        old_words=len(texts.old.split()),
        notes=[*notes, *texts.notes],
        noise_lines=present_lines(archive, pair.source_id),
    )
