"""A backup made while a job writes, and what is restored from it: both databases, a real staging area."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import func, select

from rori_spiders.exceptions import ActionRefused, LedgerError, StagingError
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.database_url import parse_database_url
from rori_spiders.ledger.operations import accounts, snapshots
from rori_spiders.ledger.queue import leases
from rori_spiders.ledger.tables import envelopes, sessions
from rori_spiders.operations import backup
from rori_spiders.staging.store_factory import DiskStore
from rori_spiders.staging.verification.verify import verify_staging
from tests.envelope.factories import NOON, SITE, an_id
from tests.staging.job_driver import Job, begin, reserved

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rori_spiders.ledger.database import Ledger
    from tests.support.postgresql import Cluster

LATER = NOON + timedelta(hours=1)


def _silent(_: str) -> None:
    """No progress."""


@pytest.fixture
def job(ledger: Ledger, tmp_path: Path) -> Job:
    """A job that has staged two pages, in `ledger` and a folder."""
    worked = Job(ledger, DiskStore(tmp_path / "staged"), an_id(1))
    worked.work()
    return worked


def _make(job: Job, folder: Path, report: Callable[[str], None] = _silent) -> backup.BackupResult:
    return backup.make_backup(job.ledger.place, job.store, folder, now=LATER, report=report)


def _restore(folder: Path, url: str, root: Path | None, *, replace: bool = False) -> Any:
    place, store = parse_database_url(url), None if root is None else DiskStore(root)
    return backup.restore_backup(folder, place, store, replace=replace, now=LATER, report=_silent)


@pytest.fixture
def empty_url(dialect: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """A place without a ledger, on the same database."""
    if dialect == "sqlite":
        return str(tmp_path / "other" / "ledger.db")
    server: Cluster = request.getfixturevalue("postgresql")
    return server.empty()


def test_backup_while_a_job_writes_restores_one_verified_state(job: Job, tmp_path: Path, empty_url: str) -> None:
    """Pages are staged before the ledger is copied, and after it: the first is in the backup, the last is not."""
    [first, *_] = begin(job, SITE, SITE + "6/", SITE + "7/")
    left = job.pending(first.run_id)

    def write_meanwhile(step: str) -> None:
        if step in {"ledger", "objects and envelopes"}:
            job.page(left.pop(0), f"<h1>{step}</h1>")

    made = _make(job, tmp_path / "backup", write_meanwhile)
    assert len(left) == 1
    description, moved, report = _restore(tmp_path / "backup", empty_url, tmp_path / "again")
    assert (description, moved) == (made.description, None)
    assert report is not None
    assert report.findings == ()
    with closing(open_ledger(empty_url, migrate=False)) as restored, restored.connect() as conn:
        assert conn.execute(select(func.count()).select_from(envelopes)).scalar_one() == 3
    assert len(list(DiskStore(tmp_path / "again").index.lines())) == 3
    assert not verify_staging(job.ledger, job.store, now=LATER).findings
    assert len(list(job.store.index.lines())) == 4


def test_restore_of_a_job_that_was_writing_leaves_nothing_to_repair(job: Job, tmp_path: Path, empty_url: str) -> None:
    """Its lease in the backup is not over yet: that job writes to the ledger it was made of, never to this one."""
    reserved(job, begin(job, SITE)[0], "<h1>half</h1>")
    with job.ledger.begin() as conn:
        assert leases.acquire_lease(conn, "hud.gov", owner=f"host:1:{job.job_id}", now=LATER) is not None
    _make(job, tmp_path / "backup")
    _, _, report = _restore(tmp_path / "backup", empty_url, tmp_path / "again")
    assert (report.live_jobs, report.findings) == ((), ())
    with closing(open_ledger(empty_url, migrate=False)) as restored, restored.connect() as conn:
        assert leases.lease_holders(conn) == []
        assert "reserved" not in conn.execute(select(envelopes.c.state)).scalars().all()


def test_restore_postgresql_gives_password_in_the_environment_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One in the URL counts more than PGPASSWORD, also where it is three asterisks."""
    program, seen = tmp_path / "pg_restore", tmp_path / "seen"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$PGPASSWORD" "$@" > {seen}\n')
    program.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    for url in ("postgresql://rori:pass@db.test/rori?sslmode=require", "postgresql://rori@db.test/rori?password=pass"):
        snapshots.restore_postgresql(parse_database_url(url), tmp_path / "ledger.dump")
        password, *arguments = seen.read_text().splitlines()
        assert password == "pass"
        assert "pass" not in " ".join(arguments).replace("--no-password", "") and "*" not in " ".join(arguments)
        assert any(one.startswith("--dbname=postgresql://rori@db.test/rori") for one in arguments)


