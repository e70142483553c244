"""The few statements that SQLite and PostgreSQL spell differently. All of them are here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Table, text
from sqlalchemy.dialects import postgresql, sqlite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection


def _insert(conn: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    return postgresql.insert(table) if conn.dialect.name == "postgresql" else sqlite.insert(table)


def insert_missing(conn: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert *rows*; one whose key is there already changes nothing."""
    if rows:
        conn.execute(_insert(conn, table).on_conflict_do_nothing(), rows)


def put(conn: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert *rows*, which name the same columns; where the primary key is there already, it gets the other values."""
    if rows:
        keys = [column.name for column in table.primary_key]
        statement = _insert(conn, table)
        changes = {name: statement.excluded[name] for name in rows[0] if name not in keys}
        conn.execute(statement.on_conflict_do_update(index_elements=keys, set_=changes), rows)


def only_writer(conn: Connection, table: Table) -> None:
    """Until the transaction ends, nobody else writes to *table*. On SQLite a writer is alone anyway."""
    if conn.dialect.name == "postgresql":
        conn.execute(text(f"LOCK TABLE {table.name} IN SHARE ROW EXCLUSIVE MODE"))
