"""Open the ledger: where it is, what version it has, one writer at a time, readers beside it.

``open_ledger(url)`` gives a ``Ledger``. Jobs use ``.write(function)`` and ``.read(function)``, which survive a restart
of the server; ``.begin()`` and ``.connect()`` do not. SQLite is brought to this program's version on the way;
PostgreSQL only by ``upgrade(url)``, which is what ``scrapy ledger upgrade`` calls.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from rori_spiders.exceptions import LedgerError
from rori_spiders.ledger import places, upgrades
from rori_spiders.ledger.connections import engines
from rori_spiders.ledger.faults import LOCKED, told
from rori_spiders.ledger.repeating import Repeating

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rori_spiders.ledger.places import Place

#: How long a writer waits for another one, seconds. The longest transaction is a batch of a few hundred rows.
BUSY_TIMEOUT_S = 30.0

_ANALYZE = "PRAGMA query_only = OFF; PRAGMA busy_timeout = 0; PRAGMA analysis_limit = 400; ANALYZE;"

T = TypeVar("T")


class Ledger:
    """An open ledger. Safe to use from several threads; close it when done."""

    def __init__(self, place: Place, timeout_s: float) -> None:
        self.place = place
        self._reading, self._writing = engines(place, timeout_s)
        self._repeating = None if place.is_sqlite else Repeating(self._reading, self._writing, timeout_s)
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
        with self._alone(), told(str(self.place)):
            return self._repeating.write(work)

    def read(self, work: Callable[[Connection], T]) -> T:
        """What *work* gave of one consistent state, as in ``connect``; called again as by ``write``."""
        if self._repeating is None:
            with self.connect() as conn:
                return work(conn)
        with told(str(self.place)):
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
            with told(str(self.place)), self._writing.begin() as conn:
                yield conn

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if not self._writer.acquire(timeout=self._timeout_s):
            raise LedgerError(f"The ledger at {self.place} {LOCKED}")
        try:
            yield
        finally:
            self._writer.release()

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """A connection that reads one consistent state, beside any writer, and cannot write. Keep it short."""
        self._still_there()
        with told(str(self.place)), self._reading.connect() as conn:
            yield conn

    def mark(self) -> object:
        """What is equal to another mark only if nobody has committed anything in between."""
        if self.place.path is not None:
            files = (self.place.path, self.place.path.with_name(f"{self.place.path.name}-wal"))
            return [(one.st_mtime_ns, one.st_size) for file in files if file.exists() for one in [file.stat()]]
        with self.connect() as conn:
            return conn.execute(text("SELECT CAST(pg_current_snapshot() AS text)")).scalar_one()

    def use_wal(self) -> None:
        """Give a SQLite file its write-ahead log, for good: readers then never wait for a writer."""
        with told(str(self.place)):
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
                raw.cursor().executescript(_ANALYZE)
            finally:
                raw.invalidate()  # its pragmas hold for nobody else

    def close(self) -> None:
        """Close all connections; SQLite then folds its write-ahead log into the file."""
        if self._repeating is not None:
            with suppress(SQLAlchemyError):  # a row that stays behind is removed by another writer, some day
                self._repeating.close()
            self._reading.dispose()
        self._writing.dispose()

    def _still_there(self) -> None:
        # SQLite would go on in a file that has lost its name: every row written to it would vanish with the process.
        now = self.place.file_id()
        if self._file not in (None, now):
            raise LedgerError(f"The ledger at {self.place} was removed or replaced while it was in use. Start again.")
        self._file = now


def open_ledger(url: str, *, migrate: bool = True, timeout_s: float = BUSY_TIMEOUT_S) -> Ledger:
    """The ledger at *url* (a database URL, or the absolute path of a SQLite file), of this program's version.

    With *migrate* (for jobs and commands that write) a SQLite file and its folder are made when missing, brought to
    this version, and tried for writing. Without, nothing is created or changed. Raises UsageError for a URL that
    cannot be one, LedgerError when the database is missing, locked, read-only, damaged, or of another version.
    """
    place = places.parse(url)
    place.check(create=migrate)
    ledger = Ledger(place, timeout_s)
    try:
        _at_this_version(ledger, migrate=migrate, timeout_s=timeout_s)
    except BaseException:
        ledger.close()
        raise
    return ledger


def upgrade(url: str, *, timeout_s: float = BUSY_TIMEOUT_S) -> tuple[str | None, str]:
    """Bring the ledger at *url* to this program's version, on any database; gives (version before, version now)."""
    place = places.parse(url)
    place.check(create=True)
    ledger = Ledger(place, timeout_s)
    try:
        before = _version(ledger)
        _upgrade(ledger, timeout_s)
    finally:
        ledger.close()
    return before, upgrades.revisions()[-1]


def _version(ledger: Ledger) -> str | None:
    """The version of the open database; LedgerError when it is newer than this program, or not a ledger."""
    try:
        with ledger.connect() as conn:
            version = upgrades.current(conn)
    except LedgerError as error:
        message = str(error)
        raise LedgerError(message if message[0].isupper() else f"The database at {ledger.place} {message}") from error
    known = upgrades.revisions()
    if version is not None and version not in known:
        raise LedgerError(
            f"The ledger at {ledger.place} is of version {version}, newer than this program, which knows up to"
            f" {known[-1]}. Install the newer program, or restore the backup made before the upgrade."
        )
    return version


def _at_this_version(ledger: Ledger, *, migrate: bool, timeout_s: float) -> None:
    version = _version(ledger)
    newest = upgrades.revisions()[-1]
    if ledger.place.is_sqlite and migrate:
        if version != newest or not _is_wal(ledger):
            _upgrade(ledger, timeout_s)
        with ledger.begin():
            pass  # says now, before the first request, when the ledger cannot be written
    elif version != newest:
        has = "has no tables yet" if version is None else f"is of the older version {version}"
        raise LedgerError(f"The ledger at {ledger.place} {has}. Run: scrapy ledger upgrade")


def _is_wal(ledger: Ledger) -> bool:
    with ledger.connect() as conn:
        return str(conn.exec_driver_sql("PRAGMA journal_mode").scalar()).lower() == "wal"


def _upgrade(ledger: Ledger, timeout_s: float) -> None:
    with ledger.place.lock(timeout_s):
        if ledger.place.is_sqlite:
            ledger.use_wal()
        with ledger.begin() as conn:
            if not ledger.place.is_sqlite:
                conn.execute(text("SELECT pg_advisory_xact_lock(hashtext('rori-ledger-upgrade'))"))
            # Another process may have done it while this one waited for the lock.
            if upgrades.current(conn) != upgrades.revisions()[-1]:
                upgrades.upgrade(conn)
