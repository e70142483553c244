"""The few statements that SQLite and PostgreSQL spell differently. All of them are here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Insert,
    Integer,
    String,
    Table,
    Text,
    case,
    cast,
    func,
    literal_column,
    select,
    text,
    type_coerce,
)
from sqlalchemy.dialects import postgresql, sqlite

#: For `limit`. Of a number given as a parameter PostgreSQL assumes a tenth of the rows, so that it takes no plan for
#: cheap enough to keep, and plans the statement each time: 0.12 ms at each commit, for the log of facts.
ONE: ColumnElement[int] = literal_column("1", Integer)


def _insert_statement(conn: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    return postgresql.insert(table) if conn.dialect.name == "postgresql" else sqlite.insert(table)


#: Under this name a connection keeps the statements that it has compiled.
_STATEMENTS = "rori statements"


#: From so many rows on PostgreSQL gets them in one statement, as an array a column: a statement a row costs it more.
_ROWS_AS_ARRAYS = 8


class _CompiledInsert(NamedTuple):
    """SQL for the driver, and the columns that it wants in this order, each with what makes its values fit."""

    sql: str
    columns: tuple[tuple[str, Callable[[Any], Any] | None], ...]
    is_positional: bool
    array_sql: str | None = None  # the same for any number of rows, each column an array: of PostgreSQL

    @classmethod
    def of(
        cls, conn: Connection, table: Table, statement: Insert, names: Sequence[str], *, is_plain: bool
    ) -> _CompiledInsert:
        compiled = statement.compile(dialect=conn.dialect, column_keys=list(names))
        ordered = compiled.positiontup if compiled.positional else names
        types = {name: table.c[name].type.dialect_impl(conn.dialect) for name in ordered or ()}
        columns = tuple((name, kind.bind_processor(conn.dialect)) for name, kind in types.items())
        if compiled.positional or not is_plain:
            return cls(str(compiled), columns, compiled.positional)
        into, _, _ = str(compiled).partition(" VALUES ")  # with the columns in the order of the table
        arrays = (f"%({one.name})s::{types[one.name].compile(conn.dialect)}[]" for one in table.c if one.name in types)
        array_sql = f"{into} SELECT * FROM unnest({', '.join(arrays)})"  # noqa: S608  (names of columns and types)
        return cls(str(compiled), columns, False, array_sql)

    def execute(self, conn: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        fitted = [[row[name] if fit is None else fit(row[name]) for name, fit in self.columns] for row in rows]
        if self.array_sql is not None and len(rows) >= _ROWS_AS_ARRAYS:
            arrays = map(list, zip(*fitted, strict=True))
            conn.exec_driver_sql(self.array_sql, dict(zip((name for name, _ in self.columns), arrays, strict=True)))
        elif self.is_positional:
            conn.exec_driver_sql(self.sql, [tuple(row) for row in fitted])
        else:
            names = [name for name, _ in self.columns]
            conn.exec_driver_sql(self.sql, [dict(zip(names, row, strict=True)) for row in fitted])


def _execute_insert(
    conn: Connection, table: Table, rows: Sequence[Mapping[str, Any]], of: str, make: Callable[[], Insert]
) -> None:
    """Insert *rows*, which name the same columns, by the statement that *make* gives, made once a connection.

    *of* tells it from others of this table and these columns. Of a page there are many rows: to make the statement
    anew takes SQLAlchemy as long as to insert ten, and half of a row's time goes into its parameters.
    """
    if not rows:
        return
    statements: dict[tuple[str, ...], _CompiledInsert] = conn.info.setdefault(_STATEMENTS, {})
    key = (table.name, of, *rows[0])
    if key not in statements:
        statements[key] = _CompiledInsert.of(conn, table, make(), tuple(rows[0]), is_plain=not of)
    statements[key].execute(conn, rows)


def insert_rows(conn: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert *rows*."""
    _execute_insert(conn, table, rows, "", table.insert)


def insert_missing(conn: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert *rows*; one whose key is there already changes nothing."""
    _execute_insert(conn, table, rows, "missing", lambda: _insert_statement(conn, table).on_conflict_do_nothing())


def insert_new(conn: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> set[tuple[Any, ...]]:
    """As `insert_missing`; gives the primary keys of those that were inserted."""
    if not rows:
        return set()
    statement = _insert_statement(conn, table).on_conflict_do_nothing().returning(*table.primary_key.columns)
    return {tuple(row) for row in conn.execute(statement, rows)}


def upsert(conn: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert *rows*, which name the same columns; where the primary key is there already, it gets the other values."""

    def make() -> Insert:
        keys = [column.name for column in table.primary_key]
        statement = _insert_statement(conn, table)
        changes = {name: statement.excluded[name] for name in rows[0] if name not in keys}
        return statement.on_conflict_do_update(index_elements=keys, set_=changes)

    _execute_insert(conn, table, rows, "upsert", make)


def upsert_lower(
    conn: Connection,
    table: Table,
    rows: Sequence[Mapping[str, Any]],
    by: str,
    where: ColumnElement[bool],
    *,
    always: Collection[str] = (),
) -> None:
    """As `upsert`, but a row that is there changes only where *where* holds and the new one has less in column *by*.

    *where* has no parameters, and is always the same of a table. The columns *always* get the new values in any case.
    """

    def make() -> Insert:
        keys = [column.name for column in table.primary_key]
        statement = _insert_statement(conn, table)
        new = {name: statement.excluded[name] for name in rows[0] if name not in keys}
        is_lower = (table.c[by] > new[by]) & where
        if not always:
            return statement.on_conflict_do_update(index_elements=keys, set_=new, where=is_lower)
        changes = {
            name: value if name in always else case((is_lower, value), else_=table.c[name])
            for name, value in new.items()
        }
        return statement.on_conflict_do_update(index_elements=keys, set_=changes)

    _execute_insert(conn, table, rows, "always" if always else "lower", make)


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


def json_list(conn: Connection, column: ColumnElement[Any]) -> ColumnElement[str]:
    """``[1, 2, ...]`` as text: the values of a column, of all rows of a group; of two columns in the same order."""
    if conn.dialect.name == "postgresql":
        return cast(func.to_json(func.array_agg(column)), Text)
    return func.json_group_array(column, type_=Text)


def json_length(conn: Connection, column: ColumnElement[Any]) -> ColumnElement[int]:
    """How many things a list in JSON has; NULL of what is none, which only SQLite takes in such a column."""
    length: ColumnElement[int] = func.json_array_length(column)
    return length if conn.dialect.name == "postgresql" else case((func.json_valid(column) == 1, length))


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
