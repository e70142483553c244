"""What SQLite's planner knows of the ledger's tables is renewed by each job, and nobody waits for it."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from sqlalchemy import text

from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.database import open_ledger
from tests.ledger.factories import RUN, a_row, a_run

if TYPE_CHECKING:
    from pathlib import Path

    from rori_spiders.ledger.database import Ledger


def filled(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        a_run(conn, RUN)
        audit_log.append_rows(conn, [a_row(str(number)) for number in range(50)])


def known(path: Path) -> dict[str, str]:
    """Index -> what the planner knows of it: rows, then rows for each value; empty before the first time."""
    with closing(open_ledger(str(path))) as ledger, ledger.connect() as conn:
        if conn.execute(text("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_stat1'")).first() is None:
            return {}
        return {
            row.idx: row.stat for row in conn.execute(text("SELECT idx, stat FROM sqlite_stat1 WHERE tbl = 'audit'"))
        }


def test_analyze_gives_planner_statistics_of_tables(ledger: Ledger) -> None:
    """On PostgreSQL nothing happens."""
    filled(ledger)
    ledger.analyze()
    with ledger.begin() as conn:  # and goes on
        assert conn.execute(text("SELECT count(*) FROM audit")).scalar_one() == 50


def test_analyze_renews_statistics_each_time(path: Path) -> None:
    with closing(open_ledger(str(path))) as ledger:
        assert known(path) == {}
        filled(ledger)
        ledger.analyze()
        assert known(path)["ix_audit_source_time"].startswith("50 50 ")
        with ledger.begin() as conn:
            audit_log.append_rows(conn, [a_row(f"more-{number}") for number in range(10)])
        ledger.analyze()
        assert known(path)["ix_audit_source_time"].startswith("60 60 ")


def test_analyze_waits_for_nothing_and_never_fails(path: Path) -> None:
    with closing(open_ledger(str(path))) as ledger, closing(open_ledger(str(path))) as other:
        filled(ledger)
        with other.begin():
            ledger.analyze()  # would wait for 30 s
        assert known(path) == {}
        with ledger.begin() as conn:
            audit_log.append_row(conn, a_row("later"))
    path.unlink()
    with closing(open_ledger(str(path))) as ledger:
        path.rename(path.with_suffix(".old"))
        ledger.analyze()
    assert not path.exists()
