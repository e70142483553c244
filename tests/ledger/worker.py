"""Another process at the ledger: ``python -m tests.ledger.worker WHAT PATH [ARGUMENTS]``.

Each prints one line when it is ready, then waits for a line on standard input: so tests need no sleep.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import select

from rori_spiders.exceptions import LedgerError
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.queue import leases
from rori_spiders.ledger.tables import runs
from tests.ledger.factories import at
from tests.support.project import command_environment, forking_program

if TYPE_CHECKING:
    from collections.abc import Callable

_REPOSITORY = Path(__file__).parent.parent.parent


class Worker:
    """Such a process, as its test sees it. Use it as a context manager: it never outlives the test."""

    def __init__(self, what: str, path: Path, *arguments: str) -> None:
        env = command_environment()
        self._process = subprocess.Popen(
            [forking_program(env), "-m", "tests.ledger.worker", what, str(path), *arguments],
            cwd=_REPOSITORY,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def line(self) -> str:
        """The next line that it prints."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def go(self) -> None:
        """Let it go on."""
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()

    def kill(self) -> None:
        """End it as a power failure would."""
        self._process.kill()
        self._process.communicate()


def _say(line: object) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _wait(line: str) -> None:
    _say(line)
    sys.stdin.readline()


def _open(path: str) -> None:
    _wait("ready")
    open_ledger(path).close()
    _say("opened")


def _hold(path: str) -> None:
    with open_ledger(path).begin():
        _wait("holding")


def _add(path: str, times: str) -> None:
    """Read, then write, in one transaction: what goes wrong when two do it at once without BEGIN IMMEDIATE."""
    ledger = open_ledger(path)
    _wait("ready")
    for _ in range(int(times)):
        with ledger.begin() as conn:
            now = conn.execute(select(runs.c.requests)).scalar_one()
            conn.execute(runs.update().values(requests=now + 1))
    _say("added")


def _lease(path: str, group: str, owner: str) -> None:
    ledger = open_ledger(path)
    _wait("ready")
    with ledger.begin() as conn:
        lease = leases.acquire_lease(conn, group, owner=owner, now=at())
    _wait(f"{owner} {lease.epoch}" if lease else f"{owner} none")


def _half(path: str) -> None:
    """A transaction that is never committed."""
    with open_ledger(path).begin() as conn:
        conn.execute(runs.update().values(requests=1000))
        _wait("half")


def _as_nobody(path: str) -> None:
    """Open as a user that may read, but not write, what root or this user owns."""
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
    try:
        open_ledger(path)
    except LedgerError as error:
        _say(error)


_WHAT: dict[str, Callable[..., None]] = {
    "open": _open,
    "hold": _hold,
    "add": _add,
    "lease": _lease,
    "half": _half,
    "as_nobody": _as_nobody,
}

if __name__ == "__main__":
    _WHAT[sys.argv[1]](*sys.argv[2:])
