"""The few statements that SQLite and PostgreSQL spell differently. All of them are here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, String, Table, func, select, text, type_coerce
from sqlalchemy.dialects import postgresql, sqlite


def _insert_statement(conn: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    return postgresql.insert(table) if conn.dialect.name == "postgresql" else sqlite.insert(table)


def insert_missing(conn: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert *rows*; one whose key is there already changes nothing."""
    if rows:
        conn.execute(_insert_statement(conn, table).on_conflict_do_nothing(), rows)


def insert_new(conn: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> set[tuple[Any, ...]]:
    """As `insert_missing`; gives the primary keys of those that were inserted."""
    if not rows:
        return set()
    statement = _insert_statement(conn, table).on_conflict_do_nothing().returning(*table.primary_key.columns)
    return {tuple(row) for row in conn.execute(statement, rows)}


def upsert(conn: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert *rows*, which name the same columns; where the primary key is there already, it gets the other values."""
    if rows:
        keys = [column.name for column in table.primary_key]
        statement = _insert_statement(conn, table)
        changes = {name: statement.excluded[name] for name in rows[0] if name not in keys}
        conn.execute(statement.on_conflict_do_update(index_elements=keys, set_=changes), rows)


def upsert_lower(conn: Connection, table: Table, rows: Sequence[Mapping[str, Any]], by: str, where: Any) -> None:
    """As `upsert`, but a row that is there changes only where *where* holds and the new one has less in column *by*."""
    if rows:
        keys = [column.name for column in table.primary_key]
        statement = _insert_statement(conn, table)
        changes = {name: statement.excluded[name] for name in rows[0] if name not in keys}
        is_less = table.c[by] > statement.excluded[by]
        conn.execute(statement.on_conflict_do_update(index_elements=keys, set_=changes, where=is_less & where), rows)


def lock_for_writing(conn: Connection, table: Table, of: str = "") -> None:
    """Until the transaction ends, nobody else passes here for *table*, or for what it holds *of* one run or source.

    On SQLite a writer is alone anyway. A lock on the table itself would also keep those waiting who only end a row of
    their own, and two jobs that come from there would stand in each other's way.
    """
    if conn.dialect.name == "postgresql":
        lock = text("SELECT pg_advisory_xact_lock(hashtext('rori-ledger ' || :name), hashtext(:of))")
        conn.execute(lock, {"name": table.name, "of": of})


def lease_clock(conn: Connection, own: datetime) -> datetime:
    """The time by which leases are judged: the server's, one for all nodes; *own* on SQLite, which one machine has."""
    if conn.dialect.name != "postgresql":
        return own
    server_time: datetime = conn.execute(select(func.clock_timestamp())).scalar_one()
    return server_time.astimezone(UTC)


def unindexed_column(conn: Connection, column: str) -> str:
    """SQL of a column, for which SQLite then takes no index (https://sqlite.org/optoverview.html#uplus)."""
    return f"+{column}" if conn.dialect.name == "sqlite" else column


def utc_month(conn: Connection, column: ColumnElement[Any]) -> ColumnElement[str]:
    """``2026-02``, in UTC, of a column of times."""
    if conn.dialect.name == "postgresql":
        return func.to_char(func.timezone("UTC", column), "YYYY-MM")
    return func.substr(type_coerce(column, String), 1, 7)


def utc_day(conn: Connection, column: ColumnElement[Any]) -> ColumnElement[str]:
    """``2026-02-13``, in UTC, of a column of times."""
    if conn.dialect.name == "postgresql":
        return func.to_char(func.timezone("UTC", column), "YYYY-MM-DD")
    return func.substr(type_coerce(column, String), 1, 10)
