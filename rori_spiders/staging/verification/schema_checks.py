"""The tables of the ledger against those that the migrations make: what could change, hide or add rows unnoticed.

A trigger, a default or a rule of somebody else changes rows before they become facts. Without the triggers of ours,
rows that were recorded could be changed. And values that cannot be read, a time that is none or JSON that is none:
only SQLite takes them in their columns.
"""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import JSON, Text, and_, column, func, inspect, or_, select, text, type_coerce

from rori_spiders.ledger.tables import runs
from rori_spiders.ledger.tables.base import UtcDateTime, metadata
from rori_spiders.staging.verification.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Column, ColumnElement, Connection, Select

    from rori_spiders.ledger.database import Ledger

    #: A column, whether its value is wrong, and what it is not.
    _Check = tuple[Column[Any], ColumnElement[bool], str]


#: Triggers with what they do, and whether they do it.
_TRIGGERS_SQL = {
    "sqlite": "SELECT name, replace(sql, '\"', '') FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": (
        "SELECT tgname, concat_ws(' ', c.relname, tgenabled, tgtype, tgattr, tgqual, p.prosrc) "
        "FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid JOIN pg_class c ON c.oid = t.tgrelid "
        # A foreign key's own are internal, and of PostgreSQL. The owner of the server can call any other internal.
        "WHERE p.oid >= 16384 AND c.relnamespace = CAST(current_schema() AS regnamespace)"
    ),
}
#: Their names, with the first 16 digits of the SHA-256 of that.
_SQLITE_TRIGGERS = {
    "audit_refuses_delete": "c8dc130cc621b963",
    "audit_refuses_replace": "ff806a1beeaedff6",
    "audit_refuses_update": "34e8be9d01db1214",
    "fact_leaves_refuse_delete": "958b805ccd39032b",
    "fact_leaves_refuse_replace": "b424198e024cb5ef",
    "fact_leaves_refuse_update": "f49e3b01f861d1b3",
    "log_heads_refuse_delete": "eef68c337fedc8fd",
    "log_heads_refuse_replace": "fbd9f4f758c07e66",
    "log_heads_refuse_update": "c9e3478eb0ebc9ac",
    "runs_count_insert": "0a6101e6e1df8cfb",
    "runs_count_update": "eaea7e0416cd53f3",
    "versions_count_insert": "16136b708e255c4f",
}
_POSTGRESQL_TRIGGERS = {
    "audit_refuses_change": "5a2fc2efb004194a",
    "audit_refuses_truncate": "b70362779d6902ea",
    "fact_leaves_refuse_change": "479a81428ee9c98a",
    "fact_leaves_refuse_truncate": "647c84e11625587e",
    "log_heads_refuse_delete": "a37811e2a4f041df",
    "log_heads_refuse_truncate": "a096cc3c80754714",
    "log_heads_refuse_update": "fb1fbc6221d072e4",
    "runs_count_insert": "269ace4a458cc0e2",
    "runs_count_update": "c8383cc3e4ae52d6",
    "versions_count_insert": "86cf545e4630c897",
}

