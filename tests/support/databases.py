"""Fixtures for tests over both databases: one that asks for `database_url`, or for an open `ledger`, runs twice.

`postgresql` alone is for what only that server can do; a test of SQLite's own ways takes `tmp_path`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.database import Ledger, open_ledger
from tests.support.postgresql import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """The session's PostgreSQL server."""
    running = Cluster()
    yield running
    running.close()


@pytest.fixture
def postgresql(cluster: Cluster) -> Iterator[Cluster]:
    """The server; what the test made in it is dropped afterwards."""
    yield cluster
    cluster.drop_made()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each test over a ledger runs on both databases; one that asks for the ``path`` of a file, on SQLite alone."""
    if "dialect" in metafunc.fixturenames and not _chosen(metafunc):
        metafunc.parametrize("dialect", ["sqlite"] if "path" in metafunc.fixturenames else ["sqlite", "postgresql"])


def _chosen(metafunc: pytest.Metafunc) -> bool:
    return any(mark.args[0] == "dialect" for mark in metafunc.definition.iter_markers("parametrize"))


@pytest.fixture
def dialect() -> str:
    """The database on which a test over both runs this time; it is given as a parameter."""
    raise AssertionError("pytest_generate_tests gives it")


@pytest.fixture
def database_url(dialect: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """RORI_DATABASE_URL of an empty ledger; that of SQLite is a file which is not there yet."""
    if dialect == "sqlite":
        return f"sqlite:///{tmp_path / 'ledger.db'}"
    server: Cluster = request.getfixturevalue("postgresql")
    return server.ledger()


@cache
def _empty_ledger() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.db"
        open_ledger(f"sqlite:///{path}").close()
        return path.read_bytes()


def write_empty_ledger(path: Path) -> Path:
    """Make *path* an empty ledger, a copy of one: the migrations take a fifth of a second."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_empty_ledger())
    return path


def open_empty_ledger(path: Path) -> Ledger:
    """Make *path* an empty ledger, and open it."""
    return open_ledger(f"sqlite:///{write_empty_ledger(path)}")


@pytest.fixture
def ledger(dialect: str, database_url: str, tmp_path: Path) -> Iterator[Ledger]:
    """An open, empty ledger."""
    opened = open_empty_ledger(tmp_path / "ledger.db") if dialect == "sqlite" else open_ledger(database_url)
    yield opened
    opened.close()
