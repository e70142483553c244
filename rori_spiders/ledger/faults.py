"""Errors of the database, said in sentences for a person: what happened, where, what to do. No password in any."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError, IntegrityError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from rori_spiders.exceptions import LedgerError

if TYPE_CHECKING:
    from collections.abc import Iterator

LOCKED = "is locked: another process is writing to it. Wait until that job has ended, or stop it, and try again."

# By SQLite's primary result code, whose names are stable; its English messages are not.
SENTENCES = {
    "BUSY": LOCKED,
    "LOCKED": LOCKED,
    "READONLY": "cannot be written: the file or its folder is read-only. Give this user the right to write there.",
    "FULL": "cannot grow: the disk is full. Free some space; nothing that was committed is lost.",
    "IOERR": "cannot be read or written: the disk reports an error. Look at the system's log, and check the disk.",
    "CORRUPT": "is damaged. Restore it from a backup (docs/ledger.md, 'Backup and restore').",
    "NOTADB": "is not a database. Move that file away, or name another one in RORI_DATABASE_URL.",
    "CANTOPEN": "cannot be opened. Check that its folder exists and that this user may read and write there.",
    "PERM": "may not be opened by this user. Give this user the right to read and write it.",
    "AUTH": "may not be opened by this user. Give this user the right to read and write it.",
    "NOLFS": "cannot grow: the file system has no room for a larger file. Move it to another disk.",
}


@contextmanager
def told(place: str) -> Iterator[None]:
    """Within it, an error of the database itself becomes a LedgerError that names *place*.

    A broken rule (IntegrityError) or a wrong statement is the program's affair and passes as it is.
    """
    try:
        yield
    except (IntegrityError, ProgrammingError):
        raise
    except (DBAPIError, sqlite3.Error) as error:
        sentence = _sentence(error)
        if sentence is None:
            raise
        raise LedgerError(f"The ledger at {place} {sentence}") from error
    except PoolTimeout as error:
        raise LedgerError(f"The ledger at {place} has no free connection: too many readers at once.") from error


def _sentence(error: DBAPIError | sqlite3.Error) -> str | None:
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, sqlite3.Error):
        name = getattr(cause, "sqlite_errorname", None) or ""
        return SENTENCES.get(name.removeprefix("SQLITE_").split("_")[0])
    if isinstance(error, DBAPIError) and type(cause).__name__ == "OperationalError":
        return f"cannot be reached: {_first_line(cause)}. Check that the server runs and lets this user in."
    return None


def _first_line(cause: BaseException | None) -> str:
    return next(iter(str(cause).strip().splitlines()), "no answer").rstrip(".")
