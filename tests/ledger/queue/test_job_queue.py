"""The queue of jobs: what waits in which order, who may begin one, how its process keeps and ends it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import pytest

from rori_spiders.exceptions import UsageError
from rori_spiders.ledger.operations import alerts
from rori_spiders.ledger.queue import job_queue
from tests.ledger.factories import JOB, OTHER_RUN, RUN, a_run, at
from tests.ledger.job_factories import OWNER, TERMS, claimed, ident, queued

if TYPE_CHECKING:
    from rori_spiders.ledger.database import Ledger


def test_job_queue_order_is_urgency_then_waiting_time(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        queued(conn, 1, priority=0, minutes=2)
        queued(conn, 2, priority=0, minutes=1)
        queued(conn, 3, priority=2.5, minutes=3)
        assert [job.job_id for job in job_queue.waiting_jobs(conn)] == [ident(3), ident(2), ident(1)]


def test_job_queue_id_is_uuid_and_used_once(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        queued(conn, 1)
        with pytest.raises(UsageError, match="already exists"):
            queued(conn, 1)
        with pytest.raises(UsageError, match="invalid job id 'mine'"):
            queued(conn, "mine")


def test_job_queue_scrapyd_ids_without_dashes_are_accepted(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        queued(conn, UUID(ident(1)).hex)
        for spelled in (ident(1), UUID(ident(1)).hex):
            assert job_queue.find_job(conn, spelled).job_id == ident(1)  # type: ignore[union-attr]
        assert job_queue.find_job(conn, "mine") is None


def test_job_queue_source_is_queued_until_its_job_ends(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        queued(conn, 1, sources=["a", "b"])
        assert job_queue.queued_sources(conn) == {"a": ident(1), "b": ident(1)}
        claimed(conn)
        assert job_queue.queued_sources(conn) == {"a": ident(1), "b": ident(1)}
        job_queue.start_job(conn, ident(1), owner=OWNER, host="n", now=at(), ttl_s=60)
        assert job_queue.queued_sources(conn) == {"a": ident(1), "b": ident(1)}
        job_queue.end_job(conn, ident(1), owner=OWNER, outcome="complete", reason=None, cancelled=False, now=at(1))
        assert job_queue.queued_sources(conn) == {}
        assert [(job.state, job.outcome) for job in job_queue.list_jobs(conn)] == [("ended", "complete")]


def test_job_queue_stopped_job_of_a_person_goes_on_with_what_it_left(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        for job_id, operator in ((JOB, "manual"), (ident(2), "system")):
            made = {"sources": [f"{operator}-a", f"{operator}-b"], "groups": ["g"], "priority": 100.0}
            job_queue.enqueue_job(conn, job_id=job_id, operator=operator, now=at(), **made)  # type: ignore[arg-type]
            job_queue.start_job(conn, job_id, owner=OWNER, host="n", now=at(), ttl_s=60)
        a_run(conn, RUN, source_id="manual-a", state="complete")
        a_run(conn, OTHER_RUN, source_id="manual-b", state="partial")
        stops = {"outcome": "incomplete", "reason": "stopped by a signal", "cancelled": True, "now": at(1)}
        again = []
        for job_id in (JOB, ident(2)):
            assert job_queue.end_job(conn, job_id, owner=OWNER, **stops)  # type: ignore[arg-type]
            again.append(job_queue.requeue_stopped_job(conn, job_id, now=at(1)))
        [waits] = job_queue.waiting_jobs(conn)
        assert again == [waits.job_id, None], "a schedule plans its own again"
        assert (waits.sources, waits.follows, waits.operator, waits.priority) == (["manual-b"], JOB, "manual", 100)
        assert waits.attempt == 1, "no crash of its own"


def test_job_queue_many_jobs_are_read_with_their_groups(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        for number in range(1, 1202):
            queued(conn, number, groups=[f"g{number}", "all"])
        assert {job.groups[1] for job in job_queue.waiting_jobs(conn)} == {f"g{number}" for number in range(1, 1202)}


def test_job_queue_one_process_starts_job(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        queued(conn, 1)
        claimed(conn)
        job = job_queue.start_job(conn, ident(1), owner=OWNER, host="elsewhere", now=at(), ttl_s=60)
        assert job is not None and (job.state, job.node, job.leased_until) == ("running", "n1:6800", at(1))
        with pytest.raises(UsageError, match="n1:77:a is running it"):
            job_queue.start_job(conn, ident(1), owner="n1:78:a", host="n1", now=at(), ttl_s=60)


def test_job_queue_waiting_job_may_be_started_manually(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        queued(conn, 1)
        job = job_queue.start_job(conn, ident(1), owner=OWNER, host="desk", now=at(), ttl_s=60)
        assert job is not None and job.state == "running"
        assert job_queue.claim_job(conn, TERMS, node="n1:6800", now=at()) is None
        assert [one.node for one in job_queue.list_jobs(conn)] == ["desk"]


def test_job_queue_manual_job_is_not_in_queue(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        assert job_queue.start_job(conn, ident(9), owner=OWNER, host="n", now=at(), ttl_s=60) is None


def test_job_queue_ended_job_does_not_start(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        for number in (1, 2, 3):
            queued(conn, number, groups=[f"g{number}"])
        job_queue.cancel_job(conn, ident(1), by="ann", now=at())
        claimed(conn)
        job_queue.recover_lost_jobs(conn, now=at(5))
        job_queue.start_job(conn, ident(3), owner=OWNER, host="n", now=at(5), ttl_s=60)
        job_queue.end_job(conn, ident(3), owner=OWNER, outcome="complete", reason=None, cancelled=False, now=at(6))
        for number, why in ((1, "it was cancelled at"), (2, "declared lost"), (3, "it has ended at 2026")):
            with pytest.raises(UsageError, match=why):
                job_queue.start_job(conn, ident(number), owner="n1:78:a", host="n", now=at(7), ttl_s=60)


def test_job_queue_heartbeat_renews_job(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        queued(conn, 1)
        claimed(conn)
        job_queue.start_job(conn, ident(1), owner=OWNER, host="n", now=at(), ttl_s=60)
        assert job_queue.renew_job(conn, ident(1), owner=OWNER, now=at(0.9), ttl_s=60) is None
        assert job_queue.recover_lost_jobs(conn, now=at(1.5)) == []
        assert [lost.job.job_id for lost in job_queue.recover_lost_jobs(conn, now=at(1.9))] == [ident(1)]
        why = job_queue.renew_job(conn, ident(1), owner=OWNER, now=at(2), ttl_s=60)
        assert why is not None and why.startswith("declared lost")
        assert not job_queue.end_job(
            conn, ident(1), owner=OWNER, outcome="complete", reason=None, cancelled=False, now=at(2)
        )


def test_job_queue_running_job_reads_who_cancelled_it(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        queued(conn, 1)
        claimed(conn)
        job_queue.start_job(conn, ident(1), owner=OWNER, host="n", now=at(), ttl_s=60)
        before = job_queue.cancel_job(conn, ident(1), by="ann", now=at(0.1))
        assert before is not None and before.state == "running"
        assert job_queue.renew_job(conn, ident(1), owner=OWNER, now=at(0.2), ttl_s=60) == "cancelled by ann"
        job_queue.end_job(
            conn, ident(1), owner=OWNER, outcome="partial", reason="cancelled by ann", cancelled=True, now=at(1)
        )
        assert [(job.state, job.reason) for job in job_queue.list_jobs(conn)] == [("cancelled", "cancelled by ann")]
        assert job_queue.cancel_job(conn, ident(1), by="bob", now=at(2)) is not None
        assert [job.cancelled_by for job in job_queue.list_jobs(conn)] == ["ann"]


def test_job_queue_abandoned_source_counts_as_queued_until_its_run_ends(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        alert = {"event": job_queue.JOB_LOST, "cause": ident(1), "severity": "high", "message": "m"}
        for source_id in ("a", "b"):
            alerts.raise_alert(conn, source_id=source_id, now=at(), **alert)
        job_queue.clear_lost_job_alert(conn, "a", at(1))
        assert job_queue.queued_sources(conn) == {"b": ident(1)}


def test_job_queue_old_ended_jobs_are_deleted(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        for number in (1, 2, 3, 4):
            queued(conn, number)
        for number, minutes in ((1, 1), (2, 2), (3, 9)):
            job_queue.cancel_job(conn, ident(number), by="ann", now=at(minutes))
        assert [job_queue.prune_jobs(conn, before=at(5), limit=1) for _ in range(3)] == [1, 1, 0]
        assert sorted(job.job_id for job in job_queue.list_jobs(conn)) == [ident(3), ident(4)]
        assert sorted(job_queue.load_groups(conn, map(ident, (1, 2, 3, 4)))) == [ident(3), ident(4)]
