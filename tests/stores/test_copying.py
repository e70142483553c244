"""A staging area copied: everything arrives, once, and the same ledger goes on with the copy."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import insert

from rori_spiders.exceptions import StagingError
from rori_spiders.ledger.tables import leases
from rori_spiders.stores import DiskStore
from rori_spiders.stores.copying import copy
from rori_spiders.stores.staging import verify
from tests.envelope.made import NOON, SITE, an_id
from tests.stores.crawl import Job, begin, next_run, of_a_run, reserved

if TYPE_CHECKING:
    from pathlib import Path

    from rori_spiders.ledger.database import Ledger
    from rori_spiders.stores.base import Store

LATER = NOON + timedelta(days=1)


def copied(ledger: Ledger, source: Store, target: Store) -> dict[str, tuple[int, int]]:
    """Kind -> how many were copied, how many were there."""
    return {kind.what: (kind.copied, kind.there) for kind in copy(ledger, source, target, LATER)}


@pytest.fixture
def target(tmp_path: Path) -> DiskStore:
    return DiskStore(tmp_path / "moved")


def test_all_is_copied_once_and_the_ledger_goes_on_there(job: Job, target: DiskStore) -> None:
    job.work()
    job.store.append_errors(of_a_run("an error"))
    first = copied(job.ledger, job.store, target)
    assert first == {
        "objects": (4, 0), "summaries": (0, 0), "envelopes": (2, 0), "index lines": (2, 0), "error lines": (1, 0)
    }  # fmt: skip
    assert list(target.index_lines()) == list(job.store.index_lines())
    assert copied(job.ledger, job.store, target) == {what: (0, number) for what, (number, _) in first.items()}
    moved = Job(job.ledger, target, an_id(2), NOON + timedelta(hours=1))
    [visit] = begin(moved, SITE)
    moved.page(visit, "<h1>Other text</h1>")
    next_run(moved)
    assert [finding.kind for finding in verify(job.ledger, target, now=LATER).findings] == ["error_line"]
    assert len(list(target.index_lines())) == 3


def test_what_a_dead_job_left_is_finished_before(job: Job, target: DiskStore) -> None:
    first, second = begin(job, SITE, SITE + "5/")
    job.page(first)
    reserved(job, second, "text")
    assert copied(job.ledger, job.store, target)["envelopes"] == (1, 0)
    assert verify(job.ledger, target, now=LATER).clean


def test_a_place_that_holds_other_things_is_refused(job: Job, target: DiskStore, tmp_path: Path) -> None:
    job.work()
    target.write_envelope("x.gov/2026-02-13/other__a__a1b2c3d4.json", b"{}")
    with pytest.raises(StagingError, match=r"holds other things, x\.gov/2026-02-13/other__a__"):
        copied(job.ledger, job.store, target)
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.png").write_bytes(b"png")
    with pytest.raises(StagingError, match=r"holds other things, cat.png for one"):
        copied(job.ledger, job.store, DiskStore(tmp_path / "photos"))
    with pytest.raises(StagingError, match="is the staging area itself"):
        copied(job.ledger, job.store, DiskStore(tmp_path / "staged"))


def test_a_file_of_the_same_name_with_other_bytes_is_refused(job: Job, target: DiskStore) -> None:
    job.work()
    path = next(iter(job.store.paths()))
    target.write_envelope(path, b"{}")
    with pytest.raises(StagingError, match="is not the file of this staging area"):
        copied(job.ledger, job.store, target)


def test_a_damaged_object_is_told_and_left_out(job: Job, root: Path, target: DiskStore) -> None:
    job.work()
    digest = next(iter(job.store.objects()))
    (root / "_objects" / digest[:2] / f"{digest}.gz").write_bytes(b"no gzip")
    objects = next(copy(job.ledger, job.store, target, LATER))
    assert objects.damaged == (digest,)
    assert objects.copied == 3


def test_nothing_is_copied_while_a_job_runs(job: Job, target: DiskStore) -> None:
    job.work()
    with job.ledger.begin() as conn:
        lease = {"group": "x.gov", "owner": f"node:7:{an_id(7)}", "epoch": 1, "permits": 2}
        conn.execute(insert(leases).values(**lease, expires_at=datetime.max.replace(tzinfo=UTC)))
    with pytest.raises(StagingError, match=f"A job is running \\({an_id(7)}\\)"):
        copied(job.ledger, job.store, target)
    assert list(target.paths()) == []
