"""Opening a ledger: what is made, what is refused, and in which words."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import make_url, select, text
from sqlalchemy.exc import IntegrityError

from rori_spiders.exceptions import LedgerError, UsageError
from rori_spiders.ledger.database import Ledger, open_ledger, upgrade_ledger
from rori_spiders.ledger.database_url import DatabaseLocation
from rori_spiders.ledger.tables import run_urls, runs
from tests.ledger.factories import OTHER_RUN, RUN, a_run
from tests.support.cases import cases

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection


def test_ledger_missing_folder_is_created(tmp_path: Path) -> None:
    path = tmp_path / "collect" / "here" / "ledger.db"
    open_ledger(str(path)).close()
    assert path.is_file()


def test_ledger_url_and_path_are_same_place(path: Path) -> None:
    open_ledger(f"sqlite:///{path}").close()
    open_ledger(str(path), migrate=False).close()


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_ledger_pragmas_hold_on_every_connection(ledger: Ledger) -> None:
    wanted = {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "recursive_triggers": 1,
        "busy_timeout": 30000,
    }
    with ledger.connect() as one, ledger.connect() as two, ledger.begin() as three:
        for conn in (one, two, three):
            assert {name: conn.exec_driver_sql(f"PRAGMA {name}").scalar() for name in wanted} == wanted


def test_ledger_rows_remain_after_reopening(ledger: Ledger, path: Path) -> None:
    with ledger.begin() as conn:
        a_run(conn, RUN)
    ledger.close()
    again = open_ledger(str(path))
    with again.connect() as conn:
        assert conn.execute(select(runs.c.run_id)).scalars().all() == [RUN]
    again.close()


def test_ledger_error_in_transaction_rolls_back(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        a_run(conn, OTHER_RUN, source_id="reg-z")
    with pytest.raises(IntegrityError), ledger.begin() as conn:
        _count_and_fail(conn)
    with ledger.connect() as conn:
        assert conn.execute(select(runs.c.requests)).scalars().all() == [0]


def _count_and_fail(conn: Connection) -> None:
    conn.execute(runs.update().values(requests=1))
    a_run(conn, OTHER_RUN)


def test_ledger_reader_sees_one_state_during_write(ledger: Ledger) -> None:
    with ledger.connect() as reading:
        assert reading.execute(select(runs.c.run_id)).all() == []
        with ledger.begin() as writing:
            a_run(writing, RUN)
        assert reading.execute(select(runs.c.run_id)).all() == []
    with ledger.connect() as reading:
        assert len(reading.execute(select(runs.c.run_id)).all()) == 1


def test_ledger_reader_cannot_write(ledger: Ledger) -> None:
    with pytest.raises(LedgerError, match="cannot be written"), ledger.connect() as conn:
        a_run(conn, RUN)


def test_ledger_foreign_keys_are_enforced(ledger: Ledger) -> None:
    row = {"run_id": RUN, "url_hash": "0" * 64, "url": "https://a.gov/", "state": "pending", "depth": 0}
    with pytest.raises(IntegrityError, match=r"(?i)foreign key"), ledger.begin() as conn:
        conn.execute(run_urls.insert().values(**row, found_by="start"))


def test_ledger_source_has_one_open_run(ledger: Ledger, run_id: str) -> None:
    with pytest.raises(IntegrityError, match="source_id"), ledger.begin() as conn:
        a_run(conn, OTHER_RUN)
    with ledger.begin() as conn:
        a_run(conn, OTHER_RUN, state="complete")


def test_ledger_threads_of_one_process_take_turns(ledger: Ledger, run_id: str) -> None:
    def add() -> None:
        for _ in range(20):
            with ledger.begin() as conn:
                now = conn.execute(select(runs.c.requests)).scalar_one()
                conn.execute(runs.update().values(requests=now + 1))

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with ledger.connect() as conn:
        assert conn.execute(select(runs.c.requests)).scalar_one() == 80


def test_ledger_nested_begin_fails_after_timeout(path: Path) -> None:
    ledger = open_ledger(str(path), timeout_s=0.05)
    with pytest.raises(LedgerError, match="is locked"), ledger.begin(), ledger.begin():
        pass
    ledger.close()


def test_ledger_opened_for_reading_creates_nothing(path: Path) -> None:
    with pytest.raises(LedgerError, match=f"No ledger at {path}"):
        open_ledger(str(path), migrate=False)
    assert list(path.parent.iterdir()) == []


def test_ledger_empty_file_is_new_ledger(path: Path) -> None:
    path.touch()
    with pytest.raises(LedgerError, match=r"has no tables yet\. Run: scrapy ledger upgrade"):
        open_ledger(str(path), migrate=False)
    open_ledger(str(path)).close()
    open_ledger(str(path), migrate=False).close()


def test_ledger_file_that_is_not_database_is_unchanged(path: Path) -> None:
    path.write_bytes(b"version: 1\nsources: []\n" * 100)
    for migrate in (True, False):
        with pytest.raises(LedgerError, match=f"{path} is not a database. Move that file away"):
            open_ledger(str(path), migrate=migrate)
    assert path.read_bytes() == b"version: 1\nsources: []\n" * 100


def test_ledger_database_of_other_program_is_unchanged(path: Path) -> None:
    theirs = sqlite3.connect(path)
    theirs.execute("CREATE TABLE bookmarks (url TEXT)")
    theirs.close()
    with pytest.raises(LedgerError, match=f"{path} holds tables of another program"):
        open_ledger(str(path))
    theirs = sqlite3.connect(path)
    assert theirs.execute("SELECT name FROM sqlite_master").fetchall() == [("bookmarks",)]
    theirs.close()


def test_ledger_path_of_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="is a folder"):
        open_ledger(str(tmp_path))


def test_ledger_folder_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    (tmp_path / "collect").write_text("a file")
    with pytest.raises(LedgerError, match=r"cannot be created or opened: (File exists|Not a directory)"):
        open_ledger(str(tmp_path / "collect" / "ledger.db"))


def test_ledger_newer_version_is_refused(ledger: Ledger, path: Path) -> None:
    with ledger.begin() as conn:
        conn.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    ledger.close()
    for migrate in (True, False):
        with pytest.raises(LedgerError, match=f"{path} has version 9999, but this program"):
            open_ledger(str(path), migrate=migrate)
    with pytest.raises(LedgerError, match="supports only up to"):
        upgrade_ledger(str(path))


def test_ledger_damaged_file_is_reported(ledger: Ledger, path: Path) -> None:
    ledger.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + b"\xff" * (len(whole) - 100))
    with pytest.raises(LedgerError, match=r"is damaged\. Restore it from a backup"):
        open_ledger(str(path))


def test_ledger_torn_file_is_reported(ledger: Ledger, path: Path) -> None:
    ledger.close()
    path.write_bytes(path.read_bytes()[:6000])
    with pytest.raises(LedgerError, match="is damaged"):
        open_ledger(str(path))


@pytest.mark.parametrize("replaced", [False, True])
def test_ledger_deleted_while_in_use_is_reported(ledger: Ledger, path: Path, tmp_path: Path, *, replaced: bool) -> None:
    shutil.copy(path, tmp_path / "copy.db")
    path.unlink()
    if replaced:
        (tmp_path / "copy.db").rename(path)
    with pytest.raises(LedgerError, match="was removed or replaced while in use"), ledger.begin():
        pass
    with pytest.raises(LedgerError, match="was removed or replaced while in use"), ledger.connect():
        pass


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_ledger_full_disk_is_reported(ledger: Ledger) -> None:
    with pytest.raises(LedgerError, match="the disk is full"), ledger.begin() as conn:
        _fill(conn)


def _fill(conn: Connection) -> None:
    """Meet a disk without room in SQLite's own way: the file may not grow."""
    pages = conn.exec_driver_sql("PRAGMA page_count").scalar_one()
    conn.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    for number in range(1000):
        a_run(conn, f"{number:036}", source_id=f"source-{number}")


