"""Values of fields over time, on both databases."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rori_spiders.ledger.operations import alerts
from rori_spiders.ledger.pages import field_history, page_history
from rori_spiders.ledger.pages.field_history import ExtractedRecord, FieldChange
from rori_spiders.reviews import note_fields
from tests.ledger.factories import SOURCE, a_version, at, mark_gone, url

if TYPE_CHECKING:
    from rori_spiders.ledger.database import Ledger


def drawn(**values: Any) -> ExtractedRecord:
    found = {name: [{"value": value}] for name, value in values.items() if value not in (None, [])}
    return ExtractedRecord(
        values, found, "{}", pages=2, complete=False, schema_hash="a" * 64, model="m", prompt_version="1"
    )


def rows(ledger: Ledger) -> list[tuple[Any, ...]]:
    with ledger.connect() as conn:
        found = field_history.list_all_values(conn, SOURCE)
        return [(row.field, row.seq, row.value, row.because, row.since, row.seen_at) for row in found]


def test_field_value_has_one_row_while_it_stands(ledger: Ledger) -> None:
    first = drawn(apr=5.25, kind=None, forms=[], open=False, none=0)
    with ledger.begin() as conn:
        assert field_history.save_record(conn, SOURCE, first, now=at(0)) == []
        assert field_history.save_record(conn, SOURCE, first, now=at(1)) == []
    assert rows(ledger) == [
        ("apr", 1, 5.25, "first", at(0), at(1)),
        ("none", 1, 0, "first", at(0), at(1)),
        ("open", 1, False, "first", at(0), at(1)),
    ]


def test_field_value_that_changes_and_returns_has_several_rows(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        field_history.save_record(conn, SOURCE, drawn(apr=5.25, forms=["A"]), now=at(0))
        assert field_history.save_record(conn, SOURCE, drawn(apr=6, forms=["A", {"b": 1}]), now=at(1)) == [
            FieldChange("apr", 5.25, 6, "page"),
            FieldChange("forms", ["A"], ["A", {"b": 1}], "page"),
        ]
        assert field_history.save_record(conn, SOURCE, drawn(apr=None, forms=[]), now=at(2)) == [
            FieldChange("apr", 6, None, "page"),
            FieldChange("forms", ["A", {"b": 1}], None, "page"),
        ]
        assert field_history.save_record(conn, SOURCE, drawn(apr=None, forms=[]), now=at(3)) == []
        assert field_history.save_record(conn, SOURCE, drawn(apr=6, forms=[]), now=at(4)) == [
            FieldChange("apr", None, 6, "page")
        ]
    assert [row[:4] for row in rows(ledger) if row[0] == "apr"] == [
        ("apr", 1, 5.25, "first"), ("apr", 2, 6, "page"), ("apr", 3, None, "page"), ("apr", 4, 6, "page"),
    ]  # fmt: skip


def test_field_history_other_fields_model_or_prompt_extract_again(ledger: Ledger) -> None:
    first = drawn(apr=1)
    with ledger.begin() as conn:
        field_history.save_record(conn, SOURCE, first, now=at(0))
        again = (
            replace(drawn(apr=2), schema_hash="b" * 64),
            replace(drawn(apr=3), schema_hash="b" * 64, model="n"),
            replace(drawn(apr=4), schema_hash="b" * 64, model="n", prompt_version="2"),
        )
        for number, other in enumerate(again, start=2):
            changed = field_history.save_record(conn, SOURCE, other, now=at(1))
            assert changed == [FieldChange("apr", number - 1, number, "redrawn")]
        last = replace(again[-1], values={"apr": 9})
        assert field_history.save_record(conn, SOURCE, last, now=at(3)) == [FieldChange("apr", 4, 9, "page")]


def test_field_history_removed_fields_preserve_their_rows(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        field_history.save_record(conn, SOURCE, drawn(apr=1, kind="x"), now=at(0))
        assert field_history.save_record(conn, SOURCE, drawn(apr=1), now=at(1)) == []
        assert set(field_history.current_values(conn, SOURCE)) == {"apr", "kind"}
        record = field_history.find_record(conn, SOURCE)
        assert record is not None and (record.pages, record.drawn_at, record.model) == (2, at(1), "m")
        assert (
            field_history.find_record(conn, "other") is None and field_history.list_current_values(conn, "other") == []
        )


def test_field_history_newest_texts_of_present_pages_are_listed(ledger: Ledger, run_id: str) -> None:
    with ledger.begin() as conn:
        for name, versions in {"5": ("1", "2"), "6": ("3",), "7": ("4",), "8": ()}.items():
            page = page_history.ensure_page(conn, SOURCE, url(name), now=at())
            for number in versions:
                page_history.add_version(conn, page.page_id, a_version(number, change_type="new"), body_chars=900)
            if name == "7":
                mark_gone(conn, page.page_id, now=at())
        assert [found for found, *_ in field_history.list_source_texts(conn, SOURCE)] == [url("5"), url("6")]
        newest = page_history.newest_text(conn, page_history.ensure_page(conn, SOURCE, url("5"), now=at()).page_id)
        assert newest is not None and field_history.list_source_texts(conn, SOURCE)[0][1] == newest.body_object
        assert field_history.list_source_texts(conn, "other") == []


def test_field_change_is_reported_once_and_stays_listed(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        note_fields(conn, SOURCE, [], now=at(0))
        note_fields(conn, SOURCE, ["apr", "kind"], now=at(1))
        assert alerts.open_alerts(conn) == []
        raised = conn.exec_driver_sql("SELECT event, message FROM alerts").all()
    assert [tuple(row) for row in raised] == [("fields_changed", "2 fields changed: apr, kind")]
