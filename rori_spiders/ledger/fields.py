"""Values of fields over time: one row for each value that a field had. Functions over a Connection.

A field that never had a value has no row. A value that ends has one more, without a value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, select, text, update

from rori_spiders.ledger.dialects import only_writer
from rori_spiders.ledger.tables import HELD, pages, versions
from rori_spiders.ledger.tables import field_records as records
from rori_spiders.ledger.tables import field_values as values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection, Row

FIRST, PAGE, REDRAWN = "first", "page", "redrawn"


@dataclass(frozen=True, slots=True)
class Drawn:
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
class Changed:
    """A field whose value is another now. *because*: ``page``, or ``redrawn`` by other fields, model or prompt."""

    field: str
    old: Any
    new: Any
    because: str


def keep(conn: Connection, source_id: str, drawn: Drawn, *, now: datetime) -> list[Changed]:
    """Take *drawn* for what the source's fields are now; what that changes of values that were there before."""
    only_writer(conn, records)
    because = _because(conn, source_id, drawn)
    known = current(conn, source_id)
    changed = []
    for field, value in drawn.values.items():
        row, found = known.get(field), list(drawn.found.get(field, ()))
        if row is not None and row.value == _stored(value):
            _seen(conn, row, found, now)
            continue
        if row is None and _stored(value) is None:
            continue
        why = FIRST if row is None else because
        _add(conn, source_id, field, (row.seq if row else 0) + 1, _stored(value), found, why, now)
        if row is not None:
            changed.append(Changed(field, row.value, _stored(value), why))
    _set_record(conn, source_id, drawn, now)
    return changed


def current(conn: Connection, source_id: str) -> dict[str, Row[Any]]:
    """The newest row of each field that ever had a value."""
    return {row.field: row for row in history(conn, source_id)}


def newest(conn: Connection, source_id: str) -> list[Row[Any]]:
    """The same as a list, by field."""
    return list(current(conn, source_id).values())


def history(conn: Connection, source_id: str) -> list[Row[Any]]:
    """All values of the source's fields, by field, oldest first."""
    query = select(values).where(values.c.source_id == source_id)
    return list(conn.execute(query.order_by(values.c.field, values.c.seq)))


def record_of(conn: Connection, source_id: str) -> Row[Any] | None:
    """The source's merged record as last drawn."""
    return conn.execute(select(records).where(records.c.source_id == source_id)).one_or_none()


def texts(conn: Connection, source_id: str) -> list[tuple[str, str]]:
    """URL and object of the newest text of each page that the source holds, in the order in which they were found."""
    is_newest = (versions.c.page_id == pages.c.page_id) & (versions.c.seq == pages.c.last_seq)
    query = select(pages.c.url, versions.c.body_object).join_from(pages, versions, is_newest)
    of_source = query.where(pages.c.source_id == source_id, text(HELD), versions.c.change_type != "deleted")
    return [(row.url, row.body_object) for row in conn.execute(of_source.order_by(pages.c.page_id))]


def _because(conn: Connection, source_id: str, drawn: Drawn) -> str:
    last = record_of(conn, source_id)
    by = None if last is None else (last.schema_hash, last.model, last.prompt_version)
    return PAGE if by in (None, (drawn.schema_hash, drawn.model, drawn.prompt_version)) else REDRAWN


def _stored(value: Any) -> Any:
    """A list without items is no value."""
    return None if value == [] else value


def _seen(conn: Connection, row: Row[Any], found: list[Mapping[str, Any]], now: datetime) -> None:
    key = (values.c.source_id == row.source_id, values.c.field == row.field, values.c.seq == row.seq)
    conn.execute(update(values).where(*key).values(found=found, seen_at=now))


def _add(
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


def _set_record(conn: Connection, source_id: str, drawn: Drawn, now: datetime) -> None:
    conn.execute(delete(records).where(records.c.source_id == source_id))
    told = {"pages": drawn.pages, "complete": drawn.complete, "record": drawn.record}
    by = {"schema_hash": drawn.schema_hash, "model": drawn.model, "prompt_version": drawn.prompt_version}
    conn.execute(records.insert().values(source_id=source_id, drawn_at=now, **told, **by))
