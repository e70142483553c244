"""Print field values of sources, and the outcome of an extraction, for `scrapy fields`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rori_spiders.runtime.control_characters import escape_one_line
from rori_spiders.runtime.plurals import format_count
from rori_spiders.terminal.listing import Column, write_listing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sqlalchemy import Row

    from rori_spiders.fields.source_fields import SourceFieldsOutcome

COLUMNS = (
    Column("source", "source"),
    Column("field", "field"),
    Column("value", "value"),
    Column("since", "since"),
    Column("seen", "last extracted"),
    Column("because", "cause"),
    Column("quote", "quote"),
    Column("heading_path", "section"),
    Column("url", "page"),
)
#: The most characters of a value or quote in a table.
_CELL = 60


def write_values(rows: Iterable[Row[Any]], form: str) -> int:
    """The rows of ``field_values``, each item of a list in a row of its own."""
    return write_listing((one for row in rows for one in _value_rows(row, for_people=form == "table")), COLUMNS, form)


def _value_rows(row: Row[Any], *, for_people: bool) -> Iterator[dict[str, Any]]:
    from rori_spiders.ledger.pages import field_history

    at = {"source": row.source_id, "field": row.field, "since": row.since, "seen": row.seen_at, "because": row.because}
    if row.value is None:
        yield {**at, "value": None, "quote": None, "heading_path": None, "url": None}
    for one in field_history.found_values(row) if row.value is not None else ():
        proof = one["proof"]
        shown = {
            "field": one["field"],
            "value": _value_text(one["value"]),
            "quote": proof["quote"],
            "heading_path": proof["heading_path"],
        }
        row_of_it = {**at, **shown, "url": proof["url"]}
        yield table_row(row_of_it) if for_people else row_of_it


def table_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """*row* with value, quote and headings shortened to fit a line."""
    return {**row, **{key: _shorten_text(_value_text(row[key])) for key in ("value", "quote", "heading_path")}}


def _value_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _shorten_text(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _CELL else f"{line[: _CELL - 3]}..."


def outcome_lines(outcome: SourceFieldsOutcome) -> Iterator[str]:
    """The outcome of an extraction as lines of text."""
    if not outcome.results:
        yield f"{outcome.source_id}: nothing collected yet: run `scrapy collect --source {outcome.source_id}`"
        return
    pages = format_count(len(outcome.results), "page")
    if outcome.failed:
        yield f"{outcome.source_id}: {len(outcome.failed)} of {pages} failed; no values changed:"
        for one in outcome.failed:
            yield escape_one_line(f"  {one.url}: {one.reason}: {one.says}")
        return
    record = outcome.record
    count = format_count(len(record.found), "value")
    unproven = f", {len(record.unsupported)} unsupported" if record.unsupported else ""
    conflicts = f", {format_count(len(record.conflicts), 'conflict')}" if record.conflicts else ""
    yield f"{outcome.source_id}: {pages}, {count}{unproven}{conflicts}"
    for change in outcome.changed:
        why = " (fields, model or prompt changed)" if change.because != "page" else ""
        yield escape_one_line(
            f"  {change.field}: {_shorten_text(_value_text(change.old))} -> "
            f"{_shorten_text(_value_text(change.new))}{why}"
        )
