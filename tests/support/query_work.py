"""How much a database reads for a question, as a number that no other work on the machine changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import event

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection


def count_work(conn: Connection, query: Callable[[Connection], object]) -> int:
    """On SQLite the steps of its machine; on PostgreSQL the rows that scans read, joined as in a large ledger.

    The figures of two databases cannot be compared, those of one can.
    """
    return _count_steps(conn, query) if conn.dialect.name == "sqlite" else _count_rows(conn, query)


def _count_steps(conn: Connection, query: Callable[[Connection], object]) -> int:
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    raw: Any = conn.connection.driver_connection
    raw.set_progress_handler(count, 1)
    try:
        query(conn)
    finally:
        raw.set_progress_handler(None, 0)
    return steps


def explain_statements(conn: Connection, query: Callable[[Connection], object]) -> list[dict[str, Any]]:
    """What PostgreSQL did for each statement of *query*: run again with EXPLAIN, as JSON."""
    statements: list[tuple[str, Any]] = []

    def note(_conn: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        statements.append((statement, parameters))

    event.listen(conn, "before_cursor_execute", note)
    try:
        query(conn)
    finally:
        event.remove(conn, "before_cursor_execute", note)
    explained = []
    for statement, parameters in statements:
        plan = conn.exec_driver_sql(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}", parameters).scalar_one()
        explained.append({"statement": statement, **plan[0]})
    return explained


def list_scans(plan: dict[str, Any]) -> list[tuple[str, str, int]]:
    """(kind of scan, table, rows read) of each scan in a plan."""
    found = []
    if "Scan" in plan["Node Type"] and "Relation Name" in plan:
        removed = sum(plan.get(name, 0) for name in ("Rows Removed by Filter", "Rows Removed by Index Recheck"))
        rows = round((plan["Actual Rows"] + removed) * plan["Actual Loops"])
        found.append((plan["Node Type"], plan["Relation Name"], rows))
    return found + [scan for below in plan.get("Plans", ()) for scan in list_scans(below)]


def _count_rows(conn: Connection, query: Callable[[Connection], object]) -> int:
    for way in ("seqscan", "hashjoin", "mergejoin"):  # which a server takes for tables of a few pages
        conn.exec_driver_sql(f"SET LOCAL enable_{way} = off")
    return sum(rows for one in explain_statements(conn, query) for _, _, rows in list_scans(one["Plan"]))
