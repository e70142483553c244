"""What recovery decides in the cases that a kill between two steps alone does not make."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rori_spiders.crawl.envelope import build_deletion_envelope
from rori_spiders.crawl.runs import page_records
from rori_spiders.exceptions import LeaseLost
from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.pages import page_history, page_state
from rori_spiders.ledger.queue import leases
from rori_spiders.ledger.runs import frontier, run_records
from rori_spiders.ledger.runs.run_records import RobotsFileRecord
from rori_spiders.politeness.robots_policy import RobotsFile
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.runtime.redaction import Redactor
from rori_spiders.staging.envelope_writer import check_reserved
from rori_spiders.staging.recovery import ADOPTED_REASON, recover_staging
from rori_spiders.staging.verification.verify import verify_staging
from tests.envelope.factories import NOON, SITE, a_fetch, an_origin
from tests.staging.job_driver import SOURCE, begin, of_a_run, record, reserve_envelope, reserved, rows, write_envelope

if TYPE_CHECKING:
    from rori_spiders.ledger.database import Ledger
    from rori_spiders.staging.store_factory import DiskStore
    from tests.staging.job_driver import Job

LATER = NOON + timedelta(minutes=10)


def test_recovery_without_leftovers_does_nothing(ledger: Ledger, store: DiskStore) -> None:
    assert not recover_staging(ledger, store, LATER)
    assert verify_staging(ledger, store).clean


def test_recovery_adopted_page_has_all_facts_of_envelope(job: Job) -> None:
    (visit,) = begin(job, SITE)
    robots, origin = job.store.put_object(b"User-agent: *\nDisallow:\n"), "https://www.consumerfinance.gov"
    with job.ledger.begin() as conn:
        envelope = job.envelope(visit, b"text")
        reservation = reserve_envelope(conn, envelope, links=[SITE + "5/", SITE + "6/"], now=NOON)
        seen = RobotsFileRecord(visit.run_id, origin, NOON, "rules", 200, object=robots)
        run_records.record_robots_file(conn, seen)
        file = RobotsFile(origin, "rules", "", 200, NOON)
        audit_log.append_row(conn, page_records.robots_audit_row(seen, file, SOURCE, Redactor()))
    write_envelope(job.store, reservation, raw=b"text")
    assert recover_staging(job.ledger, job.store, LATER).adopted == (reservation.path,)
    with job.ledger.connect() as conn:
        page = page_history.find_page(conn, SOURCE, SITE)
        assert page is not None
        version = page_history.newest_version(conn, page.page_id)
        (row,) = audit_log.query_rows(conn, source_id=SOURCE)
        states = {url.url: url.state for url in frontier.list_urls(conn, visit.run_id)}
        links = page_state.load_links(conn, SOURCE, [SITE])[SITE]
    assert version is not None
    assert f"sha256:{version.content_hash}" == envelope.integrity.content_hash
    assert version.title == envelope.page_metadata.title
    assert version.section_hashes[0][0] == "text"
    assert row["staged_path"] == reservation.path
    assert row["content_hash"] == envelope.integrity.content_hash
    assert row["reason"] == ADOPTED_REASON
    assert row["robots_object"] == robots
    assert row["attempts"][0]["ms"] == envelope.scrape.response_time_ms
    assert states == {SITE: "captured"}
    assert links == (SITE + "5/", SITE + "6/"), "the walker that resumes the run goes on from them"
    assert rows(job.ledger)[reservation.path].state == "indexed"
    assert verify_staging(job.ledger, job.store).findings == ()


def test_recovery_deletion_is_adopted_as_gone(job: Job) -> None:
    (visit,) = begin(job, SITE)
    origin = an_origin(SITE, run_id=visit.run_id, fetched=a_fetch(SITE, status=410), raw_object=None)
    envelope = build_deletion_envelope(previous_content_hash="e" * 64, title="Coverage", **origin)
    with job.ledger.begin() as conn:
        reservation = reserve_envelope(conn, envelope, links=[], now=NOON)
    write_envelope(job.store, reservation, raw=None)
    assert recover_staging(job.ledger, job.store, LATER).adopted
    with job.ledger.connect() as conn:
        page = page_history.find_page(conn, SOURCE, SITE)
        assert page is not None
        assert page.gone_at == NOON.replace(microsecond=0)
        assert [url.state for url in frontier.list_urls(conn, visit.run_id)] == ["gone"]


def test_recovery_envelope_of_live_job_is_left_to_it(job: Job) -> None:
    first, second = begin(job, SITE, SITE + "5/")
    reservation = reserved(job, first, "text")
    write_envelope(job.store, reservation, raw=b"text")
    with job.ledger.begin() as conn:
        envelope = job.envelope(second, b"more")
        unindexed = reserve_envelope(conn, envelope, links=[], now=NOON)
        write_envelope(job.store, unindexed, raw=b"more")
        record(conn, second, envelope, unindexed.path, [], NOON)
        lease = leases.acquire_lease(conn, "consumerfinance.gov", owner=f"host:1:{job.job_id}", now=NOON, ttl_s=60)
    assert lease is not None
    soon = NOON + timedelta(seconds=59)
    assert not recover_staging(job.ledger, job.store, soon)
    assert verify_staging(job.ledger, job.store, now=soon).findings == ()
    found = recover_staging(job.ledger, job.store, NOON + timedelta(seconds=61))
    assert (found.adopted, found.indexed) == ((reservation.path,), 2)


@pytest.mark.parametrize("state", ["complete", "failed", "cancelled", "incomplete"])
def test_recovery_adds_nothing_to_closed_run(job: Job, state: str) -> None:
    (visit,) = begin(job, SITE)
    reservation = reserved(job, visit, "text")
    write_envelope(job.store, reservation, raw=b"text")
    with job.ledger.begin() as conn:
        run_records.close_run(conn, visit.run_id, state=state, reason=Reason("stopped", error="by a test"), now=NOON)
    assert recover_staging(job.ledger, job.store, LATER).dropped == (reservation.path,)
    assert not job.store.exists(reservation.path)
    assert verify_staging(job.ledger, job.store).findings == ()


def test_recovery_url_failed_after_reservation_stays_failed(job: Job) -> None:
    (visit,) = begin(job, SITE)
    reservation = reserved(job, visit, "text")
    write_envelope(job.store, reservation, raw=b"text")
    with job.ledger.begin() as conn:
        frontier.settle_url(
            conn,
            visit.run_id,
            SITE,
            state="failed",
            reason=Reason(ReasonCode.NO_RESULT),
            tier="http",
            verdict="content",
            attempts=1,
            now=NOON,
        )
    assert recover_staging(job.ledger, job.store, LATER).dropped == (reservation.path,)
    with job.ledger.connect() as conn:
        assert [url.state for url in frontier.list_urls(conn, visit.run_id)] == ["failed"]


def test_recovery_file_with_other_bytes_is_neither_adopted_nor_changed(job: Job) -> None:
    (visit,) = begin(job, SITE)
    reservation = reserved(job, visit, "text")
    job.store.write_envelope(reservation.path, b"somebody else's")
    assert recover_staging(job.ledger, job.store, LATER).dropped == (reservation.path,)
    assert job.store.read(reservation.path) == b"somebody else's"
    assert [visit.url for visit in job.pending(visit.run_id)] == [SITE]


def test_recovery_file_without_its_objects_is_not_adopted(job: Job) -> None:
    (visit,) = begin(job, SITE)
    reservation = reserved(job, visit, "text")
    job.store.write_envelope(reservation.path, reservation.data)
    assert recover_staging(job.ledger, job.store, LATER).dropped == (reservation.path,)
    assert list(job.store.paths()) == []


def test_recovery_suspended_job_does_not_repeat_record(job: Job) -> None:
    (visit,) = begin(job, SITE)
    with job.ledger.begin() as conn:
        envelope = job.envelope(visit, b"text")
        reservation = reserve_envelope(conn, envelope, links=[], now=NOON)
    write_envelope(job.store, reservation, raw=b"text")
    assert recover_staging(job.ledger, job.store, LATER).adopted
    with pytest.raises(LeaseLost, match="another job has recorded it"), job.ledger.begin() as conn:
        record(conn, visit, envelope, reservation.path, [], LATER)
    assert len(list(job.store.index.lines())) == 1
    assert verify_staging(job.ledger, job.store).findings == ()


def test_recovery_suspended_job_leaves_no_file_of_withdrawn_envelope(job: Job) -> None:
    (visit,) = begin(job, SITE)
    reservation = reserved(job, visit, "text")
    assert recover_staging(job.ledger, job.store, LATER).dropped
    write_envelope(job.store, reservation, raw=b"text")
    with pytest.raises(LeaseLost, match="taken it back"), job.ledger.begin() as conn:
        check_reserved(conn, job.store, [reservation])
    assert list(job.store.paths()) == []
    assert verify_staging(job.ledger, job.store).findings == ()


def test_recovery_existing_line_is_not_written_twice(job: Job) -> None:
    (visit,) = begin(job, SITE)
    with job.ledger.begin() as conn:
        envelope = job.envelope(visit, b"text")
        reservation = reserve_envelope(conn, envelope, links=[], now=NOON)
        write_envelope(job.store, reservation, raw=b"text")
        record(conn, visit, envelope, reservation.path, [], NOON)
    job.store.index.append(of_a_run(reservation.index_line))
    assert recover_staging(job.ledger, job.store, LATER).indexed == 0
    assert rows(job.ledger)[reservation.path].state == "indexed"
    assert list(job.store.index.lines()) == [reservation.index_line]


def test_recovery_reports_repairs(job: Job) -> None:
    job.store.index.append(of_a_run("{}"))
    with Path(job.store.location, "_index.jsonl").open("ab") as file:
        file.write(b'{"torn')
    found = recover_staging(job.ledger, job.store, LATER)
    assert found.torn == ("_index.jsonl",)
    assert found
