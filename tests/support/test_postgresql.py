"""The server gives ledgers that were emptied for new ones: only where nothing tells them apart."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import psycopg
import pytest

from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.operations.activity_log import record_action
from tests.support.postgresql import name_of

if TYPE_CHECKING:
    from tests.support.postgresql import Cluster


def _act(url: str) -> list[int]:
    """Record an action, and with it a fact, which no statement deletes; the numbers of all actions."""
    ledger = open_ledger(url)
    with ledger.begin() as conn:
        record_action(conn, now=datetime.now(UTC), actor="olga", action="pause", target="a")
    ledger.close()
    with psycopg.connect(url) as conn:
        return [number for (number,) in conn.execute("SELECT action_id FROM actions").fetchall()]


def test_ledger_emptied_is_given_again_as_new(postgresql: Cluster) -> None:
    postgresql.drop_made()
    first = postgresql.ledger()
    oid = "SELECT oid FROM pg_database WHERE datname = current_database()"
    before = postgresql.sql(oid, database=name_of(first))
    assert _act(first) == [1]
    stays = psycopg.connect(first)
    postgresql.drop_made()
    with pytest.raises(psycopg.OperationalError):
        stays.execute("SELECT 1")
    second = postgresql.ledger()
    assert second != first and postgresql.sql(oid, database=name_of(second)) == before
    assert _act(second) == [1]
    with pytest.raises(psycopg.OperationalError, match="does not exist"):
        psycopg.connect(first)


def test_ledger_changed_is_not_given_again(postgresql: Cluster) -> None:
    changes = (
        "ALTER DATABASE {0} SET default_transaction_read_only = on",
        "ALTER TABLE runs DISABLE TRIGGER ALL",
        "ALTER TABLE runs ALTER COLUMN state DROP NOT NULL",
        "ALTER TABLE runs ADD COLUMN more int",
        "CREATE INDEX more ON runs (state)",
        "CREATE TABLE more (id int)",
        "ALTER TABLE runs ENABLE ROW LEVEL SECURITY",
        "CREATE RULE more AS ON DELETE TO runs DO INSTEAD NOTHING",
        "CREATE FUNCTION more() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE SCHEMA more",
        "DROP TABLE alembic_version",
        "GRANT SELECT ON runs TO public",
        "UPDATE alembic_version SET version_num = 'later'",
    )
    names = [name_of(postgresql.ledger()) for _ in changes]
    for name, change in zip(names, changes, strict=True):
        postgresql.sql(change.format(name), database=name)
    postgresql.drop_made()
    left = {name for (name,) in postgresql.sql("SELECT datname FROM pg_database")}
    assert [change for name, change in zip(names, changes, strict=True) if name in left] == []
