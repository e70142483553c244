"""Confirmations are taken in whatever their file suffers; a prune that dies anywhere is finished, and loses nothing."""

from __future__ import annotations

import json
import shutil
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from rori_spiders.ledger.database import Ledger, open_ledger
from rori_spiders.ledger.operations import activity_log
from rori_spiders.ledger.tables import envelopes
from rori_spiders.staging.recovery import recover_staging
from rori_spiders.staging.retention import import_confirmations, prune_envelopes
from rori_spiders.staging.store_factory import DiskStore
from rori_spiders.staging.verification.verify import verify_staging
from tests.envelope.factories import NOON, SITE, an_id
from tests.staging import child_processes
from tests.staging.job_driver import Job, begin, next_run
from tests.staging.kill_points import KILLED, die_at

if TYPE_CHECKING:
    from pathlib import Path

LATER = NOON + timedelta(days=120)


@pytest.fixture
def staged(job: Job) -> list[str]:
    """Two pages, three texts of each, by a run a text; ids in the order of the index."""
    for text in ("first", "second", "third"):
        for visit in begin(job, SITE, SITE + "5/"):
            job.page(visit, f"{text} of {visit.url}")
        next_run(job)
    return [json.loads(line)["envelope_id"] for line in job.store.index.lines()]


def confirm(store: DiskStore, text: str | bytes, root: Path) -> None:
    with (root / "_confirmed.jsonl").open("ab") as log:
        log.write(text if isinstance(text, bytes) else text.encode())


def line(envelope_id: str) -> str:
    return json.dumps({"envelope_id": envelope_id}) + "\n"


def confirmed(ledger: Ledger) -> set[str]:
    with ledger.connect() as conn:
        return set(conn.execute(select(envelopes.c.envelope_id).where(envelopes.c.confirmed_at.is_not(None))).scalars())


def test_retention_counts_each_confirmation_once_and_torn_one_when_complete(
    ledger: Ledger, store: DiskStore, root: Path, staged: list[str]
) -> None:
    assert import_confirmations(ledger, store, NOON).confirmed.now == 0
    confirm(store, line(staged[0]) + "\n" + line(staged[1])[:20], root)
    assert import_confirmations(ledger, store, NOON).confirmed.now == 1
    confirm(store, line(staged[1])[20:] + line(staged[0]), root)
    taken = import_confirmations(ledger, store, NOON).confirmed
    assert (taken.now, taken.before) == (1, 1)
    assert import_confirmations(ledger, store, NOON).confirmed.before == 0
    assert confirmed(ledger) == set(staged[:2])


def test_retention_reads_each_staging_area_from_its_own_beginning(
    ledger: Ledger, store: DiskStore, root: Path, staged: list[str], tmp_path: Path
) -> None:
    """After a move to another area, a position in the one before says nothing."""
    confirm(store, line(staged[0]), root)
    assert import_confirmations(ledger, store, NOON).confirmed.now == 1
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    other = DiskStore(elsewhere)
    confirm(other, line(staged[0]) + line(staged[1]), elsewhere)
    taken = import_confirmations(ledger, other, NOON).confirmed
    assert (taken.now, taken.before) == (1, 1)
    assert import_confirmations(ledger, store, NOON).confirmed.before == 0


def test_retention_invalid_confirmation_is_reported_once(
    ledger: Ledger, store: DiskStore, root: Path, staged: list[str]
) -> None:
    wrong = ["null", '{"envelope_id": 7}', "[" * 5_000, "x" * 200_000, '{"envelope_id": "no such"}']
    confirm(store, "\n".join(wrong).encode() + b"\n\xff\xfe\n" + line(staged[2]).encode(), root)
    taken = import_confirmations(ledger, store, NOON)
    assert taken.confirmed.now == 1
    assert taken.confirmed.unknown == ("no such",)
    assert len(taken.wrong) >= 5
    assert all(len(one) <= 80 for one in taken.wrong)
    assert import_confirmations(ledger, store, NOON).wrong == ()


