"""The lines of the log of fields: the text of each, kept before it is appended, so that a crash between loses none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update

from rori_spiders.ledger.tables import field_lines as table

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy import Connection

    #: A source, and which of its lines: 1, 2, ...
    Key = tuple[str, int]


def newest(conn: Connection, source_id: str) -> str | None:
    """The source's newest line."""
    query = select(table.c.text).where(table.c.source_id == source_id)
    return conn.execute(query.order_by(table.c.seq.desc()).limit(1)).scalar()


def add(conn: Connection, key: Key, text: str, *, now: datetime) -> None:
    """Keep *text* as a line that is still to be appended. In the transaction of what it tells."""
    source_id, seq = key
    conn.execute(table.insert().values(source_id=source_id, seq=seq, made_at=now, text=text, logged=False))


def every(conn: Connection, *, unlogged: bool = False, source_id: str | None = None) -> list[Key]:
    """All lines, or those that are still to be appended, source by source, oldest first."""
    query = select(table.c.source_id, table.c.seq).order_by(table.c.source_id, table.c.seq)
    if unlogged:
        query = query.where(table.c.logged.is_(False))
    if source_id is not None:
        query = query.where(table.c.source_id == source_id)
    return [(row.source_id, row.seq) for row in conn.execute(query)]


def text_of(conn: Connection, key: Key) -> str | None:
    return conn.execute(select(table.c.text).where(*_is(key))).scalar()


def mark_logged(conn: Connection, keys: Iterable[Key]) -> None:
    """Their lines are in the staging area."""
    for key in keys:
        conn.execute(update(table).where(*_is(key)).values(logged=True))


def _is(key: Key) -> tuple[Any, Any]:
    return table.c.source_id == key[0], table.c.seq == key[1]
