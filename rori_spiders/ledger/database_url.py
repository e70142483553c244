"""The ledger's URL: parsing and checks, its name without a password, the lock beside a SQLite file."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from rori_spiders.exceptions import LedgerError, UsageError
from rori_spiders.ledger.db_errors import LOCKED_SENTENCE

_POSTGRESQL = ("postgresql", "postgres", "postgresql+psycopg")
_LOCK_POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class DatabaseLocation:
    """A database: ``path`` is its file, None on PostgreSQL. Its text is for messages and holds no password.

    ``is_pooled``: transactions of one connection go to different sessions of the server.
    """

    url: URL
    path: Path | None
    is_pooled: bool = False

    @property
    def is_sqlite(self) -> bool:
        return self.path is not None

    def __str__(self) -> str:
        if self.path:
            return str(self.path)
        # Without the query: a password may stand there too.
        return self.url.set(drivername="postgresql", query={}).render_as_string(hide_password=True)

    def file_id(self) -> tuple[int, int] | None:
        """Device and inode of the file: what tells it from another one of the same name."""
        try:
            status = self.path.stat() if self.path else None
        except OSError:
            return None
        return (status.st_dev, status.st_ino) if status else None

    def check(self, *, create: bool) -> None:
        """Raise LedgerError unless a SQLite file is, or with *create* can be, at its path."""
        if self.path is None:
            return
        try:
            self._look(self.path, create=create)
        except OSError as error:
            raise LedgerError(
                f"The ledger's folder {self.path.parent} cannot be created or opened: {error.strerror}. Give this "
                "user permission, or set RORI_DATABASE_URL to another location."
            ) from error

    @staticmethod
    def _look(path: Path, *, create: bool) -> None:
        if path.is_dir():
            raise LedgerError(f"The ledger's path {path} is a folder. Name a file in RORI_DATABASE_URL.")
        if not path.exists():
            if not create:
                raise LedgerError(f"No ledger at {path} yet. The first `scrapy collect` creates it.")
            path.parent.mkdir(mode=0o770, parents=True, exist_ok=True)

    @contextmanager
    def lock(self, timeout_s: float) -> Iterator[None]:
        """Hold the file ``<path>.lock``, which only upgrades take. On PostgreSQL the transaction locks instead."""
        if self.path is None:
            yield
            return
        lock_path = self.path.with_name(self.path.name + ".lock")
        try:
            handle = os.open(lock_path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o660)
        except OSError as error:
            raise LedgerError(
                f"The ledger's folder {self.path.parent} cannot be written: {error.strerror}. Give this user "
                "write permission."
            ) from error
        try:
            if not _wait_for_lock(handle, timeout_s):
                raise LedgerError(f"The ledger at {self.path} {LOCKED_SENTENCE}")
            yield
        finally:
            os.close(handle)  # frees the lock; the file stays, so that nobody locks one that has lost its name


def _wait_for_lock(handle: int, timeout_s: float) -> bool:
    for _ in range(max(1, int(timeout_s / _LOCK_POLL_S))):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_LOCK_POLL_S)
        else:
            return True
    return False


def parse_database_url(url: str) -> DatabaseLocation:
    """The place that *url* names: ``sqlite:////absolute/path``, an absolute path, or ``postgresql://...``.

    Raises UsageError for anything else; a relative path too, which would be another ledger in every folder.
    """
    if "://" not in url:
        return _parse_sqlite_path(url)
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as error:
        # The text is not repeated: it may hold a password in a place where no one expects it.
        raise UsageError("RORI_DATABASE_URL is not a database URL. Example: postgresql://user@host/rori") from error
    if parsed.drivername in ("sqlite", "sqlite+pysqlite"):
        return _parse_sqlite_path(parsed.database or "")
    if parsed.drivername in _POSTGRESQL:
        if find_spec("psycopg") is None:
            raise LedgerError("A ledger on PostgreSQL needs its driver. Run: pip install 'rori-collector[postgres]'")
        pooled = parsed.query.get("pgbouncer")
        if pooled not in {None, "transaction"}:
            raise UsageError("RORI_DATABASE_URL: `pgbouncer` is `transaction`, or not there")
        url_of_driver = parsed.set(drivername="postgresql+psycopg").difference_update_query(["pgbouncer"])
        return DatabaseLocation(url_of_driver, None, is_pooled=pooled is not None)
    raise UsageError(f"RORI_DATABASE_URL: {parsed.drivername} is not supported; use a SQLite file or postgresql://")


def _parse_sqlite_path(name: str) -> DatabaseLocation:
    path = Path(name).expanduser()
    if "\0" in name or not path.is_absolute():
        raise UsageError(f"RORI_DATABASE_URL needs the absolute path of a SQLite file, not {name!r}")
    return DatabaseLocation(URL.create("sqlite", database=str(path)), path)