#: What only PostgreSQL has: each row a sentence. Objects of somebody else have numbers from 16384 on.
_POSTGRESQL_ADDITIONS = """
WITH own AS (
    SELECT oid, relname, relkind, relrowsecurity, relpersistence FROM pg_class
    WHERE relnamespace = CAST(current_schema() AS regnamespace) AND relname = ANY(:tables)
), parts (classid, objid, own_oid) AS (
    SELECT CAST('pg_constraint' AS regclass), oid, conrelid FROM pg_constraint WHERE contype = 'c'
    UNION ALL SELECT CAST('pg_attrdef' AS regclass), oid, adrelid FROM pg_attrdef
    UNION ALL SELECT CAST('pg_class' AS regclass), indexrelid, indrelid FROM pg_index
    UNION ALL SELECT CAST('pg_class' AS regclass), oid, oid FROM own
)
SELECT relname || ' has the rule ' || rulename FROM own JOIN pg_rewrite ON ev_class = own.oid
    WHERE rulename <> '_RETURN'
UNION ALL SELECT relname || ' hides rows by row-level security' FROM own WHERE relrowsecurity
UNION ALL SELECT relname || ' is emptied by a crash: it is not logged' FROM own WHERE relpersistence <> 'p'
UNION ALL SELECT relname || ' is partitioned' FROM own WHERE relkind = 'p'
UNION ALL SELECT relname || ' also has the rows of ' || CAST(inhrelid AS regclass)
    FROM own JOIN pg_inherits ON inhparent = own.oid
UNION ALL SELECT DISTINCT relname || ' needs the ' || pg_describe_object(refclassid, refobjid, 0)
    FROM own JOIN parts ON own_oid = own.oid JOIN pg_depend d ON d.classid = parts.classid AND d.objid = parts.objid
    WHERE refobjid >= 16384 AND refclassid IN (
        CAST('pg_proc' AS regclass), CAST('pg_operator' AS regclass), CAST('pg_type' AS regclass),
        CAST('pg_collation' AS regclass), CAST('pg_opclass' AS regclass))
UNION ALL SELECT 'no trigger runs in sessions as this one: session_replication_role is ' || role
    FROM current_setting('session_replication_role') AS role WHERE role <> 'origin'
UNION ALL SELECT 'functions of other schemas come before those of PostgreSQL: search_path is ' || path
    FROM current_setting('search_path') AS path
    WHERE array_position(current_schemas(true), 'pg_catalog') > array_position(current_schemas(true), current_schema())
"""


def check_schema(conn: Connection) -> Iterator[Finding]:
    """What tables and triggers are otherwise than the migrations made them."""
    for sentence in _find_differences(conn):
        yield Finding("schema_differs", "tables of the ledger", sentence)


def _find_differences(conn: Connection) -> Iterator[str]:
    yield from _compare_tables(conn)
    yield from _compare_triggers(conn)
    if conn.dialect.name == "postgresql":
        yield from conn.execute(text(_POSTGRESQL_ADDITIONS), {"tables": sorted(metadata.tables)}).scalars()


def _compare_tables(conn: Connection) -> Iterator[str]:
    inspector = inspect(conn)
    tables = sorted(metadata.tables)
    missing = set(tables) - set(inspector.get_table_names())
    yield from (f"{name} is not a table" for name in sorted(missing))
    if not missing:
        # Columns, defaults, indexes, unique and foreign keys. An index more changes no answer.
        context = MigrationContext.configure(conn, opts={"compare_type": True, "compare_server_default": True})
        for difference in compare_metadata(context, metadata):
            operation, *what = difference[0] if isinstance(difference, list) else difference
            if operation.startswith("modify_"):
                yield f"{what[1]}.{what[2]} was changed: {operation.removeprefix('modify_')}"
            elif operation not in {"remove_index", "remove_table"}:
                yield f"{_name_of(what)}: {operation.replace('_', ' ')} to make it as it was"
        keys = inspector.get_multi_pk_constraint(filter_names=tables)
        found = {name: set(one["constrained_columns"]) for (_, name), one in keys.items()}
        expected = {name: set(table.primary_key.columns.keys()) for name, table in metadata.tables.items()}
        yield from (f"{name} has another primary key" for name in tables if found[name] != expected[name])


def _name_of(what: list[Any]) -> str:
    table = getattr(what[-1], "table", None)
    return f"{what[1] if len(what) > 1 else getattr(table, 'name', '')}.{getattr(what[-1], 'name', '')}"


