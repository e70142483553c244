"""An add-on that breaks one step of a job: the n-th commit of its ledger, or the n-th call of its staging area.

In: ``TEST_FAULT``, a `Fault` as JSON; ``TEST_STEPS``, a file: it gets a line a step, the name of what was called. For
``-s ADDONS={"tests.crawl.crashes.broken_step_addon.Injecting": 0}``.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import psycopg

from rori_spiders.crawl.job import job
from rori_spiders.exceptions import StagingError

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.settings import BaseSettings

FAULT, STEPS = "TEST_FAULT", "TEST_STEPS"
ADDONS = json.dumps({"tests.crawl.crashes.broken_step_addon.Injecting": 0})
#: ``fails``: it is not done, and says so. ``lost``: it is done, and says that it failed. The others are kills, so that
#: nobody is told anything: before it is done, and after.
HOWS = ("fails", "lost", "killed", "killed after")


@dataclass(frozen=True)
class Fault:
    """What breaks: the step *at* (1, 2, ...; 0: none does), and *how*."""

    at: int = 0
    how: str = "fails"

    def env(self, steps: Path) -> dict[str, str]:
        return {FAULT: json.dumps(asdict(self)), STEPS: str(steps)}


class Injecting:
    """The add-on."""

    def update_settings(self, settings: BaseSettings) -> None:
        self._fault, self._file, self._taken = Fault(**json.loads(os.environ[FAULT])), Path(os.environ[STEPS]), 0
        its: Any = job  # what it imported, to be replaced there
        open_store, open_ledger = its.open_store, its.open_ledger

        def opened_store(*args: Any, **kwargs: Any) -> Any:
            return _Store(open_store(*args, **kwargs), self)

        def opened_ledger(*args: Any, **kwargs: Any) -> Any:
            ledger = open_ledger(*args, **kwargs)
            dialect: Any = ledger._writing.dialect
            fails = _sqlite_fails if dialect.name == "sqlite" else _postgresql_fails
            commit = dialect.do_commit
            dialect.do_commit = lambda connection: self.step("commit", lambda: commit(connection), fails)
            return ledger

        # What follows the name of a patched function is the real thing: only the one step is not.
        its.open_store, its.open_ledger = opened_store, opened_ledger

    def step(self, name: str, do: Callable[[], Any], fails: Callable[[str], NoReturn]) -> Any:
        self._taken += 1
        with self._file.open("a", encoding="utf-8") as file:
            file.write(name + "\n")
        if self._taken != self._fault.at:
            return do()
        if self._fault.how in {"lost", "killed after"}:
            do()
        if self._fault.how.startswith("killed"):
            os.kill(os.getpid(), signal.SIGKILL)
        return fails(f"TEST: {name} fails")


class _Store:
    """A staging area whose every call is a step."""

    def __init__(self, store: Any, injecting: Injecting) -> None:
        self._store, self._injecting = store, injecting

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        if name in {"index", "errors", "fields"}:
            return _Store(found, self._injecting)
        if not callable(found):
            return found
        return lambda *args, **kwargs: self._injecting.step(name, lambda: found(*args, **kwargs), _staging_fails)


def _staging_fails(message: str) -> NoReturn:
    raise StagingError(message)


def _sqlite_fails(message: str) -> NoReturn:
    error = sqlite3.OperationalError(message)
    error.sqlite_errorname = "SQLITE_IOERR"
    raise error


def _postgresql_fails(message: str) -> NoReturn:
    raise psycopg.OperationalError(message)
