"""A staging area copied: everything arrives, once, and the same ledger goes on with the copy."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import insert

from rori_spiders.exceptions import StagingError
from rori_spiders.ledger.tables import leases
from rori_spiders.staging.retention import import_confirmations
from rori_spiders.staging.store_factory import DiskStore, open_store
from rori_spiders.staging.transfer import copy_staging_area
from rori_spiders.staging.verification.verify import verify_staging
from tests.envelope.factories import NOON, SITE, an_id
from tests.staging.job_driver import Job, begin, next_run, of_a_run, reserved

if TYPE_CHECKING:
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.staging.store import Store
    from tests.staging.s3.fixtures import Area

LATER = NOON + timedelta(days=1)


def copied(ledger: Ledger, source: Store, target: Store) -> dict[str, tuple[int, int]]:
    """Kind -> how many were copied, how many were there."""
    return {kind.what: (kind.copied, kind.there) for kind in copy_staging_area(ledger, source, target, LATER)}


@pytest.fixture
def target(tmp_path: Path) -> DiskStore:
    return DiskStore(tmp_path / "moved")


def test_transfer_copies_everything_once_and_ledger_continues_there(job: Job, target: DiskStore) -> None:
    job.work()
    job.store.errors.append(of_a_run("an error"))
    first = copied(job.ledger, job.store, target)
    assert first == {
        "objects": (4, 0), "summaries": (0, 0), "envelopes": (2, 0), "index lines": (2, 0), "error lines": (1, 0),
        "field lines": (0, 0), "confirmations": (0, 0), "corpus files": (0, 0),
    }  # fmt: skip
    assert list(target.index.lines()) == list(job.store.index.lines())
    assert copied(job.ledger, job.store, target) == {what: (0, number) for what, (number, _) in first.items()}
    moved = Job(job.ledger, target, an_id(2), NOON + timedelta(hours=1))
    [visit] = begin(moved, SITE)
    moved.page(visit, "<h1>Other text</h1>")
    next_run(moved)
    assert [finding.kind for finding in verify_staging(job.ledger, target, now=LATER).findings] == ["error_line"]
    assert len(list(target.index.lines())) == 3


@pytest.mark.parametrize(("begins", "ends"), [("disk", "disk"), ("disk", "s3"), ("s3", "disk"), ("s3", "s3")])
def test_transfer_copies_confirmations(ledger: Ledger, tmp_path: Path, area: Area, begins: str, ends: str) -> None:
    source = open_store(tmp_path / "from" if begins == "disk" else f"{area.uri}/from")
    target = open_store(tmp_path / "to" if ends == "disk" else f"{area.uri}/to")
    source.check_writable()
    Job(ledger, source, an_id(1)).work()
    staged = [json.loads(line)["envelope_id"] for line in source.index.lines()]
    lines = [json.dumps({"envelope_id": one}) for one in staged] + ["no confirmation, and a person shall see it: é"]
    source.append_confirmations(lines[:1])
    assert copied(ledger, source, target)["confirmations"] == (1, 0)
    source.append_confirmations(lines[1:])
    assert copied(ledger, source, target)["confirmations"] == (2, 1)
    assert copied(ledger, source, target)["confirmations"] == (0, 3)
    there = [line for some, _ in target.confirmations("") for line in some if line]
    assert sorted(there) == sorted(lines)
    assert len(there) == 3
    taken = import_confirmations(ledger, target, LATER)
    assert (taken.confirmed.now, taken.wrong) == (0, (lines[2],))


def test_transfer_from_bucket_to_disk_puts_lines_of_runs_in_recorded_order(
    ledger: Ledger, area: Area, target: DiskStore
) -> None:
    source = open_store(area.uri)
    source.check_writable()
    job = Job(ledger, source, an_id(1))
    for number in range(6):  # the names of runs are random: no bucket lists six of them as they came
        [visit] = begin(job, SITE)
        job.page(visit, f"text {number}")
        next_run(job)
    source.index.append(of_a_run("a line that the ledger does not know"))
    copied(ledger, source, target)
    lines = list(target.index.lines())
    assert sorted(lines) == sorted(source.index.lines())
    assert lines[6:] == ["a line that the ledger does not know"]
    findings = verify_staging(ledger, target, now=LATER).findings
    assert [finding.kind for finding in findings] == ["index_line"]


def test_transfer_torn_confirmation_is_copied_once_complete(job: Job, root: Path, target: DiskStore) -> None:
    job.work()
    with (root / "_confirmed.jsonl").open("a") as log:
        log.write('{"envelope_id": "a"}\n{"envelope_')
        log.flush()
        assert copied(job.ledger, job.store, target)["confirmations"] == (1, 0)
        log.write('id": "b"}\n')
    assert copied(job.ledger, job.store, target)["confirmations"] == (1, 1)
    assert (Path(target.location) / "_confirmed.jsonl").read_text() == (root / "_confirmed.jsonl").read_text()


def test_transfer_finishes_leftovers_of_dead_job_first(job: Job, target: DiskStore) -> None:
    first, second = begin(job, SITE, SITE + "5/")
    job.page(first)
    reserved(job, second, "text")
    assert copied(job.ledger, job.store, target)["envelopes"] == (1, 0)
    assert verify_staging(job.ledger, target, now=LATER).clean


def test_transfer_to_occupied_place_is_refused(job: Job, target: DiskStore, tmp_path: Path) -> None:
    job.work()
    target.write_envelope("x.gov/2026-02-13/other__a__a1b2c3d4.json", b"{}")
    with pytest.raises(StagingError, match=r"contains other files, such as x\.gov/2026-02-13/other__a__"):
        copied(job.ledger, job.store, target)
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.png").write_bytes(b"png")
    with pytest.raises(StagingError, match=r"contains other files, such as cat.png"):
        copied(job.ledger, job.store, DiskStore(tmp_path / "photos"))
    with pytest.raises(StagingError, match="is the staging area itself"):
        copied(job.ledger, job.store, DiskStore(tmp_path / "staged"))


def test_transfer_file_of_same_name_with_other_bytes_is_refused(job: Job, target: DiskStore) -> None:
    job.work()
    path = next(iter(job.store.paths()))
    target.write_envelope(path, b"{}")
    with pytest.raises(StagingError, match="differs from the file in this staging area"):
        copied(job.ledger, job.store, target)


def test_transfer_damaged_object_is_reported_and_left_out(job: Job, root: Path, target: DiskStore) -> None:
    job.work()
    digest = next(iter(job.store.objects()))
    (root / "_objects" / digest[:2] / f"{digest}.gz").write_bytes(b"no gzip")
    objects = next(copy_staging_area(job.ledger, job.store, target, LATER))
    assert objects.damaged == (digest,)
    assert objects.copied == 3


def test_transfer_is_refused_while_job_runs(job: Job, target: DiskStore) -> None:
    job.work()
    with job.ledger.begin() as conn:
        lease = {"group": "x.gov", "owner": f"node:7:{an_id(7)}", "epoch": 1}
        conn.execute(insert(leases).values(**lease, expires_at=datetime.max.replace(tzinfo=UTC)))
    with pytest.raises(StagingError, match=f"A job is running \\({an_id(7)}\\)"):
        copied(job.ledger, job.store, target)
    assert list(target.paths()) == []