def _compare_triggers(conn: Connection) -> Iterator[str]:
    made = {name: str(body) for name, body in conn.execute(text(_TRIGGERS_SQL[conn.dialect.name]))}
    expected = _SQLITE_TRIGGERS if conn.dialect.name == "sqlite" else _POSTGRESQL_TRIGGERS
    for name in sorted(made.keys() | expected):
        if name not in made:
            yield f"the trigger {name} is missing"
        elif name not in expected:
            yield f"{name} is a trigger of somebody else"
        elif sha256(made[name].encode()).hexdigest()[:16] != expected[name]:
            yield f"the trigger {name} was replaced or disabled"


_DATE_AND_TIME, _REST_OF_TIME = 19, ".[0-9][0-9][0-9][0-9][0-9][0-9]Z"  # of 2026-02-13T14:30:00.000000Z
_SHOWN_CHARS = 60


def check_values(ledger: Ledger) -> Iterator[Finding]:
    """Every time and every JSON of the ledger that cannot be read. Checks that meet such a value end early."""
    with ledger.connect() as conn:
        if conn.dialect.name != "sqlite":
            return
        for is_any_wrong, columns in _list_checks():
            if conn.execute(is_any_wrong).scalar():
                for one, is_wrong, what in columns:
                    yield from _check_column(conn, one, is_wrong, what)
        # Counts that SQL sums up: of a name that stands twice in JSON it reads the first, and Python the last.
        for run_id, counts in conn.execute(select(runs.c.run_id, type_coerce(runs.c.counts, Text))):
            names = Counter(name for name, _ in _read_pairs(counts))
            if doubled := [name for name, number in names.items() if number > 1]:
                yield Finding("value_ambiguous", run_id, f"its counts name {', '.join(doubled)} twice")


@cache
def _list_checks() -> list[tuple[Select[bool], list[_Check]]]:
    """By table: whether a value of any column is wrong, which reads its rows once, and the checks of its columns."""
    checks = []
    for table in metadata.sorted_tables:
        if columns := [check for one in table.columns if (check := _check_of(one))]:
            is_any_wrong = or_(*(and_(one.is_not(None), is_wrong) for one, is_wrong, _ in columns))
            checks.append((select(select(table).where(is_any_wrong).exists()), columns))
    return checks


def _check_of(one: Column[Any]) -> _Check | None:
    if isinstance(one.type, UtcDateTime):
        return one, _is_no_time(one), "time"
    if isinstance(one.type, JSON):
        return one, func.json_valid(type_coerce(one, Text)) == 0, "JSON"
    return None


def _is_no_time(one: Column[datetime]) -> ColumnElement[bool]:
    """Of values that may be none: in another form, or of a day that no calendar has."""
    text = type_coerce(one, Text)
    begin = func.substr(text, 1, _DATE_AND_TIME)
    return or_(
        # With a modifier SQLite counts the days; without one it gives the 31st of February as it is.
        func.strftime("%Y-%m-%dT%H:%M:%S", begin, "+0 days").is_distinct_from(begin),
        func.substr(text, _DATE_AND_TIME + 1).op("NOT GLOB")(_REST_OF_TIME),
    )


def _check_column(conn: Connection, one: Column[object], is_wrong: ColumnElement[bool], what: str) -> Iterator[Finding]:
    row: ColumnElement[int] = column("rowid")
    query = select(row, type_coerce(one, Text)).select_from(one.table).where(one.is_not(None), is_wrong)
    for number, value in conn.execute(query.execution_options(yield_per=500)):
        if what == "JSON" or not _is_time(value):
            shown = f"{value!r}"[:_SHOWN_CHARS]
            yield Finding("value_unreadable", f"{one.table.name} row {number}", f"its {one.name} is no {what}: {shown}")


def _read_pairs(counts: str | None) -> list[tuple[str, object]]:
    try:
        found = json.loads(counts or "{}", object_pairs_hook=list)
    except ValueError:
        return []  # said of its column
    return found if isinstance(found, list) and all(isinstance(one, tuple) for one in found) else []


def _is_time(value: object) -> bool:
    try:
        datetime.fromisoformat(value)  # type: ignore[arg-type]  # SQLite gives what was written
    except (TypeError, ValueError):
        return False
    return True
