"""The migrations build exactly the tables of the program, with the audit's triggers, also out of an egg."""

from __future__ import annotations

import logging
import os
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, inspect, text

import rori_spiders
from rori_spiders.exceptions import LedgerError
from rori_spiders.ledger import database_url, upgrades
from rori_spiders.ledger.database import Ledger, open_ledger, upgrade_ledger
from rori_spiders.ledger.tables import metadata

if TYPE_CHECKING:
    from sqlalchemy import Connection

_PACKAGE = Path(rori_spiders.__file__).parent


_TRIGGERS = {
    "sqlite": {
        *("audit_refuses_update", "audit_refuses_delete", "audit_refuses_replace"),
        *("fact_leaves_refuse_update", "fact_leaves_refuse_delete", "fact_leaves_refuse_replace"),
        *("log_heads_refuse_update", "log_heads_refuse_delete", "log_heads_refuse_replace"),
        *("runs_count_insert", "runs_count_update", "versions_count_insert"),
    },
    "postgresql": {
        *("audit_refuses_change", "audit_refuses_truncate"),
        *("fact_leaves_refuse_change", "fact_leaves_refuse_truncate"),
        *("log_heads_refuse_update", "log_heads_refuse_delete", "log_heads_refuse_truncate"),
        *("runs_count_insert", "runs_count_update", "versions_count_insert"),
    },
}


def _triggers(conn: Connection) -> set[str]:
    of = {
        "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
        "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled = 'O'",
    }
    return set(conn.execute(text(of[conn.dialect.name])).scalars())


def test_migrated_tables_equal_metadata(ledger: Ledger) -> None:
    with ledger.connect() as conn:
        context = MigrationContext.configure(conn, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, metadata) == []


def _conditions(conn: Connection) -> set[tuple[str, str]]:
    """Every CHECK and every condition of an index: what autogenerate does not compare."""
    found = inspect(conn)
    checks = {
        (str(one["name"]), one["sqltext"]) for name in metadata.tables for one in found.get_check_constraints(name)
    }
    indexes = [one for name in metadata.tables for one in found.get_indexes(name)]
    where = f"{conn.dialect.name}_where"
    return checks | {(str(one["name"]), str(one.get("dialect_options", {}).get(where))) for one in indexes}


def test_migrated_constraints_equal_metadata(ledger: Ledger, request: pytest.FixtureRequest) -> None:
    server = request.getfixturevalue("postgresql") if ledger.place.path is None else None
    created = create_engine(database_url.parse_database_url(server.empty()).url if server else "sqlite://")
    metadata.create_all(created)
    with ledger.connect() as one, created.connect() as other:
        assert _conditions(one) == _conditions(other)
    created.dispose()


def test_migration_of_every_version_preserves_triggers(ledger: Ledger) -> None:
    """A migration that rebuilds a table drops its triggers without a word."""
    with ledger.connect() as conn:
        assert _triggers(conn) == _TRIGGERS[conn.dialect.name]


def test_migration_versions_equal_those_of_alembic() -> None:
    config = Config()
    config.set_main_option("script_location", str(_PACKAGE / "ledger" / "migrations"))
    config.set_main_option("path_separator", "os")
    known = [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()]
    assert upgrades.known_revisions() == tuple(reversed(known))


def _dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as made:
        return list(made.iterdump())


def test_new_ledger_equals_what_migrations_make(path: Path, tmp_path: Path) -> None:
    open_ledger(str(path)).close()
    migrated = create_engine(f"sqlite:///{tmp_path / 'migrated.db'}")
    with migrated.begin() as conn:
        upgrades.run_migrations(conn, upgrades.known_revisions()[-1])
    migrated.dispose()
    assert _dump(path) == _dump(tmp_path / "migrated.db")


def test_new_ledger_script_is_of_a_late_version() -> None:
    """A ledger made by an early script runs the migrations since then. `python -m rori_spiders.ledger.upgrades`"""
    with closing(sqlite3.connect(":memory:")) as made:
        for statement in upgrades.new_ledger_statements():
            made.execute(statement)
        version = made.execute(f"SELECT version_num FROM {upgrades.VERSION_TABLE}").fetchone()[0]
    assert version in upgrades.known_revisions()[-5:]


def test_migrations_import_no_package_code() -> None:
    for script in (_PACKAGE / "ledger" / "migrations" / "versions").glob("0*.py"):
        assert "rori_spiders" not in script.read_text(encoding="utf-8")


def test_upgrade_reports_versions(path: Path) -> None:
    newest = upgrades.known_revisions()[-1]
    assert upgrade_ledger(str(path)) == (None, newest)
    assert upgrade_ledger(str(path)) == (newest, newest)
    open_ledger(str(path), migrate=False).close()


def test_upgrade_logs_nothing(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    open_ledger(str(path)).close()
    assert caplog.messages == []


def test_upgrade_that_fails_leaves_no_table(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def upgrade_half(conn: Connection) -> None:
        conn.execute(text("CREATE TABLE half (x INTEGER)"))
        raise LedgerError("the power went")

    with monkeypatch.context() as patch:
        patch.setattr(upgrades, "run_migrations", upgrade_half)
        with pytest.raises(LedgerError, match="the power went"):
            open_ledger(str(path))
    opened = open_ledger(str(path))
    with opened.connect() as conn:
        assert "half" not in inspect(conn).get_table_names()
    opened.close()


def test_upgrade_of_ledger_restored_without_wal_works(ledger: Ledger, path: Path, tmp_path: Path) -> None:
    """`VACUUM INTO`, the backup that docs/reference/ledger.md names, writes a file without a write-ahead log."""
    copy = tmp_path / "copy.db"
    ledger.close()
    subprocess.run([sys.executable, "-c", _BACKUP, str(path), str(copy)], check=True)
    restored = open_ledger(str(copy))
    with restored.connect() as conn:
        assert conn.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
    restored.close()


_BACKUP = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('VACUUM INTO ?', sys.argv[2:])"
_FROM_EGG = """
import sys, rori_spiders
assert rori_spiders.__file__.startswith(sys.argv[2]), rori_spiders.__file__
from rori_spiders.ledger.database import open_ledger
open_ledger(sys.argv[1]).close()
"""


@pytest.mark.slow
def test_migrations_run_from_egg(path: Path, tmp_path: Path) -> None:
    egg = tmp_path / "rori.egg"
    with zipfile.ZipFile(egg, "w") as packed:
        for file in _PACKAGE.rglob("*"):
            if file.suffix in {".py", ".mako", ".sql", ".txt"}:
                packed.write(file, file.relative_to(_PACKAGE.parent))
    environment = {**os.environ, "PYTHONPATH": str(egg), "TMPDIR": str(tmp_path)}
    subprocess.run(
        [sys.executable, "-c", _FROM_EGG, str(path), str(egg)], env=environment, cwd=tmp_path, check=True, timeout=60
    )
    open_ledger(str(path), migrate=False).close()
    assert not list(tmp_path.glob("rori-migrations-*"))
