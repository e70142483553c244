"""Several processes at one ledger: they migrate once, write in turn, and a killed one leaves nothing half."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from rori_spiders.exceptions import LedgerError
from rori_spiders.ledger import database_url
from rori_spiders.ledger.database import Ledger, open_ledger
from rori_spiders.ledger.queue import leases
from rori_spiders.ledger.tables import runs
from tests.ledger.factories import at
from tests.ledger.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder that every user may enter; pytest's own are closed to all but its user."""
    folder = Path(tempfile.mkdtemp(prefix="rori-ledger-"))
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def _requests(ledger: Ledger) -> int:
    with ledger.connect() as conn:
        return int(conn.execute(select(runs.c.requests)).scalar_one())


def test_ledger_processes_create_one_ledger(path: Path) -> None:
    with ExitStack() as stack:
        workers = [stack.enter_context(Worker("open", path)) for _ in range(4)]
        assert [worker.line() for worker in workers] == ["ready"] * 4
        for worker in workers:
            worker.go()
        assert [worker.line() for worker in workers] == ["opened"] * 4
    open_ledger(str(path), migrate=False).close()


def test_ledger_processes_lose_no_write(ledger: Ledger, path: Path, run_id: str) -> None:
    with Worker("add", path, "50") as one, Worker("add", path, "50") as two:
        assert [one.line(), two.line()] == ["ready", "ready"]
        one.go()
        two.go()
        assert [one.line(), two.line()] == ["added", "added"]
    assert _requests(ledger) == 100


def test_ledger_processes_writer_locks_ledger(ledger: Ledger, path: Path) -> None:
    ledger.close()
    with Worker("hold", path) as holder:
        assert holder.line() == "holding"
        with pytest.raises(LedgerError, match=f"{path} is locked: another process is writing to it"):
            open_ledger(str(path), timeout_s=0.05)
        open_ledger(str(path), migrate=False).close()  # a reader does not mind
        holder.go()
        open_ledger(str(path)).close()  # waits for the holder's end


def test_ledger_processes_upgrade_locks_ledger(path: Path) -> None:
    with database_url.parse_database_url(str(path)).lock(1), pytest.raises(LedgerError, match="is locked"):
        open_ledger(str(path), timeout_s=0.1)


def test_ledger_processes_killed_writer_leaves_no_row_and_no_lock(ledger: Ledger, path: Path, run_id: str) -> None:
    with Worker("half", path) as worker:
        assert worker.line() == "half"
        worker.kill()
    with ledger.begin():
        pass
    assert _requests(ledger) == 0


def test_ledger_processes_lease_goes_to_one_of_two_jobs(ledger: Ledger, path: Path) -> None:
    with Worker("lease", path, "hud.gov", "job-a") as one, Worker("lease", path, "hud.gov", "job-b") as two:
        assert [one.line(), two.line()] == ["ready", "ready"]
        one.go()
        two.go()
        answers = sorted(answer.split()[1] for answer in (one.line(), two.line()))
    assert answers == ["1", "none"]


def test_ledger_processes_lease_of_killed_job_expires(ledger: Ledger, path: Path) -> None:
    with Worker("lease", path, "hud.gov", "job-a") as worker:
        worker.line()
        worker.go()
        assert worker.line() == "job-a 1"
        worker.kill()
    with ledger.begin() as conn:
        assert leases.acquire_lease(conn, "hud.gov", owner="job-b", now=at(0.9)) is None
        taken = leases.acquire_lease(conn, "hud.gov", owner="job-b", now=at(1))
    assert taken is not None
    assert (taken.owner, taken.epoch) == ("job-b", 2)


def test_ledger_processes_file_without_write_permission_is_reported(public_folder: Path) -> None:
    path = public_folder / "ledger.db"
    open_ledger(str(path)).close()
    path.chmod(0o444)
    public_folder.chmod(0o555)
    with Worker("as_nobody", path) as worker:
        message = worker.line()
    assert message.startswith(f"The ledger at {path} cannot be ")
    assert "this user" in message


def test_ledger_processes_folder_without_write_permission_is_reported(public_folder: Path) -> None:
    public_folder.chmod(0o555)
    with Worker("as_nobody", public_folder / "ledger.db") as worker:
        assert "cannot be opened. Check that its folder exists and that this user may read and write" in worker.line()


def test_ledger_processes_folder_without_execute_permission_is_reported(public_folder: Path) -> None:
    inner = public_folder / "inner"
    inner.mkdir(mode=0o000)
    with Worker("as_nobody", inner / "ledger.db") as worker:
        assert "cannot be created or opened: Permission denied" in worker.line()
    inner.chmod(0o755)
