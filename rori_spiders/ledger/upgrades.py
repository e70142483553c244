"""Bring a ledger's tables to this program's version: which versions there are, which one a database has, the upgrade.

Alembic does the work, on a connection and in a transaction that the caller owns. A new SQLite ledger is made by one
script of what the migrations make: it takes 20 ms, where they take 400 with the import of Alembic.
``python -m rori_spiders.ledger.upgrades`` writes the script anew.
"""

import logging
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Connection, create_engine, inspect, text

from rori_spiders.exceptions import LedgerError

#: Alembic's own table; its one row names the version.
VERSION_TABLE = "alembic_version"
# Alembic keeps the running migration in a variable of its module: one at a time in a process.
_migration_lock = threading.Lock()
#: What the migrations make of an empty SQLite database, as statements, the version in `VERSION_TABLE` among them.
NEW_LEDGER_SCRIPT = "new_ledger.sql"


def _migration_scripts() -> Traversable:
    return files("rori_spiders.ledger") / "migrations"


@cache
def known_revisions() -> tuple[str, ...]:
    """The versions that this program knows, oldest first."""
    names = (entry.name for entry in (_migration_scripts() / "versions").iterdir())
    return tuple(sorted(name.split("_")[0] for name in names if name[:4].isdigit() and name.endswith(".py")))


def current_revision(conn: Connection) -> str | None:
    """The version of the database behind *conn*; None when it has no tables yet.

    Raises LedgerError (without the place, which the caller knows) for a database of something else.
    """
    tables = set(inspect(conn).get_table_names())
    if VERSION_TABLE in tables:
        version = conn.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()  # noqa: S608  a constant
        if version is not None:
            return str(version)
    if tables - {VERSION_TABLE}:
        raise LedgerError("holds tables of another program. Name another database in RORI_DATABASE_URL.")
    return None


def run_migrations(conn: Connection, to: str = "head") -> None:
    """Run what migrations are missing, up to version *to*, in the transaction of *conn*: all of them or none."""
    if to == "head" and conn.dialect.name == "sqlite" and not inspect(conn).get_table_names():
        for statement in new_ledger_statements():
            conn.exec_driver_sql(statement)
        if current_revision(conn) == known_revisions()[-1]:
            return
    with _migration_lock, _scripts_folder() as folder, _alembic_silenced():
        from alembic import command  # it tells of its plug-ins when it is imported
        from alembic.config import Config

        config = Config()
        config.set_main_option("script_location", str(folder).replace("%", "%%"))
        config.set_main_option("path_separator", "os")
        config.attributes["connection"] = conn
        command.upgrade(config, to)


def new_ledger_statements() -> list[str]:
    """The statements of `NEW_LEDGER_SCRIPT`."""
    statements = [""]
    for line in (_migration_scripts() / NEW_LEDGER_SCRIPT).read_text("utf-8").splitlines(keepends=True):
        statements[-1] += line
        if sqlite3.complete_statement(statements[-1]):
            statements.append("")
    return [one.strip() for one in statements if one.strip()]


def render_new_ledger_script() -> str:
    """`NEW_LEDGER_SCRIPT`, as the migrations make it now."""
    engine = create_engine("sqlite://")
    with engine.begin() as conn:
        newest = known_revisions()[-1]
        run_migrations(conn, newest)  # by its number: without the script
        made = conn.connection.driver_connection
        assert isinstance(made, sqlite3.Connection)
        script = [one for one in made.iterdump() if one not in {"BEGIN TRANSACTION;", "COMMIT;"}]
    engine.dispose()
    return "\n".join(script) + "\n"


@contextmanager
def _scripts_folder() -> Iterator[Path]:
    """The scripts as real files: Alembic reads a folder, and the package may lie in an egg."""
    scripts = _migration_scripts()
    if isinstance(scripts, Path):
        yield scripts
        return
    with TemporaryDirectory(prefix="rori-migrations-") as name:
        _copy_scripts(scripts, Path(name))
        yield Path(name)


def _copy_scripts(scripts: Traversable, folder: Path) -> None:
    for entry in scripts.iterdir():
        if entry.is_dir():
            (folder / entry.name).mkdir()
            _copy_scripts(entry, folder / entry.name)
        elif entry.name.endswith((".py", ".mako")):
            (folder / entry.name).write_bytes(entry.read_bytes())


@contextmanager
def _alembic_silenced() -> Iterator[None]:
    """Alembic tells its steps at level INFO, into whatever log a crawl has."""
    logger = logging.getLogger("alembic")
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)


if __name__ == "__main__":
    (Path(__file__).parent / "migrations" / NEW_LEDGER_SCRIPT).write_text(render_new_ledger_script(), encoding="utf-8")
