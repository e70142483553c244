"""What alembic says of the tables of one SQLite ledger serves the next with the same definitions.

`scrapy verify` compares them each time, which takes longer than all the rest on a test's ledger.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

from rori_spiders.staging.verification import schema_checks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

_compare_tables = vars(schema_checks)["_compare_tables"]
#: What SQLite knows of tables, indexes and triggers, without its own: its statistics come with use.
_DEFINITIONS = text(
    "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT GLOB 'sqlite_*' UNION ALL "
    "SELECT 'temp ' || type, name, tbl_name, sql FROM sqlite_temp_master ORDER BY 1, 2"
)
_differences: dict[tuple[tuple[str, ...], ...], tuple[str, ...]] = {}


def share_comparisons() -> None:
    """Have this process, and its forks, compare tables of the same definitions once."""
    vars(schema_checks)["_compare_tables"] = _compare_once


def _compare_once(conn: Connection) -> Iterator[str]:
    if conn.dialect.name != "sqlite":
        yield from _compare_tables(conn)
        return
    definitions = tuple(tuple(row) for row in conn.execute(_DEFINITIONS))
    if definitions not in _differences:
        _differences[definitions] = tuple(_compare_tables(conn))
    yield from _differences[definitions]
