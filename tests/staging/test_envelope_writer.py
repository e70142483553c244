"""The steps of the writing order, one by one: names, repeats, refusals."""

from __future__ import annotations

import errno
import os
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from rori_spiders.exceptions import LeaseLost, StagingError
from rori_spiders.ledger.tables import envelopes
from rori_spiders.staging.envelope_writer import (
    PageToStage,
    abandon_reservation,
    index_envelopes,
    mark_indexed,
    mark_staged,
    reserve_and_write,
    reserve_envelopes,
)
from rori_spiders.staging.verification.verify import verify_staging
from tests.envelope.factories import SITE
from tests.staging.job_driver import begin, next_run, record, reserve_envelope, reserved, rows, write_envelope

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rori_spiders.staging.envelope_writer import Reservation
    from tests.staging.job_driver import Job


def test_envelope_writer_page_changed_back_within_day_has_three_names(job: Job) -> None:
    texts = ["A", "B", "A"]
    staged = []
    for text in texts:
        (visit,) = begin(job, SITE + "5/")
        staged.append(job.page(visit, text))
        next_run(job)
    plain, other, again = (reservation.path.rpartition("/")[2] for reservation in staged)
    assert plain.startswith("cfpb-reg-x__1024-5__")
    assert other.startswith("cfpb-reg-x__1024-5__")
    assert again == plain.replace("1024-5", f"1024-5-{staged[2].envelope_id[:8]}")
    newest = [row.path for row in rows(job.ledger).values() if row.newest]
    assert newest == [staged[2].path]
    assert verify_staging(job.ledger, job.store).findings == ()


def test_envelope_writer_two_pages_of_same_name_and_text_have_two_names(job: Job) -> None:
    first, second = begin(job, "https://www.consumerfinance.gov/a/x/1", "https://www.consumerfinance.gov/b/x/1")
    paths = {job.page(visit, "the same").path for visit in (first, second)}
    mark = sha256(second.url.encode()).hexdigest()[:8]
    assert len(paths) == 2
    assert sum(f"__x-1-{mark}__" in path for path in paths) == 1
    next_run(job)
    assert verify_staging(job.ledger, job.store).findings == ()


def test_reserve_envelopes_of_one_name_in_a_group_have_two_names(job: Job) -> None:
    visits = begin(job, "https://www.consumerfinance.gov/a/x/1", "https://www.consumerfinance.gov/b/x/1")
    pages = [PageToStage(job.envelope(visit, b"the same"), b"the same") for visit in visits]
    with job.ledger.begin() as conn:
        reservations = reserve_envelopes(conn, pages, now=job.now)
    assert len({one.path for one in reservations}) == 2
    assert list(rows(job.ledger)) == [one.path for one in reservations]


def test_reserve_and_write_renames_only_page_with_taken_name(job: Job) -> None:
    visits = begin(job, SITE + "5/", SITE + "6/")
    pages = [PageToStage(job.envelope(visit, b"text"), b"text") for visit in visits]
    groups = []

    def reserve(some: Sequence[PageToStage]) -> list[Reservation]:
        groups.append(len(some))
        with job.ledger.begin() as conn:
            reservations = reserve_envelopes(conn, some, now=job.now)
        if len(some) == 2:
            job.store.write_envelope(reservations[1].path, b"somebody else's")
        return reservations

    first, second = reserve_and_write(job.store, pages, reserve)
    assert groups == [2, 1]
    assert job.store.read(second.path) == second.data
    assert sorted(rows(job.ledger)) == sorted([first.path, second.path])


def test_envelope_writer_file_unknown_to_ledger_stays_unchanged(job: Job, root: Path) -> None:
    (visit,) = begin(job, SITE + "5/")
    stray = reserved(job, visit, "text").path
    job.store.write_envelope(stray, b"somebody else's")
    with job.ledger.begin() as conn:
        conn.execute(envelopes.delete())
    assert job.page(visit, "text").path != stray
    assert (root / stray).read_bytes() == b"somebody else's"
    assert [finding.kind for finding in verify_staging(job.ledger, job.store).findings] == [
        "file_without_row",
        "not_an_envelope",
    ]


