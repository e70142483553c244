"""Bring a ledger's tables to this program's version: which versions there are, which one a database has, the upgrade.

Alembic does the work, on a connection and in a transaction that the caller owns.
"""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from sqlalchemy import inspect, text

from rori_spiders.exceptions import LedgerError
from rori_spiders.ledger.tables import metadata

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

    from sqlalchemy import Connection

#: Triggers with what they do, and whether they do it.
_TRIGGERS_SQL = {
    "sqlite": "SELECT name, replace(sql, '\"', '') FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": (
        "SELECT tgname, concat_ws(' ', c.relname, tgenabled, tgtype, tgattr, tgqual, p.prosrc) "
        "FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid JOIN pg_class c ON c.oid = t.tgrelid "
        "WHERE NOT tgisinternal AND c.relnamespace = CAST(current_schema() AS regnamespace)"
    ),
}
#: Their names, with the first 16 digits of the SHA-256 of that.
_SQLITE_TRIGGERS = {
    "audit_refuses_delete": "c8dc130cc621b963",
    "audit_refuses_replace": "ff806a1beeaedff6",
    "audit_refuses_update": "34e8be9d01db1214",
    "fact_leaves_refuse_delete": "958b805ccd39032b",
    "fact_leaves_refuse_replace": "b424198e024cb5ef",
    "fact_leaves_refuse_update": "f49e3b01f861d1b3",
    "log_heads_refuse_delete": "eef68c337fedc8fd",
    "log_heads_refuse_replace": "fbd9f4f758c07e66",
    "log_heads_refuse_update": "c9e3478eb0ebc9ac",
}
_POSTGRESQL_TRIGGERS = {
    "audit_refuses_change": "5a2fc2efb004194a",
    "audit_refuses_truncate": "b70362779d6902ea",
    "fact_leaves_refuse_change": "479a81428ee9c98a",
    "fact_leaves_refuse_truncate": "647c84e11625587e",
    "log_heads_refuse_delete": "a37811e2a4f041df",
    "log_heads_refuse_truncate": "a096cc3c80754714",
    "log_heads_refuse_update": "fb1fbc6221d072e4",
}
#: Alembic's own table; its one row names the version.
VERSION_TABLE = "alembic_version"
# Alembic keeps the running migration in a variable of its module: one at a time in a process.
_migration_lock = threading.Lock()


def _migration_scripts() -> Traversable:
    return files("rori_spiders.ledger") / "migrations"


def known_revisions() -> list[str]:
    """The versions that this program knows, oldest first."""
    names = (entry.name for entry in (_migration_scripts() / "versions").iterdir())
    return sorted(name.split("_")[0] for name in names if name[:4].isdigit() and name.endswith(".py"))


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


def find_schema_differences(conn: Connection) -> list[str]:
    """What the tables of the ledger and their triggers are otherwise than the migrations made them, in words.

    A trigger could change rows before they become facts; without those of ours, rows could be changed unnoticed.
    """
    tables = set(inspect(conn).get_table_names())
    found = [f"{name} is no table" for name in sorted(set(metadata.tables) - tables)]
    is_sqlite = conn.dialect.name == "sqlite"
    made = {name: str(body) for name, body in conn.execute(text(_TRIGGERS_SQL[conn.dialect.name]))}
    expected = _SQLITE_TRIGGERS if is_sqlite else _POSTGRESQL_TRIGGERS
    for name in sorted(made.keys() | expected):
        if name not in made:
            found.append(f"the trigger {name} is missing")
        elif name not in expected:
            found.append(f"{name} is a trigger of somebody else")
        elif sha256(made[name].encode()).hexdigest()[:16] != expected[name]:
            found.append(f"the trigger {name} was replaced or disabled")
    return found


def run_migrations(conn: Connection, to: str = "head") -> None:
    """Run what migrations are missing, up to version *to*, in the transaction of *conn*: all of them or none."""
    with _migration_lock, _scripts_folder() as folder, _alembic_silenced():
        from alembic import command  # it tells of its plug-ins when it is imported
        from alembic.config import Config

        config = Config()
        config.set_main_option("script_location", str(folder).replace("%", "%%"))
        config.set_main_option("path_separator", "os")
        config.attributes["connection"] = conn
        command.upgrade(config, to)


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
