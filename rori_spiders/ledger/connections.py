"""How connections to the ledger are made, and what each of them is told first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import create_engine, event

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.pool import ConnectionPoolEntry

    from rori_spiders.ledger.places import Place

#: A transaction may plan for so long between two statements: 100,000 sources take 2 s, more on a busy machine.
_THINKS_S = 10.0
#: A network that swallows packets is noticed within about half a minute; the URL's own words win.
_WATCHFUL = {
    "connect_timeout": "10",
    "keepalives_idle": "15",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
    "application_name": "rori-collector",
}


def engines(place: Place, timeout_s: float) -> tuple[Engine, Engine]:
    """The engine that reads and the one that writes. On PostgreSQL a process has one writer, and few readers."""
    # No values in the text of errors: it goes to the log, and headers and page titles do not belong there.
    if place.is_sqlite:
        engine = create_engine(place.url, pool_size=5, max_overflow=20, hide_parameters=True)
        event.listen(engine, "connect", _SqlitePragmas(timeout_s))
        event.listen(engine, "begin", _begin_sqlite)
        return engine, engine.execution_options(rori_writes=True)
    common: dict[str, Any] = {
        "pool_pre_ping": True,
        "pool_timeout": timeout_s,
        "hide_parameters": True,
        "connect_args": {name: value for name, value in _WATCHFUL.items() if name not in place.url.query},
    }
    # A reader sees one state from its first statement to its last; SQLite gives that by itself.
    reading = create_engine(place.url, pool_size=1, max_overflow=4, isolation_level="REPEATABLE READ", **common)
    writing = create_engine(place.url, pool_size=1, max_overflow=0, isolation_level="READ COMMITTED", **common)
    # Whatever a role or database is set to by itself: this program says what it means.
    event.listen(reading, "connect", _Settings(default_transaction_read_only="on"))
    # A process that is suspended in a transaction loses it before those who wait for its locks give up.
    patience, idle = int(timeout_s * 1000), int(max(timeout_s * 0.8, _THINKS_S) * 1000)
    event.listen(writing, "connect", _Settings(lock_timeout=patience, idle_in_transaction_session_timeout=idle))
    return reading, writing


class _Settings:
    """Settings of a session on PostgreSQL."""

    def __init__(self, **settings: int | str) -> None:
        self._statement = "; ".join(f"SET {name} = {value}" for name, value in settings.items())

    def __call__(self, connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
        connection.autocommit = True  # else a rollback would take them back
        connection.cursor().execute(self._statement)
        connection.autocommit = False


class _SqlitePragmas:
    def __init__(self, timeout_s: float) -> None:
        self._statements = (
            f"PRAGMA busy_timeout = {int(timeout_s * 1000)}",
            "PRAGMA synchronous = FULL",
            "PRAGMA foreign_keys = ON",
            "PRAGMA recursive_triggers = ON",  # else INSERT OR REPLACE would not fire the audit's DELETE trigger
        )

    def __call__(self, connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
        # The driver must not begin transactions of its own: `_begin_sqlite` does, and says which kind.
        connection.isolation_level = None
        cursor = connection.cursor()
        for statement in self._statements:
            cursor.execute(statement)
        cursor.close()


def _begin_sqlite(conn: Connection) -> None:
    writes = conn.get_execution_options().get("rori_writes", False)
    conn.exec_driver_sql(f"PRAGMA query_only = {'OFF' if writes else 'ON'}")
    # A transaction that reads first and writes later can fail in the middle; an immediate one waits at its start.
    conn.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