def test_envelope_writer_every_step_is_repeatable(job: Job) -> None:
    (visit,) = begin(job, SITE)
    raw = b"text"
    envelope = job.envelope(visit, raw)
    with job.ledger.begin() as conn:
        reservation = reserve_envelope(conn, envelope, links=[], now=job.now)
    write_envelope(job.store, reservation, raw=raw)
    write_envelope(job.store, reservation, raw=raw)
    with job.ledger.begin() as conn:
        record(conn, visit, envelope, reservation.path, [], job.now)
    with pytest.raises(LeaseLost), job.ledger.begin() as conn:
        mark_staged(conn, envelope.envelope_id, now=job.now)  # but once: it comes with a version and an audit row
    index_envelopes(job.ledger, job.store, [envelope.envelope_id])
    index_envelopes(job.ledger, job.store, [envelope.envelope_id])
    with job.ledger.begin() as conn:
        mark_indexed(conn, [envelope.envelope_id])
    assert list(job.store.index.lines()) == [reservation.index_line]
    next_run(job)
    assert verify_staging(job.ledger, job.store).findings == ()


def test_envelope_writer_second_attempt_replaces_first_not_staged(job: Job) -> None:
    (visit,) = begin(job, SITE)
    first = reserved(job, visit, "text")
    write_envelope(job.store, first, raw=b"text")
    again = reserved(job, visit, "text")
    assert again.path == first.path
    assert again.replaces == (first.path, sha256(first.data).hexdigest())
    write_envelope(job.store, again, raw=b"text")
    assert job.store.read(again.path) == again.data != first.data
    assert list(rows(job.ledger)) == [again.path]


def test_envelope_writer_file_of_other_job_is_not_removed(job: Job) -> None:
    (visit,) = begin(job, SITE)
    first = reserved(job, visit, "text")
    job.store.write_envelope(first.path, b"somebody else's")
    again = job.page(visit, "text")
    assert again.path != first.path
    assert job.store.read(first.path) == b"somebody else's"
    assert list(rows(job.ledger)) == [again.path]


def test_envelope_writer_without_free_name_stops_job(job: Job) -> None:
    (visit,) = begin(job, SITE)
    raw = b"text"
    envelope = job.envelope(visit, raw)
    tried = []

    def into_another(pages: Sequence[PageToStage]) -> list[Reservation]:
        with job.ledger.begin() as conn:
            [reservation] = reserve_envelopes(conn, pages, now=job.now)
        if reservation.path not in tried:
            job.store.write_envelope(reservation.path, b"somebody else's")
        tried.append(reservation.path)
        return [reservation]

    with pytest.raises(StagingError, match="To find its origin"):
        reserve_and_write(job.store, [PageToStage(envelope, raw)], into_another)
    assert len(set(tried)) == 4
    assert {job.store.read(path) for path in tried} == {b"somebody else's"}


def test_envelope_writer_page_is_staged_once_a_run(job: Job) -> None:
    (visit,) = begin(job, SITE)
    job.page(visit)
    with pytest.raises(StagingError, match="was already staged in this run"):
        reserved(job, visit, "other text")


def test_envelope_writer_bytes_of_other_hash_are_never_written(job: Job) -> None:
    (visit,) = begin(job, SITE)
    reservation = reserved(job, visit, "text")
    for raw in (b"other", None):
        with pytest.raises(ValueError, match="do not match their envelopes"):
            write_envelope(job.store, reservation, raw=raw)
    assert list(job.store.paths()) == []


def test_envelope_writer_full_disk_leaves_releasable_page(
    job: Job, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (visit,) = begin(job, SITE)
    reservation = reserved(job, visit, "text")

    def full(*args: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with pytest.raises(StagingError, match="is full"):
            write_envelope(job.store, reservation, raw=b"text")
    with job.ledger.begin() as conn:
        assert abandon_reservation(conn, job.store, reservation.envelope_id) == reservation.path
        assert abandon_reservation(conn, job.store, reservation.envelope_id) is None
    assert rows(job.ledger) == {}
    job.page(visit, "text")
    next_run(job)
    assert verify_staging(job.ledger, job.store).findings == ()


def test_envelope_writer_staged_envelope_cannot_be_abandoned(job: Job) -> None:
    (visit,) = begin(job, SITE)
    reservation = job.page(visit)
    with job.ledger.begin() as conn:
        assert abandon_reservation(conn, job.store, reservation.envelope_id) is None
    assert job.store.exists(reservation.path)
