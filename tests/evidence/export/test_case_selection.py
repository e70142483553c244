"""Which rows make a case since a day, on both databases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.evidence.export.case_selection import CaseScope, CaseSelection
from rori_spiders.exceptions import UnknownName
from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.pages import change_assignments, change_records, page_history
from tests.ledger.factories import RUN, SOURCE, a_row, a_run, a_version, at, url

if TYPE_CHECKING:
    from rori_spiders.ledger.database import Ledger

LATER = "0d3b6c1a-52a4-4c07-9a55-0e0a5a7a8f10"


def test_case_since_day_has_newest_version_of_each_text_seen_and_its_reviews(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        for run in (RUN, LATER):
            a_run(conn, run, state="complete")
        page_id = page_history.ensure_page(conn, SOURCE, url("5"), now=at()).page_id
        for seq, text in enumerate("aba", start=1):  # it returned to its first text
            version = a_version(text, run_id=RUN, captured_at=at(seq))
            page_history.add_version(conn, page_id, version, body_chars=9)
            audit_log.append_row(conn, a_row(timestamp=at(seq), content_hash=text * 64, raw_hash="b" * 64))
            row = {
                "page_id": page_id,
                "seq": seq,
                "source_id": SOURCE,
                "at": at(seq),
                "from_seq": None,
                "url": url("5"),
            }
            change = {"kind": "text", "importance": 2, "details": {}, "described_at": at(9)}
            change_records.add_changes(conn, [row | change])
        seen = a_row(run_id=LATER, timestamp=at(60), state="unchanged", content_hash="a" * 64, content_changed=False)
        audit_log.append_row(conn, seen)
        for seq in (2, 3):
            change_records.review_changes(
                conn, [(page_id, seq)], "material", reason=f"of {seq}", actor="ann", now=at(90)
            )
        change_assignments.assign_changes(
            conn, [(page_id, 3)], "ben", due_on=None, comment="for you", actor="ann", now=at(91)
        )
    with ledger.connect() as conn:
        rows = CaseSelection(conn, CaseScope(SOURCE, since=at(30)))
        assert [one["seq"] for one in rows.stream_versions()] == [3]
        assert [(one["run_id"], one["timestamp"]) for one in rows.stream_audit_rows()] == [
            (RUN, at(3)),
            (LATER, at(60)),
        ]
        assert [one["reason"] for one in rows.stream_actions()] == ["of 3", "for you"]
        whole = CaseSelection(conn, CaseScope(SOURCE))
        assert [one["seq"] for one in whole.stream_versions()] == [1, 2, 3]
        assert [one["reason"] for one in whole.stream_actions()] == ["of 2", "of 3", "for you"]
        with pytest.raises(UnknownName, match="since"):
            CaseSelection(conn, CaseScope(SOURCE, since=at(days=1)))
