"""What a job needs becomes read-only while it works: it says so and stops, as test_faults.py has it of other faults."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.crashes import read_only

if TYPE_CHECKING:
    from tests.crawl.crashes.faults import Faulty

pytestmark = pytest.mark.crawl


def test_job_stops_when_staging_area_becomes_read_only(faulty: Faulty) -> None:
    staging = faulty.project.staging
    every = [staging, *staging.rglob("*")]
    faulty.breaks(lambda _: read_only.lock(*every), f"The staging area {staging} cannot be written: Permission denied")
    faulty.refused("cannot be written")
    read_only.unlock(*every)
    faulty.goes_on()


def test_job_stops_when_ledger_becomes_read_only(faulty: Faulty) -> None:
    ledger, file = faulty.project.ledger, faulty.project.folder / "readonly"
    message = f"The ledger at {ledger} cannot be written"
    faulty.breaks(lambda _: file.touch(), message, addons=read_only.ADDONS, env={read_only.FILE: str(file)})
    every = [ledger.parent, *ledger.parent.glob("ledger.db*")]
    read_only.lock(*every)
    faulty.refused("cannot be written")
    read_only.unlock(*every)
    faulty.goes_on()
