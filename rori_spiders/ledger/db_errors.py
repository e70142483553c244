"""Errors of the database, said in sentences for a person: what happened, where, what to do. No password in any."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from rori_spiders.exceptions import LedgerError

LOCKED_SENTENCE = (
    "is locked: another process is writing to it. Wait until that job has ended, or stop it, and try again."
)

# By SQLite's primary result code, whose names are stable; its English messages are not.
SQLITE_SENTENCES = {
    "BUSY": LOCKED_SENTENCE,
    "LOCKED": LOCKED_SENTENCE,
    "READONLY": "cannot be written: the file or its folder is read-only. Give this user the right to write there.",
    "FULL": "cannot grow: the disk is full. Free some space; nothing that was committed is lost.",
    "IOERR": "cannot be read or written: the disk reports an error. If it is not full, look at the system's log.",
    "CORRUPT": "is damaged. Restore it from a backup (docs/reference/ledger.md, 'Backup and restore').",
    "NOTADB": "is not a database. Move that file away, or name another one in RORI_DATABASE_URL.",
    "CANTOPEN": "cannot be opened. Check that its folder exists and that this user may read and write there.",
    "PERM": "may not be opened by this user. Give this user the right to read and write it.",
    "AUTH": "may not be opened by this user. Give this user the right to read and write it.",
    "NOLFS": "cannot grow: the file system has no room for a larger file. Move it to another disk.",
}

#: By PostgreSQL's SQLSTATE, or its class of two characters; the server's own text may be in any language.
POSTGRESQL_SENTENCES = {
    "25006": (
        "cannot be written: the server gives it read-only. Name the primary server in RORI_DATABASE_URL, not a standby;"
        " else have an administrator look at default_transaction_read_only."
    ),
    "42501": (
        "may not be used by this role. Give it the rights that docs/reference/ledger.md names (PostgreSQL),"
        " or name another role in RORI_DATABASE_URL."
    ),
    "40": "was locked by another job at the same moment. Nothing of this was written; try again.",
    "53100": SQLITE_SENTENCES["FULL"],
    "53300": "has no free connection: its server takes no more. Raise its max_connections, or start fewer jobs.",
    "53": "has not enough resources on its server. Look at the server's log.",
    "55P03": LOCKED_SENTENCE,
    "57014": "took longer than the server allows. Raise its statement_timeout for this role.",
    "58": SQLITE_SENTENCES["IOERR"],
    "XX001": SQLITE_SENTENCES["CORRUPT"],
    "XX002": SQLITE_SENTENCES["CORRUPT"],
}

#: The server ends, or is not ready yet; the connection broke; it was idle in a transaction; no connection is free.
_LOST_STATES = {"57P01", "57P02", "57P03", "25P03", "53300"}


def is_connection_lost(error: DBAPIError) -> bool:
    """Whether the connection to a PostgreSQL server is lost, or could not be made."""
    state = _sql_state(error)
    if error.connection_invalidated or state in _LOST_STATES or state[:2] == "08":
        return True
    return not state and isinstance(error, OperationalError)  # no server said it


def is_retryable(error: DBAPIError) -> bool:
    """Whether the same transaction may go through when it is begun again: also after a deadlock."""
    return is_connection_lost(error) or _sql_state(error)[:2] == "40"


def _sql_state(error: DBAPIError) -> str:
    return getattr(error.orig, "sqlstate", None) or ""


@contextmanager
def translate_errors(place: str) -> Iterator[None]:
    """Within it, an error of the database itself becomes a LedgerError that names *place*.

    A broken rule (IntegrityError) or a wrong statement is the program's affair and passes as it is.
    """
    try:
        yield
    except IntegrityError:
        raise
    except (DBAPIError, sqlite3.Error) as error:
        sentence = _error_sentence(error)
        if sentence is None:
            raise
        raise LedgerError(f"The ledger at {place} {sentence}") from error
    except PoolTimeout as error:
        raise LedgerError(f"The ledger at {place} has no free connection: too many readers at once.") from error


def _error_sentence(error: DBAPIError | sqlite3.Error) -> str | None:
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, sqlite3.Error):
        name = getattr(cause, "sqlite_errorname", None) or ""
        return SQLITE_SENTENCES.get(name.removeprefix("SQLITE_").split("_")[0])
    state = _sql_state(error) if isinstance(error, DBAPIError) else ""
    if sentence := POSTGRESQL_SENTENCES.get(state) or POSTGRESQL_SENTENCES.get(state[:2]):
        return sentence
    if isinstance(error, DBAPIError) and is_connection_lost(error):
        return f"cannot be reached: {_first_line(cause)}. Check that the server runs and lets this user in."
    return None


def _first_line(cause: BaseException | None) -> str:
    return next(iter(str(cause).strip().splitlines()), "no answer").rstrip(".")
