"""Open the ledger: where it is, what version it has, one writer at a time, readers beside it.

``open_ledger(url)`` gives a ``Ledger``. Jobs use ``.write(function)`` and ``.read(function)``, which survive a restart
of the server; ``.begin()`` and ``.connect()`` do not. SQLite is brought to this program's version on the way;
PostgreSQL only by ``upgrade(url)``, which is what ``scrapy ledger upgrade`` calls.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import TYPE_CHECKING, Any, Self, TypeVar
from uuid import uuid4

from sqlalchemy import Connection, create_engine, delete, event, select, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from rori_spiders.exceptions import LedgerError, UsageError
from rori_spiders.ledger import database_url, upgrades
from rori_spiders.ledger.audit import fact_log
from rori_spiders.ledger.db_errors import LOCKED_SENTENCE, is_connection_lost, is_retryable, translate_errors
from rori_spiders.ledger.dialects import insert_missing, upsert
from rori_spiders.ledger.tables import writers
from rori_spiders.runtime.table_files import parse_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import Engine
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.pool import ConnectionPoolEntry

    from rori_spiders.ledger.database_url import DatabaseLocation

logger = logging.getLogger(__name__)


#: How long a writer waits for another one, seconds. The longest transaction is a batch of a few hundred rows.
BUSY_TIMEOUT_S = 30.0

_ANALYZE_SQL = "PRAGMA query_only = OFF; PRAGMA busy_timeout = 0; PRAGMA analysis_limit = 400; ANALYZE;"

T = TypeVar("T")


class Ledger:
    """An open ledger. Safe to use from several threads; close it when done."""

    def __init__(self, place: DatabaseLocation, timeout_s: float, replica: DatabaseLocation | None = None) -> None:
        self.place = place
        self._reading, self._writing = create_engines(place, timeout_s)
        self._repeating = None if place.is_sqlite else RetryingTransactions(self._reading, self._writing, timeout_s)
        self._replica = None if replica is None else _Replica(replica, self._reading, timeout_s)
        self._timeout_s = timeout_s
        self._writer = threading.Lock()
        self._file = place.file_id()

    def write(self, work: Callable[[Connection], T]) -> T:
        """What *work* gave, in one transaction that writes, as in ``begin``.

        A PostgreSQL server that restarts meanwhile, or takes another job's side in a deadlock, is waited for, up to the
        timeout, and *work* is called again: it must have no effect but on the database. It is committed once.
        """
        if self._repeating is None:
            with self.begin() as conn:
                return work(conn)
        with self._alone(), translate_errors(str(self.place)):
            return self._repeating.write(work)

    def read(self, work: Callable[[Connection], T]) -> T:
        """What *work* gave of one consistent state, as in ``connect``; called again as by ``write``."""
        if self._repeating is None:
            with self.connect() as conn:
                return work(conn)
        with translate_errors(str(self.place)):
            return self._repeating.read(work)

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """A transaction that writes: committed at the end of the block, rolled back when the block raises.

        Raises LedgerError when another writer holds the ledger for longer than the timeout, when the disk is full
        or read-only, and when the database is gone. Never begin one inside another.
        A job uses ``write``, which survives a server's restart.
        """
        with self._alone():
            self._still_there()
            with translate_errors(str(self.place)), self._writing.begin() as conn, fact_log.noting_facts(conn):
                yield conn

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if not self._writer.acquire(timeout=self._timeout_s):
            raise LedgerError(f"The ledger at {self.place} {LOCKED_SENTENCE}")
        try:
            yield
        finally:
            if self._replica is not None:
                self._replica.note_write()
            self._writer.release()

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """A connection that reads one consistent state, beside any writer, and cannot write. Keep it short.

        Where there is a replica, it is one to that, as long as what this ledger has written is there.
        """
        self._still_there()
        with translate_errors(str(self.place)):
            replica = self._replica.connect() if self._replica is not None else None
            with replica or self._reading.connect() as conn:
                yield conn

    def replica_age(self) -> float | None:
        """The seconds since the replica was as the primary is, 0 if it is now; None: it never was, or is no replica."""
        self._still_there()
        assert self._replica is not None, "opened with replica_url"
        with translate_errors(str(self.place)):
            return self._replica.age()

    def mark(self) -> object:
        """What is equal to another mark only if nobody has committed anything in between."""
        if self.place.path is not None:
            files = (self.place.path, self.place.path.with_name(f"{self.place.path.name}-wal"))
            return [(one.st_mtime_ns, one.st_size) for file in files if file.exists() for one in [file.stat()]]
        with self.connect() as conn:
            snapshot = text("SELECT CAST(pg_current_snapshot() AS text), pg_is_in_recovery()")
            return tuple(conn.execute(snapshot).one())

    def use_wal(self) -> None:
        """Give a SQLite file its write-ahead log, for good: readers then never wait for a writer."""
        with translate_errors(str(self.place)):
            raw = self._writing.raw_connection()
            try:
                raw.cursor().executescript("PRAGMA query_only = OFF; PRAGMA journal_mode = WAL;")
            finally:
                raw.close()

    def analyze(self) -> None:
        """Tell SQLite's planner how its tables are filled; PostgreSQL's autovacuum does so by itself.

        Looks at some hundred rows of each index (https://sqlite.org/pragma.html#pragma_analysis_limit advises 100 to
        1,000): 7 ms in a ledger of 1,000,000 audit rows, so each job can. ``PRAGMA optimize`` would do the same only
        for tables that its own connection has asked, and then not until they have grown 25 times. Nothing is waited
        for: where another process writes, or nothing can be written, the next job does it. Close the ledger after it.
        """
        if not self.place.is_sqlite:
            return
        with suppress(LedgerError, SQLAlchemyError, sqlite3.Error):
            self._still_there()
            raw = self._writing.raw_connection()
            try:
                raw.cursor().executescript(_ANALYZE_SQL)
            finally:
                raw.invalidate()  # its pragmas hold for nobody else

    def vacuum(self) -> None:
        """Give the room of removed rows back to the disk (SQLite); PostgreSQL uses it again by itself.

        Raises LedgerError while another process uses the file, and when the disk has no room for a second copy.
        """
        if not self.place.is_sqlite:
            return
        with translate_errors(str(self.place)):
            self._still_there()
            raw = self._writing.raw_connection()
            try:
                # Outside of any transaction; a connection that has read refuses to write until it is told.
                raw.cursor().executescript("PRAGMA query_only = OFF; VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")
            finally:
                raw.invalidate()  # its pragmas hold for nobody else

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections; SQLite then folds its write-ahead log into the file."""
        if self._replica is not None:
            self._replica.close()
        if self._repeating is not None:
            with suppress(SQLAlchemyError):  # a row that stays behind is removed by another writer, some day
                self._repeating.close()
            self._reading.dispose()
        self._writing.dispose()

    def _still_there(self) -> None:
        # SQLite would go on in a file that has lost its name: every row written to it would vanish with the process.
        now = self.place.file_id()
        if self._file not in (None, now):
            raise LedgerError(
                f"The ledger at {self.place} was removed or replaced while in use. Put it back, then restart."
            )
        self._file = now


