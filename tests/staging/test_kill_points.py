"""A job killed between any two steps loses nothing, stages nothing twice, and leaves nothing that cannot be mended."""

from __future__ import annotations

import json
import random
import shutil
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select

from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.pages import page_state
from rori_spiders.ledger.runs import frontier, run_records
from rori_spiders.ledger.tables import envelopes, versions
from rori_spiders.staging.recovery import recover_staging
from rori_spiders.staging.store_factory import DiskStore
from rori_spiders.staging.verification.verify import verify_staging
from tests.envelope.factories import NOON, an_id
from tests.staging import child_processes
from tests.staging.job_driver import PAGES, SOURCE, Job
from tests.staging.kill_points import KILLED, die_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.staging.recovery import RecoveryResult

#: More steps than one crawl of the pages takes; the test sees to that.
STEPS = 150


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A ledger without rows, made once: every crawl begins with a copy."""
    path = tmp_path / "empty.db"
    open_ledger(str(path)).close()
    return path


class Place:
    """One crawl's ledger and staging area, worked on by processes that die."""

    def __init__(self, folder: Path, empty: Path) -> None:
        folder.mkdir()
        self.database = folder / "ledger.db"
        self.root = folder / "staged"
        shutil.copy(empty, self.database)
        self.jobs = 0

    def work(self, step: int, *, torn: bool = False) -> bool:
        """Let a job work until it is done, or dies at *step*; whether it died."""
        self.jobs += 1
        number = self.jobs

        def job() -> None:
            ledger = open_ledger(str(self.database))
            die_at(step, torn=torn)
            Job(ledger, DiskStore(self.root), an_id(number), NOON + timedelta(minutes=number)).work()

        code = child_processes.run(job)
        assert code in (0, KILLED)
        return code == KILLED

    @contextmanager
    def opened(self) -> Iterator[tuple[Ledger, DiskStore]]:
        ledger = open_ledger(str(self.database))
        try:
            yield ledger, DiskStore(self.root)
        finally:
            ledger.close()

    def go_on(self) -> RecoveryResult:
        """What the next job does: it mends what the dead one left, then finishes the run."""
        with self.opened() as (ledger, store):
            found = recover_staging(ledger, store, NOON)
            assert not recover_staging(ledger, store, NOON), "nothing is left to mend"
            assert verify_staging(ledger, store).findings == ()
            Job(ledger, store, an_id(99), NOON + timedelta(hours=1)).work()
            self.check(ledger, store)
        return found

    @staticmethod
    def check(ledger: Ledger, store: DiskStore) -> None:
        """Every page of the site is staged exactly once, and everything agrees."""
        report = verify_staging(ledger, store)
        assert report.findings == ()
        with ledger.connect() as conn:
            (run,) = run_records.recent_runs(conn, SOURCE)
            assert (run.state, run.counts and run.counts["captured"]) == ("complete", len(PAGES))
            assert sorted(row.url for row in frontier.list_urls(conn, run.run_id, "captured")) == sorted(PAGES)
            assert conn.execute(select(func.count()).select_from(versions)).scalar() == len(PAGES)
            rows = conn.execute(select(envelopes.c.path, envelopes.c.state)).all()
            for url, links in PAGES.items():
                assert page_state.load_links(conn, SOURCE, [url]) == {url: tuple(links)}
        assert [row.state for row in rows] == ["indexed"] * len(PAGES)
        lines = [json.loads(line) for line in store.index.lines()]
        assert sorted(line["url"] for line in lines) == sorted(PAGES)
        assert sorted(line["path"] for line in lines) == sorted(row.path for row in rows) == list(store.paths())
        assert list(Path(store.location, "_tmp").iterdir()) == []


@pytest.mark.parametrize(("torn", "fewest"), [(False, 50), (True, 8)], ids=["between", "within"])
def test_job_killed_at_every_step_then_resumed_stages_everything_once(
    tmp_path: Path, empty: Path, torn: bool, fewest: int
) -> None:
    adopted = dropped = 0
    for step in range(1, STEPS):
        place = Place(tmp_path / str(step), empty)
        if not (died := place.work(step, torn=torn)):
            break
        found = place.go_on()
        adopted, dropped = adopted + len(found.adopted), dropped + len(found.dropped)
        shutil.rmtree(tmp_path / str(step))
    assert not died
    assert step > fewest, "the crawl has fewer steps than it should: are they still counted?"
    assert dropped >= len(PAGES)
    assert torn or adopted >= len(PAGES), "killed at the commit of transaction B, whole files are adopted"


def test_job_killed_repeatedly_stages_everything_once(tmp_path: Path, empty: Path) -> None:
    """Recoveries are killed too: each life of the crawl ends after a few steps."""
    chance = random.Random(20261121)
    for crawl in range(8):
        place = Place(tmp_path / str(crawl), empty)
        while place.work(chance.randint(4, 30), torn=chance.random() < 0.5):
            assert place.jobs < 200, "it makes no progress"
        with place.opened() as (ledger, store):
            place.check(ledger, store)
