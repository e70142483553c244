"""One consistent copy of a ledger in a file, while others write: SQLite's backup interface, PostgreSQL's programs.

In: a place of a ledger, and a file. Out: the file, and the number of rows of each table in it. Any version of the
ledger can be copied: a backup is made before an upgrade, too. Sessions of the monitor are left out.
"""

import os
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import Connection, column, func, inspect, select, table, text

from rori_spiders.exceptions import LedgerError
from rori_spiders.ledger.database import Ledger
from rori_spiders.ledger.database_url import DatabaseLocation

#: Who has a copy must not be able to go on as somebody who is signed in.
LEFT_OUT = "sessions"
#: Between two of them the progress is shown: 16 MB.
_PAGES_TOGETHER = 4_096
_CLIENT_PROGRAMS = "Install PostgreSQL's client programs (Debian: apt-get install postgresql-client), of its version."


def count_rows(conn: Connection) -> dict[str, int]:
    """The rows of each table that a copy holds."""
    names = [name for name in sorted(inspect(conn).get_table_names()) if name != LEFT_OUT]
    return {
        name: conn.execute(select(func.count()).select_from(table(name, column("*")))).scalar_one() for name in names
    }


@contextmanager
def open_any_version(place: DatabaseLocation, timeout_s: float = 30.0) -> Iterator[Ledger]:
    """The ledger at *place*, of whatever version, for reading."""
    place.check(create=False)
    with Ledger(place, timeout_s) as ledger:
        yield ledger


def copy_sqlite(source: Path, target: Path, report: Callable[[float], None], *, mode: int = 0o600) -> None:
    """Write the ledger at *source* as it is now to *target*, a new file; *report* gets the share that is done.

    One read transaction holds from the first page to the last: nobody who writes meanwhile waits, or has it begin anew.
    """
    try:
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
        with closing(sqlite3.connect(f"{source.as_uri()}?mode=ro", uri=True, isolation_level=None)) as reading:
            reading.execute("PRAGMA busy_timeout = 30000")
            reading.execute("BEGIN")
            reading.execute("SELECT 1 FROM sqlite_master").fetchone()
            with closing(sqlite3.connect(target, isolation_level=None)) as copy:
                reading.backup(
                    copy,
                    pages=_PAGES_TOGETHER,
                    progress=lambda _, remaining, total: report(1 - remaining / max(total, 1)),
                )
                # One file, without a log beside it, and nothing of a session in its free pages.
                copy.execute("PRAGMA journal_mode = DELETE")
                copy.execute("PRAGMA secure_delete = ON")
                if copy.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (LEFT_OUT,)).fetchone():
                    copy.execute(f"DELETE FROM {LEFT_OUT}")  # noqa: S608  # a name of ours
    except (OSError, sqlite3.Error) as error:
        raise LedgerError(f"The ledger at {source} could not be copied to {target}: {error}.") from error


def check_sqlite(path: Path) -> None:
    """Raise LedgerError when SQLite finds the file damaged."""
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as conn:
            found = [row[0] for row in conn.execute("PRAGMA integrity_check(3)")]
    except sqlite3.Error as error:
        raise LedgerError(f"{path} cannot be read: {error}.") from error
    if found != ["ok"]:
        raise LedgerError(f"{path} is damaged: {found[0]}.")


def dump_postgresql(place: DatabaseLocation, conn: Connection, target: Path) -> None:
    """Write what *conn*, a transaction of the ledger at *place*, sees to *target*, in the form of ``pg_restore``."""
    snapshot = conn.execute(text("SELECT pg_export_snapshot()")).scalar_one()
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    _run_program(
        place, "pg_dump", "--format=custom", f"--exclude-table-data={LEFT_OUT}", f"--snapshot={snapshot}",
        f"--file={target}",
    )  # fmt: skip


def restore_postgresql(place: DatabaseLocation, source: Path) -> None:
    """Put the tables of *source* into the empty database at *place*: all of them or, after an error, none."""
    _run_program(
        place, "pg_restore", "--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error", str(source)
    )


def _run_program(place: DatabaseLocation, program: str, *arguments: str) -> None:
    """Run one of PostgreSQL's programs on the database at *place*. Its password is in no list of processes."""
    query = dict(place.url.query)
    password = place.url.password or query.pop("password", None)
    url = place.url.set(drivername="postgresql", query=query)._replace(password=None)  # `set` leaves it for None
    environment = {**os.environ, **({"PGPASSWORD": str(password)} if password else {})}
    command = [program, "--no-password", f"--dbname={url.render_as_string()}", *arguments]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
    except FileNotFoundError as error:
        raise LedgerError(f"{program} was not found. {_CLIENT_PROGRAMS}") from error
    if done.returncode:
        first = next(iter(done.stderr.strip().splitlines()), f"exit code {done.returncode}")
        hint = f" {_CLIENT_PROGRAMS}" if "version mismatch" in done.stderr else ""
        raise LedgerError(f"{program} failed on {place}: {first}.{hint}")