def open_ledger(url: str, *, migrate: bool = True, timeout_s: float = BUSY_TIMEOUT_S, replica_url: str = "") -> Ledger:
    """The ledger at *url* (a database URL, or the absolute path of a SQLite file), of this program's version.

    With *migrate* (for jobs and commands that write) a SQLite file and its folder are made when missing, brought to
    this version, and tried for writing. Without, nothing is created or changed. *replica_url* names a streaming replica
    of a PostgreSQL server, for what ``connect`` reads. Raises UsageError for a URL that
    cannot be one, LedgerError when the database is missing, locked, read-only, damaged, or of another version.
    """
    place = database_url.parse_database_url(url)
    place.check(create=migrate)
    ledger = Ledger(place, timeout_s, _parse_replica_url(place, replica_url) if replica_url else None)
    try:
        _require_current_version(ledger, migrate=migrate, timeout_s=timeout_s)
    except BaseException:
        ledger.close()
        raise
    return ledger


def _parse_replica_url(place: DatabaseLocation, url: str) -> DatabaseLocation:
    replica = database_url.parse_database_url(url)
    if place.is_sqlite or replica.is_sqlite:
        raise UsageError("RORI_DATABASE_REPLICA_URL names a replica of a PostgreSQL server; SQLite has none")
    return replica