def test_retention_replaced_confirmation_file_is_read_from_beginning(
    ledger: Ledger, store: DiskStore, root: Path, staged: list[str]
) -> None:
    log = root / "_confirmed.jsonl"
    log.write_text(line(staged[0]) + line(staged[1]))
    import_confirmations(ledger, store, NOON)
    log.write_text(line(staged[2]))  # shorter
    assert import_confirmations(ledger, store, NOON).confirmed.now == 1
    log.write_text(line(staged[3]) + line(staged[4]))  # longer, and another
    assert import_confirmations(ledger, store, NOON).confirmed.now == 2
    log.unlink()
    assert import_confirmations(ledger, store, NOON).confirmed.now == 0
    assert confirmed(ledger) == set(staged[:5])


def test_retention_reads_more_lines_than_one_batch(
    ledger: Ledger, store: DiskStore, root: Path, staged: list[str]
) -> None:
    confirm(store, "".join(line(f"none-{number}") for number in range(2_500)) + line(staged[0]), root)
    taken = import_confirmations(ledger, store, NOON).confirmed
    assert (taken.now, len(taken.unknown)) == (1, 2_500)


def test_retention_removes_only_expired_and_leaves_newest_and_objects(
    ledger: Ledger, store: DiskStore, root: Path, staged: list[str]
) -> None:
    confirm(store, "".join(map(line, staged[1:])), root)
    import_confirmations(ledger, store, NOON)
    objects = list(store.objects())
    paths = list(store.paths())
    size = store.envelope_bytes()
    gone = list(prune_envelopes(ledger, store, confirmed_before=LATER, actor="ann", now=LATER))
    assert {one.envelope_id for one in gone} == set(staged[1:4])
    assert set(store.paths()) == set(paths) - {one.path for one in gone}
    assert 0 < store.envelope_bytes() < size
    assert list(store.objects()) == objects
    assert verify_staging(ledger, store).findings == ()
    with ledger.connect() as conn:
        [action] = activity_log.recent_actions(conn, target="staging")
    assert action["actor"] == "ann"
    assert sorted(action["details"]["files"]) == sorted(one.path for one in gone)
    assert list(prune_envelopes(ledger, store, confirmed_before=LATER, actor="ann", now=LATER)) == []


@pytest.mark.parametrize("mends", ["prune", "recover"])
def test_retention_prune_killed_at_any_step_is_finished_by_next(
    ledger: Ledger, store: DiskStore, root: Path, staged: list[str], tmp_path: Path, mends: str
) -> None:
    confirm(store, "".join(map(line, staged)), root)
    ledger.close()
    for step in range(1, 60):
        place = tmp_path / f"place-{step}"
        shutil.copytree(root, place / "staged")
        shutil.copy(tmp_path / "ledger.db", place / "ledger.db")
        if not _died(place, step):
            assert step > 8
            return
        mended = open_ledger(str(place / "ledger.db"))
        left = DiskStore(place / "staged")
        assert verify_staging(mended, left).findings == (), f"killed at step {step}"
        if mends == "recover":
            recover_staging(mended, left, LATER)
        import_confirmations(mended, left, NOON)
        list(prune_envelopes(mended, left, confirmed_before=LATER, actor="ann", now=LATER))
        assert verify_staging(mended, left).findings == ()
        with mended.connect() as conn:
            states = sorted(conn.execute(select(envelopes.c.state)).scalars())
        assert states == ["indexed"] * 2 + ["pruned"] * 4
        assert len(list(left.paths())) == 2
        mended.close()
    raise AssertionError("it never came to its end")


def _died(place: Path, step: int) -> bool:
    def work() -> None:
        ledger, store = open_ledger(str(place / "ledger.db")), DiskStore(place / "staged")
        die_at(step)
        import_confirmations(ledger, store, NOON)
        list(prune_envelopes(ledger, store, confirmed_before=LATER, actor="ann", now=LATER))

    code = child_processes.run(work)
    assert code in (0, KILLED)
    return code == KILLED


def test_retention_leftovers_of_prune_are_removed_by_next_job(
    ledger: Ledger, store: DiskStore, root: Path, staged: list[str]
) -> None:
    with ledger.begin() as conn:
        conn.execute(
            envelopes.update()
            .where(envelopes.c.envelope_id == staged[0])
            .values(state="pruning", pruned_at=LATER, confirmed_at=NOON)
        )
    recovered = recover_staging(ledger, store, LATER)
    assert recovered.pruned == 1
    assert "1 file(s) removed that an interrupted prune left" in str(recovered)
    assert not recover_staging(ledger, store, LATER)
    Job(ledger, store, an_id(2), LATER).work()
    assert verify_staging(ledger, store).findings == ()
