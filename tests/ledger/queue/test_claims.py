"""Claims: a node gets the first job whose groups are free, with their leases; silent nodes lose theirs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from rori_spiders.ledger.operations import alerts
from rori_spiders.ledger.queue import job_queue, leases, permits
from rori_spiders.ledger.queue.permits import PermitLimits
from tests.ledger.factories import JOB, a_run, at
from tests.ledger.job_factories import OWNER, TERMS, claimed, ident, queued

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from rori_spiders.ledger.database import Ledger


def _count(conn: Connection, minutes: float = 0) -> int:
    return job_queue.count_claimable_and_lost(conn, TERMS, now=at(minutes))


def test_claim_job_leases_groups_in_name_of_job(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        queued(conn, 1, groups=["cfpb.gov", "hud.gov"])
        job = claimed(conn)
        assert (job.state, job.node, job.leased_until) == ("leased", "n1:6800", at(1))
        assert [(one.group, one.owner) for one in leases.lease_holders(conn)] == [
            ("cfpb.gov", f"n1:6800:0:{ident(1)}"),
            ("hud.gov", f"n1:6800:0:{ident(1)}"),
        ]


def test_claim_job_lease_passes_to_its_process_only(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        queued(conn, 1)
        claimed(conn)
        assert leases.acquire_lease(conn, "cfpb.gov", owner=f"n1:77:{ident(2)}", now=at(0.1)) is None
        own = leases.acquire_lease(conn, "cfpb.gov", owner=f"n1:77:{ident(1)}", now=at(0.1))
        assert own is not None and (own.owner, own.epoch) == (f"n1:77:{ident(1)}", 1)
        assert leases.acquire_lease(conn, "cfpb.gov", owner=f"n1:78:{ident(1)}", now=at(0.2)) is None


def test_claim_job_held_group_is_skipped(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        queued(conn, 1, groups=["cfpb.gov"], priority=2)
        queued(conn, 2, groups=["hud.gov", "cfpb.gov"], priority=1)
        queued(conn, 3, groups=["va.gov"])
        assert _count(conn) == 3
        assert claimed(conn).job_id == ident(1)
        assert _count(conn) == 1
        assert claimed(conn).job_id == ident(3)
        assert _count(conn) == 0
        assert job_queue.claim_job(conn, TERMS, node="n2:6800", now=at(0.5)) is None


def test_claim_job_group_of_manual_crawl_is_skipped(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        lease = leases.acquire_lease(conn, "cfpb.gov", owner="desk:5:x", now=at())
        queued(conn, 1)
        assert _count(conn, 0.9) == 0
        assert _count(conn, 1) == 1
        assert lease is not None
        leases.release_leases(conn, [lease])
        assert _count(conn, 0.1) == 1


def test_claim_job_cooling_down_group_waits(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        leases.acquire_lease(conn, "cfpb.gov", owner="desk:5:x", now=at(-5))
        leases.record_politeness(conn, "cfpb.gov", delay_s=None, throttle_s=None, paused_until=at(10))
        queued(conn, 1)
        assert (_count(conn), _count(conn, 5)) == (0, 1)


def test_claim_job_with_as_many_processes_as_the_machine_may_have_gives_none(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        for number in range(1, 8):
            queued(conn, number, groups=[f"g{number}.gov"])
        nodes = [claimed(conn, f"n1:{6800 + number % 2}").node for number in range(5)]
        assert nodes == ["n1:6800", "n1:6801", "n1:6800", "n1:6801", "n1:6800"]
        assert (_count(conn), job_queue.claim_job(conn, TERMS, node="n1:6800", now=at())) == (0, None)
        assert job_queue.count_claimable(conn, replace(TERMS, machine="n2"), now=at()) == 2
        assert job_queue.count_claimable(conn, replace(TERMS, machine="n2", limits=PermitLimits(5, 5)), now=at()) == 0
        job_queue.cancel_job(conn, ident(1), by="ann", now=at())
        assert claimed(conn).job_id == ident(6)


def test_claim_job_reserved_permits_pass_to_its_process(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        queued(conn, 1)
        claimed(conn)
        claim = partial(permits.claim_permits, conn, keep=0, limits=PermitLimits(10), now=at(0.1), ttl_s=60)
        assert claim(owner="n1:5:x", wanted=10) == (9, 9)
        assert claim(owner=f"n1:77:{ident(1)}", wanted=3) == (1, 1)
        assert {claim.owner for claim in permits.load_claims(conn, now=at(0.1))} == {"n1:5:x", f"n1:77:{ident(1)}"}


def test_claim_job_of_more_groups_than_requests_at_once_is_claimed(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        queued(conn, 9, groups=[f"g{number}.gov" for number in range(12)])
        assert claimed(conn).job_id == ident(9)


def test_claim_job_many_concurrent_nodes_never_get_same_job(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        for number in range(1, 6):
            queued(conn, number, groups=[f"g{number}.gov"])

    def claiming(node: int) -> str | None:
        with ledger.begin() as conn:
            job = job_queue.claim_job(conn, TERMS, node=f"n{node}:6800", now=at())
            return job.job_id if job is not None else None

    with ThreadPoolExecutor(8) as pool:
        got = [job_id for job_id in pool.map(claiming, range(16)) if job_id is not None]
    assert sorted(got) == [ident(number) for number in range(1, 6)]


def test_claim_job_leases_of_dead_node_expire(ledger: Ledger) -> None:
    ten = [f"g{number}.gov" for number in range(10)]
    with ledger.begin() as conn:
        queued(conn, 1, groups=ten, sources=["a", "b"], priority=7)
        queued(conn, 2, groups=["other.gov"])
        claimed(conn)
        assert len(leases.lease_holders(conn)) == 10
        assert (_count(conn, 0.99), job_queue.recover_lost_jobs(conn, now=at(0.99))) == (1, [])
        assert _count(conn, 1) == 2
        [lost] = job_queue.recover_lost_jobs(conn, now=at(1))
        assert (lost.job.job_id, lost.job.node, lost.given_up) == (ident(1), "n1:6800", ())
        again = claimed(conn, "n2:6800", minutes=1)
        assert (again.job_id, again.follows, again.attempt) == (lost.successor, ident(1), 2)
        assert (again.sources, sorted(again.groups), again.priority, again.operator) == (["a", "b"], ten, 7, "system")
        assert {lease.epoch for lease in leases.lease_holders(conn)} == {2}
        assert [(job.job_id, job.state) for job in job_queue.list_jobs(conn)][-1] == (ident(1), "lost")


def test_lost_job_finished_sources_are_not_collected_again(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        queued(conn, JOB, sources=["done", "begun", "to-come"])
        claimed(conn)
        job_queue.start_job(conn, JOB, owner=OWNER, host="n", now=at(), ttl_s=60)
        a_run(conn, ident(51), source_id="done", state="failed")
        a_run(conn, ident(52), source_id="begun")
        [lost] = job_queue.recover_lost_jobs(conn, now=at(2))
        assert lost.successor is not None
        assert job_queue.find_job(conn, lost.successor).sources == ["begun", "to-come"]  # type: ignore[union-attr]


def test_lost_job_with_nothing_left_is_not_repeated(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        queued(conn, JOB, sources=["done"])
        claimed(conn)
        a_run(conn, ident(51), source_id="done", state="complete")
        assert [(lost.successor, lost.given_up) for lost in job_queue.recover_lost_jobs(conn, now=at(2))] == [
            (None, ())
        ]


def test_lost_job_third_attempt_is_the_last(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        queued(conn, 1, sources=["reg-x"])
        for attempt in (1, 2, 3):
            assert claimed(conn, f"n{attempt}:6800", minutes=2 * attempt).attempt == attempt
            [lost] = job_queue.recover_lost_jobs(conn, now=at(2 * attempt + 1))
        assert (lost.successor, lost.given_up) == (None, ("reg-x",))
        assert _count(conn, 60) == 0 and job_queue.queued_sources(conn) == {"reg-x": lost.job.job_id}
        [alert] = alerts.open_alerts(conn, "reg-x")
        assert (alert["event"], alert["severity"]) == ("job_lost", "high")
        assert "last node: n3:6800" in alert["message"]


def test_lost_job_cancelled_is_not_repeated(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        queued(conn, 1)
        claimed(conn)
        job_queue.start_job(conn, ident(1), owner=OWNER, host="n", now=at(), ttl_s=60)
        job_queue.cancel_job(conn, ident(1), by="ann", now=at())
        assert [lost.successor for lost in job_queue.recover_lost_jobs(conn, now=at(2))] == [None]


def test_cancel_job_not_started_releases_its_groups(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        queued(conn, 1)
        queued(conn, 2)
        claimed(conn)
        before = job_queue.cancel_job(conn, ident(1), by="ann", now=at(0.1))
        assert before is not None and before.state == "leased"
        assert claimed(conn, minutes=0.2).job_id == ident(2)
        assert job_queue.cancel_job(conn, ident(7), by="ann", now=at()) is None


def test_reject_claim_ends_job_and_releases_its_groups(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        queued(conn, 1)
        claimed(conn)
        job = job_queue.reject_claim(conn, ident(1), reason="the manifest is not valid", now=at(0.1))
        assert job is not None and (job.state, job.outcome, job.reason, job.ended_at) == (
            "ended",
            "refused",
            "the manifest is not valid",
            at(0.1),
        )
        assert leases.lease_holders(conn) == []
        assert job_queue.recover_lost_jobs(conn, now=at(2)) == []


def test_reject_claim_of_job_not_leased_changes_nothing(ledger: Ledger) -> None:
    with ledger.begin() as conn:
        queued(conn, 1)
        assert job_queue.reject_claim(conn, ident(2), reason="x", now=at()) is None
        waits = job_queue.reject_claim(conn, ident(1), reason="x", now=at())
        assert waits is not None and waits.state == "waiting"
        job_queue.start_job(conn, ident(1), owner=OWNER, host="n1", now=at(), ttl_s=60)
        runs = job_queue.reject_claim(conn, ident(1), reason="x", now=at())
        assert runs is not None and runs.state == "running"