def upgrade_ledger(url: str, *, timeout_s: float = BUSY_TIMEOUT_S) -> tuple[str | None, str]:
    """Bring the ledger at *url* to this program's version, on any database; gives (version before, version now)."""
    place = database_url.parse_database_url(url)
    place.check(create=True)
    with Ledger(place, timeout_s) as ledger:
        before = _read_version(ledger)
        _upgrade_schema(ledger, timeout_s)
    return before, upgrades.known_revisions()[-1]


def _read_version(ledger: Ledger) -> str | None:
    """The version of the open database; LedgerError when it is newer than this program, or not a ledger."""
    try:
        with ledger.connect() as conn:
            version = upgrades.current_revision(conn)
    except LedgerError as error:
        message = str(error)
        raise LedgerError(message if message[0].isupper() else f"The database at {ledger.place} {message}") from error
    known = upgrades.known_revisions()
    if version is not None and version not in known:
        raise LedgerError(
            f"The ledger at {ledger.place} has version {version}, but this program supports only up to "
            f"{known[-1]}. Install a newer release, or restore the backup made before the upgrade."
        )
    return version


def _require_current_version(ledger: Ledger, *, migrate: bool, timeout_s: float) -> None:
    version = _read_version(ledger)
    newest = upgrades.known_revisions()[-1]
    if ledger.place.is_sqlite and migrate:
        if version != newest or not _is_wal(ledger):
            _upgrade_schema(ledger, timeout_s)
        with ledger.begin():
            pass  # says now, before the first request, when the ledger cannot be written
    elif version != newest:
        has = "has no tables yet" if version is None else f"has the older version {version}"
        raise LedgerError(f"The ledger at {ledger.place} {has}. Run: scrapy ledger upgrade")


def _is_wal(ledger: Ledger) -> bool:
    with ledger.connect() as conn:
        return str(conn.exec_driver_sql("PRAGMA journal_mode").scalar()).lower() == "wal"


def _upgrade_schema(ledger: Ledger, timeout_s: float) -> None:
    with ledger.place.lock(timeout_s):
        if ledger.place.is_sqlite:
            ledger.use_wal()
        with ledger.begin() as conn:
            if not ledger.place.is_sqlite:
                conn.execute(text("SELECT pg_advisory_xact_lock(hashtext('rori-ledger-upgrade'))"))
            # Another process may have done it while this one waited for the lock.
            before = upgrades.current_revision(conn)
            if before != upgrades.known_revisions()[-1]:
                upgrades.run_migrations(conn)
                fact_log.adopt_rows(conn, since=before)


# How connections to the ledger are made, and how each of them is set up.

#: A transaction may plan for so long between two statements: 100,000 sources take 2 s, more on a busy machine.
_MIN_IDLE_S = 10.0
#: A network that swallows packets is noticed within about half a minute; the URL's own words win.
_KEEPALIVE_ARGS = {
    "connect_timeout": "10",
    "keepalives_idle": "15",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
    "application_name": "rori-collector",
}


