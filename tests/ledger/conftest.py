"""A ledger on each database, and a run in it. A test that asks for ``path`` is of SQLite's file alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.database import Ledger, open_ledger
from tests.ledger.made import RUN, a_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the test's ledger lies."""
    return tmp_path / "ledger.db"


@pytest.fixture
def ledger(database_url: str) -> Iterator[Ledger]:
    """An open, empty ledger."""
    opened = open_ledger(database_url)
    yield opened
    opened.close()


@pytest.fixture
def run_id(ledger: Ledger) -> str:
    """An open run of the source ``reg-x``."""
    with ledger.begin() as conn:
        a_run(conn, RUN)
    return RUN
