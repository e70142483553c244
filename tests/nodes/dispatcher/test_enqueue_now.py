"""Run now: a person puts sources in front of all others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.configuration.active_manifest import load_active_catalog
from rori_spiders.ledger.operations import activity_log, source_status
from rori_spiders.ledger.queue import job_queue
from rori_spiders.nodes.dispatcher import enqueue_now, read_queue_snapshot
from tests.nodes.dispatcher.conftest import NIGHT, NOON

if TYPE_CHECKING:
    from rori_spiders.nodes.dispatcher import EnqueuedJob
    from tests.nodes.dispatcher.conftest import DispatcherSetup


def wanted(setup: DispatcherSetup, *ids: str) -> tuple[list[EnqueuedJob], dict[str, str]]:
    catalog = load_active_catalog(setup.places, None)
    chosen = [catalog.source(one) for one in ids]
    made: tuple[list[EnqueuedJob], dict[str, str]] = setup.do(
        lambda conn: enqueue_now(conn, catalog, chosen, actor="ann", now=NOON)
    )
    return made


def test_enqueue_now_goes_first_outside_crawl_window(setup: DispatcherSetup) -> None:
    setup.dispatcher().round(NOON)
    made, refused = wanted(setup, "fed-a", "fed-b")
    assert (len(made), refused) == (1, {})
    first = setup.do(job_queue.waiting_jobs)[0]
    assert (first.sources, first.operator) == (["fed-a", "fed-b"], "manual")
    [done] = setup.do(lambda conn: activity_log.recent_actions(conn, target="fed-a"))
    assert (done["actor"], done["action"], done["details"]) == ("ann", "run_now", {"job_id": first.job_id})


def test_enqueue_now_running_or_paused_source_is_refused(setup: DispatcherSetup) -> None:
    job_id = setup.dispatcher().round(NIGHT).queued[0].job_id
    setup.do(lambda conn: job_queue.start_job(conn, job_id, owner="n7:1:x", host="n7", now=NIGHT, ttl_s=60))
    setup.do(lambda conn: source_status.pause_source(conn, "state", by="person", reason="asked to wait", now=NIGHT))
    made, refused = wanted(setup, "fed-a", "state")
    assert made == []
    assert f"Job {job_id} on node n7" in refused["fed-a"]
    assert "asked to wait" in refused["state"]


def test_enqueue_now_queued_source_leaves_its_job(setup: DispatcherSetup) -> None:
    both, body, _ = (one.job_id for one in setup.dispatcher().round(NIGHT).queued)
    made, refused = wanted(setup, "fed-b", "body")
    assert (len(made), refused) == (2, {})
    waiting = {job.job_id: (job.sources, job.operator) for job in setup.do(job_queue.waiting_jobs)}
    assert waiting.pop(both) == (["fed-a"], "system")
    assert body not in waiting
    by_hand = sorted(ids for ids, operator in waiting.values() if operator == "manual")
    assert by_hand == [["body"], ["fed-b"]]
    left = setup.do(lambda conn: job_queue.find_job(conn, body))
    assert (left.state, left.reason, left.cancelled_by) == ("cancelled", "body was put in front", "ann")
    again, why = wanted(setup, "fed-b")
    assert again == [] and "which has waited for a node" in why["fed-b"]


def test_queue_snapshot_job_of_source_names_its_node(setup: DispatcherSetup) -> None:
    job_id = setup.dispatcher().round(NIGHT).queued[0].job_id
    setup.do(lambda conn: job_queue.start_job(conn, job_id, owner="n7:1:x", host="n7", now=NIGHT, ttl_s=60))
    said = setup.do(lambda conn: read_queue_snapshot(conn).job_of("fed-b"))
    assert said == f"Job {job_id} on node n7 is collecting it; no other job starts it until that job ends."
    assert setup.do(lambda conn: read_queue_snapshot(conn).job_of("nobody")) is None