def create_engines(place: DatabaseLocation, timeout_s: float) -> tuple[Engine, Engine]:
    """The engine that reads and the one that writes. On PostgreSQL a process has one writer, and few readers."""
    # No values in the text of errors: it goes to the log, and headers and page titles do not belong there.
    if place.is_sqlite:
        engine = create_engine(
            place.url, pool_size=5, max_overflow=20, hide_parameters=True, json_deserializer=parse_json
        )
        event.listen(engine, "connect", _SqlitePragmas(timeout_s))
        event.listen(engine, "begin", _begin_sqlite)
        return engine, engine.execution_options(rori_writes=True)
    common: dict[str, Any] = {
        "pool_pre_ping": True,
        "pool_timeout": timeout_s,
        "hide_parameters": True,
        "json_deserializer": parse_json,
        "connect_args": {name: value for name, value in _KEEPALIVE_ARGS.items() if name not in place.url.query},
    }
    if place.is_pooled:
        common["connect_args"]["prepare_threshold"] = None
    # A reader sees one state from its first statement to its last; SQLite gives that by itself.
    reading = create_engine(place.url, pool_size=1, max_overflow=4, isolation_level="REPEATABLE READ", **common)
    writing = create_engine(place.url, pool_size=1, max_overflow=0, isolation_level="READ COMMITTED", **common)
    # Whatever a role or database is set to by itself: this program says what it means.
    # Code is compiled for what costs much by the planner's estimate; ours look rows up by index, ten thousand times.
    _use_settings(reading, place, default_transaction_read_only="on", jit="off")
    # A process that is suspended in a transaction loses it before those who wait for its locks give up.
    patience, idle = int(timeout_s * 1000), int(max(timeout_s * 0.8, _MIN_IDLE_S) * 1000)
    _use_settings(writing, place, lock_timeout=patience, idle_in_transaction_session_timeout=idle, jit="off")
    return reading, writing


def _use_settings(engine: Engine, place: DatabaseLocation, **settings: int | str) -> None:
    """For each session; where PgBouncer gives each transaction another one, for each transaction."""
    if not place.is_pooled:
        event.listen(engine, "connect", _SessionSettings(**settings))
        return
    if settings.pop("default_transaction_read_only", None) is not None:
        settings["transaction_read_only"] = "on"
    statement = "; ".join(f"SET LOCAL {name} = {value}" for name, value in settings.items())
    event.listen(engine, "begin", lambda conn: conn.exec_driver_sql(statement))


class _SessionSettings:
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


# Transactions that outlive their connection: on PostgreSQL a server may restart in the middle of a run. In: a
# function of a Connection. Out: what it gave, of the one time that it was committed. A transaction that was cut off
# is run again on a new connection, unless it turns out to have been committed: between COMMIT and its answer nobody
# can know. So each writer has a row, ``writers``, that every transaction of its own sets to its number. Whoever comes
# again reads that row, and waits for whatever the server still has of the time before, since the row is locked by it.
# The server's own answer (``pg_xact_status``) would not do: a server that crashed may give the same number to another
# transaction.

#: Between two tries, seconds: at first, and at most. A server that restarts is back within one or a few.
_FIRST_WAIT_S = 0.05
_LONGEST_WAIT_S = 1.0
#: Rows of writers that were killed are of no use once the processes that could ask for them are gone.
_WRITER_ROW_LIFETIME = timedelta(days=1)


class RetryingTransactions:
    """The transactions of one process, one at a time; *timeout_s* is how long it waits for a server that is away."""

    def __init__(self, reading: Engine, writing: Engine, timeout_s: float) -> None:
        self._reading = reading
        self._writing = writing
        self._timeout_s = timeout_s
        self._writer = str(uuid4())
        self._number = 0

    def write(self, work: Callable[[Connection], T]) -> T:
        """What *work* gave, committed once. It may be called several times, each in a transaction of its own."""
        self._number += 1
        result: list[T] = []

        def once(is_first: bool) -> T:
            with self._writing.begin() as conn:
                if is_first or not self._is_committed(conn):
                    self._sign(conn)
                    with fact_log.noting_facts(conn):
                        result[:] = [work(conn)]
            return result[0]

        return self._until_done(once)

    def read(self, work: Callable[[Connection], T]) -> T:
        """What *work* gave, in one read transaction. It may be called several times."""

        def once(_: bool) -> T:
            with self._reading.connect() as conn:
                return work(conn)

        return self._until_done(once)

    def _until_done(self, once: Callable[[bool], T]) -> T:
        until, wait, is_first, is_reported = monotonic() + self._timeout_s, _FIRST_WAIT_S, True, False
        while True:
            try:
                return once(is_first)
            except DBAPIError as error:
                if not is_retryable(error) or monotonic() + wait > until:
                    raise
                if is_connection_lost(error) and not is_reported:
                    logger.warning(
                        "The ledger's server is unavailable; waiting up to %(wait)g s for it", {"wait": self._timeout_s}
                    )
                    is_reported = True
            is_first = False
            time.sleep(wait)  # in the ledger's own thread: nothing else waits
            wait = min(2 * wait, _LONGEST_WAIT_S)

    def _sign(self, conn: Connection) -> None:
        now = datetime.now(UTC)
        if self._number == 1:
            conn.execute(delete(writers).where(writers.c.at < now - _WRITER_ROW_LIFETIME))
        upsert(conn, writers, [{"writer": self._writer, "number": self._number, "at": now}])

    def _is_committed(self, conn: Connection) -> bool:
        """Whether this transaction was committed the time before; waits for its end where that is still to come."""
        insert_missing(conn, writers, [{"writer": self._writer, "number": 0, "at": datetime.now(UTC)}])
        own_number = select(writers.c.number).where(writers.c.writer == self._writer).with_for_update()
        return bool(conn.execute(own_number).scalar_one() == self._number)

    def close(self) -> None:
        """Remove the writer's row, when that can be done at once."""
        if self._number:
            with self._writing.begin() as conn:
                conn.execute(delete(writers).where(writers.c.writer == self._writer))


