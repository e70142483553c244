"""Values that cannot be read: a time that is none, JSON that is none. Only SQLite takes them in their columns."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON, Text, and_, column, func, or_, select, type_coerce

from rori_spiders.ledger.tables import runs
from rori_spiders.ledger.tables.base import UtcDateTime, metadata
from rori_spiders.staging.verification.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Column, ColumnElement, Connection, Select

    from rori_spiders.ledger.database import Ledger

    #: A column, whether its value is wrong, and what it is not.
    _Check = tuple[Column[Any], ColumnElement[bool], str]

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
        yield from _check_counts(conn)


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


def _check_counts(conn: Connection) -> Iterator[Finding]:
    """Counts that SQL sums up: of a name that stands twice in JSON it reads the first, and Python the last."""
    for run_id, counts in conn.execute(select(runs.c.run_id, type_coerce(runs.c.counts, Text))):
        names = Counter(name for name, _ in _read_pairs(counts))
        if doubled := [name for name, number in names.items() if number > 1]:
            yield Finding("value_ambiguous", run_id, f"its counts name {', '.join(doubled)} twice")


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
