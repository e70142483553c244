"""A staging area and a ledger in a temporary folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rori_spiders.staging.store_factory import DiskStore
from tests.envelope.factories import an_id
from tests.staging.job_driver import Job
from tests.support.databases import open_empty_ledger

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rori_spiders.ledger.database import Ledger


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "staged"


@pytest.fixture
def store(root: Path) -> DiskStore:
    return DiskStore(root)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    opened = open_empty_ledger(tmp_path / "ledger.db")
    yield opened
    opened.close()


@pytest.fixture
def job(ledger: Ledger, store: DiskStore) -> Job:
    """A job that has not begun."""
    return Job(ledger, store, an_id(1))