# Reading from a streaming replica, which is behind its primary by some milliseconds, or by an hour when it is stuck.

#: A replica that has replayed no transaction for so long may be cut off, or nobody writes: then the primary is idle.
MAX_REPLAY_AGE_S = 30
_IS_UP_TO_DATE = text(
    "SELECT pg_last_wal_replay_lsn() >= CAST(:needed AS pg_lsn) AND "
    "clock_timestamp() - pg_last_xact_replay_timestamp() < make_interval(secs => :age)"
)
_AGE = text(
    "SELECT CASE WHEN NOT pg_is_in_recovery() THEN NULL "
    "WHEN pg_last_wal_replay_lsn() >= CAST(:needed AS pg_lsn) THEN 0 "
    "ELSE greatest(0, extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())) END"
)


class _Replica:
    """Gives connections to a replica while it has all that this process wrote, and is not far behind."""

    def __init__(self, place: DatabaseLocation, primary: Engine, timeout_s: float) -> None:
        self._place, self._primary = place, primary
        self._reading, unused = create_engines(place, timeout_s)
        unused.dispose()
        self._has_written = True  # before it was opened, maybe
        self._needed = "0/0"
        self._is_reported = False

    def note_write(self) -> None:
        """Something may have been committed: the next read asks how far the primary is."""
        self._has_written = True

    def age(self) -> float | None:
        """As ``Ledger.replica_age``."""
        needed = self._primary_end()
        with translate_errors(str(self._place)), self._reading.connect() as conn:
            age = conn.execute(_AGE, {"needed": needed}).scalar_one()
        return None if age is None else float(age)

    def _primary_end(self) -> str:
        with self._primary.connect() as conn:
            return str(conn.execute(text("SELECT CAST(pg_current_wal_insert_lsn() AS text)")).scalar_one())

    def connect(self) -> Connection | None:
        """A connection, in no transaction yet; None where the primary is to be read. Close it."""
        if self._has_written:
            self._has_written = False  # before the question: what is written meanwhile is asked for again
            self._needed = self._primary_end()
        try:
            conn = self._reading.connect()
        except DBAPIError as error:
            self._report(error)
            return None
        try:
            # In a transaction of its own: the reader's snapshot is to be later than this answer.
            if conn.execute(_IS_UP_TO_DATE, {"needed": self._needed, "age": MAX_REPLAY_AGE_S}).scalar():
                conn.rollback()
                self._is_reported = False
                return conn
        except DBAPIError as error:
            self._report(error)
        conn.close()
        return None

    def _report(self, error: DBAPIError) -> None:
        if not self._is_reported:
            self._is_reported = True
            logger.warning(
                "The replica at %(place)s cannot be read; the primary is read instead: %(error)s",
                {"place": self._place, "error": str(error.orig).strip()},
            )

    def close(self) -> None:
        self._reading.dispose()
