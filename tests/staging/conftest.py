"""A staging area and a ledger in a temporary folder."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from rori_spiders.ledger.database import Ledger, open_ledger
from rori_spiders.staging.store_factory import DiskStore
from tests.envelope.factories import an_id
from tests.staging.job_driver import Job

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "staged"


@pytest.fixture
def store(root: Path) -> DiskStore:
    return DiskStore(root)


@pytest.fixture
def ledger(tmp_path: Path, empty_file: Path) -> Iterator[Ledger]:
    shutil.copyfile(empty_file, tmp_path / "ledger.db")
    opened = open_ledger(str(tmp_path / "ledger.db"))
    yield opened
    opened.close()


@pytest.fixture
def job(ledger: Ledger, store: DiskStore) -> Job:
    """A job that has not begun."""
    return Job(ledger, store, an_id(1))
