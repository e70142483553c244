"""One round after the other: which jobs are in the queue then. Over both databases; the clock is given."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import UUID

import pytest

from rori_spiders.exceptions import LedgerError, ManifestError
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.dialects import lease_clock
from rori_spiders.ledger.operations import source_status
from rori_spiders.ledger.queue import job_queue
from tests.nodes.dispatcher.conftest import NIGHT, NOON, SOURCES
from tests.support.project import source

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection

    from rori_spiders.nodes.dispatcher import DispatchRound
    from tests.nodes.dispatcher.conftest import DispatcherSetup


def ids(found: DispatchRound) -> list[list[str]]:
    return [[one.id for one in queued.planned.sources] for queued in found.queued]


def test_dispatch_round_job_holds_due_sources_of_one_group(setup: DispatcherSetup) -> None:
    found = setup.dispatcher().round(NIGHT)
    assert ids(found) == [["fed-a", "fed-b"], ["body"], ["state"]]
    queued = {tuple(job.sources): job for job in setup.jobs()}
    job = queued["fed-a", "fed-b"]
    assert (job.groups, job.operator, job.state) == (("hud.gov",), "system", "waiting")
    assert str(UUID(job.job_id)) == found.queued[0].job_id
    assert [list(one) for one in queued] == ids(found), "the most urgent first"


def test_dispatch_round_source_in_a_job_gets_no_second_job(setup: DispatcherSetup) -> None:
    dispatcher = setup.dispatcher()
    assert len(dispatcher.round(NIGHT).queued) == 3
    again = dispatcher.round(NIGHT + timedelta(minutes=1))
    assert (again.queued, again.held, again.later) == ([], [], [])
    assert len(setup.jobs()) == 3


def test_dispatch_round_unfinished_sources_stay_due(setup: DispatcherSetup) -> None:
    dispatcher = setup.dispatcher()
    job_id = dispatcher.round(NIGHT).queued[2].job_id

    def crash(conn: Connection) -> None:
        job_queue.start_job(conn, job_id, owner="n1:1:x", host="n1", now=NIGHT, ttl_s=60)
        job_queue.end_job(conn, job_id, owner="n1:1:x", outcome="refused", reason="x", cancelled=False, now=NIGHT)

    setup.do(crash)
    assert ids(dispatcher.round(NIGHT)) == [["state"]]


def test_dispatch_round_gov_waits_by_day(setup: DispatcherSetup) -> None:
    found = setup.dispatcher().round(NOON)
    assert ids(found) == [["body"], ["state"]]
    assert [due.source.id for due in found.held] == ["fed-a", "fed-b"]
    assert {str(due.held_until) for due in found.held} == {"2026-02-14 07:00:00+00:00"}


def test_dispatch_round_queue_is_bounded(setup: DispatcherSetup) -> None:
    dispatcher = setup.dispatcher(waiting=1)
    found = dispatcher.round(NIGHT)
    assert ids(found) == [["fed-a", "fed-b"]]
    assert [(due.source.id, why) for due, why in found.later] == [
        ("body", "enough jobs are already queued"),
        ("state", "enough jobs are already queued"),
    ]
    assert dispatcher.round(NIGHT).queued == []
    setup.do(lambda conn: job_queue.start_job(conn, found.queued[0].job_id, owner="o", host="n1", now=NIGHT, ttl_s=60))
    assert ids(dispatcher.round(NIGHT)) == [["body"]]


def test_dispatch_round_queues_twice_what_the_nodes_began_since_the_last(setup: DispatcherSetup) -> None:
    dispatcher = setup.dispatcher(waiting=1)
    [first] = dispatcher.round(NIGHT).queued

    def start(conn: Connection) -> None:
        now = lease_clock(conn, NIGHT + timedelta(seconds=10))
        job_queue.start_job(conn, first.job_id, owner="o", host="n1", now=now, ttl_s=60)

    setup.do(start)
    assert ids(dispatcher.round(NIGHT + timedelta(seconds=30))) == [["body"], ["state"]]


def test_dispatch_round_busy_group_waits(setup: DispatcherSetup) -> None:
    setup.write(SOURCES[:1])
    setup.dispatcher().round(NIGHT)
    setup.write(SOURCES)
    found = setup.dispatcher().round(NIGHT)
    assert [(due.source.id, why) for due, why in found.later] == [("fed-b", "another job is using hud.gov")]


def test_dispatch_round_paused_source_is_not_queued(setup: DispatcherSetup) -> None:
    setup.do(lambda conn: source_status.pause_source(conn, "state", by="person", reason="x", now=NIGHT))
    assert ids(setup.dispatcher(dry_run=True).round(NIGHT)) == [["fed-a", "fed-b"], ["body"]]
    setup.do(
        lambda conn: source_status.pause_source(conn, source_status.ALL_SOURCES, by="person", reason="x", now=NIGHT)
    )
    assert setup.dispatcher().round(NIGHT).queued == []
    setup.do(lambda conn: source_status.resume_source(conn, source_status.ALL_SOURCES))
    assert ids(setup.dispatcher().round(NIGHT)) == [["fed-a", "fed-b"], ["body"]]


def test_dispatch_round_dry_run_changes_nothing(setup: DispatcherSetup) -> None:
    dispatcher = setup.dispatcher(dry_run=True)
    assert len(dispatcher.round(NIGHT).queued) == 3
    assert len(dispatcher.round(NIGHT).queued) == 3
    assert setup.jobs() == []


def test_dispatch_round_concurrent_dispatchers_make_no_duplicate_job(setup: DispatcherSetup) -> None:
    setup.write([source(f"s{number}", f"https://site{number}.example.org/") for number in range(30)])
    setup.do(lambda _: None)  # the ledger is there
    begin = threading.Barrier(4)
    failed: list[BaseException] = []

    def dispatch() -> None:
        dispatcher = setup.dispatcher(timeout_s=30)
        begin.wait(timeout=30)
        try:
            dispatcher.round(NIGHT)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=dispatch) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not failed
    queued = [one for job in setup.jobs() for one in job.sources]
    assert sorted(queued) == sorted(f"s{number}" for number in range(30))


def test_dispatch_round_unclaimed_jobs_are_reported(setup: DispatcherSetup) -> None:
    dispatcher = setup.dispatcher()
    job_id = dispatcher.round(NIGHT).queued[0].job_id
    later = NIGHT + timedelta(minutes=16)
    assert dispatcher.round(NIGHT + timedelta(minutes=10)).waits_since(NIGHT + timedelta(minutes=10)) is None
    assert dispatcher.round(later).waits_since(later) == NIGHT
    setup.do(lambda conn: job_queue.start_job(conn, job_id, owner="o", host="n1", now=later, ttl_s=60))
    assert dispatcher.round(later).waits_since(later) is None


def test_dispatch_round_changed_manifest_is_reloaded_broken_one_is_not(
    setup: DispatcherSetup, caplog: pytest.LogCaptureFixture
) -> None:
    dispatcher = setup.dispatcher()
    dispatcher.round(NIGHT)
    setup.write([*SOURCES, source("new", "https://new.example.net/")])
    assert ids(dispatcher.round(NIGHT)) == [["new"]]
    setup.write([{**SOURCES[0], "method": "guess"}])
    for _ in range(3):
        assert dispatcher.round(NIGHT).queued == []
    assert [record.levelname for record in caplog.records].count("ERROR") == 1
    assert "the previous sources stay active" in caplog.text
    assert "fed-a" in caplog.text
    setup.manifest.unlink()
    dispatcher.round(NIGHT)
    setup.write([*SOURCES, source("newer", "https://www.freddiemac.com/")])
    assert ids(dispatcher.round(NIGHT)) == [["newer"]]


def test_dispatch_round_invalid_first_manifest_raises(setup: DispatcherSetup) -> None:
    setup.manifest.unlink()
    with pytest.raises(ManifestError):
        setup.dispatcher().round(NIGHT)
    assert not setup.places.has_ledger or setup.jobs() == []


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_dispatch_round_deleted_ledger_is_not_recreated(setup: DispatcherSetup, tmp_path: Path) -> None:
    dispatcher = setup.dispatcher()
    dispatcher.round(NIGHT)
    for file in tmp_path.glob("ledger.db*"):
        file.unlink()
    with pytest.raises(LedgerError, match="no longer exists"):
        dispatcher.round(NIGHT)
    staged = tmp_path / "staged" / "example.org" / "2026-02-13" / "a__b__00000000.json"
    staged.parent.mkdir(parents=True)
    staged.write_text("{}", encoding="utf-8")
    with pytest.raises(LedgerError, match="no ledger"):
        setup.dispatcher().round(NIGHT)
    assert not setup.places.has_ledger


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_dispatch_round_locked_ledger_fails_that_round(setup: DispatcherSetup) -> None:
    setup.do(lambda _: None)
    ledger = open_ledger(setup.places.database_url)
    with ledger.begin(), pytest.raises(LedgerError, match="locked"):
        setup.dispatcher(timeout_s=0.1).round(NIGHT)
    ledger.close()
    assert len(setup.dispatcher().round(NIGHT).queued) == 3


def test_dispatch_round_ended_jobs_are_pruned_after_a_quarter(setup: DispatcherSetup) -> None:
    dispatcher = setup.dispatcher()
    job_id = dispatcher.round(NIGHT).queued[0].job_id
    setup.do(lambda conn: job_queue.cancel_job(conn, job_id, by="ann", now=NIGHT))
    for days, there in ((89, True), (91, False)):
        dispatcher.round(NIGHT + timedelta(days=days))
        assert (setup.do(lambda conn: job_queue.find_job(conn, job_id)) is not None) is there
