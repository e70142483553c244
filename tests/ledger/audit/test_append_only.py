"""The audit refuses every change, by every road, also from a connection that knows nothing of this program (SQLite)."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest
from sqlalchemy.exc import IntegrityError

from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.tables import audit as table
from tests.ledger.factories import RUN, a_row

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rori_spiders.ledger.database import Ledger

_ALL = ", ".join(column.name for column in table.columns)
_OTHERS = ", ".join(column.name for column in table.columns if column.name != "audit_id")

#: Every statement by which SQLite can change or remove a row that is there.
_ROADS = {
    "update": "UPDATE audit SET http_status = 404",
    "update of one": "UPDATE audit SET http_status = 404 WHERE audit_id = 1",
    "update or replace": "UPDATE OR REPLACE audit SET seq = 2 WHERE seq = 1",
    "update or ignore": "UPDATE OR IGNORE audit SET http_status = 404",
    "update of the key": "UPDATE audit SET audit_id = 100 WHERE audit_id = 1",
    "update by rowid": "UPDATE audit SET url = 'https://a.gov/' WHERE rowid = 1",
    "delete": "DELETE FROM audit WHERE audit_id = 1",
    "delete of all": "DELETE FROM audit",
    "replace by key": f"REPLACE INTO audit SELECT {_ALL} FROM audit WHERE audit_id = 1",
    "insert or replace by key": f"INSERT OR REPLACE INTO audit SELECT {_ALL} FROM audit WHERE audit_id = 1",
    "replace by run and seq": f"REPLACE INTO audit ({_OTHERS}) SELECT {_OTHERS} FROM audit WHERE seq = 1",
    "upsert": f"INSERT INTO audit SELECT {_ALL} FROM audit WHERE true ON CONFLICT DO UPDATE SET http_status = 404",
}


@pytest.fixture
def written(ledger: Ledger, run_id: str) -> Ledger:
    with ledger.begin() as conn:
        audit_log.append_rows(conn, [a_row("5"), a_row("6"), a_row("7")])
    return ledger


@pytest.fixture
def stranger(written: Ledger, path: Path) -> Iterator[sqlite3.Connection]:
    """A plain connection, without our pragmas."""
    conn = sqlite3.connect(path, isolation_level=None)
    yield conn
    conn.close()


def _rows(conn: sqlite3.Connection) -> list[tuple[object, ...]]:
    return conn.execute(f"SELECT {_ALL} FROM audit ORDER BY audit_id").fetchall()


@pytest.mark.parametrize("road", _ROADS)
@pytest.mark.parametrize("recursive", [False, True])
def test_audit_cannot_be_changed_by_other_programs(stranger: sqlite3.Connection, road: str, *, recursive: bool) -> None:
    stranger.execute(f"PRAGMA recursive_triggers = {recursive}")
    before = _rows(stranger)
    with pytest.raises(sqlite3.IntegrityError, match="the audit is append-only"):
        stranger.execute(_ROADS[road])
    assert _rows(stranger) == before
    assert len(before) == 3


@pytest.mark.parametrize("road", _ROADS)
@pytest.mark.parametrize("dialect", ["sqlite"])
def test_this_program_cannot_change_it(written: Ledger, road: str) -> None:
    with pytest.raises(IntegrityError, match="the audit is append-only"), written.begin() as conn:
        conn.exec_driver_sql(_ROADS[road])
    with written.connect() as conn:
        assert audit_log.verify_chain(conn, RUN) == []


def test_run_with_audit_rows_cannot_be_removed(written: Ledger) -> None:
    with pytest.raises(IntegrityError, match=r"(?i)foreign key"), written.begin() as conn:
        conn.exec_driver_sql("DELETE FROM runs")


def test_row_added_by_other_program_shows_in_log(stranger: sqlite3.Connection, written: Ledger) -> None:
    names = [column.name for column in table.columns if column.name not in {"audit_id", "seq"}]
    others = ", ".join(names)
    stranger.execute(f"INSERT INTO audit (seq, {others}) SELECT 4, {others} FROM audit WHERE seq = 3")
    with written.connect() as conn:
        problems = audit_log.verify_chain(conn, RUN)
    assert len(problems) == 1
    assert "row 4" in problems[0]
