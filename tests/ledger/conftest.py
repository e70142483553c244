"""A ledger on each database, and a run in it. A test that asks for ``path`` is of SQLite's file alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ledger.factories import RUN, a_run

if TYPE_CHECKING:
    from pathlib import Path

    from rori_spiders.ledger.database import Ledger


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the test's ledger lies."""
    return tmp_path / "ledger.db"


@pytest.fixture
def run_id(ledger: Ledger) -> str:
    """An open run of the source ``reg-x``."""
    with ledger.begin() as conn:
        a_run(conn, RUN)
    return RUN
