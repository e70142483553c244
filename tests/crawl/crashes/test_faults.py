"""What a job needs goes away while it works: it says so and stops, and the next job goes on as if nothing had been."""

from __future__ import annotations

import resource
import shutil
import sqlite3
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import subprocess

    from tests.crawl.crashes.faults import Faulty

pytestmark = pytest.mark.crawl


def test_job_with_full_disk_stops_and_resumes(faulty: Faulty) -> None:
    """As on a full disk, for root too."""

    def full(running: subprocess.Popen[str]) -> None:
        resource.prlimit(running.pid, resource.RLIMIT_FSIZE, (512, 512))

    faulty.breaks(full, "because results cannot be stored")
    faulty.goes_on()


def test_job_with_staging_area_moved_away_stops(faulty: Faulty) -> None:
    staging, away = faulty.project.staging, faulty.project.folder / "away"
    faulty.breaks(lambda _: staging.rename(away), f"{staging} was removed or replaced")
    assert not staging.exists()
    faulty.refused("is empty, but")  # as where its disk is not mounted
    shutil.rmtree(staging)
    away.rename(staging)
    faulty.goes_on()


def test_job_with_ledger_moved_away_stops(faulty: Faulty) -> None:
    ledger, away = faulty.project.ledger, faulty.project.folder / "away"
    away.mkdir()

    def move(_: object) -> None:
        for file in ledger.parent.glob("ledger.db*"):
            file.rename(away / file.name)

    faulty.breaks(move, f"{ledger} was removed or replaced")
    faulty.refused("There are staged files in")
    assert not ledger.exists()
    for file in away.iterdir():
        file.rename(ledger.parent / file.name)
    faulty.goes_on()


def test_job_with_ledger_locked_too_long_stops(faulty: Faulty) -> None:
    faulty.project.env["RORI_LEDGER_TIMEOUT"] = "2"
    other = sqlite3.connect(faulty.project.ledger, isolation_level=None, timeout=60)
    faulty.breaks(lambda _: other.execute("BEGIN EXCLUSIVE"), "is locked: another process is writing")
    other.close()
    faulty.goes_on()