@cases("url", ["ledger.db", "sqlite:///collect/ledger.db", "sqlite://", ":memory:", "", "/tmp/a\0b"])
def test_ledger_url_without_absolute_path_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="absolute path"):
        open_ledger(url)


@pytest.mark.parametrize(
    "url", ["mysql://rori:hunter2@db/rori", "postgresql://rori:hunter2@db:port/rori", "://hunter2@"]
)
def test_ledger_refusal_contains_no_password(url: str) -> None:
    with pytest.raises(UsageError) as refused:
        open_ledger(url)
    assert "RORI_DATABASE_URL" in str(refused.value)
    assert "hunter2" not in str(refused.value)


def test_ledger_postgresql_error_contains_no_password() -> None:
    """Without its driver the message is about the driver, with it about a server that is not there."""
    with pytest.raises(LedgerError) as refused:
        open_ledger("postgresql://rori:hunter2@db.invalid/rori?password=hunter2")
    assert "hunter2" not in str(refused.value)


def test_ledger_name_contains_no_password() -> None:
    url = make_url("postgresql+psycopg://rori:hunter2@db/rori?password=hunter2")
    assert str(DatabaseLocation(url, None)) == "postgresql://rori:***@db/rori"


def test_ledger_error_text_contains_no_values(ledger: Ledger, run_id: str) -> None:
    with pytest.raises(IntegrityError) as refused, ledger.begin() as conn:
        a_run(conn, RUN, source_id="a-secret-name")
    assert "a-secret-name" not in str(refused.value)


def test_ledger_error_has_exit_code_3() -> None:
    assert LedgerError.exit_code == 3
