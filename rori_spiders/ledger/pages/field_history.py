"""Values of fields over time: one row for each value that a field had; and the lines of the log of fields, saved
before they are appended.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, delete, select, text, update

from rori_spiders.ledger.audit.fact_log import note_fact
from rori_spiders.ledger.dialects import lock_for_writing
from rori_spiders.ledger.tables import HELD, pages, versions
from rori_spiders.ledger.tables import field_lines as table
from rori_spiders.ledger.tables import field_records as records
from rori_spiders.ledger.tables import field_values as values

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    FieldLineKey = tuple[str, int]


FIRST, PAGE, REEXTRACTED = "first", "page", "redrawn"


@dataclass(frozen=True, slots=True)
class ExtractedRecord:
    """A source's merged record: plain *values* by field, *found* with its proofs, the *record* as JSON, and by what."""

    values: Mapping[str, Any]
    found: Mapping[str, Sequence[Mapping[str, Any]]]
    record: str
    pages: int
    complete: bool
    schema_hash: str
    model: str
    prompt_version: str


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field whose value is another now. *because*: ``page``, or ``redrawn`` by other fields, model or prompt."""

    field: str
    old: Any
    new: Any
    because: str


def found_values(row: Row[Any]) -> list[Mapping[str, Any]]:
    """What was found for the value of *row*, each with its proof: of an item with parts, each of these."""
    return [part for one in row.found for part in one.get("parts") or (one,)]


def save_record(conn: Connection, source_id: str, extracted: ExtractedRecord, *, now: datetime) -> list[FieldChange]:
    """Take *extracted* for what the source's fields are now; what that changes of values that were there before."""
    lock_for_writing(conn, records)
    last = find_record(conn, source_id)
    by = None if last is None else (last.schema_hash, last.model, last.prompt_version)
    because = PAGE if by in (None, (extracted.schema_hash, extracted.model, extracted.prompt_version)) else REEXTRACTED
    known = current_values(conn, source_id)
    changed = []
    for field, value in extracted.values.items():
        row, found = known.get(field), list(extracted.found.get(field, ()))
        if row is not None and row.value == _stored_value(value):
            key = (values.c.source_id == row.source_id, values.c.field == row.field, values.c.seq == row.seq)
            conn.execute(update(values).where(*key).values(found=found, seen_at=now))
            note_fact(conn, "field", row.source_id, row.field, row.seq)
            continue
        if row is None and _stored_value(value) is None:
            continue
        why = FIRST if row is None else because
        _add_value(conn, source_id, field, (row.seq if row else 0) + 1, _stored_value(value), found, why, now)
        if row is not None:
            changed.append(FieldChange(field, row.value, _stored_value(value), why))
    _set_record(conn, source_id, extracted, now)
    return changed


def current_values(conn: Connection, source_id: str) -> dict[str, Row[Any]]:
    """The newest row of each field that ever had a value."""
    return {row.field: row for row in list_all_values(conn, source_id)}


def list_current_values(conn: Connection, source_id: str) -> list[Row[Any]]:
    """The same as a list, by field."""
    return list(current_values(conn, source_id).values())


def list_all_values(conn: Connection, source_id: str) -> list[Row[Any]]:
    """All values of the source's fields, by field, oldest first."""
    query = select(values).where(values.c.source_id == source_id)
    return list(conn.execute(query.order_by(values.c.field, values.c.seq)))


def find_record(conn: Connection, source_id: str) -> Row[Any] | None:
    """The source's merged record as last drawn."""
    return conn.execute(select(records).where(records.c.source_id == source_id)).one_or_none()


def list_source_texts(conn: Connection, source_id: str) -> list[tuple[str, str, str | None]]:
    """URL, object and title of the newest text of each page that the source holds, in the order in which they were
    found.
    """
    is_newest = (versions.c.page_id == pages.c.page_id) & (versions.c.seq == pages.c.last_seq)
    query = select(pages.c.url, versions.c.body_object, versions.c.title).join_from(pages, versions, is_newest)
    of_source = query.where(pages.c.source_id == source_id, text(HELD), versions.c.change_type != "deleted")
    return [(row.url, row.body_object, row.title) for row in conn.execute(of_source.order_by(pages.c.page_id))]


def _stored_value(value: Any) -> Any:
    """A list without items is not a value."""
    return None if value == [] else value


def _add_value(
    conn: Connection,
    source_id: str,
    field: str,
    seq: int,
    value: Any,
    found: list[Mapping[str, Any]],
    because: str,
    now: datetime,
) -> None:
    at = {"source_id": source_id, "field": field, "seq": seq, "since": now, "seen_at": now}
    conn.execute(values.insert().values(value=value, found=found, because=because, **at))
    note_fact(conn, "field", source_id, field, seq)


def _set_record(conn: Connection, source_id: str, extracted: ExtractedRecord, now: datetime) -> None:
    conn.execute(delete(records).where(records.c.source_id == source_id))
    values = {"pages": extracted.pages, "complete": extracted.complete, "record": extracted.record}
    by = {"schema_hash": extracted.schema_hash, "model": extracted.model, "prompt_version": extracted.prompt_version}
    conn.execute(records.insert().values(source_id=source_id, drawn_at=now, **values, **by))


# The lines of the log of fields: the text of each, kept before it is appended, so that a crash between loses none.


def newest_line(conn: Connection, source_id: str) -> str | None:
    """The source's newest line."""
    query = select(table.c.text).where(table.c.source_id == source_id)
    return conn.execute(query.order_by(table.c.seq.desc()).limit(1)).scalar()


def add_line(conn: Connection, key: FieldLineKey, text: str, *, now: datetime) -> None:
    """Keep *text* as a line that is still to be appended. In the transaction of what it tells."""
    source_id, seq = key
    conn.execute(table.insert().values(source_id=source_id, seq=seq, made_at=now, text=text, logged=False))
    note_fact(conn, "field_line", source_id, seq)


def list_lines(conn: Connection, *, unlogged: bool = False, source_id: str | None = None) -> list[FieldLineKey]:
    """All lines, or those that are still to be appended, source by source, oldest first."""
    query = select(table.c.source_id, table.c.seq).order_by(table.c.source_id, table.c.seq)
    if unlogged:
        query = query.where(table.c.logged.is_(False))
    if source_id is not None:
        query = query.where(table.c.source_id == source_id)
    return [(row.source_id, row.seq) for row in conn.execute(query)]


def line_text(conn: Connection, key: FieldLineKey) -> str | None:
    return conn.execute(select(table.c.text).where(*_has_key(key))).scalar()


def mark_lines_logged(conn: Connection, keys: Iterable[FieldLineKey]) -> None:
    """Their lines are in the staging area."""
    for key in keys:
        conn.execute(update(table).where(*_has_key(key)).values(logged=True))


def _has_key(key: FieldLineKey) -> tuple[Any, Any]:
    return table.c.source_id == key[0], table.c.seq == key[1]