def test_backup_leaves_sessions_out_and_is_for_its_owner_only(job: Job, tmp_path: Path, empty_url: str) -> None:
    with job.ledger.begin() as conn:
        accounts.add_user(conn, "anna", password_hash="x", role="operator", now=NOON)
        signed_in = {"token_hash": "c" * 64, "user_name": "anna", "started_at": NOON, "seen_at": NOON}
        conn.execute(sessions.insert(), [signed_in])
    _make(job, tmp_path / "backup")
    assert {path.stat().st_mode & 0o077 for path in (tmp_path / "backup").glob("*.*")} == {0}
    _restore(tmp_path / "backup", empty_url, None)
    with closing(open_ledger(empty_url, migrate=False)) as restored, restored.connect() as conn:
        assert conn.execute(select(func.count()).select_from(sessions)).scalar_one() == 0
    secret = b"c" * 64
    assert all(secret not in path.read_bytes() for path in (tmp_path / "backup").glob("ledger.*"))


def test_restore_never_replaces_a_ledger_without_being_asked(job: Job, tmp_path: Path) -> None:
    url = str(job.ledger.place.path or job.ledger.place.url.render_as_string(hide_password=False))
    _make(job, tmp_path / "backup")
    with pytest.raises(ActionRefused, match="There is a ledger at"):
        _restore(tmp_path / "backup", url, None)
    begin(job, SITE)
    if not job.ledger.place.is_sqlite:
        with pytest.raises(ActionRefused, match="restored into an empty database"):
            _restore(tmp_path / "backup", url, None, replace=True)
        return
    job.ledger.close()
    _, moved, _ = _restore(tmp_path / "backup", url, None, replace=True)
    assert moved is not None
    with closing(sqlite3.connect(moved)) as old, closing(sqlite3.connect(url)) as new:
        count = "SELECT count(*) FROM runs"
        assert (old.execute(count).fetchone(), new.execute(count).fetchone()) == ((2,), (1,))


def test_restore_changed_backup_is_refused(job: Job, tmp_path: Path, empty_url: str) -> None:
    folder = tmp_path / "backup"
    made = _make(job, folder)
    file = next(folder.glob("ledger.*"))
    whole = file.read_bytes()
    file.write_bytes(whole[:-1] + b"x")
    with pytest.raises(LedgerError, match="was changed"):
        _restore(folder, empty_url, None)
    file.write_bytes(whole)
    rows = {**made.description.rows, "audit": 7}
    (folder / "backup.json").write_text(made.description.model_copy(update={"rows": rows}).model_dump_json())
    with pytest.raises(LedgerError, match="tables that differ: audit"):
        _restore(folder, empty_url, None)
    (folder / "backup.json").unlink()
    with pytest.raises(ActionRefused, match="is not a finished backup"):
        _restore(folder, empty_url, None)


def test_backup_refuses_what_it_cannot_do(tmp_path: Path, job: Job) -> None:
    if not job.ledger.place.is_sqlite:
        _make(job, tmp_path / "dump")
        with pytest.raises(ActionRefused, match="RORI_DATABASE_URL names"):
            _restore(tmp_path / "dump", str(tmp_path / "ledger.db"), None)
        return
    folder = tmp_path / "backup"
    backup.make_backup(job.ledger.place, None, folder, now=LATER, report=_silent)
    with pytest.raises(ActionRefused, match="is not empty"):
        _make(job, folder)
    with pytest.raises(ActionRefused, match="holds no staged files"):
        _restore(folder, str(tmp_path / "r.db"), tmp_path / "again")
    path = next(job.store.paths())
    job.store.remove(path)
    with pytest.raises(StagingError, match=f"such as {path}"):
        _make(job, tmp_path / "second")


def test_backup_of_an_older_ledger_is_made_and_says_its_version(job: Job, tmp_path: Path) -> None:
    with job.ledger.begin() as conn:
        conn.exec_driver_sql("UPDATE alembic_version SET version_num = '0037'")
    made = _make(job, tmp_path / "backup")
    assert made.report is None
    assert json.loads((tmp_path / "backup" / "backup.json").read_text())["revision"] == "0037"
