"""`scrapy doctor --fleet`: the nodes, what waits, what was given up, and the objectives, from the ledger alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from uuid import uuid4

from rori_spiders.ledger.audit import audit_log
from rori_spiders.ledger.database import open_ledger
from rori_spiders.ledger.operations import alerts, costs
from rori_spiders.ledger.queue import job_queue, leases
from rori_spiders.ledger.tables import runs
from tests.ledger.factories import a_row, a_run
from tests.operations.doctor.doctor_output import told

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from tests.operations.doctor.doctor_output import Typed
    from tests.support.project import Project


def test_doctor_fleet_without_nodes_says_so(collected: Project, typed: Typed) -> None:
    found = told(typed, "--fleet", code=0)
    assert found["nodes"][0]["result"] == "warning"
    assert {"leases", "queue", "backlog", "freshness", "completeness", "detection"} <= found.keys()
    assert found["completeness"][0]["found"] == "1 of 1, 100.0%; the objective is 95%"
    assert found["dead letters"][0]["found"] == "none"
    assert found["budgets"][0]["found"] == "nothing spent this month"


def _run_job(conn: Connection, node: str, build: str, now: datetime) -> None:
    job_id, run_id = str(uuid4()), str(uuid4())
    job_queue.enqueue_job(
        conn, job_id=job_id, sources=[node], groups=[f"{node}.gov"], priority=0, operator="system", now=now
    )
    job_queue.start_job(conn, job_id, owner=f"{node}:1:{job_id}", host=node, now=now, ttl_s=60)
    a_run(conn, run_id, source_id=node)
    conn.execute(runs.update().where(runs.c.run_id == run_id).values(job_id=job_id))
    audit_log.append_row(conn, a_row(run_id=run_id, manifest_id=node, build=build))


def test_doctor_fleet_names_nodes_versions_lost_sources_slow_groups_and_budgets(
    collected: Project, typed: Typed
) -> None:
    now = datetime.now(UTC)
    ledger = open_ledger(str(collected.ledger))
    with ledger.begin() as conn:
        _run_job(conn, "n1", "rori-collector 1.0.0", now)
        _run_job(conn, "n2", "rori-collector 1.1.0", now)
        alerts.raise_alert(
            conn, source_id="a-page", event=job_queue.JOB_LOST, cause="x", severity="high", message="m", now=now
        )
        for group, delay_s in (("slow.gov", 30.0), ("fast.gov", None)):
            leases.acquire_lease(conn, group, owner="n1:1:x", now=now)
            leases.record_politeness(
                conn, group, delay_s=delay_s, throttle_s=None, paused_until=now + timedelta(minutes=9)
            )
        call = costs.reserve_cost(
            conn, provider="zyte", unit="request", amount=1, usd=19.0, run_id=None, url=None, now=now
        )
        costs.settle_cost(conn, call, amount=1, usd=19.0, now=now)
    ledger.close()
    found = told(typed, "--fleet", code=0)
    assert "1 job under way" in found["node n1"][0]["found"]
    assert found["node n2"][0]["found"].endswith("rori-collector 1.1.0")
    assert found["versions"][0]["found"] == "the nodes run rori-collector 1.0.0 and rori-collector 1.1.0"
    assert found["dead letters"][0]["found"].startswith("1 source of jobs lost three times (a-page)")
    assert found["slowest groups"][0]["found"] == "slow.gov: 30 s a request; 2 cooling down"
    assert (found["budgets"][0]["result"], "US dollars 95%" in found["budgets"][0]["found"]) == ("warning", True)
    assert "RORI_STAGING" not in typed("doctor", "--fleet").out
